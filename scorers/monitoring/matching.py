"""The errors of a person detector: which detections are true (D_TP) or false (D_FP), which persons are missed (D_FN).

Crowd boxes are ordinary persons, and IoU has no crowd rule: this is not the matching of COCO's average precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from scorers.monitoring.boxes import Bools, Boxes, Detections, Floats, Ints, overlaps


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """Detections against the truth.

    Attributes:
        correct: whether each detection is a true positive, shape (detections,).
        found: whether each true person is matched, shape (persons,).
    """

    correct: Bools
    found: Bools


def paper_match(truth: Boxes, detections: Detections, threshold: float) -> Match:
    """Protocol `paper`: every detection by itself; it is true if the person of best IoU has IoU >= threshold.

    That person is found, and may be found many times, so that duplicates count as true. Of equally good persons the
    last in the file is found. The reference goes by falling score, ties in reverse file order, which leaves no trace in
    the result, as no detection takes a person from another.

    Source: `compute_TP_FP_FN_detections_per_image` (src/tools/evaluation_protocol.py of the reference). It takes the
    last entry of an unstable `numpy.argsort` of the IoUs, which is the last in the file for up to 16 persons.

    >>> image, upright = np.zeros(2, int), np.array([[0.0, 0.0], [0.0, 0.0], [4.0, 4.0], [9.0, 6.0]])
    >>> match = paper_match(Boxes(image, *upright), Detections(image, *upright, np.array([0.9, 0.8]), image), 0.5)
    >>> match.correct.tolist(), match.found.tolist()
    ([True, True], [True, True])
    """
    detection, person, iou = _candidates(truth, detections, threshold)
    order = np.lexsort((person, iou, detection))
    detection, person = detection[order], person[order]
    best = np.append(detection[1:] != detection[:-1], True)[: len(detection)]
    return Match(_flags(len(detections), detection), _flags(len(truth), person[best]))


def strict_match(truth: Boxes, detections: Detections, threshold: float) -> Match:
    """Protocol `strict`: one to one, greedy; duplicates are false.

    By falling score, ties in file order, a detection takes the free person of best IoU >= threshold; of equally good
    persons the last in the file. This is the order of COCO's matching (pycocotools : cocoeval.py, `evaluateImg`).
    Computed in rounds: every detection asks for its best person that has not refused it, and a person keeps the
    earliest that asks. All persons rank detections alike, so the outcome is that of the greedy loop (Gale and Shapley
    1962; serial dictatorship).

    >>> image, upright = np.zeros(2, int), np.array([[0.0, 9.0], [0.0, 0.0], [4.0, 4.0], [9.0, 9.0]])
    >>> twice = Detections(image, *upright[:, :1].repeat(2, axis=1), np.array([0.8, 0.9]), image)
    >>> match = strict_match(Boxes(image, *upright), twice, 0.5)
    >>> match.correct.tolist(), match.found.tolist()
    ([False, True], [True, False])
    """
    detection, person, iou = _candidates(truth, detections, threshold)
    by_score = np.argsort(-detections.score, kind="stable")
    rank = np.empty(len(detections), dtype=np.intp)
    rank[by_score] = np.arange(len(detections))
    order = np.lexsort((-person, -iou, rank[detection]))
    taker = _first_come(rank[detection[order]], person[order], len(detections), len(truth))
    found = taker < len(detections)
    return Match(_flags(len(detections), by_score[taker[found]]), found)


MATCHINGS: Mapping[str, Callable[[Boxes, Detections, float], Match]] = {"paper": paper_match, "strict": strict_match}
PROTOCOLS = tuple(MATCHINGS)


def _candidates(truth: Boxes, detections: Detections, threshold: float) -> tuple[Ints, Ints, Floats]:
    """Pairs of a detection and a person with IoU >= threshold, and that IoU.

    Source: `bbox_iou` of the reference (src/tools/utils.py). Boxes far thinner than the precision of their coordinates
    may have a union of 0 or less, where it divides by zero: they match nothing.
    """
    pairs = overlaps(detections, truth)
    union = detections.area[pairs.left] + truth.area[pairs.right] - pairs.area
    iou = np.divide(pairs.area, union, out=np.zeros_like(union), where=union > 0)
    near = iou >= threshold
    return pairs.left[near], pairs.right[near], iou[near]


def _first_come(rank: Ints, person: Ints, ranks: int, persons: int) -> Ints:
    """The rank that each person ends with, shape (persons,), `ranks` for none.

    `rank` and `person` are the wishes: sorted by rank, and for each rank by falling preference.
    """
    taker = np.full(persons, ranks, dtype=np.intp)
    if not len(rank):
        return taker
    asking = np.flatnonzero(np.diff(rank, prepend=-1))
    while True:
        np.minimum.at(taker, person[asking], rank[asking])
        refused = taker[person[asking]] != rank[asking]
        if not refused.any():
            return taker
        following = asking + refused
        has_wish = (following < len(rank)) & (rank[np.minimum(following, len(rank) - 1)] == rank[asking])
        asking = following[has_wish]


def _flags(length: int, rows: Ints) -> Bools:
    flags = np.zeros(length, dtype=np.bool_)
    flags[rows] = True
    return flags
