"""Counts of labels and sizes equal those counted row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.reporting.frames.labels import (
    activity_labels,
    box_labels,
    label_name,
    lengths,
    list_lengths,
    sizes,
    split_codes,
)
from schemas.manifest import Manifest


def test_every_label_is_counted_in_its_split(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("jrdb-par")
    found = activity_labels(manifest)
    assert manifest.card is not None
    names = {given.name: given.labels for given in manifest.card.label_lists}
    plain: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in found}
    for row in manifest.table().to_pylist():
        for person in row["persons"]:
            plain["actions"].update((row["split"], names["actions"][a["id"] - 1]) for a in person["actions"])
        for group in row["groups"]:
            plain["social"].update((row["split"], names["social"][a - 1]) for a in group["activities"])
        plain["global"].update((row["split"], names["global"][a - 1]) for a in row["global_activities"])
    for name, counts in found.items():
        assert {(s, k): n for s in counts.splits for k, n in counts.of(s).items() if n} == dict(plain[name])
        totals = counts.numbers.sum(axis=1).tolist()
        assert totals == sorted(totals, reverse=True)


@pytest.mark.real_data
def test_labels_of_the_real_data_are_those_of_the_claims(real_manifest: Callable[..., Manifest]) -> None:
    found = activity_labels(real_manifest("jrdb-par"))
    absent = ["lying", "pulling", "pushing", "scootering", "skating", "writing"]
    assert sorted(found["actions"].absent("test")) == absent
    rare = {"greeting gestures": 5, "reading": 2, "running": 3, "typing": 1}
    assert found["actions"].rare("test", 10) == rare
    assert (found["social"].absent("train"), found["social"].absent("test")) == (
        ["working together"],
        ["human object interaction"],
    )
    assert found["actions"].of("test")["standing"] == 5067


def test_classes_of_boxes_are_counted(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("densepose-person")
    found, plain = box_labels(manifest), Counter[tuple[str, str]]()
    for row in manifest.table().to_pylist():
        plain.update((row["split"], each["category"]) for each in row["objects"])
    assert {(s, k): n for s in found.splits for k, n in found.of(s).items() if n} == dict(plain)


def test_sizes_are_those_of_the_rows(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("jrdb-par")
    table = manifest.table()
    rows, members = list_lengths(table, "groups", "member_ids")
    plain = [(at, len(group["member_ids"])) for at, row in enumerate(table.to_pylist()) for group in row["groups"]]
    assert list(zip(rows.tolist(), members.tolist(), strict=True)) == plain
    assert lengths(table, "persons").tolist() == [len(row["persons"]) for row in table.to_pylist()]
    of_rows = split_codes(manifest, table)
    assert [manifest.splits[code] for code in of_rows] == table["split"].to_pylist()


@given(st.lists(st.integers(0, 300), max_size=40))
def test_each_size_is_in_one_bin(values: list[int]) -> None:
    found = sizes(["all"], np.zeros(len(values), np.int64), np.array(values, np.int64))
    assert found.numbers.sum() == len(values)
    for label, number in found.of("all").items():
        first, _, last = label.partition(" to ")
        assert number == sum(int(first) <= value <= int(last or first) for value in values)


def test_a_class_without_a_name_keeps_its_number() -> None:
    assert [label_name(["walking"], number) for number in (1, 2, 0, -1)] == [
        "walking",
        "class 2",
        "class 0",
        "class -1",
    ]
