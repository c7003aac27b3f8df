"""VideoLLaMA2: a JSON list of `id`, `video` and `conversations`; one `<video>`, which goes to the front of its turn.

Source: DAMO-NLP-SG/VideoLLaMA2 c0bb03a, videollama2/train.py.
"""

from __future__ import annotations

from benchwright.exporters.training.llava_rows import read, record
from benchwright.exporters.training.target import BOTH, Target, no_system_turn

TARGET = Target(
    version="VideoLLaMA2 c0bb03a",
    records={"": record},
    read=read,
    kinds=BOTH,
    lacks=no_system_turn,
    notes="""\
```bash
python videollama2/train.py --data_path {folder}/{first} --data_folder {media} --num_frames 16 ...
```

[video] - Frames are spread evenly over the whole file; times in the answers are seconds of the whole file.
- A row whose {kind} is missing is replaced by another one, at random.
""",
)
