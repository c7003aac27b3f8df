"""What can be asked of an image: where its persons and parts are, what a person, a group and the whole scene do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.instruction.asks import Ask, Asked
from benchwright.instruction.draws import Words
from benchwright.instruction.rendering import Fields
from benchwright.instruction.templates import Parsed
from schemas.arrays import array_of, booleans, floats, integers, texts_of
from schemas.cards import Card
from schemas.columns import column
from schemas.input.columns import flat
from schemas.laws import SIDES, beyond

Rows = NDArray[np.int64]
_ACROSS, _DOWN = ("x1", "x2", "w", "cx"), ("y1", "y2", "h", "cy")
_EXTENTS = {**dict.fromkeys(_ACROSS, "image_width"), **dict.fromkeys(_DOWN, "image_height")}
# Boxes that say less than one thing is there.
_UNSURE = ("crowd", "ignored", "difficult")


def ground(table: pa.Table, template: Parsed, _: Words) -> Asked:
    """Where is every box of a category: a candidate for each category of an image."""
    level = "objects" if "objects" in table.column_names else "persons"
    items, image = flat(table[level])
    kinds = (
        items.field("category") if items.type.get_field_index("category") >= 0 else texts_of(["person"] * len(items))
    )
    codes = kinds.dictionary_encode()
    names: list[str] = codes.dictionary.to_pylist()
    asked, first, candidate = np.unique(
        image * max(len(names), 1) + integers(codes.indices), return_index=True, return_inverse=True
    )
    # In the order of their first boxes, as the source lists them.
    place = np.argsort(np.argsort(first))
    candidate = place[candidate]
    of = image[np.sort(first)]
    category = [names[code] for code in (asked % max(len(names), 1))[np.argsort(first)].tolist()]
    unsure = np.zeros(len(items), bool)
    for name in _UNSURE:
        if items.type.get_field_index(name) >= 0:
            unsure |= booleans(items.field(name))
    sizes = _sizes(table)[:, image]
    dropped = {
        "unsure": np.isin(np.arange(len(asked)), candidate[unsure]),
        "outside": np.isin(np.arange(len(asked)), candidate[_outside(items, sizes)]),
    }
    order = np.argsort(candidate, kind="stable")
    count = np.bincount(candidate, minlength=len(asked))
    fields = _candidates(table, of, category=texts_of(category), count=array_of(count))
    boxes = _boxes(items.take(array_of(order)), sizes[:, order])
    keys = [f"{template.task}-{name}" for name in category]
    return Asked(fields, keys, of, dropped, items=boxes, parents=candidate[order])


def asks_of_activities(card: Card | None) -> dict[str, Ask]:
    """The tasks of panoramic frames, with the names of the card's label lists."""
    labels = {given.name: given.labels for given in card.label_lists} if card else {}

    def person(table: pa.Table, template: Parsed, _: Words) -> Asked:
        """What does the person in a box do."""
        items, of = flat(table["persons"])
        found, owner = flat(items.field("actions"))
        actions, unnamed = _names(found.field("id"), owner, len(items), labels.get("actions", []))
        keys = [f"{template.task}-{number}" for number in items.field("person_id").to_pylist()]
        fields = _candidates(table, of, actions=actions)
        return _about(fields, keys, of, unnamed, items, _sizes(table)[:, of], np.arange(len(items)))

    def group(table: pa.Table, template: Parsed, _: Words) -> Asked:
        """What do the persons of a group do together."""
        persons, frame = flat(table["persons"])
        groups, of = flat(table["groups"])
        found, owner = flat(groups.field("activities"))
        activities, unnamed = _names(found, owner, len(groups), labels.get("social", []))
        members, parents = flat(groups.field("member_ids"))
        place = {
            key: at for at, key in enumerate(zip(frame.tolist(), persons.field("person_id").to_pylist(), strict=True))
        }
        at = np.array(
            [place.get(key, -1) for key in zip(of[parents].tolist(), members.to_pylist(), strict=True)], np.int64
        )
        absent = np.zeros(len(groups), bool)
        absent[parents[at < 0]] = True
        parents, at = parents[at >= 0], at[at >= 0]
        size = np.bincount(parents, minlength=len(groups))
        keys = [f"{template.task}-{number}" for number in groups.field("group_id").to_pylist()]
        fields = _candidates(table, of, activities=activities, size=array_of(size))
        asked = _about(fields, keys, of, unnamed, persons.take(array_of(at)), _sizes(table)[:, frame[at]], parents)
        return _dropping(asked, no_member=absent | (size == 0))

    def scene(table: pa.Table, template: Parsed, _: Words) -> Asked:
        """What is the scene about."""
        found, owner = flat(table["global_activities"])
        activities, unnamed = _names(found, owner, len(table), labels.get("global", []))
        fields = _candidates(table, np.arange(len(table)), activities=activities)
        return Asked(fields, [template.task] * len(table), np.arange(len(table)), {"no_label": unnamed})

    return {"ground": ground, "person": person, "group": group, "scene": scene}


