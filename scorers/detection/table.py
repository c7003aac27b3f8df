"""The one table that detections of every format become: a row per box, named by image and class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from schemas.arrays import array_of, booleans, floats, texts_of
from schemas.errors import InputError, Problem
from schemas.input.columns import decoded, is_text, numbers, row_named
from scorers.detection.boxes import KEYS, SIDES, Floats, Integers

COLUMNS = ("category", *SIDES, "score")
# Beyond it, areas of boxes overflow.
_FARTHEST = 1e100


class Names(dict[int | str, int]):
    """Positions of category names by what a file calls them; what is not known gets a name that says so.

    Attributes:
        names: all of them, by position.
    """

    def __init__(self, known: Mapping[int | str, str], unknown: str = "{}") -> None:
        self.names = list(dict.fromkeys(known.values()))
        places = {name: place for place, name in enumerate(self.names)}
        super().__init__({called: places[name] for called, name in known.items()})
        self._unknown = unknown

    def __missing__(self, called: int | str) -> int:
        self.names.append(called if isinstance(called, str) else self._unknown.format(called))
        self[called] = len(self.names) - 1
        return self[called]


def box_table(
    key: str, images: pa.Array, categories: Integers, names: Sequence[str], boxes: Floats, scores: Floats
) -> pa.Table:
    """A table of `key` and `COLUMNS`.

    Args:
        key: `image_id` or `sample_id`.
        images: the image of each detection.
        categories: positions in `names`; shape (detections,).
        names: of the categories.
        boxes: x, y, width, height in pixels; shape (detections, 4).
        scores: shape (detections,).
    """
    sides = {name: array_of(boxes[:, place]) for place, name in enumerate(SIDES)}
    named = pa.DictionaryArray.from_arrays(array_of(categories), texts_of(names))
    return pa.table({key: images, "category": named, **sides, "score": array_of(scores)})


def with_box_columns(table: pa.Table, file: str, as_text: bool = False) -> pa.Table:
    """The columns of a table that somebody else made: ids of images, names of classes, and numbers.

    Args:
        table: whatever it is.
        file: for messages.
        as_text: whether its numbers are text, as in CSV.

    Raises:
        InputError: a column that is missing, repeated or of another kind; a class or a number that is missing.
    """
    names = table.column_names
    keys = [name for name in KEYS if name in names]
    if not keys or any(names.count(name) != 1 for name in (keys[0], *COLUMNS)):
        expected = f"columns image_id or sample_id, {', '.join(COLUMNS)}, once each"
        raise InputError(Problem(file, "", "", f"columns {', '.join(names)}", expected))
    columns = {name: decoded(table[name]) for name in (*keys, *COLUMNS)}
    for name, column in columns.items():
        named = is_text(column.type) or pa.types.is_null(column.type)
        counted = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
        expected = "numbers or names" if name in keys else "names" if name == "category" else "numbers"
        if not (named and (as_text or "names" in expected)) and not (counted and "numbers" in expected):
            raise InputError(Problem(file, "", name, f"a column of {table[name].type}", expected))
        columns[name] = column.cast(pa.string()) if named else column
    if columns["category"].null_count:
        row = np.flatnonzero(booleans(columns["category"].is_null()))[0]
        raise InputError(Problem(file, row_named(row), "category", "nothing", "the name of a class"))
    return pa.table(columns | {name: array_of(numbers(columns[name], file, name)) for name in COLUMNS[1:]})


def refuse_impossible_boxes(table: pa.Table, file: str) -> None:
    """Refuse negative sides, and numbers whose products no float holds, as `InputError`."""
    for name in SIDES:
        values = floats(table[name])
        checks = [(np.abs(values) > _FARTHEST, f"a number of pixels, at most {_FARTHEST:g}")]
        checks += [(values < 0, "0 or more")] * (name in ("width", "height"))
        for wrong, expected in checks:
            rows = np.flatnonzero(wrong)
            if len(rows):
                found = f"{values[rows[0]]:g} ({len(rows):,} such boxes)"
                raise InputError(Problem(file, f"detection {rows[0] + 1}", name, found, expected))
