"""The grid of COCO, ours and by pycocotools: precision, recall and score at every setting, recall and category."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Flags, Floats, Integers, Truth
from scorers.detection.coco import WHOLE_GRID, Matches, Settings
from scorers.detection.curves import RECALLS, interpolated, precision_at, recall_cuts


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


class _Pairs(NamedTuple):
    """The pairs of the match table as an area range and a cap see them.

    Attributes:
        true: shape (pairs,), whether a match is a true positive.
        odd: positions of those whose match decides whether the detection counts: the box counts and the detection is of
            a size that does not, or the reverse.
        change: shape (odd,), 1 or -1: what their match adds to the number of detections that count.
        counted: shape (pairs,), how many detections count up to this one if none is matched.
        before: shape (categories,), how many count before each category.
        starts: shape (categories + 1,), where the pairs of each category begin, and their number.
    """

    true: Flags
    odd: Integers
    change: Integers
    counted: Integers
    before: Integers
    starts: Integers


def grid(matches: Matches) -> Grid:
    """Precision, recall and scores of a run.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (accumulate).
    """
    settings, table, ranking = matches.settings, matches.table, matches.ranking
    categories = matches.truth.categories
    shape = (len(settings.areas), len(settings.max_detections), len(settings.thresholds))
    precision, scores = np.empty((2, *shape, len(RECALLS), len(categories)))
    recall = np.empty((*shape, len(categories)))
    starts = np.searchsorted(table.rank, ranking.starts)
    pair_score = np.append(ranking.score[table.rank], 0.0)
    best_score = np.where(np.diff(ranking.starts) > 0, np.append(ranking.score, 0.0)[ranking.starts[:-1]], 0.0)
    for area in range(shape[0]):
        boxes = matches.counted_boxes(area)
        cuts = recall_cuts(boxes)
        for cap in range(shape[1]):
            pairs = _pairs(matches, area, cap, starts)
            for threshold, matched in enumerate(table.matched[area]):
                true, counts, counted = _true_positives(matched, pairs)
                at = (area, cap, threshold)
                ends = np.cumsum(counts)
                first = np.where(cuts <= counts, ends - counts + cuts - 1, len(true))
                precision[at] = interpolated(precision_at(counted + np.spacing(1), counts), ends, first)
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


def _pairs(matches: Matches, area: int, cap: int, starts: Integers) -> _Pairs:
    table = matches.table
    counted, inside = ~matches.ignored[area][table.box], matches.inside[area]
    odd = counted != inside[table.rank]
    true = counted
    if matches.place is not None:
        kept = matches.place < matches.settings.max_detections[cap]
        inside = inside & kept
        true, odd = true & kept[table.rank], odd & kept[table.rank]
    up_to = np.cumsum(inside)
    odd_pairs = np.flatnonzero(odd)
    return _Pairs(
        true,
        odd_pairs,
        np.where(counted[odd_pairs], 1, -1),
        up_to[table.rank],
        np.append(0, up_to)[matches.ranking.starts[:-1]],
        starts,
    )


def _true_positives(matched: Flags, pairs: _Pairs) -> tuple[Integers, Integers, Integers]:
    """True positives as positions of pairs, their number per category, and how many detections count up to each."""
    true = np.flatnonzero(matched & pairs.true)
    counts = np.diff(np.searchsorted(true, pairs.starts))
    counted, before = pairs.counted[true], pairs.before
    decided = np.flatnonzero(matched[pairs.odd])
    if len(decided):
        odd = pairs.odd[decided]
        changed = np.append(0, np.cumsum(pairs.change[decided]))
        counted += np.repeat(changed, np.diff(np.searchsorted(true, odd), prepend=0, append=len(true)))
        before = before + changed[np.searchsorted(odd, pairs.starts[:-1])]
    return true, counts, counted - np.repeat(before, counts)


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
