"""FunQA (Xie et al., ECCV 2024): one JSON list of question-answer records on humorous, creative and magic clips.

Format as in `Jingkang50/FunQA` (annotation_with_id.zip: `funqa_train.json`, `funqa_val.json`, `funqa_test.json`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.errors import Problem
from schemas.input.files import MEBIBYTE
from schemas.input.json import numbered, read_array
from schemas.input.problems import CONTROL_CHARACTER, problems_where, raise_any, repeats

# Humour, creative, magic; 1 asks for the moment, the others for text about it.
TASKS = tuple(f"{kind}{number}" for kind in "HCM" for number in range(1, 6))

# Room for the training file: the test file alone has 30,170 records of up to a few hundred bytes.
_LIMIT = 512 * MEBIBYTE

_FRAMES = r"\A\[([0-9]{1,9}), {0,2}([0-9]{1,9})\]\Z"
_CLIP_NAME = r"^[HCM]_[^_]+_.+_([0-9]{1,9})_([0-9]{1,9})\.mp4$"


class _Record(msgspec.Struct):
    instruction: str
    visual_input: str
    output: str
    task: str
    id: str = msgspec.field(name="ID")


def read_records(path: Path) -> pd.DataFrame:
    """All records of a FunQA file, of all tasks, in file order.

    Returns:
        One row per record, all text: `instruction`, `visual_input` (file name of the clip), `output`, `task` (`H1`),
        `id`.

    Raises:
        InputError: the file breaks the format of `json.read_array`; an unknown task; a repeated ID.
    """
    records = read_array(path, _Record, _LIMIT)
    columns = {field: [getattr(record, field) for record in records] for field in _Record.__struct_fields__}
    frame = pd.DataFrame(columns, columns=list(_Record.__struct_fields__))
    unknown = ~np.isin(np.array(columns["task"], dtype=object), TASKS)
    raise_any(
        [
            *problems_where(unknown, str(path), numbered, "task", columns["task"], "one of H1 to M5"),
            *repeats(str(path), numbered, "ID", columns["id"]),
            *_name_problems(str(path), columns["visual_input"]),
        ]
    )
    return frame


def _name_problems(file: str, names: Sequence[str]) -> list[Problem]:
    """Names that no file can have, or that end before they begin."""
    odd = np.array([not name.strip() or bool(CONTROL_CHARACTER.search(name)) for name in names], dtype=bool)
    first, last = frames_in_name(pd.Series(names, dtype="str"))
    backwards = (last < first).fillna(False).to_numpy(bool)
    return [
        *problems_where(odd, file, numbered, "visual_input", names, "a file name without control characters"),
        *problems_where(backwards, file, numbered, "visual_input", names, "a last frame not before the first"),
    ]


def parse_frames(
    outputs: Sequence[str], ids: Sequence[str], file: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Start and end frame of the `output` of localisation records: `[0000, 0195]`, with no, one or two blanks.

    Args:
        outputs: the texts; `ids`: parallel to them, name the records in errors; `file`: likewise.

    Returns:
        Two int64 arrays of shape (n,), in frames: a nominal 30 per second for H1 and M1 (Nicous20/FunQA issue 15).

    Raises:
        InputError: a text of another shape, or an end before its start.
    """
    parts = pd.Series(outputs, dtype="str").str.extract(_FRAMES)
    odd, (start, end) = parts[0].isna().to_numpy(), parts.fillna("0").to_numpy(np.int64).T
    problems = []
    for bad, expected in ((end < start, "an end not before the start"), (odd, "frames such as [0012, 0195]")):
        problems += problems_where(bad, file, lambda place: f"ID {ids[place]}", "output", outputs, expected)
    raise_any(problems)
    return start, end


def frames_in_name(visual_input: pd.Series[str]) -> tuple[pd.Series[int], pd.Series[int]]:
    """First and last frame of a clip within its source video, from names like `H_A_101_1433_1631.mp4`.

    The parts are kind, origin, number of the source video, first frame, last frame; their difference is the length of
    the clip in frames.

    Returns:
        Two Int64 series with the index of `visual_input`, null where the name has another shape.
    """
    parts = visual_input.str.extract(_CLIP_NAME)
    first, last = (pd.to_numeric(parts[place]).astype("Int64") for place in (0, 1))
    return first.rename("first_frame"), last.rename("last_frame")
