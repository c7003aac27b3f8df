"""The metrics of a monitor: their names, and their values from sums over images."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from schemas.errors import UsageError, unknown_name
from scorers.detection.boxes import Floats
from scorers.metric import BOUNDS

TOLERANCES = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
"""The sweep of src/experiments.py of the authors' code."""

OBJECTS = ("detected_FP", "rejected_TP", "balance(FP)", "detected_FN", "ghost_parts", "balance(FN)")
IMAGES = tuple(
    f"{name}({error})"
    for error in ("FP", "FN")
    for name in ("images_with", "image_TP", "image_FP", "precision", "recall", "MCC")
)
NAMES = ("D_TP", "D_FP", "D_FN", *OBJECTS, *IMAGES)
"""All metrics; see `judgement.judge` for those that are counted. `(FP)` and `(FN)` say which error is looked for."""

CRITERIA = ("balance(FP)", "balance(FN)", "MCC(FP)", "MCC(FN)")
"""What the tolerance is chosen by, afterwards, for each half of the paper's tables: per object, then per image."""

SLACK = 1e-8
"""What the authors' code adds to the denominators of precision and recall."""

_WITHOUT_TOLERANCE = ("D_TP", "D_FP", "D_FN", "images_with(FP)", "images_with(FN)")
_NAME = re.compile(r"(?P<name>[^\[]+?)\s*(\[o\s*=\s*(?P<tolerance>[\d.eE+-]+)\])?")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric at one tolerance; None where it does not depend on any.

    Raises:
        UsageError: a tolerance that is not from 0 to below 1, at which boxes would agree that lie apart.

    >>> str(Metric("MCC(FP)", 0.1)), str(Metric("D_TP"))
    ('MCC(FP)[o=0.1]', 'D_TP')
    """

    name: str
    tolerance: float | None = None

    def __post_init__(self) -> None:
        if self.tolerance is not None and not 0 <= self.tolerance < 1:
            raise UsageError(f"tolerance {self.tolerance}, expected a number from 0 to below 1")

    def __str__(self) -> str:
        return self.name if self.tolerance is None else f"{self.name}[o={self.tolerance:.15g}]"

    @property
    def unit(self) -> Literal["fraction", "count"]:
        """Precision, recall and MCC are fractions."""
        return "fraction" if self.name.startswith(("precision", "recall", "MCC")) else "count"

    @property
    def higher_is_better(self) -> bool | None:
        """Errors found are, false alarms are not; neither is of counts that the monitor does not change."""
        if self.name in _WITHOUT_TOLERANCE:
            return None
        return not self.name.startswith(("rejected_TP", "ghost_parts", "image_FP"))

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and greatest value: MCC may be negative, as may balances."""
        least = {"MCC": -1.0, "balance": -math.inf}.get(self.name.partition("(")[0], 0.0)
        return least, BOUNDS[self.unit][1]


def parse_metrics(names: Sequence[str]) -> list[Metric]:
    """The metrics of these names, all if there are none; a name without a tolerance means the whole sweep.

    Raises:
        UsageError: no such metric, a tolerance out of range or where none is.

    >>> list(map(str, parse_metrics(["MCC(FP)[o=0.15]", "D_TP"])))
    ['MCC(FP)[o=0.15]', 'D_TP']
    """
    found: list[Metric] = []
    for text in names or NAMES:
        match = _NAME.fullmatch(text.strip())
        name, tolerance = match.group("name", "tolerance") if match else (text, None)
        if name not in NAMES:
            raise unknown_name("metric", text, NAMES)
        if name not in _WITHOUT_TOLERANCE:
            found += [Metric(name, o) for o in (TOLERANCES if tolerance is None else [_number(text, tolerance)])]
        elif tolerance is None:
            found.append(Metric(name))
        else:
            raise UsageError(f"{text}: {name} is the same at every tolerance")
    return list(dict.fromkeys(found))


