"""Temporal localisation as a family of metrics: spans of videos that answer a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.cards import Kind
from schemas.errors import counted
from schemas.manifest import Manifest
from scorers.declarations import OptionError
from scorers.names import DISREGARDED
from scorers.options import Options
from scorers.resampling import Ratio
from scorers.scorer import Aligned, Evaluation, Scorer
from scorers.table_files import write_table
from scorers.temporal.alignment import aligned, by_sample
from scorers.temporal.baselines import baseline_spans
from scorers.temporal.expressions import DEFAULT_METRICS, Metric, parse_metric
from scorers.temporal.formats import read_predictions
from scorers.temporal.metrics import evaluate, prediction_counts
from scorers.temporal.protocols import FACTORS, FARTHEST_IN_MEAN, PROTOCOLS, factors_of
from scorers.temporal.spans import SpanMeasures, Spans
from scorers.temporal.table import Predictions
from scorers.temporal.truth import Truth, read_truth


class SpanScorer(Scorer[Truth, Spans, Metric]):
    """Scores of predicted spans; one cluster per video, as several rows may be of one video."""

    kind = "spans"
    columns = frozenset({"start_s", "end_s"})
    protocols = tuple(PROTOCOLS)
    side_by_side = tuple(PROTOCOLS)
    clusters = "video"
    answer = "rows with a start and an end"
    kinds: Mapping[str, Kind] = dict.fromkeys(
        ("null=miss", "cap=none", "reversed=miss", "union=defined", "protocol=strict"), "repair"
    )
    words: Mapping[str, str] = {
        "R": "share of rows where the best-ranked prediction (of R5, one of the best five) is that good",
        "iou": "intersection over union of the spans",
        "td": "temporal distance, |start difference| + |end difference| in s",
        "mIoU": "mean iou",
        "mTD": "mean td",
        "onset": "share of rows whose predicted start is at most so many s from the true one",
        "scored": "rows with a prediction",
        "ok": "predictions that do not end before they start",
        "reversed": "predictions that end before they start",
        "missing": "rows without a prediction",
        "similar_names": f"predictions matched by names that differ in {DISREGARDED}",
        "left_out": "predictions of rows that the split lacks",
        "unknown": "predictions that name no row, left out",
        "paper": "the authors' evaluator, quirks included: td is the true end where nothing is predicted, and in mTD "
        "above 10,000 s",
        "strict": "what is missing or reversed misses everywhere and is left out of mTD",
        "null=miss": "a row without a prediction misses by td too, and is left out of mTD",
        "null=truth_end": "td of a row without a prediction is the true end, which hits where the clip is short",
        "cap=none": "mTD takes distances above 10,000 s as they are",
        "cap=10000": "mTD takes the true end for a distance above 10,000 s",
        "reversed=miss": "a prediction that ends before it starts misses",
        "reversed=as_is": "a prediction that ends before it starts is computed as it is",
        "union=defined": "iou is 0 or 1 where truth and prediction are points",
        "union=undefined": "iou has no value where truth and prediction are points",
        "compare=exclusive": "a distance or iou equal to its threshold does not count",
        "truth=any": "any annotator's onset counts, not the earliest alone",
        "random": "whole seconds from 0 to 34, seed 42, as in the paper",
        "random-paper": "the same, drawn anew for each metric and threshold as in the authors' code",
        "human": "the held-out annotator, or one of five who annotated again",
        "predict-all": "the whole video",
        "middle": "its middle half",
        "missing:as the authors": "iou 0, td the true end, onset missed",
        "missing:wrong": "a miss everywhere, left out of mTD",
    }

    def metrics(self, names: Sequence[str], truth: Truth, protocol: str) -> Sequence[Metric]:
        return [parse_metric(name) for name in names] or DEFAULT_METRICS

    def truth(self, manifest: Manifest, split: str, options: Options) -> Truth:
        return read_truth(manifest, split, options.get("truth") or "start")

    def numbered_clusters(self, truth: Truth) -> NDArray[np.int64]:
        return truth.clusters

    def carried(self, source: object, truth: Truth, options: Options) -> Predictions:
        return by_sample(read_predictions(source, options.get("input_format"), truth.names), truth)

    def read(self, source: object, truth: Truth, metrics: Sequence[Metric], options: Options) -> Aligned[Spans]:
        predictions = (
            source
            if isinstance(source, Predictions)
            else read_predictions(source, options.get("input_format"), truth.names)
        )
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
            (predictions.best, found.measures.td),
        )

    def names(self, truth: Truth) -> pa.Array:
        return truth.names

    def answered(self, truth: Truth, predictions: Spans) -> NDArray[np.bool_]:
        start, end = predictions.best
        return ~(np.isnan(start) | np.isnan(end))

    def only(self, truth: Truth, predictions: Spans, rows: NDArray[np.bool_]) -> tuple[Truth, Spans]:
        return truth.only(rows), Spans(*(times[rows] for times in predictions))

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
        return "as the authors" if factors_of(protocol).null == "truth_end" else "wrong"

    def protocol(self, text: str) -> str:
        factors_of(text)
        return text

    def alternatives(self, truth: Truth, protocol: str) -> dict[str, dict[str, str]]:
        """The other values of each factor, the named protocols, other annotations."""
        now = factors_of(protocol)
        changes = [
            f"{factor}={value}" for factor in FACTORS for value in FACTORS[factor] if value != getattr(now, factor)
        ]
        found = {change: {"protocol": f"{protocol},{change}"} for change in changes}
        found |= {f"protocol={name}": {"protocol": name} for name, factors in PROTOCOLS.items() if factors != now}
        others = {"onsets_s", "reannotated"} & set(truth.table.column_names)
        return found | ({"truth=any": {"truth": "any"}} if others else {})

    def reason(self, metric: Metric, evaluations: Mapping[str, Evaluation], differing: Sequence[Metric]) -> str:
        """How many rows make the values differ, by what is odd about them."""
        paper, strict = (
            dict(zip(found.values, found.statistics(), strict=True))[metric]  # type: ignore[arg-type]
            for found in (evaluations["paper"], evaluations["strict"])
        )
        best, td = evaluations["paper"].detail
        left, counts = _unlike(paper, strict), []
        for odd, cause in (
            (np.isnan(best.start) | np.isnan(best.end), "without a prediction"),
            (best.start > best.end, "with a prediction that ends before it starts"),
            (td > FARTHEST_IN_MEAN, f"with temporal distance above {FARTHEST_IN_MEAN:,.0f} s"),
            (left, "with such a prediction at a later rank" if metric.rank > 1 else "whose union with the truth is 0"),
        ):
            count = int(np.count_nonzero(odd & left))
            counts += [f"{counted(count, 'rows')} {cause}"] if count else []
            left = left & ~odd
        return "; ".join(counts)


def _unlike(one: Ratio, other: Ratio) -> NDArray[np.bool_]:
    """Rows that two ratios count differently."""
    sums = [(ratio.numerator, np.True_ if ratio.denominator is None else ratio.denominator) for ratio in (one, other)]
    unlike: NDArray[np.bool_] = np.zeros(len(one.numerator), np.bool_)
    for ours, theirs in zip(*sums, strict=True):
        unlike |= (ours != theirs) & ~(np.isnan(ours) & np.isnan(theirs))
    return unlike


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
