"""OOPS! (oops.cs.columbia.edu): split lists, failure times, descriptions.

Formats as documented in `Hasnat79/uag : data/oops_dataset/README.md` and `data/oops_dataset/svos/README.md`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import pandas as pd

from schemas.errors import MOST_PROBLEMS, Problem, shown
from schemas.input.files import MEBIBYTE, read_lines
from schemas.input.json import numbered, read_array, read_object
from schemas.input.problems import CONTROL_CHARACTER, Place, problems_where, raise_any, repeats

# An annotator who saw no failure.
NOT_FOUND = -1.0

# The largest real file has 2.8 MB.
_LIMIT = 64 * MEBIBYTE

# Real times exceed the annotated length by up to 0.0042 s: the length is rounded to eighths of a second.
_LENGTH_TOLERANCE_S = 0.01

# No control characters, no blanks at either end: as all published names.
_NAME = re.compile(r"(?!\s)[^\x00-\x1f\x7f-\x9f]+(?<!\s)")


class _TransitionTimes(msgspec.Struct):
    t: tuple[float, float, float]
    n_notfound: Annotated[int, msgspec.Meta(ge=0, le=3)]
    length: float = msgspec.field(name="len")


class _HeldoutTime(msgspec.Struct):
    t: tuple[float]
    n_notfound: Annotated[int, msgspec.Meta(ge=0, le=1)]


class _Annotation(msgspec.Struct):
    goal: str
    wentwrong: str


def read_transition_times(path: Path) -> pd.DataFrame:
    """`transition_times.json`: when three annotators saw the failure begin.

    Returns:
        One row per clip in file order: `name`; `t1`, `t2`, `t3` (float64 s, ascending; -1.0 = saw no failure, so those
        come first); `length_s` (float64 s, annotated length of the clip); `n_notfound` (int64, number of -1.0).

    Raises:
        InputError: the file breaks the format of `json.read_object`; a time is neither -1 nor in
            [0, length + 0.01]; times are not ascending; `n_notfound` is not the number of -1; a length is not above 0.
    """
    records = read_object(path, _TransitionTimes, "clip", _LIMIT)
    names = list(records)
    times = np.array([record.t for record in records.values()], dtype=np.float64).reshape(-1, 3)
    length = np.array([record.length for record in records.values()], dtype=np.float64)
    missing = np.array([record.n_notfound for record in records.values()], dtype=np.int64)

    found = times.tolist()
    unordered = (times[:, 0] > times[:, 1]) | (times[:, 1] > times[:, 2])
    beyond = (times[:, 2] > length + _LENGTH_TOLERANCE_S) & (length > 0)
    problems = [
        *_time_problems(path, names, times, missing),
        *_where(path, names, unordered, "t", found, "times in ascending order"),
        *_where(path, names, ~(length > 0), "len", length.tolist(), "seconds above 0"),
        *_where(path, names, beyond, "t", found, "times within len"),
    ]
    raise_any(problems)
    columns = {"t1": times[:, 0], "t2": times[:, 1], "t3": times[:, 2], "length_s": length, "n_notfound": missing}
    return pd.DataFrame({"name": names, **columns})


def read_heldout_times(path: Path) -> pd.DataFrame:
    """`heldout_transition_times.json`: the time of a fourth annotator, kept apart to measure human agreement.

    Returns:
        One row per clip in file order: `name`, `heldout_s` (float64 s; -1.0 = saw no failure).

    Raises:
        InputError: the file breaks the format of `json.read_object`; or a time is neither -1 nor >= 0; or
            `n_notfound` is not the number of -1.
    """
    records = read_object(path, _HeldoutTime, "clip", _LIMIT)
    names = list(records)
    times = np.array([record.t for record in records.values()], dtype=np.float64).reshape(-1, 1)
    missing = np.array([record.n_notfound for record in records.values()], dtype=np.int64)
    raise_any(_time_problems(path, names, times, missing))
    return pd.DataFrame({"name": names, "heldout_s": times[:, 0]})


def read_descriptions(path: Path) -> pd.DataFrame:
    """`svos/train.json`, `svos/val.json` (also published as `val_descriptions.json`): two people's words for each clip.

    Names are as in the file, where non-ASCII ones are misread (see `repaired_name`). "Don't know" stays as it is.

    Returns:
        One row per clip in file order, all text: `name`, `goal_1`, `wentwrong_1`, `goal_2`, `wentwrong_2`.

    Raises:
        InputError: the file breaks the format of `json.read_object`, or a clip has not exactly two annotations.
    """
    records = read_object(path, tuple[_Annotation, _Annotation], "clip", _LIMIT)
    columns = {"name": list(records)}
    for place in (0, 1):
        columns[f"goal_{place + 1}"] = [pair[place].goal for pair in records.values()]
        columns[f"wentwrong_{place + 1}"] = [pair[place].wentwrong for pair in records.values()]
    return pd.DataFrame(columns)


def read_names(path: Path) -> list[str]:
    """A split list (`val_filtered.txt`): clip names without extension, one per line, in file order.

    Raises:
        InputError: the file cannot be read as UTF-8 lines; or a name is blank, repeated, has blanks around it or holds
            control characters.
    """
    names = read_lines(path)
    raise_any(_name_problems(path, names, lambda place: f"line {place + 1}"))
    return names


def read_name_list(path: Path) -> list[str]:
    """A JSON list of clip names, such as the authors' list of single-scene clips, in file order.

    Raises:
        InputError: the file breaks the format of `json.read_array`, or names are unfit as in `read_names`.
    """
    names = read_array(path, str, _LIMIT)
    raise_any(_name_problems(path, names, numbered))
    return names


def repaired_name(name: str) -> str:
    """The name that was meant, where `name` is UTF-8 misread as Windows-1252; any other name unchanged.

    The keys of the description files are such misreadings (`Hasnat79/uag : data/oops_dataset/svos/train.json`): each
    character of the name stands for one byte. The five bytes that Windows-1252 leaves undefined stand for themselves,
    as in the WHATWG decoder.
    """
    if name.isascii():
        return name
    try:
        return bytes(map(_BYTE_OF.__getitem__, name)).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return name


def _byte_of_character() -> dict[str, int]:
    characters = (bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))
    return {character: byte for byte, character in enumerate(characters)}


_BYTE_OF = _byte_of_character()


def _time_problems(path: Path, names: Sequence[str], times: np.ndarray, missing: np.ndarray) -> list[Problem]:
    """Invalid times (n x annotators), each looked at alone: no valid time, or a wrong count of -1."""
    absent = times == NOT_FOUND
    valid = (absent | (np.isfinite(times) & (times >= 0))).all(axis=1)
    miscounted = absent.sum(axis=1) != missing
    expected = "the number of -1 in t"
    return [
        *_where(path, names, ~valid, "t", times.tolist(), "seconds >= 0, or -1 for no failure seen"),
        *_where(path, names, valid & miscounted, "n_notfound", missing.tolist(), expected),
    ]


def _where(
    path: Path, names: Sequence[str], bad: np.ndarray, field: str, found: Sequence[object], expected: str
) -> list[Problem]:
    return problems_where(bad, str(path), lambda place: f'clip "{names[place]}"', field, found, expected)


def _name_problems(path: Path, names: Sequence[str], label: Place) -> list[Problem]:
    wrong = (place for place, name in enumerate(names) if not _NAME.fullmatch(name))
    faults = ((place, _name_fault(names[place])) for place in islice(wrong, MOST_PROBLEMS))
    return [
        *(Problem(str(path), label(place), "name", shown(names[place]), expected) for place, expected in faults),
        *repeats(str(path), label, "name", names),
    ]


def _name_fault(name: str) -> str:
    if CONTROL_CHARACTER.search(name):
        return "no control characters"
    return "no blanks around the name" if name.strip() else "a clip name"
