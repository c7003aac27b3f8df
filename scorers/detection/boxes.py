"""The boxes to be found and the boxes found, as arrays; and how both are read from Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, floats, integers, one_array
from schemas.errors import InputError, Problem, first_few, shown

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

KEYS = ("image_id", "sample_id")
SIDES = ("x", "y", "width", "height")
_FLAGS = ("crowd", "difficult", "ignored")
_EXAMPLES = 5


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes of many images, in file order; arrays have shape (boxes,).

    Attributes:
        image: position of the image in ascending order of image ids, from 0.
        category: position of the class in the list of those that are looked at, from 0.
        x, y, width, height: left, top and sides in pixels, finite.
    """

    image: Integers
    category: Integers
    x: Floats
    y: Floats
    width: Floats
    height: Floats

    def __len__(self) -> int:
        return len(self.image)

    def rows(self, selection: Integers | Flags) -> Self:
        """The selected boxes, by position or mask."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(
            self, **{n: values[selection] for n, values in columns.items() if isinstance(values, np.ndarray)}
        )

    def on_images(self, kept: Flags) -> Self:
        """The boxes of some images, a mask of shape (images,), which are counted anew."""
        found = self.rows(kept[self.image])
        return replace(found, image=(np.cumsum(kept) - 1)[found.image])


@dataclass(frozen=True, slots=True, eq=False)
class Detections(Boxes):
    """The boxes found.

    Attributes:
        score: any number but NaN; higher is surer.
    """

    score: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Truth(Boxes):
    """The boxes to be found.

    Identifiers of boxes play no part: each box stands for itself, whether its id is 0 or shared with another.

    Attributes:
        area: in square pixels, as annotated (on COCO that of the mask), else width * height; area ranges look at it.
        crowd: whether it is a region of many, which any number of detections may hit without being counted.
        difficult: not counted by the VOC protocols; COCO's does not look at it.
        ignored: not counted by any protocol: missing it costs nothing, and what hits it is neither true nor false.
        categories: names of the categories that are scored.
        images: how many images there are, those without boxes included.
    """

    area: Floats
    crowd: Flags
    difficult: Flags
    ignored: Flags
    categories: tuple[str, ...]
    images: int


def truth_from(manifest: pa.Table, categories: Sequence[str], file: str = "manifest") -> Truth:
    """The boxes of a manifest with one row per image.

    Args:
        manifest: `objects`, a list of records with category, x, y, width, height, area and, optionally, crowd,
            difficult and ignored; and `image_id`, unless the rows are in the order of the images. A null area is taken
            for width * height, as by the evaluators that do not stop there.
        categories: names to score, boxes of others are left out.
        file: for messages.

    Raises:
        InputError: a coordinate that is missing or not finite, an infinite area.
    """
    lists = one_array(manifest["objects"])
    objects = lists.flatten()
    names = {objects.type.field(number).name for number in range(objects.type.num_fields)}
    columns: dict[str, NDArray[Any]] = {
        "image": np.repeat(image_order(manifest), integers(pc.list_value_length(lists))),
        "category": _positions(objects.field("category"), categories),
    }
    columns |= {name: floats(objects.field(name)) for name in (*SIDES, "area")}
    size = columns["width"] * columns["height"]
    columns["area"] = np.where(np.isnan(columns["area"]), size, columns["area"])
    for name in (*SIDES, "area"):
        _refuse_infinite(columns[name], name, file)
    for name in _FLAGS:
        columns[name] = booleans(objects.field(name)) if name in names else np.zeros(len(objects), dtype=np.bool_)
    return Truth(**_of_known_category(columns), categories=tuple(categories), images=len(manifest))


def detections_from(table: pa.Table, manifest: pa.Table, categories: Sequence[str], file: str) -> Detections:
    """The detections of a table with a row per box; those of other categories than the given ones count for nothing.

    Args:
        table: as of `formats.read_detections`, which has looked at its numbers.
        manifest: the images: the same key, and `image_id` unless the rows are in the order of the images.
        categories: as in the truth.
        file: the detections, for messages.

    Raises:
        InputError: no common key, images that the manifest lacks.
    """
    columns: dict[str, NDArray[Any]] = {
        "image": _images_of(table, manifest, file),
        "category": _positions(table["category"], categories),
        **{name: floats(table[name]) for name in (*SIDES, "score")},
    }
    return Detections(**_of_known_category(columns))


def image_order(manifest: pa.Table) -> Integers:
    """Position of each row's image in ascending order of image ids, shape (rows,)."""
    order = np.arange(len(manifest))
    if "image_id" in manifest.column_names:
        order[np.argsort(integers(manifest["image_id"]), kind="stable")] = np.arange(len(manifest))
    return order


