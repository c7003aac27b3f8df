"""The truth of a manifest: flat columns, what else exists, and what breaks its rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import InputError
from schemas.identity import Identity, Level
from schemas.ledger import LEDGER
from schemas.manifest import open_manifest
from schemas.manifest_folder import write_manifest
from scorers.activity.frames import Truth, truth_from
from scorers.activity.scorer import SCORER

CLASSES = {"actions": 27, "social": 32, "global": 7}
CASE = [
    {
        "n_persons": 4,
        "persons": [
            {"gt": [1, 27], "pred": []},
            {"gt": [2], "pred": []},
            {"gt": [3], "pred": []},
            {"gt": [], "pred": []},
        ],
        "gt_groups": [{"members": [2, 0], "labels": [32]}, {"members": [1], "labels": []}],
        "pred_groups": [],
        "global": {"gt": [7, 2], "pred": []},
    },
    {"n_persons": 0, "persons": [], "gt_groups": [], "pred_groups": [], "global": None},
]


def test_the_truth_is_flat(rows: Callable[..., pa.Table]) -> None:
    truth = truth_from(rows(CASE))
    assert (truth.frames, truth.persons, truth.sequences) == (2, 4, ("place-0", "place-1"))
    assert (truth.sequence_names, truth.frame.tolist()) == ({3: "place-0", 4: "place-1"}, [15, 15])
    assert (truth.person_frame.tolist(), truth.person_id.tolist()) == ([0] * 4, [100, 107, 114, 121])
    assert truth.actions.tolist() == [1 + 2**26, 2, 4, 0]
    assert truth.activities.tolist() == [2 + 2**6, 0]
    groups = truth.groups
    assert (groups.frame.tolist(), groups.labels.tolist(), groups.size.tolist()) == ([0, 0], [2**31, 0], [2, 1])
    assert (groups.group.tolist(), groups.person.tolist()) == ([0, 0, 1], [2, 0, 1])
    large = groups.of_at_least(2)
    assert (len(large), large.group.tolist(), large.person.tolist()) == (1, [0, 0], [2, 0])


def changed(table: pa.Table, column: str, change: Callable[[Any], Any]) -> pa.Table:
    """The rows with what `change` makes of a column's values."""
    values = change(table[column].to_pylist())
    place = table.column_names.index(column)
    return table.set_column(place, table.schema.field(column), pa.array(values, table.schema.field(column).type))


def test_members_whom_the_build_dropped_are_people_but_not_scored(rows: Callable[..., pa.Table]) -> None:
    def kept(frames: Any) -> Any:
        return [frames[0][:2], []]

    truth = truth_from(changed(rows(CASE), "persons", kept))
    assert (truth.persons, len(truth.actions), truth.person_id.tolist()) == (2, 2, [100, 107, 114])
    assert truth.groups.person.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("column", "change", "record", "field"),
    [
        ("global_activities", lambda _: [[0, 7], []], "", "global"),
        ("global_activities", lambda _: [[8], []], "", "global"),
        ("persons", lambda frames: [frames[0] + frames[0][:1], []], "place-0/000015", "person_id"),
        ("groups", lambda frames: [frames[0] + frames[0][:1], []], "place-0/000015", "person_id"),
    ],
)
def test_a_truth_that_breaks_its_rules_is_refused(
    rows: Callable[..., pa.Table], column: str, change: Any, record: str, field: str
) -> None:
    with pytest.raises(InputError) as caught:
        truth_from(changed(rows(CASE), column, change), "a file", CLASSES)
    (problem,) = caught.value.problems
    assert (problem.file, problem.record, problem.field) == ("a file", record, field)


def test_a_truth_without_a_column_is_refused(rows: Callable[..., pa.Table]) -> None:
    with pytest.raises(InputError) as caught:
        truth_from(rows(CASE).drop_columns("persons"))
    assert caught.value.problems[0].field == "persons"


def test_without_a_card_any_label_that_a_set_holds_is_one(rows: Callable[..., pa.Table]) -> None:
    table = changed(rows(CASE), "global_activities", lambda _: [[32], []])
    assert truth_from(table).activities.tolist() == [2**31, 0]


PERSON = {"gt": [1], "pred": [1]}
FRAME = {"n_persons": 1, "persons": [PERSON], "gt_groups": [], "pred_groups": [], "global": None}


@pytest.fixture
def folder(tmp_path: Path, rows: Callable[..., pa.Table], identity: Callable[..., Identity]) -> Path:
    """A manifest of two key frames for training and two to test on; its build dropped a key frame and two persons."""
    table, training = (rows([FRAME] * 4, sequences=2, split=split) for split in ("test", "train"))
    entries = [
        {"level": "frame", "key": "place-1/000016", "child_key": None, "action": "dropped"},
        {"level": "persons", "key": "place-1/000015", "child_key": "7", "action": "dropped"},
        {"level": "persons", "key": "place-1/000030", "child_key": "8", "action": "dropped"},
        {"level": "persons", "key": "place-1/000030", "child_key": "9", "action": "changed"},
        {"level": "groups", "key": "place-1/000030", "child_key": "10", "action": "dropped"},
    ]
    ledger = pa.Table.from_pylist(
        [entry | {"rule": "whole", "order": 1, "reason": "", "values": []} for entry in entries], schema=LEDGER
    )
    splits = {"train": training.slice(0, 2), "test": table.slice(2)}
    built = identity("jrdb-par", levels={"frame": Level(6, 4)})
    write_manifest(tmp_path / "manifest", built, splits, ledger)
    return tmp_path / "manifest"


def truth_in(folder: Path) -> Truth:
    return SCORER.truth(open_manifest(folder), "test", {})


def test_other_splits_and_the_ledger_say_what_else_exists(folder: Path) -> None:
    truth = truth_in(folder)
    assert (truth.frames, truth.persons, truth.people) == (2, 2, 2)
    assert truth.names.to_pylist()[2:] == ["place-0/000015", "place-0/000030", "place-1/000016"]
    assert list(truth.elsewhere) == ["of split train", "of split train", "dropped by rule whole"]
    assert list(truth.gone) == ["dropped by rule whole"]
    people = zip(truth.person_frame[2:].tolist(), truth.person_id[2:].tolist(), strict=True)
    assert list(people) == [(0, 7), (1, 8)]
    assert truth.sequence_names == {3: "place-0", 4: "place-1"}
    assert truth.classes == CLASSES


def test_a_lone_split_knows_of_nothing_else(folder: Path) -> None:
    truth = truth_in(folder / "data" / "test-00000-of-00001.parquet")
    assert (len(truth.names), len(truth.person_id), truth.training) == (2, 2, None)
