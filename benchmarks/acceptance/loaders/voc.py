"""Annotations of VOC, by supervision."""

from __future__ import annotations

from pathlib import Path

import report
import supervision


def main() -> None:
    folder, _, out = report.asked()
    lists = {file.stem: file.read_text().splitlines() for file in (folder / "ImageSets" / "Main").glob("*.txt")}
    loaded = supervision.DetectionDataset.from_pascal_voc(
        images_directory_path=str(folder / "JPEGImages"), annotations_directory_path=str(folder / "Annotations")
    )
    found = {Path(path).stem: [Path(path).name, seen(boxes, loaded.classes)] for path, _, boxes in loaded}
    rows = {split: sorted(found[name] for name in names) for split, names in lists.items()}
    report.write(out, ["supervision"], rows, len(loaded))


def seen(boxes: supervision.Detections, names: list[str]) -> list:
    corners = zip(boxes.class_id.tolist(), boxes.xyxy.tolist(), strict=True)
    # supervision takes 1 off the least sides, which VOC counts from 1, and leaves the others.
    return sorted(
        [names[number], left, top, right - left, below - top] for number, (left, top, right, below) in corners
    )


main()
