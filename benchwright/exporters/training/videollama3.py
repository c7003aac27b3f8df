"""VideoLLaMA3: JSON Lines of `id`, `video` or `image` as a list of one path, and `conversations`.

Source: DAMO-NLP-SG/VideoLLaMA3 05cee23, videollama3/train.py; a path that is no list loses its row, or ends the run.
"""

from __future__ import annotations

from benchwright.exporters.training import llava_rows
from benchwright.exporters.training.conversation import Conversation
from benchwright.exporters.training.llava_rows import read
from benchwright.exporters.training.target import BOTH, Record, Target, no_system_turn


def record(conversation: Conversation) -> Record:
    """The row of a conversation."""
    return llava_rows.record(conversation) | {conversation.kind: [conversation.media]}


TARGET = Target(
    version="VideoLLaMA3 05cee23",
    records={"": record},
    read=read,
    lines=True,
    kinds=BOTH,
    lacks=no_system_turn,
    notes="""\
```bash
python videollama3/train.py --data_path {folder}/{first} --data_folder {media} --fps 1 --max_frames {frames} ...
```

[video] - Times in the answers are seconds of the whole file.
- A row whose {kind} is missing is replaced by another one, at random.
""",
)
