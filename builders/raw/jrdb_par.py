"""JRDB-PAR label files (Han et al., ECCV 2022; arXiv 2203.03806): who does what, and with whom, in three text files.

Lines of ten whole numbers, one blank between them (`RuizeHan/PAR : PAR-main/PanoAct_source-code-12_23/jrdb.py`; the
tenth, the person, is PAR's addition to the nine of `JRDB-dataset/jrdb_toolkit : Action&Social_grouping_eval`):
sequence, frame, box x1 y1 x2 y2, group, label, difficulty, person. A line of `gt_action` and `gt_activity` is one label
of a person, with 1 for the group; a line of `gt_group` is a person, with 1 for the label.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown
from schemas.input.files import MEBIBYTE, mark_length, read_bytes, read_lines
from schemas.input.problems import gather, problems_where, raise_any

COLUMNS = ("sequence", "frame", "x1", "y1", "x2", "y2", "group", "label", "difficult", "person")
BOX = ["x1", "y1", "x2", "y2"]
# Pixels of the panorama that JRDB stitches from its five cameras.
WIDTH, HEIGHT = 3760, 480
N_SEQUENCES, N_ACTIONS, N_SOCIAL = 27, 27, 32
# Six digits name a frame's image; a person and frame must fit 64 bits.
MOST_FRAMES, MOST_IDS = 10**6, 10**9

# The largest published file has 2.5 MB.
_LIMIT = 64 * MEBIBYTE
_MOST_LABELS = 64
_LINE = re.compile(r"[0-9]{1,18}( [0-9]{1,18}){9}")
_CELL = re.compile(r"[0-9]{1,18}")
_BLANKS = "one blank between two numbers, none at the ends"


@dataclass(frozen=True)
class LabelTables:
    """What the three files say.

    Attributes:
        persons: one row per person and frame that any file names: `sequence`, `frame`, `person` (int64); `x1`,
            `y1`, `x2`, `y2` (int64 pixels); `group` (Int64) and `group_difficult` (boolean), null where `gt_group` has
            no line. By frame, and in it in the order of the files, which agree in the published ones.
        actions: one row per line of `gt_action`: `row` (of the person in `persons`), `label` (int64, from 1),
            `difficult` (bool); by `row`, then in file order.
        social: the same of `gt_activity`.
    """

    persons: pd.DataFrame
    actions: pd.DataFrame
    social: pd.DataFrame


class _File(NamedTuple):
    """A file, the highest label in it, and the column that holds nothing but 1."""

    path: Path
    labels: int
    filler: str


def read_labels(action: Path, activity: Path, group: Path) -> LabelTables:
    """`gt_action.txt`, `gt_activity.txt`, `gt_group.txt`.

    Raises:
        InputError: with the problems of all files: not ten whole numbers in a line; a number out of its range (an
            unknown class, a box outside the panorama, another filler than 1); a box that ends before it begins; a line
            that says again what another says; a person in two groups of a frame; boxes of a person that differ.
    """
    files = [_File(action, N_ACTIONS, "group"), _File(group, 1, "label"), _File(activity, N_SOCIAL, "group")]
    lines = pd.concat(gather(_read_file, files), keys=range(len(files)), names=["file", "line"]).reset_index()
    keys = _keys(lines)
    number, firsts = _first_places(keys)
    raise_any(_box_problems(files, lines, firsts[number]))
    order = _person_order([number[lines["file"] == file] for file in range(len(files))], keys[firsts])
    lines["row"] = np.argsort(order)[number]
    persons = lines[["sequence", "frame", "person", *BOX]].iloc[firsts[order]].reset_index(drop=True)
    grouped = lines[lines["file"] == 1].set_index("row")[["group", "difficult"]].reindex(persons.index).astype("Int64")
    persons = persons.assign(group=grouped["group"], group_difficult=grouped["difficult"].astype("boolean"))
    actions, social = (_labels(lines[lines["file"] == file]) for file in (0, 2))
    return LabelTables(persons, actions, social)


def _read_file(file: _File) -> pd.DataFrame:
    """All lines, as int64 columns named `COLUMNS`."""
    table = _parsed(file.path)
    name = str(file.path)
    ranges = {
        "sequence": (0, N_SEQUENCES - 1),
        "frame": (0, MOST_FRAMES - 1),
        **dict.fromkeys(["x1", "x2"], (0, WIDTH)),
        **dict.fromkeys(["y1", "y2"], (0, HEIGHT)),
        **dict.fromkeys(["group", "person"], (0, MOST_IDS - 1)),
        "label": (1, file.labels),
        "difficult": (0, 1),
    } | {file.filler: (1, 1)}
    problems = [
        problem
        for column, (low, high) in ranges.items()
        for problem in _outside(table[column].to_numpy(), name, column, low, high)
    ]
    for start, end in (("x1", "x2"), ("y1", "y2")):
        bad = (table[start] >= table[end]).to_numpy()
        found = (table[start].astype(str) + " to " + table[end].astype(str)).tolist() if bad.any() else []
        problems += problems_where(bad, name, _line_of, f"{start} to {end}", found, "an end beyond the start")
    raise_any(problems)
    raise_any(_repeated_lines(table, file))
    return table


def _parsed(path: Path) -> pd.DataFrame:
    from pyarrow import csv

    content = read_bytes(path, _LIMIT)
    content = content[mark_length(content) :]
    if not content.translate(None, b"0123456789 \n"):
        try:
            table = csv.read_csv(
                io.BytesIO(content.removesuffix(b"\n").removesuffix(b"\n") + b"\n"),
                read_options=csv.ReadOptions(column_names=COLUMNS, use_threads=False),
                parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(COLUMNS, pa.int64()), null_values=[], strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid:
            pass  # it does not say where, the lines do
        else:
            return pd.DataFrame({name: table[name].to_numpy() for name in COLUMNS})
    gather(lambda numbered: _check_line(str(path), *numbered), enumerate(read_lines(path, _LIMIT), 1))
    raise InputError(Problem(str(path), "", "", "numbers that cannot be read", f"lines of {len(COLUMNS)} numbers"))


def _check_line(file: str, number: int, line: str) -> None:
    if _LINE.fullmatch(line):
        return
    cells = line.split()
    if len(cells) != len(COLUMNS):
        found = f"{len(cells)} columns" if cells else "a blank line"
        expected = f"{len(COLUMNS)}: {' '.join(COLUMNS)}"
        raise InputError(Problem(file, f"line {number}", "", found, expected))
    for name, cell in zip(COLUMNS, cells, strict=True):
        if not _CELL.fullmatch(cell):
            raise InputError(Problem(file, f"line {number}", name, shown(cell), "a whole number"))
    raise InputError(Problem(file, f"line {number}", "", shown(line), _BLANKS))


def _outside(values: NDArray[np.int64], file: str, column: str, low: int, high: int) -> list[Problem]:
    bad = (values < low) | (values > high)
    if not bad.any():
        return []
    expected = f"{low}, as in all lines of this file" if low == high else f"a whole number from {low} to {high}"
    return problems_where(bad, file, _line_of, column, values.tolist(), expected)


def _line_of(place: int) -> str:
    return f"line {place + 1}"


def _keys(table: pd.DataFrame) -> NDArray[np.int64]:
    """A number for each person and frame, in the order of sequences and frames."""
    frames = table["sequence"].to_numpy() * MOST_FRAMES + table["frame"].to_numpy()
    keys: NDArray[np.int64] = frames * MOST_IDS + table["person"].to_numpy()
    return keys


def _repeated_lines(table: pd.DataFrame, file: _File) -> list[Problem]:
    """The same label of a person twice; in the file of groups, where all labels are 1, a person twice."""
    numbers, firsts = _first_places(_keys(table) * _MOST_LABELS + table["label"].to_numpy())
    earlier = firsts[numbers]
    problems = []
    for place in np.flatnonzero(earlier != np.arange(len(table)))[:MOST_PROBLEMS].tolist():
        now, before, there = table.iloc[place], table.iloc[earlier[place]], _line_of(earlier[place])
        if now["group"] != before["group"]:
            what = ("group", f"{now['group']}, in {there} {before['group']}", "one group of a person in a frame")
        else:
            what = ("", f"what {there} says of person {now['person']}", "each once")
        problems.append(Problem(str(file.path), _line_of(place), *what))
    return problems


def _first_places(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number from 0 for each key, counted as they appear; the place where each number is first."""
    numbers, _ = pd.factorize(keys)
    return numbers, np.flatnonzero(~pd.Series(keys).duplicated().to_numpy())


