"""Checks of predictions of spans, and of how they and the rows beside them are scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check
from schemas.paper import printed_tables
from scorers.scorer import Evaluation
from scorers.task import Task
from scorers.temporal.baselines import baseline_spans, heldout_onsets, human
from scorers.temporal.expressions import parse_metric
from scorers.temporal.spans import Spans


def _value(task: Task, predictions: object, protocol: str = "") -> float:
    """The one metric of a task, 0 where it has no value."""
    return float(np.nan_to_num(task.evaluate(predictions, protocol).values[task.primary]))


def _hits(evaluation: Evaluation) -> NDArray[np.bool_]:
    """Which rows hit, of the one metric of a task, which is a share of hits."""
    ratio = evaluation.statistics()[0]  # type: ignore[index]
    return np.asarray(ratio.numerator, dtype=bool)


@check(
    "constant-system",
    "predictions",
    "spans",
    "Nearly always the same answer: {names}",
    "{count:,} of {of:,} answers of these systems {count:begins|begin} at one time: {detail}.",
    needs=["predictions"],
)
def constant_system(
    context: Context, *, share: float = 0.9, tolerances: Sequence[float] = (1, 0.25)
) -> Evidence | None:
    """At least `share` of the starts of a system are one number, which alone may score as well."""
    task = context.task_of([f"onset(<={each:g})" for each in tolerances])
    systems: dict[str, dict[str, Any]] = {}
    rows: list[str] = []
    for name, spans in context.predicted.items():
        counts = spans["start_s"].value_counts()
        if len(spans) and counts.iloc[0] >= share * len(spans):
            start = float(counts.index[0])
            same = np.full(len(task.truth), start)
            constant = Spans(same, np.fmax(task.truth.duration, same))
            own: dict[str, Any] = {"start": start, "count": int(counts.iloc[0]), "of": len(spans)}
            scores = [task.evaluate(each).values for each in (context.read[name].predictions, constant)]
            own |= {"values": {str(metric): [float(each[metric]) for each in scores] for metric in task.metrics}}
            systems[name] = own
            rows += [f"{name}: {row}" for row in spans["sample_id"][spans["start_s"] == start]]
    detail = "; ".join(f"{name} {_beside(each)}" for name, each in systems.items())
    numbers = {"count": len(rows), "of": sum(each["of"] for each in systems.values()), "systems": systems}
    return Evidence({**numbers, "names": ", ".join(systems), "detail": detail}, rows) if systems else None


def _beside(own: dict[str, Any]) -> str:
    """A constant system in words, beside what its time alone scores."""
    scores = [f"{value:.2f} % ({alone:.2f} %) at {metric}" for metric, (value, alone) in own["values"].items()]
    return "at {start:g} s in {count:,} of {of:,}, with (that time alone) ".format(**own) + ", ".join(scores)


@check(
    "beyond-clip",
    "predictions",
    "spans",
    "{count:,} {count:answer begins after its|answers begin after their} video ends",
    "{count:,} of {of:,} answers {count:begins|begin} after the end of the video: {detail}.",
    needs=["predictions"],
)
def beyond_clip(context: Context) -> Evidence | None:
    """Start above the duration."""
    beyond = {
        name: spans["sample_id"][spans["start_s"] > spans["duration_s"]].tolist()
        for name, spans in context.predicted.items()
    }
    rows = [f"{name}: {sample}" for name, samples in beyond.items() for sample in samples]
    systems = {name: len(samples) for name, samples in beyond.items() if samples}
    numbers = {"count": len(rows), "of": sum(map(len, context.predicted.values())), "systems": systems}
    detail = ", ".join(f"{name} {count:,}" for name, count in systems.items())
    return Evidence({**numbers, "detail": detail}, rows) if rows else None


@check(
    "null-hits",
    "protocol",
    "spans",
    "{count:,} of {of:,} rows without an answer {count:counts as a hit|count as hits} at {metric}",
    "{count:,} of {of:,} rows without an answer {count:is a hit|are hits} at {metric} under {protocol}: {detail}. "
    "Under {protocol},null=miss {count:it is|they are} none.",
    needs=["predictions"],
)
def null_hits(context: Context, *, seconds: float = 5) -> Evidence | None:
    """Hits that the factor `null=miss` of the protocol takes away, where a system has any."""
    task = context.task_of([f"R1(td<={seconds:g})"])
    rows, of, systems = [], 0, {}
    for name, run in context.read.items():
        ways = [task.evaluate(run.predictions, f"{task.protocol}{factor}") for factor in ("", ",null=miss")]
        lost = np.flatnonzero(_hits(ways[0]) & ~_hits(ways[1]))
        silent = int((~task.scorer.answered(task.truth, run.predictions)).sum())
        of += silent
        if len(lost):
            values = [float(way.values[task.primary]) for way in ways]
            systems[name] = {"hits": len(lost), "silent": silent, "value": values[0], "without": values[1]}
            rows += [f"{name}: {sample}" for sample in task.truth.names.take(lost).to_pylist()]
    told = "{0} {hits:,} of {silent:,} ({value:.2f} %, without {without:.2f} %)"
    detail = ", ".join(told.format(name, **each) for name, each in systems.items())
    numbers = {"count": len(rows), "of": of, "metric": str(task.primary), "protocol": task.protocol}
    numbers |= {"systems": systems, "detail": detail}
    return Evidence(numbers, rows, parameter="null", alternative="miss") if rows else None


@check(
    "literal-minus-one",
    "protocol",
    "spans",
    "A held-out annotator who saw nothing counts as a hit in {count:,} {count:row|rows}",
    "In {of:,} {of:row|rows} the held-out annotator saw no failure, written as -1 s. Read as a time, it is a hit at "
    "{metric} in {count:,} of them: {value:.2f} % instead of {without:.2f} %.",
    columns=["heldout_onset_s", "heldout_saw_failure"],
)
def literal_minus_one(context: Context, *, tolerance: float = 1) -> Evidence | None:
    """The human baseline under `paper` against `strict`."""
    task = context.task_of([f"onset(<={tolerance:g})"])
    silent = (context.frame["heldout_saw_failure"] == False).to_numpy(bool)  # noqa: E712 (neither true nor null)
    if not silent.any() or task.empty:
        return None
    held, end = heldout_onsets(task.truth), task.truth.spans.end
    ways = [task.evaluate(human(held, end, name), name) for name in ("paper", "strict")]
    lost = np.flatnonzero(_hits(ways[0]) & ~_hits(ways[1]))
    value, without = (float(way.values[task.primary]) for way in ways)
    numbers = {"count": len(lost), "of": int(silent.sum()), "metric": str(task.primary)}
    numbers |= {"value": value, "without": without}
    return Evidence(numbers, task.truth.names.take(lost).to_pylist()) if len(lost) else None


@check(
    "generous-row",
    "protocol",
    "spans",
    "A row of the paper is scored by another truth than the others: {name}",
    "The row {name} of Table {table} counts the onset of any annotator as right, the others that of the span alone: "
    "{value:.2f} % at {metric} instead of {without:.2f} %.",
    needs=["published"],
    columns=["onsets_s"],
)
def generous_row(context: Context) -> Evidence | None:
    """A printed row with the truth `any`, which is recomputed from a baseline."""
    own = context.manifest.identity.name
    for table in printed_tables().tables:
        for row in table.rows:
            if row.benchmark == own and row.truth == "any" and row.baseline:
                ways = [context.task_of(table.columns[:1], truth=truth) for truth in ("any", "start")]
                guess = baseline_spans(row.baseline, ways[1].truth, metrics=[parse_metric(table.columns[0])])
                value, without = (_value(way, guess) for way in ways)
                numbers = {"count": len(ways[1].truth), "of": len(ways[1].truth), "name": row.name}
                numbers |= {"table": table.number, "metric": table.columns[0], "value": value, "without": without}
                return Evidence(numbers, ways[1].truth.names.to_pylist(), parameter="truth", alternative="any")
    return None
