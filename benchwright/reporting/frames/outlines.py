"""Rows as pictures without pixels: an outline per box, coloured by group or class; which rows are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.reporting.blocks import Outline
from benchwright.reporting.frames.labels import label_name, lengths, list_lengths, unnested
from schemas.arrays import booleans, floats, integers, one_array

SIDES = ("x", "y", "width", "height")
NONE = -1
"""The number of a box of no group, or of one that scoring leaves out."""

MOST_ROWS = 8_000
MOST_BOXES = 60_000
"""What a page embeds at most; about 25 bytes a box."""


def person_outlines(table: pa.Table, actions: Sequence[str]) -> Iterator[Outline]:
    """An outline per key frame: boxes numbered by the group that the row lists, labelled with their actions.

    Args:
        table: rows of activities.
        actions: names of the individual actions, from class 1.
    """
    persons, persons_in = _records(table, "persons")
    groups, groups_in = _records(table, "groups")
    numbers = integers(persons.field("group_id"), null=NONE)
    listed = pd.MultiIndex.from_arrays([groups_in, integers(groups.field("group_id"))])
    numbers = np.where(pd.MultiIndex.from_arrays([persons_in, numbers]).isin(listed), numbers, NONE)
    made = _outlines(table, persons, persons_in, numbers, _joined(persons.field("actions"), actions))
    return (replace(each, grouped=True) for each in made)


def object_outlines(table: pa.Table, labels: Sequence[str]) -> Iterator[Outline]:
    """An outline per image: boxes numbered by their class, those that scoring leaves out by `NONE`.

    Args:
        table: rows of boxes.
        labels: names of the classes, in the order of their numbers.
    """
    objects, objects_in = _records(table, "objects")
    place = {label: number for number, label in enumerate(labels)}
    names = objects.field("category").to_pylist()
    marks = {name: booleans(objects.field(name)) for name in ("crowd", "ignored", "difficult")}
    out = marks["crowd"] | marks["ignored"]
    numbers = np.where(out, NONE, np.array([place.get(name, NONE) for name in names], np.int64))
    for mark, held in marks.items():
        names = [f"{name} ({mark})" if here else name for name, here in zip(names, held.tolist(), strict=True)]
    return _outlines(table, objects, objects_in, numbers, names)


def _records(table: pa.Table, level: str) -> tuple[pa.StructArray, NDArray[np.int64]]:
    lists = one_array(table[level])
    return lists.flatten(), integers(pc.list_parent_indices(lists))


def _joined(lists: pa.Array, names: Sequence[str]) -> list[str]:
    """The names of the labels of each record, with commas."""
    ends = np.cumsum([0, *integers(pc.list_value_length(lists))]).tolist()
    ids = integers(lists.flatten().field("id")).tolist()
    words = [label_name(names, number) for number in ids]
    return [", ".join(words[start:end]) for start, end in pairwise(ends)]


def _outlines(
    table: pa.Table, boxes: pa.StructArray, rows: NDArray[np.int64], numbers: NDArray[np.int64], labels: Sequence[str]
) -> Iterator[Outline]:
    """Whole pixels, as a picture needs no more; boxes that are not finite are not drawn."""
    sides = np.column_stack([floats(boxes.field(name)) for name in SIDES]).reshape(-1, 4)
    ends = sides[:, :2] + sides[:, 2:]
    starts = np.searchsorted(rows, np.arange(table.num_rows + 1))
    sizes = [floats(table[name]).tolist() for name in ("width", "height")]
    drawn = np.asarray(np.isfinite(ends).all(axis=1))
    whole = np.where(drawn[:, None], sides, 0).round().astype(np.int64).tolist()
    for row, (first, last) in enumerate(pairwise(starts.tolist())):
        seen = [place for place in range(first, last) if drawn[place]]
        width, height = (
            size[row] if size[row] == size[row] else max([1.0, *ends[seen, axis].tolist()])
            for axis, size in enumerate(sizes)
        )
        yield Outline(width, height, tuple((*whole[place], int(numbers[place]), labels[place]) for place in seen))


def evenly(count: int, most: int) -> NDArray[np.int64]:
    """Places of at most `most` of `count` rows, as far apart as they can be, the first and the last among them.

    >>> evenly(10, 4).tolist(), evenly(3, 4).tolist()
    ([0, 3, 6, 9], [0, 1, 2])
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64)) if most > 0 else _NOWHERE


_NOWHERE = np.zeros(0, np.int64)


def shown(boxes: NDArray[np.int64], wanted: NDArray[np.int64] = _NOWHERE) -> NDArray[np.int64]:
    """Places of the rows that a page embeds: those wanted first, then an even sample, within what a page may hold.

    Args:
        boxes: how many each row has.
        wanted: places of rows that findings are of, the most wanted first.
    """
    if len(boxes) <= MOST_ROWS and boxes.sum() <= MOST_BOXES:
        return np.arange(len(boxes))
    first = wanted[: MOST_ROWS // 2]
    first = first[np.cumsum(boxes[first]) <= MOST_BOXES // 2]
    others = np.setdiff1d(np.arange(len(boxes)), first)
    left = MOST_BOXES - int(boxes[first].sum())
    many = min(len(others), MOST_ROWS - len(first))
    while many and (chosen := others[evenly(len(others), many)]).size and boxes[chosen].sum() > left:
        many = min(many - 1, int(many * left / boxes[chosen].sum()))
    return np.sort(np.concatenate([first, others[evenly(len(others), many)]]))


def key_frame(table: pa.Table) -> int | None:
    """The place of the key frame to look at: most groups, of equals most persons in groups, of equals the first."""
    groups = lengths(table, "groups")
    rows, members = list_lengths(table, "groups", "member_ids")
    grouped = np.bincount(rows, members, len(groups))
    return int(np.lexsort((-grouped, -groups))[0]) if len(groups) else None


def key_images(table: pa.Table) -> dict[str, int]:
    """The places of images to look at, by what they are: most boxes, smallest and largest box, usual number of boxes.

    Of equals the first. The usual number is the lower median of images that have boxes.
    """
    boxes = lengths(table, "objects")
    rows, widths = unnested(table, "objects.width")
    areas = floats(widths) * floats(unnested(table, "objects.height")[1])
    filled, known = np.flatnonzero(boxes), np.isfinite(areas)
    if not len(filled):
        return {}
    usual = int(np.sort(boxes[filled])[(len(filled) - 1) // 2])
    return {
        "most boxes": int(boxes.argmax()),
        "smallest box": int(rows[np.where(known, areas, np.inf).argmin()]),
        "largest box": int(rows[np.where(known, areas, -np.inf).argmax()]),
        "usual number of boxes": int(filled[np.flatnonzero(boxes[filled] == usual)[0]]),
    }
