"""Predictions beside the truth: what is missing, what is out of the split, thresholds; what is written reads back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import InputError, UsageError
from scorers.activity.alignment import align
from scorers.activity.baselines import tables_of, write
from scorers.activity.frames import Predictions, Truth, with_others
from scorers.activity.groups import Groups
from scorers.activity.protocols import evaluate
from scorers.activity.scorer import SCORER
from scorers.scorer import Aligned

Read = Callable[..., Aligned[Predictions]]

A, B = "hall-2019-02-08_0", "yard-2019-03-16_1"
PERSONS = {"sequence": [A] * 5 + [B], "frame": [15, 15, 15, 30, 30, 15], "person": [7, 3, 12, 3, 12, 3]}
GROUPS = {"sequence": [A, A], "frame": [15, 30], "members": [[12, 7], [3, 12]]}


def with_more(columns: dict[str, list[Any]], *rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    """The columns with further rows."""
    return {name: [*values, *(row[place] for row in rows)] for place, (name, values) in enumerate(columns.items())}


@pytest.fixture
def wider(truth: Truth) -> Truth:
    """The truth beside a split of two key frames, a key frame and two persons that were dropped."""
    names = ["lawn/000015", "lawn/000030"]
    train = pa.table({"sample_id": names, "sequence": ["lawn"] * 2, "sequence_index": [2, 2]})
    dropped = [("frame", "lawn/000045", None), ("persons", f"{A}/000015", "99"), ("persons", f"{A}/000030", "98")]
    entries = [
        {"level": level, "key": key, "child_key": child, "action": "dropped", "rule": f"{level}_rule"}
        for level, key, child in dropped
    ]
    return with_others(truth, {"train": train}, pa.Table.from_pylist(entries))


def test_thresholds_are_strict_and_can_be_set(read: Read) -> None:
    scores = PERSONS | {"scores": [[0.6] * 26 + [0.7]] * 6}
    for threshold, labels in ((0.6, 1 << 26), (0.7, 0), (0.59, 2**27 - 1)):
        actions = read(scores, thresholds={"actions": threshold}).predictions.actions
        assert actions is not None
        assert actions.tolist() == [labels] * 6
    with pytest.raises(UsageError, match="unknown task"):
        read(scores, thresholds={"action": 0.6})
    with pytest.raises(UsageError, match="expected a number, found nan"):
        read(scores, thresholds={"actions": float("nan")})


def test_thresholds_are_quoted_and_useless_ones_warned_of(read: Read) -> None:
    found = read(PERSONS | {"scores": [[0.6] * 27] * 6}, thresholds={"actions": 0.25, "social": 0.5})
    assert found.settings == {"thresholds": "0.25/0.5/0.5"}
    assert found.warnings == ["the predictions have no scores of social: its threshold changes nothing"]


def test_who_is_missing_has_no_labels_and_is_warned_of(read: Read) -> None:
    few = {name: values[:2] for name, values in PERSONS.items()} | {"labels": [[1, 2], []]}
    found = read({"individual": few, "global": {"sequence": [B], "frame": [15], "labels": [[5]]}})
    actions, activities = found.predictions.actions, found.predictions.activities
    assert actions is not None
    assert activities is not None
    assert (actions.tolist(), activities.tolist()) == ([3, 0, 0, 0, 0, 0], [0, 0, 16])
    expected = {"rows": 3, "scored": 0, "persons_missing": 4, "frames_missing": 2}
    assert found.counts | expected == found.counts
    assert [warning.partition(" (")[0] for warning in found.warnings] == [
        "4 of 6 persons have no prediction",
        "2 of 3 key frames have no prediction",
    ]
    assert f"person 12 in {A}/000015, person 3 in {A}/000030" in found.warnings[0]


def test_groups_that_are_too_small_are_counted_apart(read: Read) -> None:
    found = read(with_more(GROUPS, (A, 15, [3])) | {"labels": [[1], [1], [1]]})
    groups = {name: count for name, count in found.counts.items() if "groups" in name}
    assert groups == {"true_groups": 1, "predicted_groups": 2, "predicted_groups_too_small": 1}


def test_what_is_out_of_the_split_is_left_out(read: Read, wider: Truth) -> None:
    persons = with_more(PERSONS, (2, 15, 1), (A, 15, 99)) | {"labels": [[label] for label in range(1, 9)]}
    persons["sequence"] = [str(name) for name in persons["sequence"]]
    members = with_more(GROUPS, ("lawn", 15, [1, 2]), (A, 15, [99])) | {"labels": [[2, 4], [1], [3], [3]]}
    found = read({"individual": persons, "groups": members}, on=wider)
    assert found.predictions.actions is not None
    assert found.predictions.actions.tolist() == [1 << place for place in range(6)]
    groups = found.predictions.groups
    assert groups is not None
    assert (groups.frame.tolist(), groups.size.tolist()) == ([0, 1, 0], [2, 2, 0])
    assert found.warnings == [
        "2 predictions are on key frames of split train ('lawn/000015') and are left out",
        "2 predictions are on persons dropped by rule persons_rule and are left out",
    ]


def test_people_out_of_the_split_leave_their_group(read: Read, wider: Truth) -> None:
    columns = with_more(PERSONS, (A, 15, 99)) | {"group": ["a", None, "a", "b", "b", None, "a"], "labels": [[1]] * 7}
    groups = read(columns, on=wider).predictions.groups
    assert groups is not None
    assert (groups.frame.tolist(), groups.person.tolist()) == ([0, 1], [0, 2, 3, 4])


def test_groups_of_other_splits_with_a_label_per_row_are_left_out(read: Read, wider: Truth) -> None:
    rows = {"sequence": ["lawn", "lawn", A, A], "frame": [15, 30, 15, 15], "members": [[7, 12]] * 4}
    groups = read(rows | {"label": [2, 2, 2, 4]}, on=wider).predictions.groups
    assert groups is not None
    assert (groups.frame.tolist(), groups.labels.tolist(), groups.person.tolist()) == ([0], [0b1010], [0, 2])


def test_what_neither_split_nor_ledger_has_does_not_exist(read: Read, wider: Truth) -> None:
    for row, field in (((A, 15, 98), "person"), (("lawn", 60, 1), "frame"), (("attic", 15, 1), "frame")):
        with pytest.raises(InputError) as caught:
            read(with_more(PERSONS, row) | {"labels": [[1]] * 7}, on=wider)
        (problem,) = caught.value.problems
        assert (problem.record, problem.field) == ("row 7", field)


def test_key_frames_by_names_that_differ_in_case_folder_or_extension(read: Read) -> None:
    labels = {"labels": [[place] for place in range(1, 7)]}
    exact = read(PERSONS | labels).predictions.actions
    sequences = {"sequence": [f"clips/{name.upper()}.mp4" for name in PERSONS["sequence"]]}
    ids = [f"{name}/{frame:06d}" for name, frame in zip(PERSONS["sequence"], PERSONS["frame"], strict=True)]
    named = {"sample_id": [f".\\{name}.JPG" for name in ids]}
    for names in (sequences, named, named | sequences):
        found = read(PERSONS | labels | names)
        assert exact is not None
        assert found.predictions.actions is not None
        assert found.predictions.actions.tolist() == exact.tolist()
        (warning,) = found.warnings
        assert warning.startswith(
            "6 predictions are matched by names that differ in folder, extension, case and the like"
        )
    with pytest.raises(InputError, match=f"beside the sample_id '{A}/000015'"):
        read(PERSONS | labels | named | {"sequence": [B.upper()] * 6})


def test_predictions_of_another_split_alone_are_refused(read: Read, wider: Truth) -> None:
    columns: dict[str, list[Any]] = {"sequence": ["lawn"] * 3, "frame": [15, 30, 45]}
    expected = "no key frame of the predictions is scored: 2 are of split train, 1 are dropped by rule frame_rule; "
    with pytest.raises(UsageError, match=f"{expected}use the split train"):
        read(columns | {"labels": [[1]] * 3}, on=wider)
    found = read(with_more(columns, (A, 15)) | {"labels": [[1]] * 4}, on=wider).predictions.activities
    assert found is not None
    assert found.tolist() == [1, 0, 0]


sets = st.integers(0, 2**27 - 1)


@settings(max_examples=30)
@given(
    actions=st.lists(sets, min_size=6, max_size=6),
    social=st.lists(st.integers(0, 2**32 - 1), min_size=6, max_size=6),
    owner=st.lists(st.integers(0, 3), min_size=6, max_size=6),
    everywhere=st.lists(st.integers(0, 127), min_size=3, max_size=3),
    files=st.booleans(),
)
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, truth: Truth, files: bool, **labels: list[int]
) -> None:
    actions, social, owner, everywhere = (labels[name] for name in ("actions", "social", "owner", "everywhere"))
    keys, group = np.unique(np.stack([truth.person_frame, owner]), axis=1, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    shared = np.array(social[: keys.shape[1]], np.uint32)
    groups = Groups(keys[0], shared, group.ravel()[order], np.arange(6)[order])
    predictions = Predictions(np.array(actions, np.uint32), groups, np.array(everywhere, np.uint32))
    source: Any = tables_of(truth, predictions)
    if files:
        source = tmp_path_factory.mktemp("written") / "run"
        write(source, truth, predictions)
        assert sorted(path.name for path in source.iterdir()) == [
            "global.parquet",
            "groups.parquet",
            "individual.parquet",
        ]
    again = align(source, truth).predictions
    assert again.actions is not None
    assert again.groups is not None
    assert again.activities is not None
    assert (again.actions.tolist(), again.activities.tolist()) == (actions, everywhere)
    assert [part.tolist() for part in (again.groups.frame, again.groups.labels, again.groups.group)] == [
        part.tolist() for part in (groups.frame, groups.labels, groups.group)
    ]


@pytest.mark.real_data
def test_predictions_for_everybody_are_scored_on_those_who_were_kept(real_data: Path, tmp_path: Path) -> None:
    from builders.engine.build import build
    from builders.engine.registry import find_recipe

    recipe = find_recipe("jrdb-par")
    kept = build(recipe, real_data, tmp_path / "kept")
    everybody = build(recipe, real_data, tmp_path / "all", settings={"people.keep": "all"})
    truth = SCORER.truth(kept, "test", {})
    found = align(everybody.table(), truth)
    assert found.counts["scored"] == found.counts["rows"] == 411
    values = evaluate(truth, found.predictions)["strict"].values
    assert values == pytest.approx(dict.fromkeys(values, 1.0))


@pytest.mark.parametrize("kind", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_names_are_text_of_any_kind(read: Read, tmp_path: Path, kind: pa.DataType) -> None:
    columns = PERSONS | {"labels": [[place] for place in range(1, 7)]}
    table = pa.table(columns).set_column(0, "sequence", pa.array(PERSONS["sequence"]).cast(kind))
    pq.write_table(table, tmp_path / "individual.parquet")
    exact, found = (read(source).predictions.actions for source in (columns, tmp_path / "individual.parquet"))
    assert exact is not None
    assert found is not None
    assert found.tolist() == exact.tolist()
