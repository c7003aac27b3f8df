"""Temporal localisation as a family of metrics: spans of videos that answer a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.manifest import Manifest
from scorers.options import Options
from scorers.scorer import Aligned, Evaluation, Scorer
from scorers.temporal.alignment import aligned
from scorers.temporal.baselines import Spans, baseline_spans, middle, predict_all, random_spans
from scorers.temporal.expressions import DEFAULT_METRICS, Metric, parse_metric
from scorers.temporal.formats import read_predictions
from scorers.temporal.metrics import PROTOCOLS, SpanEvaluation, evaluate
from scorers.temporal.table import write_table
from scorers.temporal.truth import Truth, read_truth


class SpanScorer(Scorer[Truth, Spans, Metric]):
    """Scores of predicted spans; one cluster per video, as several rows may be of one video."""

    kind = "spans"
    columns = frozenset({"start_s", "end_s"})
    protocols = tuple(PROTOCOLS)
    side_by_side = tuple(PROTOCOLS)
    clusters = "video"

    def metrics(self, names: Sequence[str], truth: Truth, protocol: str) -> Sequence[Metric]:
        return [parse_metric(name) for name in names] or DEFAULT_METRICS

    def truth(self, manifest: Manifest, split: str, options: Options) -> Truth:
        return read_truth(manifest, split, options.get("truth") or "start")

    def numbered_clusters(self, truth: Truth) -> NDArray[np.int64]:
        return truth.clusters

    def read(self, source: object, truth: Truth, metrics: Sequence[Metric], options: Options) -> Aligned[Spans]:
        predictions = read_predictions(source, options.get("format"), truth.names)
        found = aligned(predictions, truth, max(metric.rank for metric in metrics))
        chosen = options.get("truth")
        return Aligned(found.predictions, found.counts, found.warnings, {"truth": chosen} if chosen else {})

    def evaluate(self, truth: Truth, predictions: Spans, metrics: Sequence[Metric], protocol: str) -> Evaluation:
        found = evaluate(truth.spans, predictions.start, predictions.end, metrics, protocol)
        return Evaluation(
            {metric: ratio.value for metric, ratio in found.ratios.items()},
            lambda: list(found.ratios.values()),
            found.warnings,
            lambda: _samples(truth, predictions, found),
        )

    def baselines(self, truth: Truth) -> Mapping[str, Spans]:
        """`random`; those that look at the durations of the videos only where all are known."""
        random = {"random": random_spans(len(truth))}
        if np.isnan(truth.duration).any():
            return random
        return random | {"predict-all": predict_all(truth.duration), "middle": middle(truth.duration)}

    def baseline(self, kind: str, truth: Truth, metrics: Sequence[Metric], options: Options) -> Spans:
        annotator: int = options.get("annotator", 1)  # type: ignore[assignment]
        return baseline_spans(kind, truth, metrics=metrics, annotator=annotator)

    def write(self, out: Path, truth: Truth, predictions: Spans) -> int:
        write_table(out, truth.names, predictions.start, predictions.end)
        return int(np.count_nonzero(~np.isnan(predictions.start) & ~np.isnan(predictions.end)))

    def missing(self, protocol: str) -> str:
        return "as the authors" if protocol == "paper" else "wrong"


def _samples(truth: Truth, spans: Spans, found: SpanEvaluation) -> pa.Table:
    """Name, truth, best prediction, IoU, temporal and onset distance of every row."""
    start, end = (times if times.ndim == 1 else times[:, 0] for times in spans)
    columns = {"truth_start_s": truth.spans.start, "truth_end_s": truth.spans.end, "start_s": start, "end_s": end}
    columns |= {"iou": found.measures.iou, "td_s": found.measures.td, "onset_distance_s": found.measures.onset}
    arrays = {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    return pa.table({"sample_id": truth.names, "video": truth.videos} | arrays)


SCORER = SpanScorer()