def _about(
    fields: Fields, keys: list[str], rows: Rows, unnamed: NDArray[np.bool_], items: pa.Array, sizes: Any, parents: Rows
) -> Asked:
    outside = np.isin(np.arange(len(keys)), parents[_outside(items, sizes)])
    dropped = {"no_label": unnamed, "outside": outside}
    return Asked(fields, keys, rows, dropped, items=_boxes(items, sizes), parents=parents)


def _outside(items: pa.Array, sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Boxes that reach beyond their image, by more than their printed digits."""
    return beyond(np.array([floats(items.field(name)) for name in SIDES]), sizes)


def _dropping(asked: Asked, **reasons: NDArray[np.bool_]) -> Asked:
    return Asked(
        asked.fields, asked.keys, asked.rows, {**asked.dropped, **reasons}, items=asked.items, parents=asked.parents
    )


def _candidates(table: pa.Table, rows: Rows, **more: pa.Array) -> Fields:
    """The flat columns of the image of each candidate, and others of its own."""
    flat_columns = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    taken = table.select(flat_columns).take(array_of(rows))
    for name, values in more.items():
        taken = taken.append_column(column(name, values.type, "as asked", required=False), values)
    return Fields(taken)


def _sizes(table: pa.Table) -> NDArray[np.float64]:
    """Width and height of each image, NaN where not known; shape (2, rows)."""
    return np.array([floats(table["width"]), floats(table["height"])])


def _boxes(items: pa.Array, sizes: NDArray[np.float64]) -> Fields:
    """Corners, centres and sides of boxes in pixels, and the sizes of their images."""
    whole = pa.types.is_integer(items.type.field("x").type)
    x, y, w, h = (floats(items.field(name)) for name in ("x", "y", "width", "height"))
    sides = {"x1": x, "y1": y, "x2": x + w, "y2": y + h, "w": w, "h": h}
    columns = {name: values.astype(np.int64) if whole else values for name, values in sides.items()}
    columns |= {"cx": x + w / 2, "cy": y + h / 2, "image_width": sizes[0], "image_height": sizes[1]}
    schema = pa.schema([column(name, array_of(values).type, "of a box", unit="px") for name, values in columns.items()])
    table = pa.table([array_of(values) for values in columns.values()], schema=schema)
    if items.type.get_field_index("category") >= 0:
        table = table.append_column("category", items.field("category"))
    return Fields(table, _EXTENTS)


def _names(ids: pa.Array, owner: Rows, size: int, labels: Sequence[str]) -> tuple[pa.Array, NDArray[np.bool_]]:
    """The labels of each owner, with commas between; and those that have none, or one without a name."""
    texts: list[list[str]] = [[] for _ in range(size)]
    unnamed = np.zeros(size, bool)
    for number, row in zip(ids.to_pylist(), owner.tolist(), strict=True):
        if number is not None and 0 < number <= len(labels):
            texts[row].append(labels[number - 1])
        else:
            unnamed[row] = True
    listed = [", ".join(dict.fromkeys(each)) for each in texts]
    return texts_of(listed), unnamed | np.array([not text for text in listed], bool)


BOX_TASKS: dict[str, Ask] = {"ground": ground}
