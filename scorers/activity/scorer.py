"""Panoramic activity recognition as a family of metrics: actions, groups and their activities, global activities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schemas.errors import unknown_name
from schemas.manifest import Manifest
from scorers.activity.alignment import align
from scorers.activity.baselines import TRAINING, baselines, write
from scorers.activity.frames import Predictions, Truth, truth_from, with_others
from scorers.activity.protocols import PROTOCOLS, evaluate, values_of
from scorers.activity.reasons import null_reasons, reason
from scorers.options import Options
from scorers.scorer import Aligned, Evaluation, Named, Scorer
from scorers.uncertainty import Floats


class ActivityScorer(Scorer[Truth, Predictions, Named]):
    """Scores of predicted activities in percent; one cluster per sequence."""

    kind = "activities"
    columns = frozenset({"persons", "global_activities"})
    protocols = tuple(PROTOCOLS)
    side_by_side = tuple(PROTOCOLS)
    # Sums over sequences round differently from one to another protocol.
    slack = 1e-10
    clusters = "sequence"
    primary = "F_a"
    layout: Mapping[str, tuple[str, ...]] = {
        "individual": ("P_i", "R_i", "F_i"),
        "social": ("P_p", "R_p", "F_p"),
        "global": ("P_g", "R_g", "F_g"),
        "overall": ("", "", "F_a"),
        "groups": ("group_P", "group_R", "group_F"),
        "IOU@AUC": ("", "", "IOU@AUC"),
        "Mat.IoU": ("", "", "Mat.IoU"),
    }

    def metrics(self, names: Sequence[str], truth: Truth, protocol: str) -> Sequence[Named]:
        known = {name.casefold(): name for row in self.layout.values() for name in row if name}
        for name in names:
            if name.strip().casefold() not in known:
                raise unknown_name("metric", name, list(known.values()))
        return [Named(known[name.strip().casefold()]) for name in names] or [Named(name) for name in known.values()]

    def truth(self, manifest: Manifest, split: str, options: Options) -> Truth:
        card, rows = manifest.card, manifest.table(split)
        classes = {each.name: len(each.labels) for each in card.label_lists} if card else {}
        others = {other: manifest.table(other) for other in manifest.splits if other != split}
        ledger = None if manifest.path.is_file() else manifest.ledger()
        truth = with_others(truth_from(rows, str(manifest.path), classes), others, ledger)
        published = card.published if card else {}
        return replace(truth, rows=rows, training=others.get(TRAINING), published=published)

    def numbered_clusters(self, truth: Truth) -> NDArray[np.int64]:
        return np.arange(len(truth.sequences))

    def read(self, source: object, truth: Truth, metrics: Sequence[Named], options: Options) -> Aligned[Predictions]:
        return align(source, truth, options.get("label_thresholds"))

    def evaluate(self, truth: Truth, predictions: Predictions, metrics: Sequence[Named], protocol: str) -> Evaluation:
        found = evaluate(truth, predictions, [protocol])[protocol]
        names, columns = list(found.sums), np.stack(list(found.sums.values()), axis=1)

        def weighted(weights: Floats) -> list[float]:
            totals = dict(zip(names, (weights @ columns).tolist(), strict=True))
            values = values_of(PROTOCOLS[protocol], totals)
            return [100 * values[str(metric)] for metric in metrics]

        warnings = []
        for without, cause in null_reasons(found):
            wanted = [str(metric) for metric in metrics if str(metric) in without]
            if wanted:
                strict = evaluate(truth, predictions, ["strict"])["strict"].values
                instead = ", ".join(
                    f"{name} {100 * strict[name]:.2f} %" for name in wanted if strict[name] == strict[name]
                )
                verb = "have" if len(wanted) > 1 else "has"
                warnings.append(
                    f"{', '.join(wanted)} {verb} no value: {cause}" + (f"; strict: {instead}" if instead else "")
                )
        values = {metric: 100 * found.values[str(metric)] for metric in metrics}
        return Evaluation(values, lambda: weighted, warnings, detail=found.totals)

    def baselines(self, truth: Truth) -> Mapping[str, Predictions]:
        return baselines(truth)

    def write(self, out: Path, truth: Truth, predictions: Predictions) -> int:
        write(out, truth, predictions)
        return truth.frames

    def reason(self, metric: Named, evaluations: Mapping[str, Evaluation], differing: Sequence[Named]) -> str:
        totals = {name: evaluation.detail for name, evaluation in evaluations.items()}
        return reason(str(metric), totals, [str(other) for other in differing])

    def remarks(self, truth: Truth, baselines: Mapping[str, Mapping[str, float | None]]) -> Sequence[str]:
        """How far the same labels for everybody get."""
        reached = {name: next(iter(baselines.values()), {}).get(name) for name in ("F_i", "F_g")}
        if None in reached.values():
            return ()
        same = " and ".join(f"{name} {value:.1f} %" for name, value in reached.items())
        published = " and ".join(f"{name} {truth.published[name]}" for name in reached if name in truth.published)
        known = f"; published are {published}" if published else ""
        return (f"the same labels for everybody give {same}{known}: read both beside the baselines",)


SCORER = ActivityScorer()
