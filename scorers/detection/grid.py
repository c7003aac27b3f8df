"""The grid of COCO: precision, recall and score at every area range, cap, threshold, recall and category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Flags, Floats, Integers
from scorers.detection.coco import Evaluation, Settings
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
    """The pairs of the match table as seen in an area range and under a cap; arrays have shape (pairs,).

    Attributes:
        true: whether a match of this pair is a true positive.
        odd: whether a match decides if the detection counts: it finds a box that counts and is of another size itself,
            or the reverse.
        change: 1, -1 or 0: what a match changes in the number of detections that count.
        counted: how many detections count up to this one if none were matched.
        before: the same before each category, shape (categories,).
        starts: where the pairs of each category begin, and their number; shape (categories + 1,).
    """

    true: Flags
    odd: Flags
    change: Integers
    counted: Integers
    before: Integers
    starts: Integers


def grid(evaluation: Evaluation) -> Grid:
    """Precision, recall and scores of a run.

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (accumulate).
    """
    settings, table, ranking = evaluation.settings, evaluation.table, evaluation.ranking
    categories = evaluation.truth.categories
    shape = (len(settings.areas), len(settings.max_detections), len(settings.thresholds))
    precision, scores = np.empty((2, *shape, len(RECALLS), len(categories)))
    recall = np.empty((*shape, len(categories)))
    starts = np.searchsorted(table.rank, ranking.starts)
    pair_score = np.append(ranking.score[table.rank], 0.0)
    best_score = np.where(np.diff(ranking.starts) > 0, np.append(ranking.score, 0.0)[ranking.starts[:-1]], 0.0)
    for area in range(shape[0]):
        boxes = evaluation.counted_boxes(area)
        cuts = recall_cuts(boxes)
        for cap in range(shape[1]):
            pairs = _pairs(evaluation, area, cap, starts)
            for threshold, matched in enumerate(table.matched[area]):
                true, counts, counted = _true_positives(matched, pairs)
                at = (area, cap, threshold)
                precision[at] = interpolated(precision_at(counted + np.spacing(1), counts), counts, cuts)
                recall[at] = counts / np.maximum(boxes, 1)
                reaching = np.where(cuts <= counts, np.cumsum(counts) - counts + cuts - 1, len(true))
                scores[at] = pair_score[np.append(true, -1)[reaching]]
                scores[at][RECALLS == 0] = best_score
        for array in (precision, recall, scores):
            array[area, ..., boxes == 0] = np.nan
    return Grid(settings, categories, precision, recall, scores)


def _pairs(evaluation: Evaluation, area: int, cap: int, starts: Integers) -> _Pairs:
    table = evaluation.table
    true, inside = ~evaluation.ignored[area][table.box], evaluation.inside[area]
    change = true - inside[table.rank].astype(np.int64)
    odd = change != 0
    if evaluation.place is not None:
        within = evaluation.place < evaluation.settings.max_detections[cap]
        true, odd = true & within[table.rank], odd & within[table.rank]
        inside = inside & within
    counted = np.cumsum(inside)
    before = np.append(0, counted)[evaluation.ranking.starts[:-1]]
    return _Pairs(true, odd, change, counted[table.rank], before, starts)


def _true_positives(matched: Flags, pairs: _Pairs) -> tuple[Integers, Integers, Integers]:
    """True positives as positions of pairs, their number per category, and how many detections count up to each.

    What matches change in the numbers that count is added up over the odd pairs, which are few.
    """
    true = np.flatnonzero(matched & pairs.true)
    counts = np.diff(np.searchsorted(true, pairs.starts))
    counted = pairs.counted[true]
    before = pairs.before
    odd = np.flatnonzero(matched & pairs.odd)
    if len(odd):
        changed = np.append(0, np.cumsum(pairs.change[odd]))
        counted += np.repeat(changed, np.diff(np.searchsorted(true, odd), prepend=0, append=len(true)))
        before = before + changed[np.searchsorted(odd, pairs.starts[:-1])]
    return true, counts, counted - np.repeat(before, counts)