def values_of(sums: Mapping[str, Floats], images: Floats, protocol: str) -> dict[str, Floats]:
    """Every metric at every tolerance, from sums over images; each has shape (draws, tolerances), or (draws, 1).

    Formulas: balances: detected false positives less rejected true positives, detected misses less ghost parts;
    precision TP / (TP + FP); recall TP / (TP + FN);
    MCC (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).
    Source: `per_object_experiment` and `per_image_experiment` (src/experiments.py of the authors' code), MCC by
    scikit-learn.

    * Protocol `strict`: null where the denominator is 0.
    * Protocol `paper`: precision and recall have 1e-8 added to the denominator, and MCC is 0 where its denominator is,
      as in scikit-learn: all are 0 there. The shares of objects that the authors' code prints too, and stops with
      ZeroDivisionError where there are none, are left out: the counts are defined all the same.
    * Null under both without any image.

    Args:
        sums: of `judgement.judge`, each image counted as often as it is drawn.
        images: how many images are drawn, shape (draws, 1).
        protocol: `paper` or `strict`.
    """
    values = dict(sums)
    values["balance(FP)"] = sums["detected_FP"] - sums["rejected_TP"]
    values["balance(FN)"] = sums["detected_FN"] - sums["ghost_parts"]
    slack, undefined = (SLACK, 0.0) if protocol == "paper" and images.any() else (0.0, np.nan)
    for error in ("FP", "FN"):
        positives = sums[f"images_with({error})"]
        hits, false_alarms = sums[f"image_TP({error})"], sums[f"image_FP({error})"]
        negatives, declarations = images - positives, hits + false_alarms
        above = hits * (negatives - false_alarms) - false_alarms * (positives - hits)
        below = np.sqrt(1.0 * positives * negatives * declarations * (images - declarations))
        values[f"precision({error})"] = _quotient(hits, declarations + slack, undefined)
        values[f"recall({error})"] = _quotient(hits, np.broadcast_to(positives + slack, hits.shape), undefined)
        values[f"MCC({error})"] = _quotient(above, below, undefined)
    return values


def made_of(name: str) -> tuple[str, ...]:
    """The sums that a metric is made of in `values_of`.

    >>> made_of("balance(FN)"), made_of("recall(FP)"), made_of("ghost_parts")
    (('detected_FN', 'ghost_parts'), ('image_TP(FP)', 'images_with(FP)'), ('ghost_parts',))
    """
    measure, _, error = name.partition("(")
    parts = {
        "balance": ("detected_FP", "rejected_TP") if error == "FP)" else ("detected_FN", "ghost_parts"),
        "precision": (f"image_TP({error}", f"image_FP({error}"),
        "recall": (f"image_TP({error}", f"images_with({error}"),
        "MCC": (f"image_TP({error}", f"image_FP({error}", f"images_with({error}"),
    }
    return parts.get(measure, (name,))


def best_tolerances(values: Mapping[Metric, float | None]) -> dict[str, float | None]:
    """The tolerance of the largest value of each of `CRITERIA`, of equals the smallest.

    None where all are null, or all of several are equal: then none is better than another.

    Source: `list.index(max(...))` in src/experiments.py of the authors' code.

    >>> best_tolerances({Metric("MCC(FP)", 0.2): 5.0, Metric("MCC(FP)", 0.1): 5.0, Metric("MCC(FP)", 0.3): 4.0})
    {'balance(FP)': None, 'balance(FN)': None, 'MCC(FP)': 0.1, 'MCC(FN)': None}
    """
    defined = [(metric, value) for metric, value in values.items() if value is not None and not np.isnan(value)]
    ranked = {name: sorted((-value, m.tolerance) for m, value in defined if m.name == name) for name in CRITERIA}
    tied = {name: len(best) > 1 and best[0][0] == best[-1][0] for name, best in ranked.items()}
    return {name: best[0][1] if best and not tied[name] else None for name, best in ranked.items()}


def _number(text: str, tolerance: str) -> float:
    try:
        return float(tolerance)
    except ValueError:
        raise UsageError(f"{text}: expected a tolerance, as in MCC(FP)[o=0.1]") from None


def _quotient(above: Floats, below: Floats, undefined: float) -> Floats:
    quotient: Floats = np.divide(above, below, out=np.full(below.shape, undefined), where=below > 0)
    return quotient
