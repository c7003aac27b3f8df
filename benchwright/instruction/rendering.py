"""Templates filled in, column by column: the text of each row, and the numbers that it states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.instruction.places import TEXT_FILTERS, Place, Where, resolved
from schemas.arrays import array_of, booleans, floats

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# What boxes may reach beyond their image by, as they are printed with two decimals.
_ROUNDING = 0.01


class Rendered(NamedTuple):
    """Texts and the numbers in them.

    Attributes:
        texts: one a row.
        numbers: one a row of the frame: `row`, `begin`, `end`, `name`, `unit`, the `value` itself, and the one that the
            text has `stated`, in the same unit.
    """

    texts: list[str]
    numbers: pd.DataFrame


class Fields(NamedTuple):
    """What can be filled in.

    Attributes:
        table: columns of texts, numbers, booleans, and lists of these.
        extents: by column, the column that has what 100 % of it is: the duration, the width of the image.
        made: texts that were rendered already.
    """

    table: pa.Table
    extents: Mapping[str, str] = {}
    made: Mapping[str, Rendered] = {}

    @property
    def names(self) -> set[str]:
        return {*self.table.column_names, *self.made}

    def only(self, rows: NDArray[Any], pieces: Iterable[str | Place]) -> Fields:
        """Some of the rows, positions or a mask, of the columns that these pieces may mean."""
        wanted = {name for place in pieces if isinstance(place, Place) for name in (place.name, f"{place.name}_s")}
        wanted |= {self.extents[name] for name in wanted if name in self.extents}
        kept = self.table.select([name for name in self.table.column_names if name in wanted])
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        return Fields(kept.take(array_of(rows)) if kept.num_columns else _empty(len(rows)), self.extents, self.made)


def lacking(pieces: Sequence[str | Place], fields: Fields, where: Where) -> tuple[Mask, Mask]:
    """Rows without a value for a place; and rows whose value is outside of what it is a share of."""
    absent = np.zeros(len(fields.table), bool)
    beyond = absent.copy()
    for place in pieces:
        if isinstance(place, str) or (name := resolved(place, fields.names, where)) in fields.made:
            continue
        column = fields.table[name]
        absent |= ~booleans(column.is_valid())
        if pa.types.is_string(column.type):
            absent |= booleans(pc.equal(pc.utf8_trim_whitespace(column), ""))
        elif pa.types.is_floating(column.type):
            absent |= ~np.isfinite(floats(column))
        if place.scale:
            values, extent = floats(column), floats(fields.table[_extent(place, name, fields, where)])
            absent |= ~(extent > 0)
            beyond |= (values < -_ROUNDING) | (values > extent + _ROUNDING)
    return absent, beyond & ~absent


def rendered(pieces: Sequence[str | Place], fields: Fields, where: Where) -> Rendered:
    """The template of these pieces, filled in for every row; all of which have a value for each place."""
    size = len(fields.table)
    parts = [piece if isinstance(piece, str) else _filled(piece, fields, where) for piece in pieces]
    return joined(parts, size)


def joined(parts: Sequence[str | Rendered], size: int) -> Rendered:
    """Texts one behind the other, row by row."""
    cursor = np.zeros(size, np.int64)
    numbers = []
    for part in parts:
        if isinstance(part, str):
            cursor += len(part)
            continue
        if len(part.numbers):
            shift = cursor[part.numbers["row"].to_numpy()]
            numbers.append(part.numbers.assign(begin=part.numbers["begin"] + shift, end=part.numbers["end"] + shift))
        cursor += np.fromiter(map(len, part.texts), np.int64, size)
    columns: list[Iterable[str]] = [repeat(part, size) if isinstance(part, str) else part.texts for part in parts]
    texts = list(map("".join, zip(*columns, strict=False))) if columns else [""] * size
    return Rendered(texts, pd.concat(numbers, ignore_index=True) if numbers else no_numbers())


def listed(items: Rendered, parents: NDArray[np.int64], size: int, between: str) -> Rendered:
    """The texts of the items of each parent, in order, with `between` between them.

    Args:
        items: one a row.
        parents: the parent of each, in rising order.
        size: how many parents there are.
    """
    counts = np.bincount(parents, minlength=size)
    ends = np.cumsum(counts)
    slices = zip((ends - counts).tolist(), ends.tolist(), strict=True)
    texts = [between.join(items.texts[begin:end]) for begin, end in slices]
    lengths = np.fromiter(map(len, items.texts), np.int64, len(items.texts)) + len(between)
    before = np.cumsum(lengths) - lengths
    first = before[np.minimum(ends - counts, max(len(before) - 1, 0))] if len(before) else before
    row = items.numbers["row"].to_numpy()
    shift = (before - first[parents])[row] if len(row) else row
    moved = {"begin": items.numbers["begin"] + shift, "end": items.numbers["end"] + shift}
    return Rendered(texts, items.numbers.assign(row=parents[row], **moved))


def _empty(size: int) -> pa.Table:
    """A table of so many rows, without a column that a template could name."""
    return pa.table({"": array_of(np.zeros(size, np.int8))})


def no_numbers() -> pd.DataFrame:
    """The numbers of texts that state none."""
    return pd.DataFrame({name: [] for name in ("row", "begin", "end", "name", "unit", "value", "stated")}).astype(
        {"row": np.int64, "begin": np.int64, "end": np.int64, "value": np.float64, "stated": np.float64}
    )


def _extent(place: Place, name: str, fields: Fields, where: Where) -> str:
    if name not in fields.extents or fields.extents[name] not in fields.table.column_names:
        raise where.problem(place.written, f"a share of {name}", "a time of a video, or a side of a box")
    return fields.extents[name]


def _filled(place: Place, fields: Fields, where: Where) -> Rendered:
    name = resolved(place, fields.names, where)
    if name in fields.made:
        if place.filters or place.form:
            raise where.problem(place.written, "a format", f"{{{place.name}}} alone, which has its own")
        return fields.made[name]
    field = fields.table.schema.field(name)
    column = fields.table[name]
    numeric = pa.types.is_floating(field.type) or pa.types.is_integer(field.type)
    changes = [each for each in place.filters if each in TEXT_FILTERS]
    others = [each for each in place.filters if each not in TEXT_FILTERS]
    if not numeric:
        if others or place.form:
            found = f"{others[0] if others else place.form!r} of {name}, which holds no numbers"
            raise where.problem(place.written, found, f"one of {', '.join(TEXT_FILTERS)}")
        texts = [_text(value) for value in column.to_pylist()]
        for change in changes:
            texts = list(map(TEXT_FILTERS[change], texts))
        return Rendered(texts, no_numbers())
    if changes or len(others) + bool(place.form) > 1:
        found = f"{changes[0]} of {name}, which is a number" if changes else "several formats of one number"
        raise where.problem(place.written, found, "one format of a number")
    if place.form.endswith("d") and not pa.types.is_integer(field.type):
        raise where.problem(place.written, f"the format {place.form!r} of {name}", "a format such as :.0f")
    unit = (field.metadata or {}).get(b"unit", b"").decode()
    if others and not place.scale and unit != "s":
        raise where.problem(place.written, f"{others[0]} of {name}", "a time in seconds")
    extent = floats(fields.table[_extent(place, name, fields, where)]) if place.scale else None
    texts, stated = _number_texts(column, others[0] if others else "", place.form, extent)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    rows = np.arange(len(texts))
    numbers = {"row": rows, "begin": np.zeros_like(rows), "end": lengths, "name": name, "unit": unit}
    return Rendered(texts, pd.DataFrame({**numbers, "value": floats(column), "stated": stated}))


def _number_texts(column: pa.ChunkedArray, how: str, form: str, extent: Floats | None) -> tuple[list[str], Floats]:
    """Numbers as texts, and the numbers that these state."""
    values = floats(column)
    kind, _, argument = how.partition(":")
    if how in ("mm:ss", "hh:mm:ss"):
        seconds = np.rint(values)
        return [_CLOCKS[how](int(second)) for second in seconds.tolist()], seconds
    if extent is None:
        texts = [format(value, form) if form else str(value) for value in column.to_pylist()]
        return texts, np.array([float(text.replace(",", "")) for text in texts])
    share = values / extent
    if kind in ("percent", "fraction"):
        factor = 100.0 if kind == "percent" else 1.0
        form = argument or (".1f" if kind == "percent" else ".3f")
        texts = [format(value, form) for value in (share * factor).tolist()]
        stated = np.array(list(map(float, texts))) / factor * extent
        return [f"{text}%" for text in texts] if kind == "percent" else texts, stated
    # Half to even, and the last frame of N is N - 1 (VTimeLLM's rule for its tokens).
    steps = int(argument)
    index = np.clip(np.rint(share * steps), 0, steps - (kind == "frame")).astype(np.int64)
    return list(map(str, index.tolist())), index / steps * extent


_CLOCKS: dict[str, Callable[[int], str]] = {
    "mm:ss": lambda second: f"{second // 60:02d}:{second % 60:02d}",
    "hh:mm:ss": lambda second: f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}",
}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
