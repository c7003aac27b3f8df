"""The label files of JRDB-PAR: tables of persons and labels, and a name for everything that breaks the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.raw.jrdb_par import LabelTables, read_labels
from schemas.errors import InputError

FILES = ("action", "activity", "group")
BOX = "10 20 30 40"
GOOD = {
    "action": [f"0 15 {BOX} 1 3 1 7", f"0 15 {BOX} 1 1 0 7", "0 30 1 2 3 4 1 27 0 8"],
    "activity": [f"0 15 {BOX} 1 32 0 7"],
    "group": [f"0 15 {BOX} 5 1 1 7", "0 30 1 2 3 4 5 1 0 8"],
}
Write = Callable[..., list[Path]]
Problems = Callable[..., list[tuple[str, ...]]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the three files; lines by name replace the good ones, a text is written as it is."""

    def call(**lines: list[str] | str) -> list[Path]:
        for name, given_lines in (GOOD | lines).items():
            text = given_lines if isinstance(given_lines, str) else "".join(f"{line}\n" for line in given_lines)
            (tmp_path / f"gt_{name}.txt").write_bytes(text.encode())
        return [tmp_path / f"gt_{name}.txt" for name in FILES]

    return call


@pytest.fixture
def problems(write: Write, places: Callable) -> Problems:
    """What is wrong with the files: name of the file, record, field and what was found."""
    return lambda **lines: places(read_labels, *write(**lines))


def test_persons_with_their_labels(write: Write) -> None:
    tables = read_labels(*write())
    assert tables.persons.to_dict("list") == {
        "sequence": [0, 0],
        "frame": [15, 30],
        "person": [7, 8],
        "x1": [10, 1],
        "y1": [20, 2],
        "x2": [30, 3],
        "y2": [40, 4],
        "group": [5, 5],
        "group_difficult": [True, False],
    }
    assert tables.actions.to_dict("list") == {
        "row": [0, 0, 1],
        "label": [3, 1, 27],
        "difficult": [True, False, False],
    }
    assert tables.social.to_dict("list") == {"row": [0], "label": [32], "difficult": [False]}


def test_a_person_may_stand_in_one_file_alone(write: Write) -> None:
    tables = read_labels(*write(activity=["1 15 1 1 2 2 1 4 0 9"], group=["2 15 1 1 2 2 3 1 1 9"]))
    assert tables.persons[["sequence", "person"]].to_numpy().tolist() == [[0, 7], [0, 8], [1, 9], [2, 9]]
    assert tables.persons["group"].isna().tolist() == [True, True, True, False]
    assert tables.persons["group_difficult"].tolist()[3] is True
    assert tables.persons["group_difficult"].isna().tolist() == [True, True, True, False]


def names_of(tables: LabelTables) -> list[int]:
    return tables.persons["person"].tolist()


def test_persons_stand_in_the_order_that_all_files_share(write: Write) -> None:
    def lines(label: str, *people: int) -> list[str]:
        return [f"0 15 {person} 0 {person + 1} 1 {label} 0 {person}" for person in people]

    paths = write(action=lines("1 1", 4, 2, 9), group=lines("5 1", 8, 4, 7, 6, 9, 3), activity=lines("1 1", 4, 1, 2))
    assert names_of(read_labels(*paths)) == [8, 4, 7, 6, 1, 2, 9, 3]


def test_frames_are_sorted_whatever_the_order_of_lines(write: Write) -> None:
    action = ["1 15 1 2 3 4 1 1 0 8", "0 30 1 2 3 4 1 1 0 8", "0 15 1 2 3 4 1 1 0 8"]
    tables = read_labels(*write(action=action, activity=["0 15 1 2 3 4 1 1 0 8"], group=["0 15 1 2 3 4 5 1 0 1"]))
    assert tables.persons[["sequence", "frame"]].to_numpy().tolist() == [[0, 15], [0, 15], [0, 30], [1, 15]]


def test_the_last_newline_may_be_missing_or_doubled(write: Write) -> None:
    expected = read_labels(*write())
    for end in ("", "\n\n"):
        found = read_labels(*write(action="\n".join(GOOD["action"]) + end))
        pd.testing.assert_frame_equal(found.actions, expected.actions)


