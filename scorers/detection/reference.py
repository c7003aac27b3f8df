"""Average precision as plain loops, to be read beside its sources; the fast code is tested against it.

Sources: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py (evaluateImg, accumulate); VOCdevkit :
VOCcode/VOCevaldet.m and VOCap.m; Everingham et al., The PASCAL Visual Object Classes Challenge (2010), section 4.2.
"""

from collections.abc import Iterator

import numpy as np

from scorers.detection.boxes import Detections, Flags, Floats, Truth

ALL = np.array([0.0, 1e10])
Judged = Iterator[tuple[int, int | None]]  # each detection, and the box that it is matched to


def average_precision(
    truth: Truth, found: Detections, category: int, iou: float, protocol: str, area: Floats = ALL, cap: int = 100
) -> float:
    """AP of a category at one IoU by `coco`, `voc2007` or `voc2010`; NaN where no box counts, 0 without detections.

    Only COCO knows an area range, bounds included, and a cap on the detections of an image.

    >>> zero, no, left, ten = np.zeros(2, int), np.zeros(2, bool), np.array([0.0, 50.0]), np.full(2, 10.0)
    >>> truth = Truth(zero, zero, left, left, ten, ten, ten * ten, no, no, no, categories=("person",), images=1)
    >>> found = Detections(zero[:1], zero[:1], left[:1], left[:1], ten[:1], ten[:1], np.array([0.9]))
    >>> [round(average_precision(truth, found, 0, 0.5, name), 3) for name in ("coco", "voc2007", "voc2010")]
    [0.505, 0.545, 0.5]
    """
    coco, hits = protocol == "coco", []
    outside = (truth.area < area[0]) | (truth.area > area[1])
    ignored = truth.ignored | (truth.crowd | outside if coco else truth.difficult)
    boxes = np.count_nonzero((truth.category == category) & ~ignored)
    for image in range(truth.images):
        there, given = (np.flatnonzero((b.image == image) & (b.category == category)).tolist() for b in (truth, found))
        given = sorted(given, key=lambda one: -found.score[one])[: cap if coco else None]  # equal ones in file order
        for one, box in (matched_by_coco if coco else _voc)(truth, found, there, given, ignored, iou):
            inside = area[0] <= found.width[one] * found.height[one] <= area[1]
            if not ignored[box] if box is not None else inside or not coco:
                hits.append((found.score[one], box is not None))
    if not boxes:
        return float("nan")
    hits.sort(key=lambda hit: -hit[0])  # equal scores stay in the order of images
    true = np.cumsum(np.array([hit for _, hit in hits], dtype=bool))
    recall, precision = true / boxes, true / (np.arange(1, len(true) + 1) + (np.spacing(1) if coco else 0))
    envelope = np.maximum.accumulate(precision[::-1])[::-1]  # the highest precision at that recall or a higher one
    if protocol == "voc2010":  # the exact area under it
        return float(np.sum(np.diff(recall, prepend=0) * envelope))
    recalls = np.linspace(0, 1, 101) if coco else [0, 0.1, 0.2, 0.1 * 3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    return float(np.mean([envelope[recall >= least].max(initial=0) for least in recalls]))


def matched_by_coco(
    truth: Truth, found: Detections, there: list[int], given: list[int], ignored: Flags, iou: float
) -> Judged:
    """The best scored choose first: the free box of highest IoU, of equals the last, an ignored one only if need be."""
    taken = set[int]()
    for one in given:
        iou_with = {n: overlap(found, one, truth, n, truth.crowd[n]) for n in there if n not in taken}
        near = [n for n in iou_with if iou_with[n] >= min(iou, 1 - 1e-10)]
        best = max(near, key=lambda n: (not ignored[n], iou_with[n], n), default=None)
        taken |= set() if best is None or truth.crowd[best] else {best}  # a crowd is never taken
        yield one, best


def _voc(truth: Truth, found: Detections, there: list[int], given: list[int], ignored: Flags, iou: float) -> Judged:
    """Each is judged by the box of highest IoU, of equals the first, which is true for the first to reach it alone."""
    taken = set[int]()
    for one in given:
        best = max(there, key=lambda n: (overlap(found, one, truth, n), -n), default=-1)
        reached = best >= 0 and overlap(found, one, truth, best) >= iou and best not in taken
        yield one, best if reached else None
        taken |= {best} if reached and not ignored[best] else set()


def overlap(found: Detections, one: int, truth: Truth, n: int, crowd: bool = False) -> float:
    """Intersection over union, of a crowd over the detection alone; 0 where the boxes do not overlap."""
    across = min(found.x[one] + found.width[one], truth.x[n] + truth.width[n]) - max(found.x[one], truth.x[n])
    down = min(found.y[one] + found.height[one], truth.y[n] + truth.height[n]) - max(found.y[one], truth.y[n])
    common = across * down if across > 0 and down > 0 else 0.0
    union = found.width[one] * found.height[one] + (0.0 if crowd else truth.width[n] * truth.height[n])
    return common / (union if crowd else union - common) if common else 0.0
