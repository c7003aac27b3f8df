"""What a monitor is worth under a protocol, and why some of it has no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schemas.errors import counted
from scorers.detection.boxes import Boxes, Detections, Floats
from scorers.monitoring.judgement import judge
from scorers.monitoring.metrics import TOLERANCES, Metric, values_of
from scorers.resampling import Sums
from scorers.scorer import Evaluation


@dataclass(frozen=True, eq=False)
class Setup:
    """What a monitor sees.

    Attributes:
        person: the class of persons in the truth.
        persons: detected persons, whose errors are to be found.
        parts: detected body parts, all classes alike; in Baseline the persons of the second detector.
    """

    person: str
    persons: Detections
    parts: Detections


def evaluate(
    truth: Boxes,
    setup: Setup,
    images: int,
    metrics: Sequence[Metric],
    protocol: str,
    ignored: Boxes | None = None,
) -> Evaluation:
    """The metrics of one monitor.

    Args:
        truth: the true persons, crowds among them.
        setup: detected persons and parts, cut at their score thresholds.
        images: how many images there are, those without any box included.
        metrics: what to compute.
        protocol: `paper` does what the authors' code does, `strict` what a careful reader would expect; they differ in
            matching, boxes without area, the area that declares misses (`judgement`) and quotients of nothing
            (`metrics`).
        ignored: true persons that are neither to be found nor false where they are.
    """
    sweep = sorted({metric.tolerance for metric in metrics if metric.tolerance is not None}) or TOLERANCES[:1]
    counts = judge(truth, setup.persons, setup.parts, images, protocol, np.array(sweep), ignored)
    places = {None: 0} | {tolerance: place for place, tolerance in enumerate(sweep)}

    columns = np.column_stack([*counts.values(), np.ones(images)])
    ends = np.cumsum([table.shape[1] for table in counts.values()])

    def values_at(totals: Floats, protocol: str) -> dict[str, Floats]:
        *sums, drawn = np.split(totals, ends, axis=1)
        return values_of(dict(zip(counts, sums, strict=True)), drawn, protocol)

    def computed(totals: Floats) -> Floats:
        values = values_at(totals, protocol)
        return np.stack([values[metric.name][:, places[metric.tolerance]] for metric in metrics], axis=1)

    totals = columns.sum(axis=0, keepdims=True)
    warnings = [
        *_empty(truth, setup, images),
        *([f"{counted(len(ignored), 'ignored persons', 'are')} neither a match nor a miss"] if ignored else ()),
        *(_undefined(values_at(totals, "strict"), metrics, protocol, sweep) if images else ()),
    ]
    values = dict(zip(metrics, computed(totals)[0].tolist(), strict=True))
    return Evaluation(values, lambda: Sums(columns, computed), warnings, detail=(counts, places))


def _empty(truth: Boxes, setup: Setup, images: int) -> list[str]:
    consequences = (
        (images, "there are no images"),
        (len(truth), "there are no true persons: every detected person is a false positive"),
        (len(setup.persons), "there are no detected persons: every part declares a miss"),
        (len(setup.parts), "there are no parts: every detected person is declared false, and no miss is declared"),
    )
    return [consequence for amount, consequence in consequences if not amount]


def _undefined(
    strict: Mapping[str, Floats], metrics: Sequence[Metric], protocol: str, tolerances: Sequence[float]
) -> list[str]:
    """A sentence for each metric that is a quotient of nothing; `strict` gives null, `paper` the authors' 0."""
    found, asked = [], {metric.name for metric in metrics}
    for error in ("FP", "FN"):
        for name, reason in (
            ("precision", f"no image is declared to have an {error}"),
            ("recall", f"no image has an {error}"),
            ("MCC", f"all images or none have an {error}, or are declared to have one"),
        ):
            nulls = np.isnan(strict[f"{name}({error})"][0])
            if nulls.any() and f"{name}({error})" in asked:
                where = ", ".join(f"{tolerance:g}" for tolerance, null in zip(tolerances, nulls, strict=True) if null)
                instead = "; the authors' code gives 0" if protocol == "paper" else ""
                found.append(f"{name}({error}) is undefined at o = {where}: {reason}{instead}")
    return found
