"""Prediction files of activities in every format, down to the arrays that are scored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import InputError, UsageError
from scorers.activity.frames import Predictions, Truth
from scorers.activity.protocols import evaluate
from scorers.scorer import Aligned

Read = Callable[..., Aligned[Predictions]]
Write = Callable[[str, Any], Path]

A, B = "hall-2019-02-08_0", "yard-2019-03-16_1"
PEOPLE = {f"{A}/000015": [7, 3, 12], f"{A}/000030": [3, 12], f"{B}/000015": [3]}


# What the files below say: actions and global activities as bits, groups as frame, labels and members.
ACTIONS = [0b11, 0, 0b100, 1, 1 << 26, 0b10]
GROUPS = [(0, 0b1010, [0, 2]), (1, 0b1, [3, 4])]
ACTIVITIES = [0b10000, 0b101, 0]

KEYS = [(A, 15), (A, 15), (A, 15), (A, 30), (A, 30), (B, 15)]
IDS = [7, 3, 12, 3, 12, 3]
LABELS = [[1, 2], [], [3], [1], [27], [2]]


def vector(labels: list[int], classes: int, above: float) -> list[float]:
    """Scores of which those of `labels` lie above the threshold, the others on it or below."""
    return [above + 0.001 if label in labels else above - 2 * (label % 2) for label in range(1, classes + 1)]


def individual(**columns: Any) -> dict[str, Any]:
    return {"sequence": [name for name, _ in KEYS], "frame": [frame for _, frame in KEYS], "person": IDS} | columns


def groups(**columns: Any) -> dict[str, Any]:
    return {"sequence": [A, A], "frame": [15, 30], "members": [[12, 7], [3, 12]]} | columns


def everywhere(**columns: Any) -> dict[str, Any]:
    return {"sequence": [A, A, B], "frame": [15, 30, 15]} | columns


def long(keys: dict[str, list[Any]], labels: list[list[int]], **score: float) -> dict[str, list[Any]]:
    """One row a label, null for none; with a score, a further row of a label that is not above."""
    rows = []
    for place, several in enumerate(labels):
        key = {name: values[place] for name, values in keys.items()}
        for label in several or [None]:
            if not score:
                rows.append(key | {"label": label})
            elif label is not None:
                rows.append(key | {"label": label, "score": score["above"] + 0.001})
        if score:
            rows.append(key | {"label": 7, "score": score["above"]})
    return {name: [row[name] for row in rows] for name in rows[0]}


def of_people(labels: list[list[int]]) -> dict[str, Any]:
    """Groups as one row a person; person 3 of the first frame is alone."""
    return individual(group=["a", None, "a", "b", "b", None], labels=labels)


SOCIAL, GLOBAL = [[2, 4], [1]], [[5], [1, 3], []]
FORMATS: dict[str, dict[str, dict[str, Any]]] = {
    "labels": {
        "individual": individual(labels=LABELS),
        "groups": groups(labels=SOCIAL, group=[1, 1]),
        "global": everywhere(labels=GLOBAL),
    },
    "scores": {
        "individual": individual(scores=[vector(labels, 27, 0.6) for labels in LABELS]),
        "groups": groups(scores=[vector(labels, 32, 0.6) for labels in SOCIAL]),
        "global": everywhere(scores=[vector(labels, 7, 0.5) for labels in GLOBAL]),
    },
    "label": {
        "individual": long(individual(), LABELS),
        "groups": of_people([[2, 4], [], [2, 4], [1], [1], [9]]),
        "global": long(everywhere(), GLOBAL),
    },
    "label and score": {
        "individual": long(individual(), LABELS, above=0.6),
        "groups": long(individual(group=[8, None, 8, 8, 8, None]), [[2, 4], [], [4, 2], [1], [1], []], above=0.6),
        "global": long(everywhere(), GLOBAL, above=0.5),
    },
}


def nested_rows(**changes: Any) -> list[dict[str, Any]]:
    """The same in the manifest's own shape, with plain ids."""
    rows = []
    for place, (name, ids) in enumerate(PEOPLE.items()):
        first = sum(len(earlier) for earlier in list(PEOPLE.values())[:place])
        persons = [{"person_id": person, "actions": LABELS[first + n]} for n, person in enumerate(ids)]
        found = [
            {"member_ids": [IDS[member] for member in members], "activities": SOCIAL[number]}
            for number, (frame, _, members) in enumerate(GROUPS)
            if frame == place
        ]
        row = {"sample_id": name, "persons": persons, "groups": found, "global_activities": GLOBAL[place]}
        rows.append(row | {key: values[place] for key, values in changes.items()})
    return rows


