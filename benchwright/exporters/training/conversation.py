"""Conversations about one video or image, read from the rows of an instruction manifest batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from schemas.arrays import one_array

BATCH = 5_000


class Number(NamedTuple):
    """A number that a text states: what it is, its value before rounding, its unit, and where in the text it stands."""

    name: str
    value: float
    unit: str
    begin: int
    end: int


class Turn(NamedTuple):
    """What one speaker says."""

    role: str
    text: str
    numbers: tuple[Number, ...] = ()


class Conversation(NamedTuple):
    """A row of instruction data.

    Attributes:
        id: its `sample_id`.
        media: name of the video or image; of its file below the media folder once that is known.
        kind: which of both.
        turns: user first, unless a system turn stands before.
        span: seconds of the whole video, None where there is none.
        duration: of the video in seconds, None where not known.
        task: what is asked.
        source: benchmark that the row is of.
    """

    id: str
    media: str
    kind: Literal["video", "image"]
    turns: tuple[Turn, ...]
    span: tuple[float, float] | None = None
    duration: float | None = None
    task: str = ""
    source: str = ""

    @property
    def instruction(self) -> str | None:
        """What the system turn says; None without one."""
        return self.turns[0].text if self.turns[0].role == "system" else None

    @property
    def dialogue(self) -> tuple[Turn, ...]:
        """The turns of user and assistant."""
        return self.turns[self.instruction is not None :]

    @property
    def exchanges(self) -> Iterator[tuple[Turn, Turn]]:
        """Each question with its answer."""
        said = self.dialogue
        return zip(said[::2], said[1::2], strict=True)


_COLUMNS = ("sample_id", "media", "media_kind", "turns", "span", "duration_s", "task", "provenance")


def conversations(table: pa.Table) -> Iterator[Conversation]:
    """The conversations of a split, in its order; memory is that of a few thousand."""
    for start in range(0, len(table), BATCH):
        batch = table.select(_COLUMNS).slice(start, BATCH).combine_chunks()
        turns = _turns(batch["turns"])
        plain = (batch[name].to_pylist() for name in ("sample_id", "media", "media_kind"))
        spans = _spans(batch["span"])
        rest = (batch["duration_s"].to_pylist(), batch["task"].to_pylist())
        sources = one_array(batch["provenance"]).field("benchmark").to_pylist()
        for name, media, kind, said, span, duration, task, source in zip(
            *plain, turns, spans, *rest, sources, strict=True
        ):
            yield Conversation(name, media, kind, said, span, duration, task, source)


def _turns(column: pa.ChunkedArray) -> list[tuple[Turn, ...]]:
    said = one_array(column).flatten()
    numbers = _numbers(said.field("numbers"))
    turns = list(map(Turn, said.field("role").to_pylist(), said.field("text").to_pylist(), numbers))
    return _cut(turns, column)


def _numbers(column: pa.Array) -> list[tuple[Number, ...]]:
    flat = column.flatten()
    each = map(Number, *(flat.field(name).to_pylist() for name in Number._fields))
    return _cut(list(each), column)


def _cut(items: list[Any], lists: Any) -> list[tuple[Any, ...]]:
    """Flat items as the lists that they came from."""
    lengths = one_array(lists).value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    ends = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    return [tuple(items[start:end]) for start, end in pairwise(ends)]


def _spans(column: pa.ChunkedArray) -> list[tuple[float, float] | None]:
    spans = one_array(column)
    sides = zip(spans.field("start_s").to_pylist(), spans.field("end_s").to_pylist(), strict=True)
    return [side if known else None for side, known in zip(sides, spans.is_valid().to_pylist(), strict=True)]
