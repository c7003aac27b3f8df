"""Labels, by the checks and the data set of ultralytics."""

from __future__ import annotations

import os
import tempfile

os.environ["YOLO_CONFIG_DIR"] = tempfile.mkdtemp(prefix="yolo")
os.environ["YOLO_OFFLINE"] = "true"

from pathlib import Path

import report
from ultralytics.data.dataset import YOLODataset
from ultralytics.data.utils import check_det_dataset


def main() -> None:
    folder, _, out = report.asked()
    known = check_det_dataset(str(folder / "data.yaml"), autodownload=False)
    rows = {}
    for key in ("train", "val", "test"):
        if known.get(key) and known[key] is not None:
            loaded = YOLODataset(img_path=known[key], data=known, augment=False, task="detect", batch_size=1)
            rows[Path(known[key]).name] = sorted(seen(each, known["names"]) for each in loaded.labels)
    report.write(out, ["ultralytics"], rows, sum(map(len, rows.values())))


def seen(label: dict, names: dict[int, str]) -> list:
    height, width = label["shape"]
    boxes = [
        [names[int(number)], (x - w / 2) * width, (y - h / 2) * height, w * width, h * height]
        for (number,), (x, y, w, h) in zip(label["cls"].tolist(), label["bboxes"].tolist(), strict=True)
    ]
    return [Path(label["im_file"]).name, sorted(boxes)]


main()
