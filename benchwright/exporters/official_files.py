"""The authors' own files read back into rows: the inverse of `official`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pyarrow as pa

from benchwright.exporters.official import CHARADES, FORMATS, FUNQA, OOPS
from schemas.cards import card_named
from schemas.errors import InputError, Problem, UsageError, unknown_name
from schemas.input.files import read_bytes
from schemas.input.json import read_array, read_object

Row = dict[str, Any]
_Clocks = Annotated[str, msgspec.Meta(pattern=r"^\d{4}:\d{4}$")]


class _Clip(msgspec.Struct):
    start_time: float
    end_time: float
    description: str


class _Query(_Clip):
    video_id: str


class _Moment(msgspec.Struct):
    instruction: str
    visual_input: str
    output: str
    task: str
    ID: str
    start_time: float
    end_time: float


class _Behaviour(msgspec.Struct):
    id: str
    time: _Clocks
    bodypart: str
    category: str
    intensity: str
    modality: str
    description: str


class _Turn(msgspec.Struct):
    q: str
    a: str


class _Conversation(msgspec.Struct):
    video: str
    QA: tuple[_Turn]


def read_official(path: Path, names: list[str]) -> tuple[str, pa.Table]:
    """The benchmark of an authors' file and its rows, of the columns that it has.

    Sources: as of `official`. SSBD's times are MMSS; rows of Charades-STA are named by their place.

    Args:
        path: a JSON file.
        names: benchmarks that it may be of; it is of the first whose format it has.

    Raises:
        UsageError: of such benchmarks there are no files, or it is a file of another one.
        InputError: the file cannot be read, or has none of the formats; of one benchmark alone, all that is wrong.
    """
    known = [name for name in names if name in FORMATS]
    if not known:
        raise unknown_name("benchmark with an official format", names[0], list(FORMATS))
    content = read_bytes(path)
    for name in [*known, *(name for name in FORMATS if name not in known)]:
        try:
            rows = list(_READERS[name](path, content))
        except InputError:
            continue
        if name not in known:
            raise UsageError(f"{path} is a file of {name}, expected one of {' or '.join(known)}")
        if not rows:
            break
        card = card_named(name)
        split = next((result.split for result in card.results if result.split), card.splits[-1])
        return name, pa.Table.from_pylist([{"split": split, **row} for row in rows])
    if len(known) == 1:
        list(_READERS[known[0]](path, content))  # says what is wrong
    raise InputError(Problem(str(path), "", "", "no rows of it", f"the official file of {' or '.join(known)}"))


def _columns(record: msgspec.Struct, names: dict[str, str]) -> Row:
    """The values of a record under the manifest's names."""
    return {column: getattr(record, key) for key, column in names.items()}


def _oops(path: Path, content: Any) -> Iterator[Row]:
    for name, clip in read_object(path, _Clip, "clip", content=content).items():
        yield {"sample_id": name, **_columns(clip, OOPS)}


def _charades(path: Path, content: Any) -> Iterator[Row]:
    for number, query in enumerate(read_array(path, _Query, content=content), 1):
        yield {"sample_id": f"test/{number:05d}", **_columns(query, CHARADES)}


def _funqa(path: Path, content: Any) -> Iterator[Row]:
    for moment in read_array(path, _Moment, content=content):
        yield _columns(moment, FUNQA)


def _ssbd(path: Path, content: Any) -> Iterator[Row]:
    for video, behaviour in read_array(path, tuple[str, _Behaviour], content=content):
        start, end = (60.0 * int(clock[:2]) + int(clock[2:]) for clock in behaviour.time.split(":"))
        kept = {name: getattr(behaviour, name) for name in ("bodypart", "category", "intensity", "modality")}
        names = {"sample_id": f"{video}_{behaviour.id}", "video": video, "behaviour_id": behaviour.id}
        yield {**names, "start_s": start, "end_s": end, **kept, "description": behaviour.description}


def _instruct(path: Path, content: Any) -> Iterator[Row]:
    for conversation in read_array(path, _Conversation, content=content):
        video, (turn,) = conversation.video.removesuffix(".mp4"), conversation.QA
        yield {"sample_id": video, "video": video, "question": turn.q, "answer": turn.a}


_READERS: dict[str, Callable[[Path, Any], Iterator[Row]]] = {
    "charades-sta": _charades,
    "oops-uag-instruct": _instruct,
    "uag-funqa": _funqa,
    "uag-oops": _oops,
    "uag-ssbd": _ssbd,
}
