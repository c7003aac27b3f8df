"""The grid of COCO, ours and by pycocotools: precision, recall and score at every setting, recall and category."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Flags, Floats, Integers, Truth
from scorers.detection.coco import WHOLE_GRID, Matches, Settings
from scorers.detection.curves import RECALLS, interpolated, recall_cuts


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Curves at all settings; NaN for a category of which no box counts.

    pycocotools has the same numbers as (thresholds, recalls, categories, areas, caps), and -1 for NaN.

    Attributes:
        settings: the areas, caps and thresholds of the first three axes.
        categories: names.
        precision: shape (areas, caps, thresholds, 101 recalls, categories), the highest at that recall or beyond.
        recall: shape (areas, caps, thresholds, categories), of all detections.
        scores: shape as `precision`, the score at which the recall is reached, 0 where it is not.
    """

    settings: Settings
    categories: tuple[str, ...]
    precision: Floats
    recall: Floats
    scores: Floats


def grid(matches: Matches) -> Grid:
    """Precision, recall and scores of a run.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (accumulate).
    """
    settings, ranking = matches.settings, matches.ranking
    categories = matches.truth.categories
    shape = (len(settings.areas), len(settings.max_detections), len(settings.thresholds))
    precision, scores = np.empty((2, *shape, len(RECALLS), len(categories)))
    recall = np.empty((*shape, len(categories)))
    pair_score = np.append(ranking.score[matches.rank], 0.0)
    best_score = np.where(np.diff(ranking.starts) > 0, np.append(ranking.score, 0.0)[ranking.starts[:-1]], 0.0)
    for area in range(shape[0]):
        boxes = matches.counted_boxes(area)
        cuts = recall_cuts(boxes)
        for cap in range(shape[1]):
            true_positives = _true_positives(matches, area, cap)
            for threshold, matched in enumerate(matches.matched[area]):
                true, counts, counted = true_positives(matched)
                at = (area, cap, threshold)
                ends = np.cumsum(counts)
                first = np.where(cuts <= counts, ends - counts + cuts - 1, len(true))
                ordinal = np.arange(1, len(true) + 1) - np.repeat(ends - counts, counts)
                precision[at] = interpolated(ordinal / (counted + np.spacing(1)), ends, first)
                recall[at] = counts / np.maximum(boxes, 1)
                scores[at] = pair_score[np.append(true, -1)[first]]
                scores[at][RECALLS == 0] = best_score
        for array in (precision, recall, scores):
            array[area, ..., boxes == 0] = np.nan
    return Grid(settings, categories, precision, recall, scores)


def pycocotools_grid(truth: Truth, detections: Detections, settings: Settings = WHOLE_GRID) -> Grid:
    """Precision, recall and scores as pycocotools computes them.

    Boxes are numbered from 1, so that none has the id 0, which pycocotools takes for no match, and no two share one.

    Raises:
        UsageError: the truth has boxes that are ignored without being crowds, which pycocotools does not know.
    """
    from pycocotools.coco import COCO  # kept off the import path of the command line
    from pycocotools.cocoeval import COCOeval

    if truth.ignored.any():
        raise UsageError("pycocotools ignores crowds alone, and the truth has other boxes that are ignored")
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


def _true_positives(matches: Matches, area: int, cap: int) -> Callable[[Flags], tuple[Integers, Integers, Integers]]:
    """From the pairs that match to the true positives in an area range and within a cap.

    These are positions of pairs, their number per category, and how many detections of the category count up to each.
    """
    starts = np.searchsorted(matches.rank, matches.ranking.starts)
    counts_if_matched, inside = ~matches.ignored[area][matches.box], matches.inside[area]
    decides = counts_if_matched != inside[matches.rank]  # the match whether the detection counts, not its size
    true_if_matched = counts_if_matched
    if matches.place is not None:
        kept = matches.place < matches.settings.max_detections[cap]
        inside = inside & kept
        true_if_matched, decides = true_if_matched & kept[matches.rank], decides & kept[matches.rank]
    deciding = np.flatnonzero(decides)
    change = np.where(counts_if_matched[deciding], 1, -1)
    up_to = np.cumsum(inside)
    up_to_pair, before_category = up_to[matches.rank], np.append(0, up_to)[matches.ranking.starts[:-1]]

    def of(matched: Flags) -> tuple[Integers, Integers, Integers]:
        true = np.flatnonzero(matched & true_if_matched)
        counts = np.diff(np.searchsorted(true, starts))
        counted, before = up_to_pair[true], before_category
        decided = np.flatnonzero(matched[deciding])
        if len(decided):
            pairs, changed = deciding[decided], np.append(0, np.cumsum(change[decided]))
            counted += np.repeat(changed, np.diff(np.searchsorted(true, pairs), prepend=0, append=len(true)))
            before = before + changed[np.searchsorted(pairs, starts[:-1])]
        return true, counts, counted - np.repeat(before, counts)

    return of


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
