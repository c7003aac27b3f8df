from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.raw.oops import (
    read_descriptions,
    read_heldout_times,
    read_name_list,
    read_names,
    read_transition_times,
    repaired_name,
)

TIMES = {"t": [-1.0, 2.5, 3.0], "len": 4.0, "rel_t": [-0.25, 0.625, 0.75], "stdev": 2.2, "n_notfound": 1}
ANNOTATION = {"goal": "A man dances.", "wentwrong": "Don't know", "kgoalsvos": [["man", "dance", ""]]}


def misread(name: str) -> str:
    """UTF-8 bytes read as Windows-1252, where undefined bytes stand for themselves."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in name.encode())


def test_transition_times_of_the_sample(samples: Path) -> None:
    times = read_transition_times(samples / "oops" / "transition_times.json")
    assert list(times.columns) == ["name", "t1", "t2", "t3", "length_s", "n_notfound"]
    assert [str(dtype) for dtype in times.dtypes[1:]] == ["float64"] * 4 + ["int64"]
    assert times.index.equals(pd.RangeIndex(39))
    clips = times.set_index("name")
    assert clips.loc["Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity3"].tolist() == [
        6.25, 7.75, 7.7531, 7.75, 0,
    ]  # fmt: skip
    assert clips["n_notfound"].value_counts().to_dict() == {0: 31, 1: 4, 2: 1, 3: 3}
    assert (clips["t1"] == 0.0).sum() == 3
    assert ((clips["t3"] > clips["length_s"]) & (clips["t3"] < clips["length_s"] + 0.005)).sum() == 2


def test_transition_times_keep_file_order_and_whole_numbers(json_file) -> None:
    times = read_transition_times(json_file({"b": TIMES, "a": TIMES | {"t": [0, 1, 4], "len": 4, "n_notfound": 0}}))
    assert times["name"].tolist() == ["b", "a"]
    assert times.iloc[1, 1:].tolist() == [0.0, 1.0, 4.0, 4.0, 0]


@pytest.mark.parametrize(
    ("change", "field", "found", "expected"),
    [
        ({"t": 5}, "t", "5", "a list"),
        ({"t": [1.0, 2.0]}, "t", "[1.0, 2.0]", "a list of length 3"),
        ({"t": [1.0, 2.0, "nan"]}, "t[2]", "'nan'", "a number"),
        ({"t": [-2.0, 2.0, 3.0]}, "t", "[-2.0, 2.0, 3.0]", "seconds >= 0, or -1 for no failure seen"),
        ({"t": [2.0, -1.0, 3.0]}, "t", "[2.0, -1.0, 3.0]", "times in ascending order"),
        ({"t": [-1.0, 3.0, 2.0]}, "t", "[-1.0, 3.0, 2.0]", "times in ascending order"),
        ({"t": [-1.0, 2.0, 4.02]}, "t", "[-1.0, 2.0, 4.02]", "times within len"),
        ({"n_notfound": 0}, "n_notfound", "0", "the number of -1 in t"),
        ({"n_notfound": 4}, "n_notfound", "4", "a whole number <= 3"),
        ({"n_notfound": 10**30}, "n_notfound", str(10**30), "a whole number <= 3"),
        ({"len": 0.0}, "len", "0.0", "seconds above 0"),
        ({"len": -4.0}, "len", "-4.0", "seconds above 0"),
        ({"len": None}, "len", "null", "a number"),
    ],
)
def test_bad_transition_times(
    json_file, refused, change: dict[str, Any], field: str, found: str, expected: str
) -> None:
    (problem,) = refused(read_transition_times, json_file({"good": TIMES, "bad": TIMES | change}))
    assert (problem.record, problem.field, problem.found, problem.expected) == ('clip "bad"', field, found, expected)


@pytest.mark.parametrize("field", ["t", "len", "n_notfound"])
def test_a_missing_field(json_file, refused, field: str) -> None:
    (problem,) = refused(
        read_transition_times, json_file({"bad": {key: value for key, value in TIMES.items() if key != field}})
    )
    assert (problem.record, problem.field, problem.found) == ('clip "bad"', field, "nothing")


def test_nan_is_no_json(json_file, refused) -> None:
    (problem,) = refused(read_transition_times, json_file({"bad": TIMES | {"t": [float("nan")] * 3}}))
    assert problem.record == "byte 15"
    assert (problem.field, problem.found) == ("t", "NaN")


def test_times_just_beyond_the_length_are_accepted(json_file) -> None:
    assert len(read_transition_times(json_file({"a": TIMES | {"t": [-1.0, 4.0, 4.0042]}}))) == 1


def test_all_bad_clips_are_reported(json_file, refused) -> None:
    problems = refused(read_transition_times, json_file({f"c{n}": TIMES | {"t": [3.0, 2.0, 1.0]} for n in range(50)}))
    # Out of order, and `n_notfound` = 1 without a -1: two problems a clip.
    assert len(problems) == 100


def test_duplicate_clips(text_file, refused) -> None:
    (problem,) = refused(read_transition_times, text_file('{"a": {}, "a": {}}'))
    assert problem.found == "'a' again"


def test_heldout_times_of_the_sample(samples: Path) -> None:
    heldout = read_heldout_times(samples / "oops" / "heldout_transition_times.json")
    assert list(heldout.columns) == ["name", "heldout_s"]
    assert len(heldout) == 25
    assert (heldout["heldout_s"] == -1.0).sum() == 5
    assert heldout["heldout_s"].dtype == "float64"


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"t": [-0.5], "n_notfound": 0}, "t"),
        ({"t": [-1.0], "n_notfound": 0}, "n_notfound"),
        ({"t": [1.0], "n_notfound": 1}, "n_notfound"),
        ({"t": [1.0, 2.0], "n_notfound": 0}, "t"),
        ({"t": 1.0, "n_notfound": 0}, "t"),
    ],
)
def test_bad_heldout_times(json_file, refused, record: dict[str, Any], field: str) -> None:
    (problem,) = refused(read_heldout_times, json_file({"bad": record}))
    assert (problem.record, problem.field) == ('clip "bad"', field)


def test_descriptions_of_the_sample(samples: Path) -> None:
    descriptions = read_descriptions(samples / "oops" / "svos" / "val.json")
    assert list(descriptions.columns) == ["name", "goal_1", "wentwrong_1", "goal_2", "wentwrong_2"]
    assert len(descriptions) == 21
    clip = descriptions.set_index("name").loc["Dad's Workshop Disasters - Don't Try This (June 2019)5"]
    assert clip.tolist() == [
        "Don't know",
        "The drill spins the man around instead of the screw.",
        "A man drills a hole in the ceiling.",
        "The drill gets stuck and turns him around.",
    ]


def test_descriptions_keep_misread_names_and_white_space(json_file) -> None:
    name, goal = misread("Piñata 3"), "two  blanks \n"
    (row,) = read_descriptions(json_file({name: [ANNOTATION | {"goal": goal}, ANNOTATION]})).itertuples()
    assert (row.name, row.goal_1, row.wentwrong_2) == (name, goal, "Don't know")


@pytest.mark.parametrize(
    ("annotations", "field", "expected"),
    [
        ([ANNOTATION], "", "a list of length 2"),
        ([ANNOTATION] * 3, "", "a list of length 2"),
        ({"goal": "g"}, "", "a list"),
        ([ANNOTATION, {"goal": "g"}], "[1].wentwrong", "a value"),
        ([ANNOTATION, ANNOTATION | {"goal": None}], "[1].goal", "text"),
    ],
)
def test_bad_descriptions(json_file, refused, annotations: Any, field: str, expected: str) -> None:
    (problem,) = refused(read_descriptions, json_file({"bad": annotations}))
    assert (problem.record, problem.field, problem.expected) == ('clip "bad"', field, expected)


def test_names_of_the_sample(samples: Path) -> None:
    without_newline = read_names(samples / "oops" / "val_filtered.txt")
    with_blank_line = read_names(samples / "oops" / "train_filtered.txt")
    assert (len(without_newline), len(with_blank_line)) == (24, 18)
    assert without_newline[-1] == "Skate Park Surprises  (Ep. 4)20"
    assert with_blank_line[0] == "Piñata Party Problems (May 2020) _ SlipCity0"
    assert set(without_newline) < set(read_names(samples / "oops" / "val.txt"))
    assert set(with_blank_line) < set(read_names(samples / "oops" / "train.txt"))


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("a\n\nb\n", 2, "a clip name"),
        ("a\nb\n\n\n", 3, "a clip name"),
        ("a\n \nb", 2, "a clip name"),
        ("a\nb \n", 2, "no blanks around the name"),
        ("a\n\u2003b\n", 2, "no blanks around the name"),
        ("a\nb\tc\n", 2, "no control characters"),
        ("a\n\x1b[2Jb\n", 2, "no control characters"),
        ("a\nb\x85\n", 2, "no control characters"),
        ("a\0\nb", 1, "no control characters"),
        ("a\nb\na\n", 3, "each once (first at line 1)"),
    ],
)
def test_bad_names(text_file, refused, text: str, line: int, expected: str) -> None:
    (problem,) = refused(read_names, text_file(text))
    assert (problem.record, problem.expected) == (f"line {line}", expected)


def test_name_list(samples: Path, json_file, refused) -> None:
    assert len(read_name_list(samples / "oops" / "single_scene_val.json")) == 12
    (problem,) = refused(read_name_list, json_file(["a", "b", "a"]))
    assert (problem.record, problem.found) == ("record 3", "'a' again")
    (problem,) = refused(read_name_list, json_file(["a", 3]))
    assert (problem.record, problem.found, problem.expected) == ("record 2", "3", "text")
    (problem,) = refused(read_name_list, json_file({"a": 1}))
    assert problem.expected == "a list"


@pytest.mark.parametrize(
    ("name", "repaired"),
    [
        ("plain name, it's ASCII 12", "plain name, it's ASCII 12"),
        ("PiÃ±ata 3", "Piñata 3"),
        ("Nobodyâ€™s 3", "Nobody’s 3"),
        ("â€œWatch Thisâ€\x9d", "“Watch This”"),
        ("ðŸ˜‚ 5", "😂 5"),
        # Not misreadings: other letters of Windows-1252, and letters that no byte of it stands for.
        ("Piñata 3", "Piñata 3"),
        ("Nobody’s 3", "Nobody’s 3"),
        ("Ω 3", "Ω 3"),
        ("", ""),
    ],
)
def test_repairs_misread_names_and_no_others(name: str, repaired: str) -> None:
    assert repaired_name(name) == repaired


@given(st.text(st.characters(codec="utf-8")))
def test_repair_undoes_misreading(name: str) -> None:
    assert repaired_name(misread(name)) == name


@pytest.mark.parametrize(("archive", "n_misread"), [("val", 3), ("train", 6)])
def test_repaired_keys_of_the_samples_are_names_of_the_lists(samples: Path, archive: str, n_misread: int) -> None:
    known = set(read_names(samples / "oops" / f"{archive}_filtered.txt"))
    keys = read_descriptions(samples / "oops" / "svos" / f"{archive}.json")["name"]
    assert sum(key not in known for key in keys) == n_misread
    assert {repaired_name(key) for key in keys} <= known


@pytest.mark.real_data
def test_real_times(real_data: Path) -> None:
    times = read_transition_times(real_data / "oops" / "transition_times.json")
    assert len(times) == 10_961
    assert times["n_notfound"].value_counts().to_dict() == {0: 6_827, 1: 1_440, 2: 1_031, 3: 1_663}
    assert (times["length_s"].min(), times["length_s"].max()) == (3.125, 147.875)
    onsets = times[["t1", "t2", "t3"]]
    assert onsets.gt(times["length_s"], axis=0).any(axis=1).sum() == 13
    assert onsets.eq(0.0).any(axis=1).sum() == 474
    heldout = read_heldout_times(real_data / "oops" / "heldout_transition_times.json")
    assert (len(heldout), (heldout["heldout_s"] == -1.0).sum()) == (4_791, 1_198)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "n_names"), [("train", 23_201), ("val", 6_739), ("train_filtered", 16_012), ("val_filtered", 4_711)]
)
def test_real_split_lists(real_data: Path, name: str, n_names: int) -> None:
    assert len(read_names(real_data / "oops" / f"{name}.txt")) == n_names


@pytest.mark.real_data
def test_real_single_scene_list(real_data: Path) -> None:
    assert len(read_name_list(real_data / "oops" / "single_scene_val.json")) == 1_589


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("archive", "n_clips", "n_unknown", "n_misread"), [("val", 3_593, 878, 5), ("train", 4_674, 1_526, 12)]
)
def test_real_descriptions(real_data: Path, archive: str, n_clips: int, n_unknown: int, n_misread: int) -> None:
    descriptions = read_descriptions(real_data / "oops" / "svos" / f"{archive}.json")
    assert len(descriptions) == n_clips
    assert descriptions.iloc[:, 1:].eq("Don't know").sum().sum() == n_unknown
    repaired = descriptions["name"].map(repaired_name)
    assert (repaired != descriptions["name"]).sum() == n_misread
    assert repaired.isin(read_names(real_data / "oops" / f"{archive}.txt")).all()
