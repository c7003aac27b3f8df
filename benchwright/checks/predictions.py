"""Checks of predictions of spans: constant systems, answers beyond the video, guesses that beat them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check
from scorers.score import value_or_null
from scorers.task import task_of


def _values(context: Context, metric: str, *protocols: str) -> dict[str, list[float]]:
    """A metric of each system under each protocol, 0 where it has no value."""
    assert context.task is not None
    task = task_of(context.manifest, {"metrics": [metric], "split": context.task.split})
    ways = [task.scorer.protocol(protocol) for protocol in protocols]
    return {
        name: [value_or_null(task.evaluate(run.predictions, way).values[task.primary]) or 0.0 for way in ways]
        for name, run in context.read.items()
    }


@check(
    "constant-system",
    "predictions",
    "spans",
    "Nearly always the same answer: {systems}",
    "{count:,} of {of:,} answers of these systems begin at one time: {detail}.",
    needs=["predictions"],
)
def constant_system(context: Context, *, share: float = 0.9) -> Evidence | None:
    """At least `share` of the starts of a system are one number."""
    found: dict[str, str] = {}
    rows: list[str] = []
    asked = 0
    for name, spans in context.predicted.items():
        counts = spans["start_s"].value_counts()
        if len(spans) and counts.iloc[0] >= share * len(spans):
            found[name] = f"{name} at {counts.index[0]:g} s in {counts.iloc[0]:,} of {len(spans):,}"
            rows += [f"{name}: {row}" for row in spans["sample_id"][spans["start_s"] == counts.index[0]]]
            asked += len(spans)
    numbers = {"count": len(rows), "of": asked, "systems": ", ".join(found), "detail": "; ".join(found.values())}
    return Evidence(numbers, rows) if found else None


@check(
    "beyond-video",
    "predictions",
    "spans",
    "{count:,} answers begin after their video ends",
    "{count:,} of {of:,} answers begin after the end of the video: {detail}.",
    needs=["predictions"],
)
def beyond_video(context: Context) -> Evidence | None:
    """Start above the duration."""
    rows: list[str] = []
    detail = []
    for name, spans in context.predicted.items():
        beyond = spans["sample_id"][spans["start_s"] > spans["duration_s"]]
        rows += [f"{name}: {sample}" for sample in beyond]
        detail += [f"{name} {len(beyond):,}"] if len(beyond) else []
    numbers = {"count": len(rows), "of": sum(map(len, context.predicted.values())), "detail": ", ".join(detail)}
    return Evidence(numbers, rows) if rows else None


@check(
    "null-hits",
    "protocol",
    "spans",
    "{count:,} of {of:,} rows without an answer count as hits at {metric}",
    "{count:,} of {of:,} rows without an answer are hits at {metric} under {protocol}: {detail}. Under "
    "{protocol},null=miss they are none.",
    needs=["predictions"],
)
def null_hits(context: Context, *, metric: str = "R1(td<=5)") -> Evidence | None:
    """Hits that the factor `null=miss` of the protocol takes away, where a system has any."""
    assert context.task is not None
    protocol, rows = context.task.protocol, context.manifest.identity.splits[context.task.split].rows
    detail, lost, of = [], 0, 0
    for name, values in _values(context, metric, protocol, f"{protocol},null=miss").items():
        hits, answered = (round(value / 100 * rows) for value in values)
        silent = rows - int(context.predicted[name]["end_s"].notna().sum())
        lost, of = lost + hits - answered, of + silent
        detail += [f"{name} {hits - answered:,} of {silent:,}"] if hits > answered else []
    numbers = {"count": lost, "of": of, "metric": metric, "protocol": protocol, "detail": ", ".join(detail)}
    return Evidence(numbers, detail, parameter="null", alternative="miss") if lost else None


def fitted(starts: NDArray[np.float64], tolerance: float) -> float:
    """The constant within `tolerance` of which most starts lie: the middle of the fullest window."""
    ordered = np.sort(starts)
    inside = np.searchsorted(ordered, ordered + 2 * tolerance, side="right") - np.arange(len(ordered))
    first = int(np.argmax(inside))
    return float((ordered[first] + ordered[first + inside[first] - 1]) / 2)


@check(
    "blind-constant",
    "baseline",
    "spans",
    "{start:.2f} s, whatever the video, reaches {guess:.2f} % where the best system has {best:.2f} %",
    "The start {start:.2f} s, fitted on {other}, reaches {guess:.2f} % at {metric}; the best system, {system}, has "
    "{best:.2f} %: a difference of {difference:+.1f} [{low:+.1f}, {high:+.1f}].",
    needs=["against", "predictions"],
)
def blind_constant(context: Context, *, tolerance: float = 1) -> Evidence | None:
    """One start for all rows, the end being that of the video, against the best system; told where it is no worse."""
    from scorers.comparison import compare
    from scorers.options import Options

    assert context.task is not None
    assert context.against is not None
    metric, split = f"onset(<={tolerance:g})", context.task.split
    values = _values(context, metric, context.task.protocol)
    system = max(values, key=values.__getitem__)
    start = fitted(context.other["start_s"].to_numpy(float), tolerance)
    rows = context.frame[context.frame["split"] == split]
    guess = rows[["sample_id"]].assign(start_s=start, end_s=rows["duration_s"].clip(lower=start).fillna(start))
    options: Options = {"metrics": [metric], "split": split}
    pair = compare(context.manifest, context.runs[system], guess, options).metrics[metric]
    if pair.a is None or pair.b is None or pair.b < pair.a:
        return None
    numbers: dict[str, Any] = {
        "start": start,
        "guess": pair.b,
        "best": pair.a,
        "difference": pair.difference,
        "low": pair.low,
    }
    numbers |= {"high": pair.high, "metric": metric, "system": system, "other": context.against.identity.name}
    decides = pair.low is not None and pair.low > 0
    return Evidence({"count": len(rows), "of": len(rows), **numbers}, rows["sample_id"].tolist(), decides)
