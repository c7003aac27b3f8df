"""The grid of COCO: precision, recall and score at every area range, cap, threshold, recall and category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scorers.detection.boxes import Flags, Floats, Integers
from scorers.detection.coco import Matches, Settings
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
