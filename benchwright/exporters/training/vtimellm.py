"""VTimeLLM: a JSON list of `id`, `conversations`, and `meta` with the seconds that stand in the place of tokens.

Source: huangb23/VTimeLLM c34ae56, vtimellm/train/dataset.py. The loader makes of each token round(t / duration * 100),
half to even, at most 99. It opens no video, but the features in `FOLDER/ID.npy`.
"""

from __future__ import annotations

import re

from benchwright.exporters.training import llava_rows
from benchwright.exporters.training.conversation import Conversation, Number, Turn
from benchwright.exporters.training.target import (
    Record,
    Target,
    no_system_turn,
    traced,
    tracing,
    with_tokens,
)

TOKEN = "<video>\n"
_TIME = re.compile(r"<t\d+>")


def record(conversation: Conversation) -> Record:
    """The row of a conversation; times in seconds become tokens."""
    seconds: dict[str, float] = {}

    def token(number: Number) -> str:
        name = f"<t{len(seconds)}>"
        seconds[name] = number.value
        return name

    said = llava_rows.said(with_tokens(conversation, token), TOKEN)
    row = {"source": conversation.source, "id": conversation.id, "video": conversation.media, "conversations": said}
    return row | {"meta": {"duration": conversation.duration, "token": seconds}} | tracing(conversation)


def read(row: Record) -> Conversation:
    """The conversation of a row, its tokens as numbers."""
    meta = row.get("meta", {"duration": None, "token": {}})
    turns = tuple(_filled(turn, meta["token"]) for turn in llava_rows.turns(row["conversations"], TOKEN))
    found = traced(row, turns, row.get("video", str(row["id"])))
    return found._replace(duration=meta["duration"], source=row.get("source", ""))


def _filled(turn: Turn, seconds: dict[str, float]) -> Turn:
    text, end = "", 0
    numbers = []
    for found in _TIME.finditer(turn.text):
        text += turn.text[end : found.start()]
        said = f"{seconds[found[0]]:g}"
        numbers.append(Number("time_s", seconds[found[0]], "s", len(text), len(text) + len(said)))
        text, end = text + said, found.end()
    return Turn(turn.role, text + turn.text[end:], tuple(numbers))


def lacks(conversation: Conversation) -> str | None:
    """Times are shares of the duration there."""
    if not conversation.duration:
        return "videos of unknown duration, of which it takes shares"
    return no_system_turn(conversation)


TARGET = Target(
    version="VTimeLLM c34ae56",
    records={"": record},
    read=read,
    lacks=lacks,
    notes="""\
```bash
python vtimellm/train/train_mem.py --data_path {folder}/{first} --feat_folder FEATURES ...
```

- It reads no video but `FEATURES/ID.npy`, 100 x 768 features of CLIP over the whole file, which you extract: `video`
  names the file of each `id`.
- A time becomes its share of the duration in hundredths, at most 99: one step of the longest, which has
  {longest}, is a hundredth of that.
""",
)
