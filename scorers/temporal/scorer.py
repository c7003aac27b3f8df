"""Temporal localisation as a family of metrics: spans of videos that answer a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.manifest import Manifest
from scorers.declarations import OptionError
from scorers.options import Options
from scorers.scorer import Aligned, Evaluation, Scorer
from scorers.table_files import write_table
from scorers.temporal.alignment import aligned
from scorers.temporal.baselines import baseline_spans
from scorers.temporal.expressions import DEFAULT_METRICS, Metric, parse_metric
from scorers.temporal.formats import read_predictions
from scorers.temporal.metrics import PROTOCOLS, SpanMeasures, Spans, evaluate, prediction_counts
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
        predictions = read_predictions(source, options.get("input_format"), truth.names)
        found = aligned(predictions, truth, max(metric.rank for metric in metrics))
        chosen = options.get("truth")
        return replace(found, settings={"truth": chosen}) if chosen else found

    def evaluate(self, truth: Truth, predictions: Spans, metrics: Sequence[Metric], protocol: str) -> Evaluation:
        found = evaluate(truth.spans, predictions.start, predictions.end, metrics, protocol)
        return Evaluation(
            {metric: ratio.value for metric, ratio in found.ratios.items()},
            lambda: list(found.ratios.values()),
            found.warnings,
            lambda: _samples(truth, predictions.best, found.measures),
        )

    def baselines(self, truth: Truth) -> Mapping[str, Spans]:
        """`random`; those that look at the durations of the videos only where all are known."""
        kinds = ("random",) if np.isnan(truth.duration).any() else ("random", "predict-all", "middle")
        return {kind: baseline_spans(kind, truth) for kind in kinds}

    def baseline(self, kind: str, truth: Truth, metrics: Sequence[Metric], options: Options) -> Spans:
        annotator: int | None = options.get("annotator")  # type: ignore[assignment]
        if annotator is not None and (kind != "human" or "reannotated" not in truth.table.column_names):
            raise OptionError("annotator", f"={annotator}: for the baseline human on a re-annotated benchmark alone")
        if metrics and kind != "random-paper":
            raise OptionError("metrics", f": for the baseline random-paper alone; {kind} does not depend on them")
        return baseline_spans(kind, truth, metrics=metrics, annotator=annotator or 1)

    def write(self, out: Path, truth: Truth, predictions: Spans) -> int:
        times = {f"{side}_s": pa.array(values, from_pandas=True) for side, values in predictions._asdict().items()}
        write_table(out, pa.table({"sample_id": truth.names} | times))
        return len(truth) - prediction_counts(*predictions)["missing"]

    def missing(self, protocol: str) -> str:
        return "as the authors" if protocol == "paper" else "wrong"


def _samples(truth: Truth, best: Spans, measures: SpanMeasures) -> pa.Table:
    """Name, truth, best prediction, IoU, temporal and onset distance of every row."""
    columns = {
        "truth_start_s": truth.spans.start,
        "truth_end_s": truth.spans.end,
        "start_s": best.start,
        "end_s": best.end,
        "iou": measures.iou,
        "td_s": measures.td,
        "onset_distance_s": measures.onset,
    }
    arrays = {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    return pa.table({"sample_id": truth.names, "video": truth.videos} | arrays)


SCORER = SpanScorer()
