"""Score and compare predicted spans on a temporal manifest."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.cli.score_tables import show_score as show_score
from benchwright.request import Request
from schemas.exchange import new_file
from schemas.manifest import Manifest, check_rows
from scorers.score import Bootstrap, Comparison, Difference, Line, Score, Value, line_of, signature, value_or_null
from scorers.temporal.alignment import Rows, Run, read_rows, read_run
from scorers.temporal.baseline_files import TRIVIAL, baseline_spans
from scorers.temporal.expressions import DEFAULT_METRICS, Metric, parse_metric
from scorers.temporal.metrics import PROTOCOLS, Evaluation, differences, evaluate, prediction_counts
from scorers.uncertainty import COMPARISON_RESAMPLES, RESAMPLES, Interval, comparisons, intervals


def score(
    rows: Rows,
    run: Run,
    *,
    protocol: str = "paper",
    metrics: Sequence[Metric] = DEFAULT_METRICS,
    bootstrap: Bootstrap | None = None,
    options: dict[str, str] | None = None,
) -> tuple[Score, Evaluation]:
    """Score one run, with intervals if `bootstrap` is given, and the trivial baselines beside it.

    Raises:
        UsageError: unknown protocol; a metric that cannot be computed.
    """
    evaluation = evaluate(rows.truth, run.start, run.end, metrics, protocol)
    by_protocol = {
        name: evaluate(rows.truth, run.start, run.end, metrics, name) for name in PROTOCOLS if name != protocol
    }
    by_protocol[protocol] = evaluation
    found = _intervals(evaluation, rows, bootstrap)
    values = {
        str(metric): Value(value_or_null(ratio.value), *_ends(found[metric]), metric.unit)
        for metric, ratio in evaluation.ratios.items()
    }
    counts = _counts(run, len(rows))
    differing = [
        Difference(str(difference.metric), value_or_null(difference.paper), value_or_null(difference.strict))
        for difference in differences(by_protocol["paper"], by_protocol["strict"])
    ]
    identity = msgspec.structs.replace(rows.manifest.identity, tool_version=version("benchwright"))
    line = signature(
        values,
        counts,
        identity,
        rows.split,
        protocol,
        "as the authors" if protocol == "paper" else "wrong",
        bootstrap,
        options or {},
    )
    trivial = _trivial_values(rows, metrics, protocol)
    warnings = [*run.warnings, *evaluation.warnings]
    return Score(values, counts, protocol, trivial, differing, warnings, line), evaluation


def write_rows(path: Path, rows: Rows, run: Run, evaluation: Evaluation) -> None:
    """Per-row results as Parquet: names, truth, best prediction, IoU, temporal and onset distance."""
    start, end = (times if times.ndim == 1 else times[:, 0] for times in (run.start, run.end))
    columns = {"truth_start_s": rows.truth.start, "truth_end_s": rows.truth.end, "start_s": start, "end_s": end}
    columns |= {"iou": evaluation.rows.iou, "td_s": evaluation.rows.td, "onset_distance_s": evaluation.rows.onset}
    arrays = {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    with new_file(path) as draft:
        pq.write_table(pa.table({"sample_id": rows.names, "video": rows.videos} | arrays), draft, compression="zstd")


def _counts(run: Run, rows: int) -> dict[str, int]:
    start, end = (times if times.ndim == 1 else times[:, 0] for times in (run.start, run.end))
    statuses = prediction_counts(start, end)
    return {"rows": rows, "scored": rows - statuses["missing"], **statuses, "unknown": run.unknown}


def _ends(interval: Interval) -> tuple[float | None, float | None]:
    return value_or_null(interval.low), value_or_null(interval.high)


def _intervals(evaluation: Evaluation, rows: Rows, bootstrap: Bootstrap | None) -> dict[Metric, Interval]:
    metrics = list(evaluation.ratios)
    if bootstrap is None:
        return dict.fromkeys(metrics, Interval(float("nan"), float("nan")))
    statistics = list(evaluation.ratios.values())
    found = intervals(statistics, rows.clusters, resamples=bootstrap.resamples, seed=bootstrap.seed)
    return dict(zip(metrics, found, strict=True))


def _trivial_values(rows: Rows, metrics: Sequence[Metric], protocol: str) -> dict[str, dict[str, float | None]]:
    values = {}
    for kind in TRIVIAL:
        if kind == "random" or not np.isnan(rows.duration).any():
            spans = baseline_spans(kind, rows)
            ratios = evaluate(rows.truth, spans.start, spans.end, metrics, protocol).ratios
            values[kind] = {str(metric): value_or_null(ratio.value) for metric, ratio in ratios.items()}
    return values


def compare_runs(
    rows: Rows, a: Run, b: Run, metrics: Sequence[Metric], protocol: str, resamples: int, seed: int
) -> dict[str, Line]:
    """Paired comparison, metric by metric, by bootstrap over videos (`scorers.uncertainty.comparisons`)."""
    first, second = (evaluate(rows.truth, run.start, run.end, metrics, protocol).ratios for run in (a, b))
    found = comparisons(list(first.values()), list(second.values()), rows.clusters, resamples=resamples, seed=seed)
    return {
        str(metric): line_of(first[metric].value, second[metric].value, line, metric.unit)
        for metric, line in zip(first, found, strict=True)
    }


def metrics_named(texts: Sequence[str]) -> Sequence[Metric]:
    """The temporal metrics that a person named, the paper's if none."""
    return [parse_metric(text) for text in texts] if texts else DEFAULT_METRICS


def score_file(manifest: Manifest, path: Path, request: Request) -> Score:
    """Score a file of predicted spans as the verb `score` does.

    Raises:
        UsageError, InputError: see `read_rows`, `read_run` and `score`.
    """
    rows = read_rows(manifest, request.split, request.truth or "start")
    check_rows(manifest, rows.split)
    wanted = metrics_named(request.metrics)
    run = read_run(path, rows, request.form, max(metric.rank for metric in wanted))
    count = RESAMPLES if request.resamples is None else request.resamples
    bootstrap = Bootstrap("video", count, request.seed) if count else None
    options = {"truth": request.truth} if request.truth else {}
    protocol = request.protocol or "paper"
    result, evaluation = score(rows, run, protocol=protocol, metrics=wanted, bootstrap=bootstrap, options=options)
    if request.rows is not None:
        write_rows(request.rows, rows, run, evaluation)
    return result


def compare_files(manifest: Manifest, paths: tuple[Path, Path], request: Request) -> Comparison:
    """Compare two files of predicted spans as the verb `compare` does. Errors as in `score_file`."""
    rows = read_rows(manifest, request.split, request.truth or "start")
    check_rows(manifest, rows.split)
    wanted, protocol = metrics_named(request.metrics), request.protocol or "paper"
    a, b = (read_run(path, rows, request.form, max(metric.rank for metric in wanted)) for path in paths)
    count = COMPARISON_RESAMPLES if request.resamples is None else request.resamples
    lines = compare_runs(rows, a, b, wanted, protocol, count, request.seed)
    warnings = [f"{path}: {warning}" for path, run in zip(paths, (a, b), strict=True) for warning in run.warnings]
    method = f"paired bootstrap over videos, {count:,} resamples, seed {request.seed}"
    return Comparison(lines, warnings, protocol, method)
