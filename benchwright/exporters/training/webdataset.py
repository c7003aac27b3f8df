"""WebDataset: tar shards in which a row is two files of one key, first its JSON, then its video or image.

Source: webdataset 1.0.2, tariterators.py. The key of a file is its path up to the first dot of its name, the rest is
the field, so that a key has no dot; files of a row stand next to each other. Shards repeat byte for byte.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from benchwright.exporters.training.conversation import Conversation, Turn
from benchwright.exporters.training.target import BOTH, Record, Target, traced, tracing
from schemas.errors import UsageError, shown

SHARD_BYTES = 1_000_000_000
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


def record(conversation: Conversation) -> Record:
    """The JSON of a row."""
    row: Record = {"id": conversation.id, conversation.kind: conversation.media}
    if conversation.duration is not None:
        row["duration"] = conversation.duration
    said = [{"role": turn.role, "content": turn.text} for turn in conversation.turns]
    return row | {"messages": said} | tracing(conversation)


def read(row: Record) -> Conversation:
    """The conversation of a row."""
    kind = "image" if "image" in row else "video"
    turns = tuple(Turn(each["role"], each["content"]) for each in row["messages"])
    return traced(row, turns, row[kind], kind)


def shards(rows: Iterator[Conversation], folder: Path, split: str, media: Path | None) -> Mapping[str, int]:
    """Write `SPLIT-000000.tar` and so on, each of at most a gigabyte and one row; the rows of each.

    Raises:
        UsageError: no media, which are what the shards hold; one that is missing.
    """
    if media is None:
        raise UsageError("webdataset holds the media themselves: --media names their folder")
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        tar, size = None, 0
        for place, row in enumerate(rows):
            file = media / row.media
            if not file.is_file():
                missing = f"{shown(row.media)} is missing or broken: --missing drop leaves its rows out"
                raise UsageError(f"webdataset holds the media themselves, and {missing}")
            if tar is None or size > SHARD_BYTES:
                stack.pop_all().close()
                name = f"{split}-{len(counts):06d}.tar"
                tar = stack.enter_context(tarfile.open(folder / name, "w", format=tarfile.USTAR_FORMAT))
                counts[name], size = 0, 0
            key = f"{place:08d}-{_UNFIT.sub('_', row.id)[:60]}"
            content = msgspec.json.encode(record(row))
            _add(tar, f"{key}.json", len(content), BytesIO(content))
            with file.open("rb") as handle:
                _add(tar, key + PurePosixPath(row.media).suffix.lower(), file.stat().st_size, handle)
            counts[name] += 1
            size += len(content) + file.stat().st_size
    return counts


def _add(tar: tarfile.TarFile, name: str, size: int, content: IO[bytes]) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o644
    tar.addfile(entry, content)


TARGET = Target(
    version="webdataset 1.0",
    records={"": record},
    read=read,
    shards=shards,
    kinds=BOTH,
    notes="""\
```python
import webdataset

rows = webdataset.WebDataset("{folder}/{first}").decode()
```

- Each row is `KEY.json` and its media, as bytes under their suffix, such as `mp4`; `datasets` reads the shards, too.
""",
)