def groups_of(run: Aligned[Predictions]) -> list[tuple[int, int, list[int]]]:
    assert run.predictions.groups is not None
    found = run.predictions.groups
    members = [sorted(found.person[found.group == group].tolist()) for group in range(len(found))]
    return sorted(zip(found.frame.tolist(), found.labels.tolist(), members, strict=True))


def actions_of(run: Aligned[Predictions]) -> list[int]:
    assert run.predictions.actions is not None
    return run.predictions.actions.tolist()


def activities_of(run: Aligned[Predictions]) -> list[int]:
    assert run.predictions.activities is not None
    return run.predictions.activities.tolist()


def check(run: Aligned[Predictions]) -> None:
    assert (actions_of(run), groups_of(run), activities_of(run)) == (ACTIONS, GROUPS, ACTIVITIES)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "tsv", "jsonl"])
@pytest.mark.parametrize("shape", FORMATS)
def test_long_tables_in_every_format_say_the_same(shape: str, suffix: str, write: Write, read: Read) -> None:
    for kind, columns in FORMATS[shape].items():
        folder = write(f"run/{kind}.{suffix}", columns).parent
    predictions = read(folder)
    check(predictions)
    assert predictions.settings == ({"thresholds": "0.6/0.6/0.5"} if "score" in shape else {})


def test_files_may_have_any_names_and_be_given_one_by_one(write: Write, read: Read) -> None:
    paths = [write(f"any-{n}.parquet", columns) for n, columns in enumerate(FORMATS["labels"].values())]
    check(read(*paths))
    alone = read(paths[0])
    assert (alone.predictions.groups, alone.predictions.activities) == (None, None)


def test_key_frames_may_be_named_by_sample_id_or_by_the_number_of_the_sequence(write: Write, read: Read) -> None:
    names = [f"{name}/{frame:06d}" for name, frame in KEYS]
    columns = {"sample_id": names, "person": IDS, "labels": LABELS}
    numbers = individual(sequence=[5] * 5 + [9], labels=LABELS)
    texts = individual(sequence=["5"] * 5 + ["9"], labels=LABELS)
    for place, content in enumerate((columns, numbers, texts)):
        assert actions_of(read(write(f"{place}.parquet", content))) == ACTIONS


def test_pandas_and_dictionaries_make_no_difference(write: Write, read: Read) -> None:
    columns = individual(labels=LABELS) | {"frame": [float(frame) for _, frame in KEYS], "person": np.array(IDS, "f8")}
    columns["sequence"] = pa.array(columns["sequence"]).dictionary_encode()
    large = pa.array(individual()["sequence"], pa.large_string())
    for place, content in enumerate((columns, columns | {"sequence": large})):
        assert actions_of(read(write(f"{place}.parquet", content))) == ACTIONS


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_rows_of_the_manifests_shape(suffix: str, write: Write, read: Read) -> None:
    check(read(write(f"rows.{suffix}", nested_rows())))


def test_the_rows_of_a_manifest_are_predictions_of_the_truth(key_frames: pa.Table, read: Read, truth: Truth) -> None:
    values = evaluate(truth, read(key_frames).predictions)["paper"].values
    assert (values["F_a"], values["Mat.IoU"], values["IOU@AUC"]) == pytest.approx((1.0, 1.0, 1.0))


def test_nested_rows_may_hold_scores(write: Write, read: Read) -> None:
    rows = nested_rows()
    for row, labels in zip(rows, GLOBAL, strict=True):
        row["persons"] = [
            {"person_id": person["person_id"], "action_scores": vector(person["actions"], 27, 0.6)}
            for person in row["persons"]
        ]
        row["groups"] = [
            {"member_ids": group["member_ids"], "activity_scores": vector(group["activities"], 32, 0.6)}
            for group in row["groups"]
        ]
        row["global_scores"] = vector(labels, 7, 0.5)
        del row["global_activities"]
    predictions = read(write("rows.jsonl", rows))
    check(predictions)
    assert "thresholds" in predictions.settings
    for row in rows:
        for person in row["persons"]:
            scores = enumerate(person.pop("action_scores"), 1)
            person["actions"] = [{"id": label, "score": score} for label, score in scores]
    check(read(write("records.jsonl", rows)))


