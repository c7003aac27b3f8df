"""The same grid by pycocotools, to check ours against."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Truth
from scorers.detection.coco import Settings
from scorers.detection.grid import Grid


def pycocotools_grid(truth: Truth, detections: Detections, settings: Settings | None = None) -> Grid:
    """Precision, recall and scores as pycocotools computes them.

    Boxes are numbered from 1, so that none has the id 0, which pycocotools takes for no match, and no two share one.

    Raises:
        UsageError: the truth has boxes that are ignored without being crowds, which pycocotools does not know.
    """
    from pycocotools.coco import COCO  # kept off the import path of the command line
    from pycocotools.cocoeval import COCOeval

    if truth.ignored.any():
        raise UsageError("pycocotools ignores crowds alone, and the truth has other boxes that are ignored")
    settings = settings or Settings()
    crowd = truth.crowd.astype(np.int64)
    evaluator = COCOeval(iouType="bbox")
    with contextlib.redirect_stdout(io.StringIO()):
        evaluator.cocoGt = _dataset(COCO(), truth, truth, area=truth.area, iscrowd=crowd)
        evaluator.cocoDt = _dataset(
            COCO(), truth, detections, area=detections.width * detections.height, score=detections.score
        )
        evaluator.params.imgIds, evaluator.params.catIds = range(truth.images), range(len(truth.categories))
        evaluator.params.iouThrs = np.array(settings.thresholds)
        evaluator.params.areaRng, evaluator.params.areaRngLbl = list(settings.areas.values()), list(settings.areas)
        evaluator.params.maxDets = list(settings.max_detections)
        evaluator.evaluate()
        evaluator.accumulate()
    precision, recall, scores = (
        np.moveaxis(evaluator.eval[name], (-2, -1), (0, 1)) for name in ("precision", "recall", "scores")
    )
    for array, absent in ((scores, precision == -1), (precision, precision == -1), (recall, recall == -1)):
        array[absent] = np.nan
    return Grid(settings, truth.categories, precision, recall, scores)


def _dataset(coco: Any, truth: Truth, boxes: Truth | Detections, **columns: NDArray[Any]) -> Any:
    """`coco` with these boxes as its annotations, in their order."""
    values = {"image_id": boxes.image, "category_id": boxes.category} | columns
    rows = zip(*(column.tolist() for column in values.values()), strict=True)
    sides = np.stack([boxes.x, boxes.y, boxes.width, boxes.height], axis=1).tolist()
    coco.dataset = {
        "images": [{"id": image} for image in range(truth.images)],
        "categories": [{"id": number} for number in range(len(truth.categories))],
        "annotations": [
            {"id": number, "bbox": side} | dict(zip(values, row, strict=True))
            for number, (side, row) in enumerate(zip(sides, rows, strict=True), 1)
        ],
    }
    coco.createIndex()
    return coco
