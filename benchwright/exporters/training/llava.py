"""LLaVA-NeXT, LLaVA-Video, LLaVA-OneVision: a JSON list of `video` or `image` and `conversations`.

Source: LLaVA-VL/LLaVA-NeXT df17966, llava/train/train.py. `<image>` stands for videos, too; a key `image` would make
a row one of an image, whatever it holds.
"""

from __future__ import annotations

from benchwright.exporters.training import llava_rows
from benchwright.exporters.training.conversation import Conversation
from benchwright.exporters.training.target import BOTH, Record, Target, traced

TOKEN = "<image>\n"


def record(conversation: Conversation) -> Record:
    """The row of a conversation."""
    return llava_rows.record(conversation) | {"conversations": llava_rows.said(conversation, TOKEN)}


def read(row: Record) -> Conversation:
    """The conversation of a row."""
    kind = "image" if "image" in row else "video"
    return traced(row, llava_rows.turns(row["conversations"], TOKEN), row[kind], kind)


def lacks(conversation: Conversation) -> str | None:
    """What the loader would read as something else."""
    if "shareVideoGPTV" in conversation.media:
        return "a path with shareVideoGPTV, which it takes for a folder of frames"
    if any("QA_GT_caption_based_noisy" in turn.text for turn in conversation.turns):
        return "the text QA_GT_caption_based_noisy, which it deletes"
    return None


TARGET = Target(
    version="LLaVA-NeXT df17966",
    records={"": record},
    read=read,
    kinds=BOTH,
    lacks=lacks,
    notes="""\
```bash
python llava/train/train_mem.py --data_path {folder}/{first} --video_folder {media} --image_folder {media} \
--video_fps 1 --frames_upbound 0 ...
```

[video] - Times in the answers are seconds of the whole file. With `--add_time_instruction`, they agree with those of
[video]   the frames in the prompt only at `--video_fps 1`, or where `--frames_upbound` thins the frames.
- A row whose {kind} is missing is replaced by the next one.
""",
)
