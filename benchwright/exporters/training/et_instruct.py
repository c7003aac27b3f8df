"""E.T. Chat, ET-Instruct: JSON lists of `video`, `duration`, `src`, `tgt` and `conversations`, twice.

Source: PolyU-ChenLab/ETBench 445f620, etchat/data. In `_txt`, times are prose; in `_vid`, `<vid>` stands in the place
of each, and `src` (questions) and `tgt` (answers) hold their seconds in the order of the text. The token is `<image>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.exporters.training import llava_rows
from benchwright.exporters.training.conversation import Conversation, Number, Turn
from benchwright.exporters.training.target import (
    Record,
    Target,
    no_system_turn,
    seconds_of,
    traced,
    tracing,
    with_tokens,
)

TOKEN = "<image>\n"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def in_prose(conversation: Conversation) -> Record:
    """The row of a conversation."""
    row: Record = {"task": conversation.task, "source": conversation.source, "video": conversation.media}
    for key, role in (("src", "user"), ("tgt", "assistant")):
        times = [number.value for turn in conversation.turns if turn.role == role for number in seconds_of(turn)]
        row |= {key: times} if times else {}
    duration = {} if conversation.duration is None else {"duration": conversation.duration}
    return row | duration | {"conversations": llava_rows.said(conversation, TOKEN)} | tracing(conversation)


def in_tokens(conversation: Conversation) -> Record:
    """The row with `<vid>` for each time."""
    said = llava_rows.said(with_tokens(conversation, lambda _: "<vid>"), TOKEN)
    return in_prose(conversation) | {"conversations": said}


def read(row: Record) -> Conversation:
    """The conversation of a row in prose, its seconds where the text says them, rounded."""
    turns = llava_rows.turns(row["conversations"], TOKEN)
    times = {"user": iter(row.get("src", ())), "assistant": iter(row.get("tgt", ()))}
    said = tuple(_with_numbers(turn, times[turn.role]) if turn.role in times else turn for turn in turns)
    return traced(row, said, row["video"])._replace(task=row.get("task", ""), source=row.get("source", ""))


def _with_numbers(turn: Turn, times: Iterator[float]) -> Turn:
    """The turn with those numbers of its text that are the next of these seconds, rounded."""
    numbers = []
    wanted = next(times, None)
    for found in _NUMBER.finditer(turn.text):
        decimals = len(found[0].partition(".")[2])
        if wanted is not None and abs(float(found[0]) - wanted) <= 0.5 * 10**-decimals * 1.001:
            numbers.append(Number("time_s", wanted, "s", found.start(), found.end()))
            wanted = next(times, None)
    return Turn(turn.role, turn.text, tuple(numbers))


def lacks(conversation: Conversation) -> str | None:
    """What its class takes for a place to fill in."""
    if any(set("{}") & set(turn.text) for turn in conversation.turns if turn.role == "user"):
        return "braces in a question, which it fills in"
    return no_system_turn(conversation)


TARGET = Target(
    version="E.T. Chat 445f620",
    records={"_txt": in_prose, "_vid": in_tokens},
    read=read,
    lacks=lacks,
    notes="""\
```bash
--anno_path {folder}/{first} --video_path {media} --fps 1
```

- Take `_vid` files for a model with time tokens, `_txt` files for one that writes times in prose.
- `tgt` is in seconds and is used as the number of a frame, which is the same only at one frame a second.
- A row whose video is missing is replaced by another one, at random.
""",
)