@pytest.mark.parametrize(
    ("line", "field", "found"),
    [
        (f"0 15 {BOX} 1 3 1", "", "9 columns"),
        (f"0 15 {BOX} 1 3 1 7 0", "", "11 columns"),
        ("", "", "a blank line"),
        (f"0 15 {BOX} 1 3 1 7.0", "person", "'7.0'"),
        (f"0 15 {BOX} 1 -3 1 7", "label", "'-3'"),
        (f"0 15 {BOX} 1 0x3 1 7", "label", "'0x3'"),
        (f"0 +15 {BOX} 1 3 1 7", "frame", "'+15'"),
        (f"0 15 {BOX} 1 ٣ 1 7", "label", "'٣'"),
        (f"0 15 {BOX} 1 nan 1 7", "label", "'nan'"),
        (f"0  15 {BOX} 1 3 1 7", "", repr(f"0  15 {BOX} 1 3 1 7")),
        (f"0 15 {BOX} 1 3 1 7 ", "", repr(f"0 15 {BOX} 1 3 1 7 ")),
        (f"0\t15 {BOX} 1 3 1 7", "", repr(f"0\t15 {BOX} 1 3 1 7")),
        (f"0 15 {BOX} 1 3 1 99999999999999999999", "person", "'99999999999999999999'"),
        (f"0 15 {BOX} 1 3 1 1000000000", "person", "1000000000"),
        (f"27 15 {BOX} 1 3 1 7", "sequence", "27"),
        (f"0 1000000 {BOX} 1 3 1 7", "frame", "1000000"),
        (f"0 15 {BOX} 1 28 1 7", "label", "28"),
        (f"0 15 {BOX} 1 0 1 7", "label", "0"),
        (f"0 15 {BOX} 1 3 2 7", "difficult", "2"),
        (f"0 15 {BOX} 4 3 1 7", "group", "4"),
        ("0 15 10 20 3761 40 1 3 1 9", "x2", "3761"),
        ("0 15 10 20 30 481 1 3 1 9", "y2", "481"),
        ("0 15 30 20 30 40 1 3 1 9", "x1 to x2", "'30 to 30'"),
        ("0 15 10 40 30 20 1 3 1 9", "y1 to y2", "'40 to 20'"),
        (f"0 15 {BOX} 1 1 0 7", "", "what line 2 says of person 7"),
        (f"0 15 {BOX} 1 1 1 7", "", "what line 2 says of person 7"),
        ("0 15 11 20 30 40 1 4 0 7", "box", "11 20 30 40"),
    ],
)
def test_a_line_that_breaks_the_format(problems: Problems, line: str, field: str, found: str) -> None:
    bad = problems(action=[*GOOD["action"], line, "0 45 1 2 3 4 1 1 0 1"])
    assert bad == [("gt_action.txt", "line 4", field, found)]


def test_a_class_beyond_those_of_its_own_file(problems: Problems) -> None:
    assert problems(activity=[f"0 15 {BOX} 1 33 0 7"]) == [("gt_activity.txt", "line 1", "label", "33")]


def test_a_person_in_two_groups(problems: Problems) -> None:
    found = problems(group=[f"0 15 {BOX} 5 1 1 7", f"0 30 {BOX} 6 1 1 7", f"0 15 {BOX} 6 1 1 7"])
    assert found == [("gt_group.txt", "line 3", "group", "6, in line 1 5")]


def test_a_person_twice_in_its_group(problems: Problems) -> None:
    found = problems(group=[f"0 15 {BOX} 5 1 1 7", f"0 15 {BOX} 5 1 0 7"])
    assert found == [("gt_group.txt", "line 2", "", "what line 1 says of person 7")]


def test_boxes_that_differ_between_files(write: Write, refused: Callable) -> None:
    activity, group = ["0 15 10 20 30 41 1 4 0 7"], ["0 30 1 2 3 5 5 1 0 8", "0 15 9 20 30 40 5 1 0 7"]
    paths = write(activity=activity, group=group)
    problems = [str(problem).replace(f"{paths[0].parent}/", "") for problem in refused(read_labels, *paths)]
    assert problems == [
        "gt_group.txt: line 1: box: found 1 2 3 5, expected 1 2 3 4, as in gt_action.txt line 3",
        "gt_group.txt: line 2: box: found 9 20 30 40, expected 10 20 30 40, as in gt_action.txt line 1",
        "gt_activity.txt: line 1: box: found 10 20 30 41, expected 10 20 30 40, as in gt_action.txt line 1",
    ]


def test_the_problems_of_all_files_come_together(problems: Problems) -> None:
    found = problems(action=["1 2", "3"], activity=[f"0 15 {BOX} 1 33 0 7", f"99 15 {BOX} 1 1 0 7"])
    assert [problem[:3] for problem in found] == [
        ("gt_action.txt", "line 1", ""),
        ("gt_action.txt", "line 2", ""),
        ("gt_activity.txt", "line 2", "sequence"),
        ("gt_activity.txt", "line 1", "label"),
    ]


def test_files_that_are_exchanged(write: Write, refused: Callable) -> None:
    action, activity, group = write()
    fields = {problem.field for problem in refused(read_labels, group, activity, action)}
    assert fields == {"group", "label"}


