"""Invented instruction data that hold every irregular shape, and media for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import Image

from schemas.identity import Identity, Split
from schemas.instruction import INSTRUCTION, INSTRUCTION_SCHEMA
from schemas.ledger import LEDGER
from schemas.manifest import Manifest, manifest_in_memory

Row = dict[str, Any]
Make = Callable[..., Manifest]


def turn(role: str, text: str, **numbers: tuple[float, str]) -> Row:
    """What is said, with numbers of seconds by name: their value, and how the text says it."""
    found = []
    for name, (value, said) in numbers.items():
        begin = text.index(said)
        found.append({"name": name, "value": value, "unit": "s", "begin": begin, "end": begin + len(said)})
    return {"role": role, "text": text, "numbers": found}


def row(name: str, media: str, *turns: Row, **other: Any) -> Row:
    texts = {"sample_id": name, "source_id": name, "group": media, "media": media, "task": "localise", "template": "1"}
    provenance = {"benchmark": "invented", "parameters": "", "digest": "0"}
    known = {"split": "train", "media_kind": "video", "duration_s": 4.0, "negative": False, "others": []}
    return texts | known | {"provenance": provenance, "turns": list(turns)} | other


def rows() -> list[Row]:
    """Videos with blanks, accents, a folder; a system turn, several turns, tokens in texts, braces, quotes."""
    return [
        row(
            "r0",
            "shelf one",
            turn("user", "In which seconds does the shelf tip over?"),
            turn("assistant", "From 1.2 to 3.4 seconds.", start_s=(1.25, "1.2"), end_s=(3.4, "3.4")),
            span={"start_s": 1.25, "end_s": 3.4},
        ),
        row(
            "r1",
            "rope_ünï.mp4",
            turn("system", "You see a video."),
            turn("user", 'Does "it" slip <video> after 0.5 s & before <vid>?', time_s=(0.5, "0.5")),
            turn("assistant", "No, from 0.0 &lt;video> to 2.5.", start_s=(0.0, "0.0"), end_s=(2.5, "2.5")),
            turn("user", "Sure?"),
            turn("assistant", "Yes.\nQuite."),
            span={"start_s": 0.0, "end_s": 2.5},
        ),
        row(
            "r2",
            "sub/ladder.mp4",
            turn("user", "Find {it}."),
            turn("assistant", "2 s.", start_s=(2.0, "2")),
            span={"start_s": 2.0, "end_s": 3.2},
            split="validation",
        ),
    ]


@pytest.fixture
def instruction(identity: Callable[..., Identity]) -> Make:
    """Instruction data of these rows, in memory."""

    def make(given: list[Row] | None = None, empty: tuple[str, ...] = ()) -> Manifest:
        found = rows() if given is None else given
        names = [*dict.fromkeys(each["split"] for each in found), *empty]
        tables = {
            name: pa.Table.from_pylist([each for each in found if each["split"] == name], INSTRUCTION_SCHEMA)
            for name in names
        }
        splits = {name: Split(len(table), "") for name, table in tables.items()}
        known = identity("invented-instruct", schema=INSTRUCTION, schema_version=1, splits=splits)
        return manifest_in_memory(known, tables, LEDGER.empty_table())

    return make


@pytest.fixture
def media(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the three videos, one second each, and what else lies about."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "media"
    (folder / "sub").mkdir(parents=True)
    for name in ("shelf one.mp4", "rope_ünï.mp4", "sub/ladder.mp4"):
        video(folder / name)
    (folder / "notes.txt").write_text("shelf one")
    return folder


def video(path: Path) -> None:
    """A second of grey."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=2)
        stream.width, stream.height = 64, 48
        for _ in range(2):
            frame = av.VideoFrame.from_image(Image.new("RGB", (64, 48), (90, 90, 90)))
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