@pytest.mark.parametrize("name", ["groups.csv", "groups.parquet", "groups.jsonl"])
def test_no_group_at_all_is_a_prediction(name: str, write: Write, read: Read) -> None:
    none: Any = {"sequence": pa.array([], pa.string()), "frame": [], "members": [], "labels": []}
    content = none if name.endswith("parquet") else "" if name.endswith("jsonl") else "sequence,frame,members,labels\n"
    predictions = read(write(name, content))
    assert groups_of(predictions) == []
    assert predictions.predictions.actions is None


def test_a_lone_row_of_json_lines_is_a_row(write: Write, read: Read) -> None:
    predictions = read(write("global.jsonl", {"sequence": [A], "frame": [30], "labels": [[1]]}))
    assert activities_of(predictions) == [0, 1, 0]


def test_the_labels_of_a_group_are_those_of_its_first_member(write: Write, read: Read) -> None:
    predictions = read(write("groups.parquet", of_people([[2, 4], [], [9], [1], [1], []])))
    assert groups_of(predictions) == GROUPS
    warning = "1 predicted groups have members with different labels; those of the first member count"
    assert predictions.warnings == [warning]


def test_nested_rows_may_have_a_person_in_several_groups(write: Write, read: Read, truth: Truth) -> None:
    overlapping = [{"member_ids": ids, "activities": [2]} for ids in ([7, 12], [12, 3], [3, 7, 12])]
    predictions = read(write("rows.jsonl", nested_rows(groups=[overlapping, [], []])))
    assert [members for _, _, members in groups_of(predictions)] == [[0, 1, 2], [0, 2], [1, 2]]
    told = f"3 persons are in several predicted groups of a frame (person 7 in {A}/000015, person 3 in"
    assert predictions.warnings[0].startswith(told)
    values = evaluate(truth, predictions.predictions)
    assert (values["paper"].values["group_R"], values["strict"].values["group_R"]) == (2.0, 1.0)


def test_scores_are_compared_in_the_type_of_the_file(write: Write, read: Read) -> None:
    for kind in (pa.float16(), pa.float32(), pa.float64()):
        lists = pa.array([np.full(27, 0.6, kind.to_pandas_dtype()).tolist()] * 6, pa.list_(kind))
        vectors = read(write("vectors.parquet", individual(scores=lists)))
        labels = {"label": [1] * 6, "score": lists.flatten()[:6]}
        rows = read(write("rows.parquet", individual(**labels)))
        assert (actions_of(vectors), actions_of(rows)) == ([0] * 6, [0] * 6)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("names", [{}, {"group": [1, 1, 1]}, {"group": [1, None, 1]}])
def test_groups_of_members_may_have_a_label_a_row(names: Any, suffix: str, write: Write, read: Read) -> None:
    columns: dict[str, Any] = {
        "sequence": [A] * 3,
        "frame": [15, 30, 15],
        "members": [[12, 7], [3, 12], [7, 12]],
        **names,
    }
    columns["label"] = [2, 1, 4]
    assert groups_of(read(write(f"groups.{suffix}", columns))) == GROUPS
    columns["score"] = [0.7, 0.6, 0.5]
    found = read(write(f"groups.{suffix}", columns))
    assert groups_of(found) == [(0, 0b10, [0, 2]), (1, 0, [3, 4])]


def test_persons_rows_and_groups_that_lack_their_labels_are_warned_of(write: Write, read: Read) -> None:
    rows = nested_rows()
    del rows[0]["persons"][1]["actions"], rows[0]["groups"][0]["activities"], rows[2]["groups"]
    del rows[2]["global_activities"]
    found = read(write("rows.jsonl", rows))
    assert (found.counts["persons_missing"], found.counts["frames_missing"], found.counts["scored"]) == (1, 1, 1)
    assert groups_of(found) == [(0, 0, [0, 2]), GROUPS[1]]
    assert [warning.partition(" (")[0] for warning in found.warnings] == [
        "1 of 3 rows have no groups: everybody is alone there",
        "1 of 2 groups have no activities",
        "1 of 6 persons have no prediction",
        "1 of 3 key frames have no prediction",
    ]