def _images_of(table: pa.Table, manifest: pa.Table, file: str) -> Integers:
    """Image of each detection."""
    common = [key for key in KEYS if key in table.column_names and key in manifest.column_names]
    if not common:
        found = ", ".join(table.column_names)
        raise InputError(Problem(file, "", "", f"the columns {found}", f"a column {' or '.join(KEYS)}"))
    rows = _rows_named(table, manifest, common[0], file)
    for other in common[1:]:
        refuse_differing(table, rows, _rows_named(table, manifest, other, file), common, file)
    return image_order(manifest)[rows]


def refuse_differing(table: pa.Table, one: Integers, other: Integers, keys: Sequence[str], file: str) -> None:
    """Refuse a detection whose `keys` name different images, of which `one` and `other` are the places."""
    differing = np.flatnonzero(one != other)
    if len(differing):
        named = " and ".join(f"{key} {shown(table[key][int(differing[0])].as_py())}" for key in keys)
        raise InputError(Problem(file, f"detection {differing[0] + 1}", "", named, "names of one image"))


def unknown_images(names: Sequence[object], manifest: pa.Table, key: str, file: str) -> InputError:
    """The error for names of images that the manifest lacks."""
    found = f"{len(names):,} unknown {'image' if len(names) == 1 else 'images'} ({quoted(names)})"
    known = [name for name in (key if key in KEYS else "sample_id", "file_name") if name in manifest.column_names]
    examples = [shown(manifest[name][0].as_py()) for name in known] if len(manifest) else []
    expected = f"images of the manifest, such as {', file '.join(examples)}" if examples else "no detections"
    return InputError(Problem(file, "", key, found, expected))


def quoted(names: Sequence[object]) -> str:
    """The first few of some names, for messages."""
    return first_few(list(map(repr, names[:_EXAMPLES])), len(names))


def _rows_named(table: pa.Table, manifest: pa.Table, key: str, file: str) -> Integers:
    """The manifest's row of each detection by one of the keys; ids are looked up once per run of equal ones."""
    names = one_array(manifest[key])
    try:
        runs = pc.run_end_encode(one_array(table[key]).cast(names.type))
    except pa.ArrowInvalid as failure:
        raise InputError(Problem(file, "", key, str(failure), f"{names.type} as in the manifest")) from None
    rows = integers(pc.index_in(runs.values, value_set=names), null=-1)
    if (rows < 0).any():
        unknown = runs.values.filter(pa.array(rows < 0)).unique().to_pylist()
        raise unknown_images(unknown, manifest, key, file)
    return np.repeat(rows, np.diff(integers(runs.run_ends), prepend=0))


def dictionary_of(column: pa.Array | pa.ChunkedArray) -> pa.DictionaryArray:
    """The different values of a column, and which of them each row has."""
    array = one_array(column)
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _positions(column: pa.Array | pa.ChunkedArray, categories: Sequence[str]) -> Integers:
    """Position of each name in `categories`, -1 for others; shape (rows,)."""
    encoded = dictionary_of(column)
    known = {name: position for position, name in enumerate(categories)}
    positions = np.array([*(known.get(name, -1) for name in encoded.dictionary.to_pylist()), -1])
    return positions[integers(encoded.indices, null=-1)]


def _of_known_category(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    known = columns["category"] >= 0
    return columns if known.all() else {name: values[known] for name, values in columns.items()}


def _refuse_infinite(values: Floats, field: str, file: str) -> None:
    places = np.flatnonzero(~np.isfinite(values))
    if len(places):
        more = f" (and {len(places) - 1:,} more)" if len(places) > 1 else ""
        raise InputError(Problem(file, f"box {places[0] + 1}", field, f"{values[places[0]]}{more}", "a finite number"))
