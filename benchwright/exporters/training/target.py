"""What a trainer's files look like, declared once a trainer; `writing` does the rest for all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from benchwright.exporters.training.conversation import Conversation, Number, Turn

Record = dict[str, Any]
VIDEO = frozenset({"video"})
BOTH = frozenset({"video", "image"})


@dataclass(frozen=True)
class Summary:
    """What an export holds.

    Attributes:
        benchmark: name of the instruction data.
        kind: video or image.
        files: data files by split; the first where a split has several.
        rows: by data file.
        media: different videos or images.
        longest: seconds of the longest video whose length is known, 0 where none is.
        characters: of the longest conversation.
    """

    benchmark: str
    kind: str
    files: Mapping[str, str]
    rows: Mapping[str, int]
    media: int
    longest: float
    characters: int

    @property
    def name(self) -> str:
        """What data sets are called in a trainer's configuration, where commas and the like have a meaning."""
        return re.sub(r"[^\w.-]+", "_", self.benchmark)

    def words(self, folder: Path, media: str) -> dict[str, str]:
        """What notes may name: both folders, names and files of the data sets, the longest video in seconds and frames.

        `tokens` is enough for the longest row in Qwen2-VL: 81 a second of a video and 752 of an image at the size that
        LLaMA-Factory gives them, and one for each character of the text, but at least 512. Of videos of unknown length,
        what depends on it is a word in capitals.
        """
        text = max(512, self.characters)
        frames = str(ceil(self.longest)) if self.longest else "FRAMES"
        tokens = str(text + 81 * ceil(self.longest)) if self.longest else "TOKENS"
        return {
            "folder": str(folder),
            "media": media,
            "kind": self.kind,
            "benchmark": self.name,
            "names": ",".join(f"{self.name}_{split}" for split in self.files),
            "first": next(iter(self.files.values())),
            "longest": f"{self.longest:g} s" if self.longest else "an unknown length",
            "frames": frames if self.kind == "video" else "1",
            "tokens": tokens if self.kind == "video" else str(text + 752),
        }


@dataclass(frozen=True)
class Target:
    """A trainer, and the files that it loads.

    Attributes:
        version: of the trainer, with which this was tried.
        records: by what is put behind the name of a split, how a conversation becomes a record of that file; most
            trainers have one file a split, under "".
        read: a conversation from a record of the first of these files, the inverse.
        notes: Markdown for the export's README: which settings matter, what to paste; what `Summary.words` names is
            put in, as `{folder}`; a line that begins with `[video] ` is for videos alone.
        lines: whether records stand in lines (JSON Lines) instead of one JSON list.
        below: folder of the export that holds the media, part of each path; empty where the trainer is told a folder.
        kinds: of media that it loads.
        lacks: what of a conversation its format cannot say, or None; such rows are left out and counted.
        files: further files by name.
        shards: writes the rows of a split itself, from the folder of the export, the name of the split and the folder
            of the media; gives the rows by file.
    """

    version: str
    records: Mapping[str, Callable[[Conversation], Record]]
    read: Callable[[Record], Conversation]
    notes: str
    lines: bool = False
    below: str = ""
    kinds: frozenset[str] = VIDEO
    lacks: Callable[[Conversation], str | None] = lambda _: None
    files: Callable[[Summary], Mapping[str, bytes]] = lambda _: {}
    shards: Callable[[Iterator[Conversation], Path, str, Path | None], Mapping[str, int]] | None = None

    @property
    def suffix(self) -> str:
        """Of the data files."""
        return ".jsonl" if self.lines else ".json"


def tracing(conversation: Conversation) -> Record:
    """The keys by which a row is traced; names that no trainer gives a meaning to. A row without span has none."""
    span = conversation.span
    return {"bw_id": conversation.id} | ({} if span is None else {"bw_span": list(span)})


def traced(record: Record, turns: tuple[Turn, ...], media: str, kind: Any = "video") -> Conversation:
    """A conversation with what `tracing` has written, where somebody's own file has it."""
    span = record.get("bw_span")
    return Conversation(
        str(record.get("bw_id", record.get("id", ""))),
        media,
        kind,
        turns,
        None if span is None else (span[0], span[1]),
        record.get("duration"),
    )


def seconds_of(turn: Turn) -> list[Number]:
    """The numbers in a turn that are seconds, in the order of its text."""
    return sorted((number for number in turn.numbers if number.unit == "s"), key=lambda number: number.begin)


def with_tokens(conversation: Conversation, token: Callable[[Number], str]) -> Conversation:
    """The conversation with a token in the place of each number that is seconds; no number is left."""
    return conversation._replace(turns=tuple(_with_tokens(turn, token) for turn in conversation.turns))


def _with_tokens(turn: Turn, token: Callable[[Number], str]) -> Turn:
    text, end = "", 0
    for number in seconds_of(turn):
        text, end = text + turn.text[end : number.begin] + token(number), number.end
    return Turn(turn.role, text + turn.text[end:])


def no_system_turn(conversation: Conversation) -> str | None:
    """For trainers that take a system turn for the model's own words, or stop at it."""
    return None if conversation.instruction is None else "a system turn"


def json_file(content: Any) -> bytes:
    """A small JSON file in ASCII, since some trainers open theirs in the encoding of the machine."""
    return (json.dumps(content, indent=2) + "\n").encode("ascii")
