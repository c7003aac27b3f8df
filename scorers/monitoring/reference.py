"""The evaluation of a monitor as plain loops over images and boxes; the fast code is tested against it.

Source: FraunhoferIKS/smf-object-detection : src/experiments.py, src/tools/evaluation_protocol.py, src/tools/utils.py.
"""

import math
from collections import Counter
from collections.abc import Sequence

Box = tuple[float, float, float, float]  # x, y, width, height
# In file order: true persons, detected persons with their scores, detected parts.
Image = tuple[Sequence[Box], Sequence[tuple[Box, float]], Sequence[Box]]


def monitor(images: Sequence[Image], o: float, protocol: str) -> dict[str, float]:
    """Every number at the tolerance `o`, by protocol `paper` or `strict`; NaN is null.

    >>> person, elsewhere, head = (0.0, 0.0, 10.0, 20.0), (60.0, 0.0, 10.0, 20.0), (2.0, 2.0, 4.0, 4.0)
    >>> found = monitor([([person], [(person, 0.9), (elsewhere, 0.8)], [head])], 0.1, "strict")
    >>> [found[name] for name in ("D_TP", "D_FP", "detected_FP", "precision(FP)")]
    [1, 1, 1, 1.0]
    """
    sums, verdicts = Counter[str](), dict[str, list[tuple[bool, bool]]](FP=[], FN=[])
    for truth, detected, parts in images:
        persons = [box for box, _ in detected]
        correct, matched = _match(truth, detected, protocol)
        missed = [person for n, person in enumerate(truth) if n not in matched]
        rejected = [not any(_agree(part, person, o, protocol) for part in parts) for person in persons]
        declaring = [part for part in parts if not any(_agree(part, person, o, protocol) for person in persons)]
        sums.update(D_TP=sum(correct), D_FP=len(persons) - sum(correct), D_FN=len(missed))
        sums["detected_FP"] += sum(no and not true for no, true in zip(rejected, correct, strict=True))
        sums["rejected_TP"] += sum(no and true for no, true in zip(rejected, correct, strict=True))
        sums["detected_FN"] += sum(any(_agree(part, person, o, protocol) for part in declaring) for person in missed)
        sums["ghost_parts"] += sum(not any(_agree(part, person, o, protocol) for person in truth) for part in declaring)
        verdicts["FP"].append((any(rejected), not all(correct)))
        if protocol == "paper":  # by the area of the person at whom the search for a rejected one stops
            last = persons[rejected.index(True)] if any(rejected) else [None, *persons][-1]
            declaring = [part for part in parts if not any(_agree(part, p, o, protocol, last) for p in persons)]
        verdicts["FN"].append((bool(declaring), bool(missed)))
    found: dict[str, float] = {**sums, "balance(FP)": sums["detected_FP"] - sums["rejected_TP"]}
    found["balance(FN)"] = sums["detected_FN"] - sums["ghost_parts"]
    for error, judged in verdicts.items():
        tp, fp, fn = (judged.count(verdict) for verdict in ((True, True), (True, False), (False, True)))
        tn = len(images) - tp - fp - fn
        slack, undefined = (1e-8, 0.0) if protocol == "paper" and images else (0.0, math.nan)
        below = math.sqrt(1.0 * (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn))
        found |= {f"images_with({error})": tp + fn, f"image_TP({error})": tp, f"image_FP({error})": fp}
        found[f"precision({error})"] = tp / (tp + fp + slack) if tp + fp + slack else undefined
        found[f"recall({error})"] = tp / (tp + fn + slack) if tp + fn + slack else undefined
        found[f"MCC({error})"] = (tp * tn - fp * fn) / below if below else undefined
    return found


def _match(truth: Sequence[Box], detected: Sequence[tuple[Box, float]], protocol: str) -> tuple[list[bool], set[int]]:
    """Which detections are true, which persons found: the best, in `strict` of those left, if its IoU is .5 or more."""
    correct, matched = [False] * len(detected), set[int]()
    for row in sorted(range(len(detected)), key=lambda row: -detected[row][1]):  # equal scores stay in file order
        near = [n for n in range(len(truth)) if _iou(detected[row][0], truth[n]) >= 0.5]
        near = [n for n in near if protocol == "paper" or n not in matched]
        matched |= set(sorted(near, key=lambda n: (_iou(detected[row][0], truth[n]), n))[-1:])  # of equals the last
        correct[row] = bool(near)
    return correct, matched


def _agree(part: Box, person: Box, o: float, protocol: str, sized: Box | None = None) -> bool:
    """Whether a part is in a person; by the paper a box without area agrees with all, else with nothing."""
    common, smaller = _common(part, person), min(part[2] * part[3], (sized or person)[2] * (sized or person)[3])
    return common >= (1.0 - o) * smaller and (protocol == "paper" or smaller > 0)


def _common(a: Box, b: Box) -> float:
    """Intersection: on each axis both lengths less the span of both."""
    across, down = (a[n + 2] + b[n + 2] - (max(a[n] + a[n + 2], b[n] + b[n + 2]) - min(a[n], b[n])) for n in (0, 1))
    return across * down if across > 0 and down > 0 else 0.0


def _iou(a: Box, b: Box) -> float:
    common = _common(a, b)
    union = a[2] * a[3] + b[2] * b[3] - common
    return common / union if common and union > 0 else 0.0
