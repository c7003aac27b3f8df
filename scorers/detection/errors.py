"""Why detections are false and boxes are not found: the kinds of error of TIDE, and how much AP50 each kind costs.

Source: Bolya, Foley, Hays and Hoffman, TIDE: A General Toolbox for Identifying Object Detection Errors (ECCV 2020),
sections 2.2 and 2.3. Which kind comes first where two apply, and to which the ends of a range belong, the paper leaves
open; here as in its authors' code, dbolya/tide : tidecv/quantify.py. True positives are those of AP50 by COCO.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorers.detection.boxes import Detections, Flags, Floats, Integers, Truth
from scorers.detection.coco import AP50_ONLY, Matches, match
from scorers.detection.curves import Positives, coco_average
from scorers.detection.overlaps import Pairs, overlapping_pairs
from scorers.detection.ranking import ranked

FOREGROUND, BACKGROUND = 0.5, 0.1

TRUE, LOCALISATION, CLASS, DUPLICATE, BACKGROUND_ERROR, BOTH, IGNORED, BEYOND = range(8)
VERDICTS = ("true", "localisation", "class", "duplicate", "background", "both", "ignored", "beyond the cap")
"""What a detection may be, by number."""
FOUND, COVERED, MISSED, NOT_COUNTED = range(4)
FATES = ("found", "covered", "missed", "ignored")
"""What a box of the truth may be: `covered` is one that an error of localisation or class would have found."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What each detection and each box is at IoU .5.

    Attributes:
        matches: of AP50.
        verdict: shape (detections,), numbers in `VERDICTS`.
        box: shape (detections,), the box that it found, or that the verdict is about; -1 where there is none.
        iou: shape (detections,), with that box; NaN where there is none.
        corrects: shape (detections,), whether its correction would find a box: of several errors at one box the best
            scored alone.
        fate: shape (boxes,), numbers in `FATES`.
    """

    matches: Matches
    verdict: NDArray[np.int8]
    box: Integers
    iou: Floats
    corrects: Flags
    fate: NDArray[np.int8]


def judge(truth: Truth, detections: Detections) -> Judgement:
    """The verdict on each detection, and the fate of each box.

    Of boxes that count, a false detection is an error of
    - localisation: of its class, the box that it overlaps most has .1 <= IoU <= .5;
    - class: else, of other classes, the box that it overlaps most has IoU >= .5;
    - duplicate: else it overlaps a box of its class, which another has found, with IoU >= .5;
    - background: else no box has IoU > .1;
    - both: else (a box of another class has .1 < IoU < .5).

    It is ignored if it matches a crowd or an ignored box, and beyond the cap after 100 better ones of its image and
    class. A box that is not found is covered if an error of localisation or class is about it, else missed.
    """
    matches = match(truth, detections, AP50_ONLY)
    ignored, ranking, count = matches.ignored[0], matches.ranking, len(detections)
    matched = np.flatnonzero(matches.matched[0, 0])
    one, box = ranking.detection[matches.rank[matched]], matches.box[matched]
    beyond, outside = np.zeros((2, count), dtype=np.bool_)
    outside[ranking.detection] = ~matches.inside[0]
    if matches.place is not None:
        beyond[ranking.detection] = matches.place >= AP50_ONLY.max_detections[0]
    own = np.full(count, -1)
    own[one] = box
    used = np.zeros(len(truth), dtype=np.bool_)
    used[box[~beyond[one]]] = True
    used &= ~ignored

    pairs = pairs_of_any_class(truth, detections, np.flatnonzero(~ignored), BACKGROUND)
    same = detections.category[pairs.detection] == truth.category[pairs.box]
    local, other = _nearest(pairs, same, count), _nearest(pairs, ~same, count)
    taken, nearest = _nearest(pairs, same & used[pairs.box], count), _nearest(pairs, np.ones_like(same), count)
    mine, own_iou = pairs.box == own[pairs.detection], np.full(count, np.nan)
    own_iou[pairs.detection[mine]] = pairs.iou[mine]
    hit = np.where(own >= 0, ~ignored[own], False) if len(truth) else np.zeros(count, dtype=np.bool_)
    decided = [
        (beyond, BEYOND, -1, np.nan),
        (hit, TRUE, own, own_iou),
        ((own >= 0) | outside, IGNORED, own, np.nan),
        ((local.iou >= BACKGROUND) & (local.iou <= FOREGROUND), LOCALISATION, local.box, local.iou),
        (other.iou >= FOREGROUND, CLASS, other.box, other.iou),
        (taken.iou >= FOREGROUND, DUPLICATE, taken.box, taken.iou),
        (~(nearest.iou > BACKGROUND), BACKGROUND_ERROR, nearest.box, nearest.iou),
    ]
    conditions, verdicts, boxes, ious = zip(*decided, strict=True)
    verdict = np.select(conditions, verdicts, BOTH).astype(np.int8)
    box, iou = np.select(conditions, boxes, nearest.box), np.select(conditions, ious, nearest.iou)

    aimed = np.flatnonzero(np.isin(verdict, (LOCALISATION, CLASS)))
    aimed = aimed[~used[box[aimed]]]
    best = aimed[np.lexsort((aimed, -detections.score[aimed]))]
    corrects = np.zeros(count, dtype=np.bool_)
    corrects[best[np.unique(box[best], return_index=True)[1]]] = True
    fate = np.where(ignored, NOT_COUNTED, np.where(used, FOUND, MISSED)).astype(np.int8)
    fate[box[aimed]] = COVERED
    return Judgement(matches, verdict, box, iou, corrects, fate)


def pairs_of_any_class(truth: Truth, detections: Detections, boxes: Integers, least: float) -> Pairs:
    """The pairs of one image, whatever their classes, with IoU >= least; `boxes` are the positions of those sought."""
    sought, zero = truth.rows(boxes), np.zeros(len(boxes), dtype=np.int64)
    pairs = overlapping_pairs(replace(sought, category=zero, categories=("any",)), detections, detections.image, least)
    return pairs._replace(box=boxes[pairs.box])


class _Nearest(NamedTuple):
    """The box that each detection overlaps most, of equals the first: position or -1, and IoU or NaN."""

    box: Integers
    iou: Floats


def _nearest(pairs: Pairs, wanted: Flags, count: int) -> _Nearest:
    chosen = np.flatnonzero(wanted)
    order = chosen[np.lexsort((pairs.box[chosen], -pairs.iou[chosen], pairs.detection[chosen]))]
    first = order[np.diff(pairs.detection[order], prepend=-1) > 0]
    found = _Nearest(np.full(count, -1), np.full(count, np.nan))
    found.box[pairs.detection[first]], found.iou[pairs.detection[first]] = pairs.box[first], pairs.iou[first]
    return found


class Cost(NamedTuple):
    """How often an error is made, and how much higher mAP50 would be without it."""

    errors: int
    loss: float


def costs(truth: Truth, detections: Detections, judged: Judgement) -> dict[str, Cost]:
    """The cost of each kind of error alone, and of all false positives and all boxes not found.

    To correct errors of localisation and class is to make them true, the others to remove them; errors at a box that is
    found already, or that a better scored error finds when corrected, are removed. Boxes that are missed are no longer
    counted. A loss below 0, which the 101 recalls of COCO's AP allow, is 0.
    """
    counted = detections.rows(judged.verdict <= BOTH)
    category, verdict = counted.category, judged.verdict[judged.verdict <= BOTH]
    corrects = judged.corrects[judged.verdict <= BOTH]
    target = category.copy()
    target[corrects] = truth.category[judged.box[judged.corrects]]
    classes = len(truth.categories)
    fates = [np.bincount(truth.category[judged.fate == fate], minlength=classes) for fate in range(len(FATES))]
    boxes = fates[FOUND] + fates[COVERED] + fates[MISSED]

    def value(kept: Flags, true: Flags, of: Integers, sought: Integers) -> float:
        return _mean_average(replace(counted, category=of).rows(kept), true[kept], sought, boxes)

    true, everyone = verdict == TRUE, np.ones(len(counted), dtype=np.bool_)
    now = value(everyone, true, category, boxes)
    found = {}
    for number in (CLASS, LOCALISATION, BOTH, DUPLICATE, BACKGROUND_ERROR):
        wrong = verdict == number
        mended = wrong & corrects
        fixed = value(~wrong | mended, true | mended, np.where(mended, target, category), boxes)
        found[VERDICTS[number]] = Cost(int(np.count_nonzero(wrong)), fixed)
    for kind, unfound in (("missed", fates[MISSED]), ("all boxes not found", boxes - fates[FOUND])):
        found[kind] = Cost(int(unfound.sum()), value(everyone, true, category, boxes - unfound))
    found["all false positives"] = Cost(int(np.count_nonzero(~true)), value(true, true, category, boxes))
    return {kind: cost._replace(loss=max(cost.loss - now, 0.0)) for kind, cost in found.items()}


def _mean_average(found: Detections, true: Flags, sought: Integers, boxes: Integers) -> float:
    """mAP50 of detections, over the classes that have boxes; 0 for one whose boxes are no longer sought."""
    ranking = ranked(found, len(boxes))
    positive = np.flatnonzero(true[ranking.detection])
    counted = positive - ranking.starts[found.category[ranking.detection][positive]] + 1
    positives = Positives(np.ones_like(positive), counted, np.searchsorted(positive, ranking.starts))
    averages = np.where(np.diff(ranking.starts) > 0, 0.0, np.nan)
    averages[sought > 0] = coco_average(positives, sought)[sought > 0]
    defined = averages[(boxes > 0) & ~np.isnan(averages)]
    return float(defined.mean()) if len(defined) else float("nan")
