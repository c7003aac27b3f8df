"""Panoramic activity recognition as a family of metrics: actions, groups and their activities, global activities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.cards import Kind
from schemas.errors import unknown_name
from schemas.manifest import Manifest
from schemas.paper import published_of
from scorers.activity.alignment import align
from scorers.activity.baselines import TRAINING, baselines, write
from scorers.activity.formats import holds_tables
from scorers.activity.frames import Predictions, Truth, on_frames, truth_from, with_others
from scorers.activity.protocols import PROTOCOLS, Outcome, evaluate, values_of
from scorers.activity.reasons import causes
from scorers.metric import BOUNDS, Named
from scorers.options import Options
from scorers.resampling import Floats, Sums
from scorers.scorer import Aligned, Evaluation, Scorer

_MEAN = "it is the mean of F_i, F_p and F_g"


class ActivityScorer(Scorer[Truth, Predictions, Named]):
    """Scores of predicted activities in percent; one cluster per sequence."""

    kind = "activities"
    columns = frozenset({"persons", "global_activities"})
    protocols = tuple(PROTOCOLS)
    side_by_side = tuple(PROTOCOLS)
    # Sums over sequences round differently from one to another protocol.
    slack = 1e-10
    clusters = "sequence"
    answer = "key frames of which no person and no label is missing"
    primary = "F_a"
    kinds: Mapping[str, Kind] = {"protocol=strict": "repair"}
    layout: Mapping[str, tuple[str, ...]] = {
        "individual": ("P_i", "R_i", "F_i"),
        "social": ("P_p", "R_p", "F_p"),
        "global": ("P_g", "R_g", "F_g"),
        "overall": ("", "", "F_a"),
        "groups": ("group_P", "group_R", "group_F"),
        "IOU@AUC": ("", "", "IOU@AUC"),
        "Mat.IoU": ("", "", "Mat.IoU"),
    }

    words: Mapping[str, str] = {
        "P": "precision",
        "R": "recall",
        "F": "F1",
        "individual": "actions of persons",
        "_i": "of actions of persons",
        "social": "activities of groups of two or more",
        "_p": "of activities of groups",
        "global": "activities of key frames",
        "_g": "of activities of key frames",
        "overall": "F_a, the mean of the three F above",
        "F_a": "mean of F_i, F_p and F_g",
        "groups": "detection of groups",
        "group_P": "precision of the detection of groups",
        "group_R": "recall of the detection of groups",
        "group_F": "F1 of the detection of groups",
        "IOU@AUC": "area under group_F at the thresholds .5 to 1",
        "Mat.IoU": "pairs of people together on both sides / on either",
        "rows": "key frames",
        "scored": "those of which nothing is missing",
        "persons_missing": "persons without predicted actions",
        "frames_missing": "key frames without predicted activities",
        "true_groups_too_small": "of one person, left out",
        "predicted_groups_too_small": "of one person, left out",
        "paper": "the authors' evaluator, quirks included",
        "description": "the recipe that the benchmark's description states",
        "strict": "groups match one to one; nothing predicted where nothing is true is right",
        "most-frequent": "the most frequent labels for everybody, true groups",
        "alone": "the same labels, no groups",
        "nearest": "the same labels, nearest neighbours in pairs",
        "missing:wrong": "nothing is found",
    }

    def metrics(self, names: Sequence[str], truth: Truth, protocol: str) -> Sequence[Named]:
        known = {name.casefold(): name for row in self.layout.values() for name in row if name}
        for name in names:
            if name.strip().casefold() not in known:
                raise unknown_name("metric", name, list(known.values()))
        asked = [known[name.strip().casefold()] for name in names] or known.values()
        return [Named(name, higher_is_better=True, bounds=BOUNDS["percent"]) for name in asked]

    def truth(self, manifest: Manifest, split: str, options: Options) -> Truth:
        card, rows = manifest.card, manifest.table(split)
        classes = {each.name: len(each.labels) for each in card.label_lists} if card else {}
        others = {other: manifest.table(other) for other in manifest.splits if other != split}
        ledger = manifest.ledger() if manifest.has_ledger else None
        truth = with_others(truth_from(rows, str(manifest.path), classes), others, ledger)
        published = published_of(card) if card else []
        return replace(truth, rows=rows, training=others.get(TRAINING), published=published)

    def numbered_clusters(self, truth: Truth) -> NDArray[np.int64]:
        return np.arange(len(truth.sequences))

    def read(self, source: object, truth: Truth, metrics: Sequence[Named], options: Options) -> Aligned[Predictions]:
        return align(source, truth, options.get("label_thresholds"))

    def is_run(self, folder: Path, truth: Truth) -> bool:
        """A folder that holds tables, one for each task; a folder of folders is one of runs."""
        return holds_tables(folder)

    def names(self, truth: Truth) -> pa.Array:
        return truth.names.slice(0, truth.frames)

    def statistics_rows(self, truth: Truth) -> NDArray[np.int64]:
        return truth.sequence.astype(np.int64)

    def answered(self, truth: Truth, predictions: Predictions) -> NDArray[np.bool_]:
        return np.ones(truth.frames, np.bool_) if predictions.complete is None else predictions.complete

    def only(self, truth: Truth, predictions: Predictions, rows: NDArray[np.bool_]) -> tuple[Truth, Predictions]:
        return on_frames(truth, predictions, rows)

    def evaluate(self, truth: Truth, predictions: Predictions, metrics: Sequence[Named], protocol: str) -> Evaluation:
        found = evaluate(truth, predictions, [protocol])[protocol]
        names, columns = list(found.sums), np.stack(list(found.sums.values()), axis=1)

        def computed(totals: Floats) -> Floats:
            values = [values_of(PROTOCOLS[protocol], dict(zip(names, row, strict=True))) for row in totals.tolist()]
            return 100 * np.array([[each[str(metric)] for metric in metrics] for each in values])

        warnings = []
        asked = [str(metric) for metric in metrics]
        named = [([name for name in asked if name in without], cause) for without, cause in null_reasons(found)]
        reasons = [(wanted, cause) for wanted, cause in named if wanted]
        strict = evaluate(truth, predictions, ["strict"])["strict"].values if reasons else {}
        for wanted, cause in reasons:
            instead = ", ".join(f"{name} {100 * strict[name]:.2f} %" for name in wanted if strict[name] >= 0)
            has = "have" if len(wanted) > 1 else "has"
            strictly = f"; strict: {instead}" if instead else ""
            warnings.append(f"{', '.join(wanted)} {has} no value: {cause}{strictly}")
        values = {metric: 100 * found.values[str(metric)] for metric in metrics}
        return Evaluation(values, lambda: Sums(columns, computed), warnings, detail=found.totals)

    def baselines(self, truth: Truth) -> Mapping[str, Predictions]:
        return baselines(truth)

    def write(self, out: Path, truth: Truth, predictions: Predictions) -> int:
        write(out, truth, predictions)
        return truth.frames

    def reason(self, metric: Named, evaluations: Mapping[str, Evaluation], differing: Sequence[Named]) -> str:
        name, totals = str(metric), {protocol: each.detail for protocol, each in evaluations.items()}
        if name == "F_a":
            parts = [part for part in ("F_i", "F_p", "F_g") if part in map(str, differing)]
            differ = (
                f"and {' and '.join(parts)} {'differ' if parts[1:] else 'differs'}" if parts else "one of which differs"
            )
            return f"{_MEAN}, {differ}"
        return "; ".join(causes(name, totals))

    def remarks(self, truth: Truth, baselines: Mapping[str, Mapping[str, float | None]]) -> Sequence[str]:
        """How far the same labels for everybody get."""
        reached = {name: next(iter(baselines.values()), {}).get(name) for name in ("F_i", "F_g")}
        if None in reached.values():
            return ()
        same = " and ".join(f"{name} {value:.1f} %" for name, value in reached.items())
        printed = {name: [each.scores[name] for each in truth.published if name in each.scores] for name in reached}
        published = " and ".join(
            f"{name} {min(scores, key=float)} to {max(scores, key=float)}" for name, scores in printed.items() if scores
        )
        known = f"; published are {published}" if published else ""
        return (f"the same labels for everybody give {same}{known}: read both beside the baselines",)


def null_reasons(outcome: Outcome) -> list[tuple[tuple[str, ...], str]]:
    """Which metrics have no value, and why."""
    totals = outcome.totals

    def over(total: str, untried: str, empty: str) -> str:
        """Why a quotient over `total` has no value, empty if that has another reason."""
        return untried if math.isnan(totals[total]) else "" if totals[total] else empty

    untried, stops = "no groups were predicted", "where the reference evaluator stops with ZeroDivisionError"
    no_group = f"no group of two or more people is predicted, {stops}"
    no_pair = f"nobody is together with anybody on either side, {stops}"
    causes = (
        (("P_i", "R_i", "F_i"), over("instances_i", "no actions were predicted", "there are no persons")),
        (("P_p", "R_p", "F_p"), over("predicted", untried, no_group)),
        (("F_p",), "a match has no label on either side, where the reference evaluator gets 0/0"),
        (("P_g", "R_g", "F_g"), over("instances_g", "no global activities were predicted", "there are no key frames")),
        (("F_a",), _MEAN),
        (("group_P", "group_R", "group_F", "IOU@AUC"), untried),
        (("Mat.IoU",), over("together_either", untried, no_pair)),
    )
    left = {metric for metric, value in outcome.values.items() if math.isnan(value)}
    found: list[tuple[tuple[str, ...], str]] = []
    for metrics, cause in causes:
        if cause and left.issuperset(metrics):
            found.append((metrics, cause))
            left.difference_update(metrics)
    return found


SCORER = ActivityScorer()
