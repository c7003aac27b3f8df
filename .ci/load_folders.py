"""Load every manifest below a folder with an older `datasets`: `load_folders.py FOLDER`; rows are those of the build.

The suite does the same with the newest version. Of an older one the environment must be its own.
"""

import json
import sys
from pathlib import Path

import datasets

for file in sorted(Path(sys.argv[1]).glob("*/manifest.json")):
    splits = json.loads(file.read_text(encoding="utf-8"))["splits"]
    built = {name: each["rows"] for name, each in splits.items() if each["rows"]}
    loaded = {name: len(part) for name, part in datasets.load_dataset(str(file.parent)).items()}
    if loaded != built:
        sys.exit(f"datasets {datasets.__version__}: {file.parent.name}: loaded {loaded}, built {built}")
print(f"datasets {datasets.__version__}: all folders loaded")
