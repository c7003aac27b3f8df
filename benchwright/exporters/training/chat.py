"""Messages with content blocks, for transformers, TRL and, with another key, qwen-vl-utils, ms-swift and unsloth.

Source: transformers 5.24, TRL 1.16, qwen-vl-utils 0.0.14. JSON Lines, never Parquet: of a struct, each block would have
the keys of all, and the template of Qwen takes a block with a key `video` for one, be it null.
"""

from __future__ import annotations

from functools import partial

from benchwright.exporters.training.conversation import Conversation, Turn
from benchwright.exporters.training.target import BOTH, Record, Target, traced, tracing


def record(conversation: Conversation, key: str = "path") -> Record:
    """The row of a conversation, the media under a key of its block.

    TRL needs a column `images`, which stays empty, and takes a block of an image without the key `image` for a place to
    fill in from there.
    """
    first = conversation.dialogue[0]
    key = key if conversation.kind == "video" else ""
    said = []
    for turn in conversation.turns:
        blocks = [{"type": "text", "text": turn.text}]
        if turn is first:
            blocks.insert(0, {"type": conversation.kind, key or conversation.kind: conversation.media})
        said.append({"role": turn.role, "content": blocks})
    return {"images": [], "messages": said} | tracing(conversation)


def read(row: Record) -> Conversation:
    """The conversation of a row."""
    turns, media, kind = [], "", "video"
    for message in row["messages"]:
        texts = []
        for block in message["content"]:
            if block["type"] == "text":
                texts.append(block["text"])
            else:
                kind = block["type"]
                media = block.get("path") or block.get(kind) or block["url"]
        turns.append(Turn(message["role"], "".join(texts)))
    return traced(row, tuple(turns), media, kind)


TARGET = Target(
    version="transformers 5.24, TRL 1.16",
    records={"": record, "_qwen": partial(record, key="")},
    read=read,
    lines=True,
    below="media",
    kinds=BOTH,
    notes="""\
```python
import os

from datasets import load_dataset

os.chdir("{folder}")  # paths are relative to the working folder
rows = load_dataset("json", data_files="{first}", split="train")
```

- For `SFTTrainer`: `SFTConfig(max_length=None)`, or tokens of {kind}s are cut. The loss covers the question, too.
[video] - Pass a frame rate to the processor, or a 4 s clip takes 7,000 tokens in Qwen2-VL. The longest has {longest}.
[video] - The files `_qwen` have the key `video` instead of `path`, for qwen-vl-utils, unsloth, ms-swift.
""",
)
