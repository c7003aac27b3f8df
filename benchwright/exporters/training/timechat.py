"""TimeChat, TimeIT: a JSON list of `video`, `QA` with `q` and `a`, and `source`; no token, and no instruction.

Source: RenShuhuai-Andy/TimeChat c60b332, timechat/datasets/datasets/video_instruct_dataset.py.
"""

from __future__ import annotations

from benchwright.exporters.training.conversation import Conversation, Turn
from benchwright.exporters.training.target import Record, Target, no_system_turn, traced, tracing


def record(conversation: Conversation) -> Record:
    """The row of a conversation."""
    said = [{"q": question.text, "a": answer.text} for question, answer in conversation.exchanges]
    return {"video": conversation.media, "QA": said, "source": conversation.source} | tracing(conversation)


def read(row: Record) -> Conversation:
    """The conversation of a row."""
    turns = [turn for each in row["QA"] for turn in (Turn("user", each["q"]), Turn("assistant", each["a"]))]
    return traced(row, tuple(turns), row["video"])._replace(source=row.get("source", ""))


TARGET = Target(
    version="TimeChat c60b332",
    records={"": record},
    read=read,
    lacks=no_system_turn,
    notes="""\
In the configuration of the data set:

```yaml
build_info:
  anno_dir: {folder}/{first}
  videos_dir: {media}
```

- A text of more than 512 tokens is cut at its end, and the answer with it.
- Times in the answers are seconds of the whole file.
- A row whose video is missing is replaced by another one, at random.
""",
)
