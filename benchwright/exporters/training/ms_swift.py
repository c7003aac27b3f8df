"""ms-swift: JSON Lines of `messages` and `videos` or `images`.

Source: modelscope/ms-swift 4.6.0, swift/dataset/preprocessor. A path is relative to the working folder, or to
ROOT_IMAGE_DIR; the tokens in a row must be as many as its media. Never `objects`, of which it makes boxes.
"""

from __future__ import annotations

from benchwright.exporters.training.llama_factory import read, record
from benchwright.exporters.training.target import BOTH, Target

TARGET = Target(
    version="ms-swift 4.6.0",
    records={"": record},
    read=read,
    lines=True,
    below="media",
    kinds=BOTH,
    notes="""\
```bash
export ROOT_IMAGE_DIR={folder}
swift sft --dataset {folder}/{first} --strict true --remove_unused_columns false --max_length {tokens} ...
```

- Without `ROOT_IMAGE_DIR`, paths are relative to the folder in which `swift` is started.
- Without `--strict true`, a row that cannot be loaded is replaced by another one, at random.
- `bw_id` and `bw_span` reach a reward function only with `--remove_unused_columns false`.
[video] - The longest video has {longest}; how many frames of it are seen, `FPS` and `FPS_MAX_FRAMES` say.
""",
)