@pytest.mark.parametrize("content", [b"\xff\xfe0\x00 \x001\x00", b"0 15\r\n", bytes(range(256)), b"\n", b" "])
def test_what_is_no_such_text(write: Write, refused: Callable, content: bytes) -> None:
    paths = write()
    paths[1].write_bytes(content)
    assert {problem.file for problem in refused(read_labels, *paths)} == {str(paths[1])}


def test_a_file_that_is_missing_empty_or_too_large(write: Write, refused: Callable) -> None:
    paths = write()
    paths[2].write_bytes(b"")
    assert refused(read_labels, *paths)[0].found == "an empty file"
    with paths[2].open("wb") as file:
        file.truncate(2 * 1024**3)
    assert refused(read_labels, *paths)[0].found == "2,147,483,648 bytes"
    paths[2].unlink()
    assert refused(read_labels, *paths)[0].found == "no such file or directory"


def test_garbage_is_not_counted_to_its_end(write: Write, refused: Callable) -> None:
    assert len(refused(read_labels, *write(action="1 2\n" * 50_000))) == 1000


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 5), st.integers(1, 27), st.booleans()),
        min_size=1,
        max_size=40,
        unique_by=lambda row: row[:4],
    )
)
def test_every_line_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple]) -> None:
    """Whatever the order of the lines, each label is found at its person, and each person once."""
    folder = tmp_path_factory.mktemp("labels")
    people = list(dict.fromkeys(row[:3] for row in rows))
    lines = {
        "action": [f"{s} {f} {p} 0 {p + 1} 9 1 {label} {int(d)} {p}\n" for s, f, p, label, d in rows],
        "activity": [f"{s} {f} {p} 0 {p + 1} 9 1 32 0 {p}\n" for s, f, p in people[::2]],
        "group": [f"{s} {f} {p} 0 {p + 1} 9 {p % 2} 1 0 {p}\n" for s, f, p in people[1::2]],
    }
    paths = [folder / f"gt_{name}.txt" for name in FILES]
    if not all(lines.values()):
        return
    for path, name in zip(paths, FILES, strict=True):
        path.write_text("".join(lines[name]))
    tables = read_labels(*paths)
    assert sorted(tables.persons[["sequence", "frame", "person"]].itertuples(index=False, name=None)) == sorted(people)
    assert tables.persons[["sequence", "frame"]].apply(tuple, axis=1).is_monotonic_increasing
    who = tables.persons[["sequence", "frame", "person"]].iloc[tables.actions["row"]].to_numpy().tolist()
    labels = tables.actions[["label", "difficult"]].to_numpy().tolist()
    assert sorted([*w, *map(int, d)] for w, d in zip(who, labels, strict=True)) == sorted(
        [s, f, p, label, int(d)] for s, f, p, label, d in rows
    )


@given(st.binary(max_size=60), st.floats(0, 1))
def test_damaged_bytes_are_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, inserted: bytes, place: float
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    paths = [folder / f"gt_{name}.txt" for name in FILES]
    for path, name in zip(paths, FILES, strict=True):
        content = "".join(f"{line}\n" for line in GOOD[name]).encode()
        start = int(place * len(content))
        path.write_bytes(content[:start] + inserted + content[start:])
    n_rows, problems = 0, ()
    try:
        n_rows = len(read_labels(*paths).persons)
    except InputError as error:
        problems = error.problems
    assert n_rows or problems
    assert all(problem.file in map(str, paths) and problem.found and problem.expected for problem in problems)


@pytest.mark.real_data
def test_the_published_files(real_data: Path) -> None:
    tables = read_labels(*(real_data / f"jrdb_par/annotated_txt/gt_{name}.txt" for name in FILES))
    assert [len(table) for table in (tables.persons, tables.actions, tables.social)] == [48_330, 75_360, 52_312]
    assert tables.persons["group"].notna().sum() == 46_034
    assert tables.persons["group"].max() == 833
    assert tables.actions["row"].nunique() == 48_135
    assert tables.social["row"].nunique() == 36_582
    assert tables.persons[["sequence", "person"]].iloc[tables.actions["row"]].drop_duplicates().shape[0] == 1665
    assert (tables.actions["difficult"].sum(), tables.social["difficult"].sum()) == (19_728, 0)
    assert tables.persons["group_difficult"].sum() == 6681
    frames = tables.persons.groupby("sequence")["frame"].unique()
    assert all(sorted(seen) == list(range(15, 15 * len(seen) + 1, 15)) for seen in frames)
    assert (len(frames), sum(map(len, frames))) == (27, 1850)