def test_columns_and_keys_that_are_not_read_are_warned_of(write: Write, read: Read) -> None:
    path = write("individual.csv", individual(labels=LABELS, note=["x"] * 6, person_id=IDS))
    assert read(path).warnings == [f"{path}: columns that are not read: 'note', 'person_id'"]
    rows = nested_rows()
    rows[1]["persons"][0] |= {"confidence": 0.5, "x": 3, "group_id": None}
    path = write("rows.jsonl", [row | {"model": "m", "split": "test"} for row in rows])
    assert read(path).warnings == [f"{path}: keys that are not read: 'model', 'persons.confidence'"]


def test_the_same_key_frame_may_be_named_twice_over(write: Write, read: Read) -> None:
    names = [f"{name}/{frame:06d}" for name, frame in KEYS]
    for sequence in ([name for name, _ in KEYS], [5] * 5 + [9], [None] * 5 + [9]):
        path = write("both.parquet", individual(sample_id=names, sequence=sequence, labels=LABELS))
        assert actions_of(read(path)) == ACTIONS


@pytest.mark.parametrize("shape", FORMATS)
def test_tables_in_memory_say_the_same(shape: str, read: Read) -> None:
    import pandas as pd

    for made in (dict, pa.table, pd.DataFrame):
        check(read({kind: made(columns) for kind, columns in FORMATS[shape].items()}))
    alone = read(pa.table(FORMATS[shape]["groups"]))
    assert groups_of(alone) == GROUPS
    assert alone.predictions.actions is None


def test_nested_rows_in_memory_say_the_same(read: Read) -> None:
    import pandas as pd

    check(read(pa.Table.from_pylist(nested_rows())))
    check(read(pd.DataFrame(nested_rows())))


def test_scores_in_memory_may_be_arrays(read: Read) -> None:
    scores = np.array([vector(labels, 27, 0.6) for labels in LABELS])
    assert actions_of(read(individual(scores=scores))) == ACTIONS


def test_a_table_in_memory_must_be_of_the_task_that_it_is_given_for(read: Read) -> None:
    with pytest.raises(InputError) as caught:
        read({"global": FORMATS["labels"]["individual"]})
    assert (caught.value.problems[0].file, caught.value.problems[0].field) == ("global", "")
    with pytest.raises(UsageError, match="expected a path, a pandas DataFrame"):
        read(7)


@pytest.mark.parametrize(
    ("name", "meant"), [("group", "did you mean groups"), ("individuals", "did you mean individual"), (3, "known: ")]
)
def test_an_unknown_task_is_named(name: Any, meant: str, read: Read) -> None:
    known = {} if name == "individuals" else {"individual": individual(labels=LABELS)}
    with pytest.raises(UsageError, match=f"unknown task '{name}'.*{meant}"):
        read(known | {name: individual(labels=LABELS)})


@pytest.mark.parametrize("source", [[], {}])
def test_no_table_at_all_is_refused(source: Any, read: Read) -> None:
    with pytest.raises((InputError, UsageError), match="expected"):
        read(source)


def test_the_table_of_a_task_may_be_a_file(write: Write, read: Read) -> None:
    columns = individual(labels=LABELS)
    from_file, from_memory = read({"individual": write("any.parquet", columns)}), read({"individual": columns})
    assert from_file.counts == from_memory.counts
    assert from_file.counts["persons_missing"] == 0


@pytest.mark.parametrize("field", ["labels", "person"])
def test_a_record_without_a_field_of_the_first_is_refused(write: Write, read: Read, field: str) -> None:
    records = [{"sequence": A, "frame": 15, "person": person, "labels": [1]} for person in (7, 3)]
    records[1]["of_mine"] = records[1].pop(field)
    with pytest.raises(InputError) as failure:
        read(write("individual.jsonl", records))
    (problem,) = failure.value.problems
    assert (problem.record, problem.expected) == ("row 2", f"the field {field}")
    assert "of_mine" in problem.found
