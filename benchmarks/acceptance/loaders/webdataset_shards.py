"""Shards, by webdataset and by the reader of datasets."""

from __future__ import annotations

import tempfile
from pathlib import PurePosixPath

import datasets
import report
import webdataset


def main() -> None:
    folder, _, out = report.asked()
    rows, encoded = {}, 0
    for file in sorted(folder.glob("*.tar")):
        split = file.stem.rpartition("-")[0]
        for row in webdataset.WebDataset(str(file), shardshuffle=False, empty_check=True):
            content = report.json.loads(row["json"])
            kind = "image" if "image" in content else "video"
            if not row.get(PurePosixPath(content[kind]).suffix[1:].lower()):
                raise ValueError(f"{row['__key__']} has no media, but {sorted(row)}")
            said = [turn["content"] for turn in content["messages"]]
            rows.setdefault(split, []).append([PurePosixPath(content[kind]).with_suffix("").as_posix(), *said])
            encoded += 1
    for split, found in rows.items():
        shards = {"train": sorted(map(str, folder.glob(f"{split}-*.tar")))}
        loaded = datasets.load_dataset("webdataset", data_files=shards, split="train", cache_dir=tempfile.mkdtemp())
        if len(loaded) != len(found):
            raise ValueError(f"{split}: datasets reads {len(loaded)} rows of {len(found)}")
    report.write(out, ["webdataset", "datasets"], rows, encoded)


main()
