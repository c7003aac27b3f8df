"""LLaMA-Factory: a folder with `dataset_info.json`, rows of `messages` and `videos` or `images`.

Source: hiyouga/LLaMA-Factory 0.9.5, data/parser.py, data/converter.py; once `columns` or `tags` is there, what it does
not name is unset, so all are named. A path is relative to `media_dir`, which is the folder of the export by default.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.exporters.training.conversation import Conversation, Turn
from benchwright.exporters.training.target import BOTH, Record, Summary, Target, json_file, traced, tracing

TAGS = {
    "role_tag": "role",
    "content_tag": "content",
    "user_tag": "user",
    "assistant_tag": "assistant",
    "system_tag": "system",
}


def record(conversation: Conversation) -> Record:
    """The row of a conversation."""
    first = conversation.dialogue[0]
    said = [
        {"role": turn.role, "content": f"<{conversation.kind}>" * (turn is first) + turn.text}
        for turn in conversation.turns
    ]
    return {"messages": said, f"{conversation.kind}s": [conversation.media]} | tracing(conversation)


def read(row: Record) -> Conversation:
    """The conversation of a row."""
    kind = "image" if row.get("images") else "video"
    (media,) = row[f"{kind}s"]
    turns = tuple(Turn(each["role"], each["content"].removeprefix(f"<{kind}>")) for each in row["messages"])
    return traced(row, turns, media, kind)


def _info(summary: Summary) -> Mapping[str, bytes]:
    columns = {"messages": "messages", f"{summary.kind}s": f"{summary.kind}s"}
    entries = {
        f"{summary.name}_{split}": {"file_name": file, "formatting": "sharegpt", "columns": columns, "tags": TAGS}
        for split, file in summary.files.items()
    }
    return {"dataset_info.json": json_file(entries)}


TARGET = Target(
    version="LLaMA-Factory 0.9.5",
    records={"": record},
    read=read,
    below="media",
    kinds=BOTH,
    files=_info,
    notes="""\
```yaml
dataset_dir: {folder}
media_dir: {folder}
dataset: {names}
cutoff_len: {tokens}
[video] video_fps: 1.0
[video] video_maxlen: {frames}
```

- `cutoff_len` is 2048 unless it is set, and cuts inside the tokens of media: at the default size, a second of a video
  costs about 81 of them, an image up to 752.
[video] - The longest video here has {longest}. At most `video_maxlen` frames are spread evenly over the whole file.
""",
)
