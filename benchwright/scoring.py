"""Score predicted spans on a temporal manifest."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.baselines import TRIVIAL, baseline_spans
from benchwright.comparing import metrics_named
from benchwright.placing import Rows, Run, read_rows, read_run
from schemas.exchange import new_file
from schemas.manifest import Manifest, check_rows
from scorers.expressions import DEFAULT_METRICS, Metric
from scorers.score import Bootstrap, Difference, Score, Value, signature, value_or_null
from scorers.temporal import PROTOCOLS, Evaluation, differences, evaluate, prediction_counts
from scorers.uncertainty import RESAMPLES, Interval, intervals


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


def score_spans(
    manifest: Manifest,
    path: Path,
    split: str | None,
    truth: str,
    protocol: str,
    metrics: Sequence[str] | None,
    form: str | None,
    resamples: int | None,
    seed: int,
    rows_file: Path | None,
) -> Score:
    """Score a file of predicted spans as the verb `score` does; see there for the arguments.

    Raises:
        UsageError, InputError: see `read_rows`, `read_run` and `score`.
    """
    rows = read_rows(manifest, split, truth)
    check_rows(manifest, rows.split)
    wanted = metrics_named(metrics)
    run = read_run(path, rows, form, max(metric.rank for metric in wanted))
    count = RESAMPLES if resamples is None else resamples
    bootstrap = Bootstrap("video", count, seed) if count else None
    options = {} if truth == "start" else {"truth": truth}
    result, evaluation = score(rows, run, protocol=protocol, metrics=wanted, bootstrap=bootstrap, options=options)
    if rows_file is not None:
        write_rows(rows_file, rows, run, evaluation)
    return result
