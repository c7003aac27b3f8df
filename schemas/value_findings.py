"""Values that make no sense: spans, boxes and groups as no data set means them. A column is checked where it is found.

Errors are what a reader of the manifest cannot make sense of; what true sources may hold, a parameter may leave, is a
warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, floats, integers
from schemas.box_doubts import doubtful_boxes, doubtful_images, finding_of
from schemas.cards import Card
from schemas.input.columns import flat
from schemas.instruction import INSTRUCTION_SCHEMA, broken_turns
from schemas.laws import SIDES, SPAN, broken_boxes, broken_spans
from schemas.notices import Notice, Severity

Rows = NDArray[np.int64]

_SPAN = {*SPAN, "duration_s", "description"}
# Column of labels (ids, or records with an `id`) -> the label list of the card, for activities.
_LABELS = {
    ("persons", "actions"): "actions",
    ("persons", "social"): "social",
    ("groups", "activities"): "social",
    ("global_activities", ""): "global",
}


def value_findings(split: str, table: pa.Table, card: Card | None) -> Iterator[Notice]:
    """What is unusual about the values of a split, each kind once, with its count and an example."""
    checks = [*_span_checks(table), *_box_checks(table, card), *_group_checks(table), *_label_id_checks(table, card)]
    checks += _turn_checks(table)
    for severity, check, what, rows in checks:
        if len(rows):
            example = table["sample_id"][int(rows.min())].as_py()
            message = f"{len(rows):,} {what}, such as in {example!r}"
            yield Notice(severity, check, split, message, len(rows), example)
    yield from _box_doubts(split, table)


Checks = Iterator[tuple[Severity, str, str, Rows]]
"""Severity, check, what was found, and the row of the table that each is in."""


def _span_checks(table: pa.Table) -> Checks:
    if not _SPAN.issubset(table.column_names):
        return
    blank = booleans(pc.equal(pc.utf8_trim_whitespace(table["description"]), ""))
    for severity, check, what, broken in broken_spans(*(floats(table[name]) for name in (*SPAN, "duration_s"))):
        yield severity, check, what, np.flatnonzero(broken)
    yield "warning", "described", "blank descriptions", np.flatnonzero(blank)


def _turn_checks(table: pa.Table) -> Checks:
    if table.schema.equals(INSTRUCTION_SCHEMA):
        for check, what, rows in broken_turns(table["turns"]):
            yield "error", check, what, rows


def _box_checks(table: pa.Table, card: Card | None) -> Checks:
    for level in _records(table, SIDES):
        items, rows = flat(table[level])
        for severity, check, what, broken in broken_boxes(_sides(items), _sizes(table)[:, rows], level):
            yield severity, check, what, rows[broken]
        named = ["category"] if items.type.get_field_index("category") >= 0 else []
        again = _repeats(rows, [items.field(name) for name in (*SIDES, *named)])
        yield "warning", "repeated", f"boxes of {level} as their image has already, of the same class", again
        if items.type.get_field_index("annotation_id") >= 0:
            ids = items.field("annotation_id")
            known = booleans(ids.is_valid())
            again = _repeats(np.zeros(int(known.sum()), np.int64), [ids.drop_null()], rows[known])
            yield "warning", "annotation_id", f"annotation ids of {level} that occur again", again
        # The classes that the benchmark is about, and those of the source.
        lists = [card.labels, *(given.labels for given in card.label_lists)] if card else []
        if named and any(lists):
            unknown = ~booleans(pc.is_in(items.field("category"), value_set=pa.array(chain.from_iterable(lists))))
            yield "warning", "label", f"categories of {level} that no label list of the card has", rows[unknown]


def _box_doubts(split: str, table: pa.Table) -> Iterator[Notice]:
    """What boxes look like, where they cannot be meant so."""
    if not {"width", "height"}.issubset(table.column_names):
        return
    for level in _records(table, SIDES):
        items, rows = flat(table[level])
        sides, sizes = _sides(items), _sizes(table)[:, rows]
        samples = table["sample_id"]
        for doubt in doubtful_boxes(sides, sizes):
            yield finding_of(doubt, split, rows[doubt.rows], samples)
        if "file_name" in table.column_names:
            counts = np.bincount(rows, minlength=len(table))
            for doubt in doubtful_images(table["file_name"].to_pylist(), counts, all_objects=False):
                yield finding_of(doubt, split, np.flatnonzero(doubt.rows), samples)


def _sides(items: pa.StructArray) -> NDArray[np.float64]:
    """x, y, width and height, shape (4, boxes)."""
    return np.array([floats(items.field(name)) for name in SIDES])


def _sizes(table: pa.Table) -> NDArray[np.float64]:
    """Width and height of the images, NaN where not known, shape (2, rows)."""
    known = {"width", "height"}.issubset(table.column_names)
    nothing = np.full(len(table), np.nan)
    return np.array([floats(table[name]) if known else nothing for name in ("width", "height")])


def _group_checks(table: pa.Table) -> Checks:
    if "persons" not in _records(table, ("person_id",)) or "groups" not in _records(table, ("group_id", "member_ids")):
        return
    persons, frame_of_person = flat(table["persons"])
    groups, frame_of_group = flat(table["groups"])
    members, group = flat(groups.field("member_ids"))
    frame_of_member = frame_of_group[group]
    ids = persons.field("person_id")
    yield "error", "person", "persons that their frame has already", _repeats(frame_of_person, [ids])
    twice = _repeats(frame_of_member, [members])
    yield "error", "member", "members of a second group of their frame, or twice of one", twice
    empty = np.bincount(group, minlength=len(groups)) == 0
    yield "warning", "empty", "groups without members", frame_of_group[empty]
    both = pa.concat_arrays([ids.cast(pa.string()), members.cast(pa.string())]).dictionary_encode()
    codes = integers(both.indices) + np.concatenate([frame_of_person, frame_of_member]) * (len(both.dictionary) + 1)
    absent = ~np.isin(codes[len(ids) :], codes[: len(ids)])
    yield "warning", "absent", "members of groups who are not among the persons of their frame", frame_of_member[absent]


def _label_id_checks(table: pa.Table, card: Card | None) -> Checks:
    sizes = {given.name: len(given.labels) for given in card.label_lists} if card else {}
    for (level, field), task in _LABELS.items():
        if task not in sizes or level not in (_records(table, (field,)) if field else table.column_names):
            continue
        items, rows = flat(table[level])
        if field:
            items, outer = flat(items.field(field))
            rows = rows[outer]
        ids = integers(items.field("id") if pa.types.is_struct(items.type) else items)
        what = f"ids of {level}{'.' * bool(field)}{field} that name no label of the card's list {task!r}"
        yield "error", "label", what, rows[(ids < 1) | (ids > sizes[task])]


def _records(table: pa.Table, fields: Sequence[str]) -> list[str]:
    """The columns of lists of records that have all `fields`."""
    kinds = {field.name: field.type.value_type for field in table.schema if pa.types.is_list(field.type)}
    return [
        name
        for name, kind in kinds.items()
        if pa.types.is_struct(kind) and all(kind.get_field_index(field) >= 0 for field in fields)
    ]


def _repeats(groups: Rows, keys: Iterable[pa.Array], rows: Rows | None = None) -> Rows:
    """The row of each item that equals an earlier one of its group in all keys; the groups unless `rows` are given."""
    columns = {f"key {place}": key for place, key in enumerate(keys)}
    items = pa.table({"group": groups, "item": np.arange(len(groups)), **columns})
    firsts = items.group_by(["group", *columns], use_threads=False).aggregate([("item", "min")])["item_min"]
    again = np.ones(len(groups), bool)
    again[integers(firsts)] = False
    return (groups if rows is None else rows)[again]
