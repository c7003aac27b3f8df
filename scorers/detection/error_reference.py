"""TIDE's errors as plain loops, to be read beside its sources; the fast code is tested against it.

Sources: those of `errors`. True positives are those of `reference.average_precision` by `coco` at IoU .5.
"""

import numpy as np

from scorers.detection.boxes import Detections, Truth
from scorers.detection.reference import matched_by_coco, overlap

Errors = tuple[list[str], list[str], dict[str, float]]


def errors(truth: Truth, found: Detections) -> Errors:
    """The verdict on each detection, the fate of each box, and what each kind of error costs in mAP50.

    >>> zero, no, left, ten = np.zeros(2, int), np.zeros(2, bool), np.array([0.0, 50.0]), np.full(2, 10.0)
    >>> truth = Truth(zero, zero, left, left, ten, ten, ten * ten, no, no, no, categories=("person",), images=1)
    >>> found = Detections(zero, zero, left + [0, 6], left, ten, ten, np.array([0.9, 0.8]))
    >>> errors(truth, found)[:2]
    (['true', 'localisation'], ['found', 'covered'])
    """
    ignored = truth.crowd | truth.ignored | (truth.area < 0) | (truth.area > 1e10)
    counted = np.flatnonzero(~ignored).tolist()
    verdicts, about = ["beyond the cap"] * len(found), [-1] * len(found)
    for image, category in sorted(set(zip(found.image.tolist(), found.category.tolist(), strict=True))):
        there, given = (np.flatnonzero((b.image == image) & (b.category == category)).tolist() for b in (truth, found))
        given = sorted(given, key=lambda one: -found.score[one])[:100]
        for one, box in matched_by_coco(truth, found, there, given, ignored, 0.5):
            inside = found.width[one] * found.height[one] <= 1e10
            verdicts[one], about[one] = "false" if inside else "ignored", -1
            if box is not None:
                verdicts[one], about[one] = "ignored" if ignored[box] else "true", box
    used = {box for verdict, box in zip(verdicts, about, strict=True) if verdict == "true"}
    for one in [one for one, verdict in enumerate(verdicts) if verdict == "false"]:
        near_by = {n: overlap(found, one, truth, n) for n in counted if truth.image[n] == found.image[one]}
        own = {n: value for n, value in near_by.items() if truth.category[n] == found.category[one]}
        others = {n: value for n, value in near_by.items() if n not in own}
        taken = {n: value for n, value in own.items() if n in used}
        for verdict, near, low, high in (
            ("localisation", own, 0.1, 0.5),
            ("class", others, 0.5, np.inf),
            ("duplicate", taken, 0.5, np.inf),
            ("background", near_by, -1.0, 0.1),
            ("both", near_by, -1.0, np.inf),
        ):
            nearest = max(near, key=lambda n: (near[n], -n), default=None)
            if low <= (near[nearest] if nearest is not None else -1) <= high:
                verdicts[one], about[one] = verdict, -1 if nearest is None else nearest
                break
    fixes = dict[int, int]()  # the best scored error at each box that nobody found
    for one in sorted(range(len(found)), key=lambda one: (-found.score[one], one)):
        if verdicts[one] in ("localisation", "class") and about[one] not in used:
            fixes.setdefault(about[one], one)
    fates = [
        "ignored" if ignored[n] else "found" if n in used else "covered" if n in fixes else "missed"
        for n in range(len(truth))
    ]

    def value(kind: str) -> float:
        rows, sought = [], [n for n in counted if not (kind == "missed" and fates[n] == "missed")]
        for one in np.lexsort((np.arange(len(found)), found.image)).tolist():
            if (verdict := verdicts[one]) not in ("ignored", "beyond the cap"):
                mended = verdict == kind and fixes.get(about[one]) == one
                if verdict != kind or mended:
                    category = truth.category[about[one]] if mended else found.category[one]
                    rows.append((category, found.score[one], mended or verdict == "true"))
        averages = []
        for category in sorted({int(truth.category[n]) for n in counted}):
            hits = [hit for _, hit in sorted([row[1:] for row in rows if row[0] == category], key=lambda row: -row[0])]
            boxes, true = sum(int(truth.category[n]) == category for n in sought), np.cumsum(hits)
            if boxes or hits:
                recall, precision = true / max(boxes, 1), true / (np.arange(1, len(hits) + 1) + np.spacing(1))
                best = [np.max(precision[recall >= least], initial=0) for least in np.linspace(0, 1, 101)]
                averages.append(np.mean(best) if boxes else 0.0)
        return float(np.mean(averages)) if averages else float("nan")

    kinds = ("class", "localisation", "both", "duplicate", "background", "missed")
    return verdicts, fates, {kind: max(value(kind) - value("none"), 0.0) for kind in kinds}
