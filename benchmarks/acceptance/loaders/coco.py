"""An instances file, by pycocotools."""

from __future__ import annotations

import numpy as np
import report
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def main() -> None:
    folder, _, out = report.asked()
    rows = {}
    for file in sorted(folder.glob("*.json")):
        truth = COCO(str(file))
        names = {number: each["name"] for number, each in truth.cats.items()}
        rows[file.stem] = sorted(
            [
                image["file_name"],
                sorted([names[each["category_id"]], *each["bbox"]] for each in truth.imgToAnns[number]),
            ]
            for number, image in truth.imgs.items()
        )
        boxes = [each for each in truth.anns.values() if not each["iscrowd"] and not each.get("ignore")]
        results = np.array([[each["image_id"], *each["bbox"], 0.9, each["category_id"]] for each in boxes])
        scored = COCOeval(truth, truth.loadRes(results), "bbox")
        scored.evaluate(), scored.accumulate(), scored.summarize()
        if scored.stats[0] != 1.0:
            raise ValueError(f"{file.name}: its own boxes score {scored.stats[0]}")
    report.write(out, ["pycocotools"], rows, sum(map(len, rows.values())))


main()
