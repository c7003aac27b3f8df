"""Panoramic activity recognition as a family of metrics: actions, groups and their activities, global activities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import UsageError
from schemas.exchange import refuse_filled
from schemas.manifest import Manifest
from scorers.activity import (
    KINDS,
    METRICS,
    PROTOCOLS,
    THRESHOLDS,
    Elsewhere,
    Predictions,
    Truth,
    baseline,
    elsewhere_of,
    evaluate,
    metric_named,
    predictions_from,
    truth_from,
    write_activities,
)
from scorers.activity.baselines import PUBLISHED
from scorers.activity.evaluation import PRIMARY, null_reasons
from scorers.activity.formats import read_activity_tables
from scorers.activity.protocols import LEAST_MEMBERS
from scorers.activity.reasons import reason
from scorers.options import Options
from scorers.scorer import Aligned, Evaluation, Named, Scorer
from scorers.uncertainty import Floats

TRAINING = "train"


@dataclass(frozen=True, eq=False)
class Task:
    """The key frames of a split, and what else exists."""

    manifest: Manifest
    split: str
    rows: pa.Table
    truth: Truth
    elsewhere: Elsewhere


class ActivityScorer(Scorer[Task, Predictions, Named]):
    """Scores of predicted activities in percent; one cluster per sequence."""

    kind = "activities"
    columns = frozenset({"persons", "global_activities"})
    protocols = tuple(PROTOCOLS)
    side_by_side = tuple(PROTOCOLS)
    slack = 1e-10
    clusters = "sequence"
    primary = PRIMARY
    layout: Mapping[str, tuple[str, ...]] = {
        "individual": ("P_i", "R_i", "F_i"),
        "social": ("P_p", "R_p", "F_p"),
        "global": ("P_g", "R_g", "F_g"),
        "overall": ("", "", "F_a"),
        "groups": ("group_P", "group_R", "group_F"),
        "IOU@AUC": ("", "", "IOU@AUC"),
        "Mat.IoU": ("", "", "Mat.IoU"),
    }

    def metrics(self, names: Sequence[str], truth: Task, protocol: str) -> Sequence[Named]:
        return [Named(name) for name in [metric_named(text) for text in names] or METRICS]

    def truth(self, manifest: Manifest, split: str, options: Options) -> Task:
        rows = manifest.table(split)
        return Task(manifest, split, rows, truth_from(rows, str(manifest.path)), elsewhere_of(manifest, split))

    def numbered_clusters(self, truth: Task) -> NDArray[np.int64]:
        return np.arange(len(truth.truth.sequences))

    def read(self, source: object, truth: Task, metrics: Sequence[Named], options: Options) -> Aligned[Predictions]:
        if not isinstance(source, (str, Path)):
            raise UsageError(f"activities are read from files, found {type(source).__name__}")
        given = options.get("label_thresholds") or {}
        thresholds = {**THRESHOLDS, **given}
        found = predictions_from(read_activity_tables(Path(source)), truth.truth, thresholds, truth.elsewhere)
        unused = [name for name in given if name not in found.scored]
        warnings = [f"the predictions have no scores of {name}: its threshold changes nothing" for name in unused]
        settings = "/".join(f"{thresholds[task]:g}" for task in THRESHOLDS)
        counts = {**found.counts, **_group_counts(truth.truth, found)}
        return Aligned(found, counts, [*found.warnings, *warnings], {"thresholds": settings} if found.scored else {})

    def evaluate(self, truth: Task, predictions: Predictions, metrics: Sequence[Named], protocol: str) -> Evaluation:
        found = evaluate(truth.truth, predictions, [protocol])[protocol]
        names = [str(metric) for metric in metrics]
        warnings = [
            f"{', '.join(wanted)} {'have' if wanted[1:] else 'has'} no value: {cause}"
            for without, cause in null_reasons(found)
            if (wanted := [name for name in without if name in names])
        ]
        functions = found.statistics(names)

        def weighted(weights: Floats) -> list[float]:
            return [100 * function(weights) for function in functions]

        values = {metric: 100 * found.values[str(metric)] for metric in metrics}
        return Evaluation(values, lambda: weighted, warnings, detail=found)

    def baselines(self, truth: Task) -> Mapping[str, Predictions]:
        training = None
        if TRAINING in truth.manifest.splits and truth.split != TRAINING:
            training = truth_from(truth.manifest.table(TRAINING), str(truth.manifest.path))
        return {kind: baseline(kind, truth.rows, truth.truth, training) for kind in KINDS}

    def write(self, out: Path, truth: Task, predictions: Predictions) -> int:
        refuse_filled(out)
        write_activities(out, truth.truth, predictions)
        return truth.truth.frames

    def reason(self, metric: Named, evaluations: Mapping[str, Evaluation], differing: Sequence[Named]) -> str:
        totals = {name: evaluation.detail.totals() for name, evaluation in evaluations.items()}
        return reason(str(metric), totals, [str(other) for other in differing])

    def remarks(self, baselines: Mapping[str, Mapping[str, float | None]]) -> Sequence[str]:
        """How far the same labels for everybody get."""
        reached = [(values.get("F_i"), values.get("F_g")) for values in baselines.values()]
        if not reached or reached[0][0] is None or reached[0][1] is None:
            return ()
        same = f"the same labels for everybody give F_i {reached[0][0]:.1f} % and F_g {reached[0][1]:.1f} %"
        published = f"F_i {PUBLISHED['F_i']} and F_g {PUBLISHED['F_g']}"
        return (f"{same}; published on the test split are {published}: read both beside the baselines",)


def _group_counts(truth: Truth, predictions: Predictions) -> dict[str, int]:
    """How many groups are scored on each side, and how many are too small for that."""
    counts = {}
    for side, groups in (("true", truth.groups), ("predicted", predictions.groups)):
        if groups is not None:
            scored = len(groups.of_at_least(LEAST_MEMBERS))
            counts[f"{side}_groups"] = scored
            if scored < len(groups):
                counts[f"{side}_groups_too_small"] = len(groups) - scored
    return counts


SCORER = ActivityScorer()
