"""VideoChat2: a JSON list of `video` and `QA`, each question with `q` and `a`, and the instruction `i`.

Source: OpenGVLab/Ask-Anything 4dd8210, video_chat2/dataset/it_dataset.py. Questions are shuffled, and `i` is that of
the first of them afterwards, so that all of a row have the same. No token stands for the video. Without `start` and
`end`, which would cut the file: the answers are seconds of the whole of it.
"""

from __future__ import annotations

from benchwright.exporters.training.conversation import Conversation, Turn
from benchwright.exporters.training.target import Record, Target, traced, tracing


def record(conversation: Conversation) -> Record:
    """The row of a conversation."""
    instruction = {} if conversation.instruction is None else {"i": conversation.instruction}
    said = [instruction | {"q": question.text, "a": answer.text} for question, answer in conversation.exchanges]
    return {"video": conversation.media, "QA": said} | tracing(conversation)


def read(row: Record) -> Conversation:
    """The conversation of a row."""
    turns = [turn for each in row["QA"] for turn in (Turn("user", each["q"]), Turn("assistant", each["a"]))]
    first = row["QA"][0].get("i")
    return traced(row, (*([] if first is None else [Turn("system", first)]), *turns), row["video"])


TARGET = Target(
    version="VideoChat2 4dd8210",
    records={"": record},
    read=read,
    notes="""\
Add to `configs/instruction_data.py`:

```python
available_corpus["{benchmark}"] = ["{folder}/{first}", "{media}", "video"]
```

- **A row whose video is missing or broken is trained with the frames of another row and its own text.** Make sure that
  each file opens on the machine that trains.
- Frames are spread evenly over the whole file; times in the answers are seconds of the whole file.
""",
)
