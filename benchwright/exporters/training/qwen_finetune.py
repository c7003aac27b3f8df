"""Qwen's own finetuning scripts: a JSON list of `video` or `image` and `conversations`.

Source: QwenLM/Qwen3-VL 9658872, qwen-vl-finetune; whoever is not `human` speaks for the model, a system turn too.
"""

from __future__ import annotations

from benchwright.exporters.training.llava_rows import read, record
from benchwright.exporters.training.target import BOTH, Target, no_system_turn

TARGET = Target(
    version="qwen-vl-finetune 9658872",
    records={"": record},
    read=read,
    kinds=BOTH,
    lacks=no_system_turn,
    notes="""\
Add to `data_dict` in `qwenvl/data/__init__.py`, and name it in `--dataset_use`:

```python
"{benchmark}": {"annotation_path": "{folder}/{first}", "data_path": "{media}"}
```

[video] - One frame rate gives the times of all videos, also where `video_max_frames` thins a long one: keep it at
[video]   {frames} or more, at one frame a second, so that no time is shifted.
- A row whose {kind} is missing is replaced by the next one.
""",
)