def _box_problems(files: list[_File], lines: pd.DataFrame, first: NDArray[np.int64]) -> list[Problem]:
    """Persons whose box is not the one in the `first` line that names the person in this frame."""
    boxes = lines[BOX].to_numpy()
    bad = np.flatnonzero((boxes != boxes[first]).any(axis=1))[:MOST_PROBLEMS].tolist()

    def place_of(row: int) -> tuple[str, str]:
        return str(files[lines["file"][row]].path), _line_of(int(lines["line"][row]))

    def box_of(row: int) -> str:
        return " ".join(map(str, boxes[row].tolist()))

    return [
        Problem(*place_of(row), "box", box_of(row), f"{box_of(there)}, as in {' '.join(place_of(there))}")
        for row, there in zip(bad, first[bad].tolist(), strict=True)
    ]


def _person_order(parts: list[NDArray[np.int64]], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The persons by frame; in it as in the first file, others behind the one before them in their own file.

    `parts` are the persons of each file's lines, numbered as they first appear.
    """
    known = int(parts[0].max()) + 1
    behind = np.arange(len(keys))
    for part in reversed(parts[1:]):
        others = part >= known
        behind[part[others]] = np.maximum.accumulate(np.where(others, -1, part))[others]
    return np.lexsort((np.arange(len(keys)), behind, keys // MOST_IDS))


def _labels(lines: pd.DataFrame) -> pd.DataFrame:
    labels = pd.DataFrame({"row": lines["row"], "label": lines["label"], "difficult": lines["difficult"] == 1})
    return labels.sort_values("row", kind="stable", ignore_index=True)
