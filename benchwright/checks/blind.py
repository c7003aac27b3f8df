"""Checks of guesses that look at no video, against systems, against published scores, or by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check
from benchwright.checks.fitting import Guess, answered, span_share, start_at, start_share
from scorers.metric import Metric, direction
from scorers.resampling import Replicates, replicated
from scorers.score import value_or_null
from scorers.task import Task, at_once
from scorers.uncertainty import comparisons, intervals

STATEMENT = (
    "Whatever the video shows, {guess}, fitted on {on}, reaches {value:.2f} at {metric}{rival}. By all metrics{ahead}: "
    "{detail}."
)


@check("blind-constant", "baseline", "spans", "One answer to all reaches {value:.2f} at {metric}{rival}", STATEMENT)
def blind_constant(context: Context, *, tolerance: float = 1, share: float = 25) -> Evidence | None:
    """Told where it is no worse than the best system, better than the best published row, or hits `share` % alone."""
    if not len(context.frame):
        return None
    if _asks_onsets(context):
        return _against(context, start_at(context.frame, tolerance), f"onset(<={tolerance:g})", share)
    return _against(context, span_share(), "R1(iou>=0.5)", share)


@check("blind-share", "baseline", "spans", "One share of the video reaches {value:.2f} at {metric}{rival}", STATEMENT)
def blind_share(context: Context, *, tolerance: float = 1, share: float = 25) -> Evidence | None:
    """The same with a start at a share of the duration, where onsets are asked for."""
    return (
        _against(context, start_share(tolerance), f"onset(<={tolerance:g})", share) if _asks_onsets(context) else None
    )


@check("blind-span", "baseline", "spans", "One part of each video reaches {value:.2f} at {metric}{rival}", STATEMENT)
def blind_span(context: Context, *, least: float = 0.5, share: float = 50) -> Evidence | None:
    """The same with start and end at shares of the duration, where both spans and onsets are asked for."""
    return _against(context, span_share(), f"R1(iou>={least:g})", share) if _asks_onsets(context) else None


def _asks_onsets(context: Context) -> bool:
    """Whether onsets are among the main metrics of the card, or there is no card."""
    card = context.manifest.card
    metrics = card.audit.metrics if card else []
    return not metrics or any(metric.startswith("onset") for metric in metrics)


def _against(context: Context, guess: Guess, name: str, share: float) -> Evidence | None:
    """The guess beside systems, else beside published rows, by every metric."""
    task = context.task_of([])
    rows = context.frame[context.frame["split"] == task.split]
    needs_durations = "of the video" in guess.words and rows["duration_s"].isna().any()
    if task.empty or needs_durations or name not in map(str, task.metrics):
        return None
    spans, at, on = answered(context, guess, rows)
    own = task.evaluate(spans)
    drawn = [own, *at_once(lambda run: task.evaluate(run.predictions), list(context.read.values()))]
    bootstrap = task.bootstrap(task.scorer.resamples)
    replicates = replicated([each.statistics() for each in drawn], task.clusters, bootstrap.resamples, bootstrap.seed)
    by_metric: dict[str, dict[str, Any]] = {
        str(metric): _compared(context, task, place, metric, replicates) for place, metric in enumerate(task.metrics)
    }
    primary = by_metric[name]
    known = {metric: each for metric, each in by_metric.items() if each["best"] is not None}
    ahead = {metric: each for metric, each in known.items() if (each["difference"] or 0) > 0}
    beaten = (primary["value"] or 0) > 0 and primary["best"] is not None and (primary["difference"] or 0) >= 0
    if not beaten and not (not context.read and primary["value"] >= share):
        return None
    decisive = [metric for metric, each in ahead.items() if (each["low"] or 0) > 0]
    numbers: dict[str, Any] = {**primary, "guess": guess.words.format(*at), "start": at[0], "on": on, "metric": name}
    numbers |= {"leads": len(ahead), "metrics": len(known), "by_metric": by_metric, "at": list(at)}
    told = "; ".join(f"{metric} {_pair(each)}" for metric, each in (known or by_metric).items())
    numbers |= {"rival": _rival(primary), "detail": told}
    numbers |= {"decisive": decisive, "ahead": f", of which it leads {len(ahead):,} of {len(known):,}" if known else ""}
    if decisive:
        numbers["ahead"] += f" ({len(decisive):,} beyond sampling noise: {', '.join(decisive)})"
    return Evidence({"count": len(rows), "of": len(rows), **numbers}, rows["sample_id"].tolist(), bool(decisive))


def _compared(context: Context, task: Task, place: int, metric: Metric, replicates: list[Replicates]) -> dict[str, Any]:
    """The guess by one metric, the best of its rivals, and by how much it is better, with the 95 % interval."""
    sign = -1.0 if direction(metric) is False else 1.0
    guess, *systems = (each.only(place) for each in replicates)
    value, bounds = float(guess.values[0]), [task.bounds[place]]
    least, most, _ = intervals(guess, bounds)[0]
    own = dict(zip(("value", "value_low", "value_high"), map(value_or_null, (value, least, most)), strict=True))
    rivals = dict(zip(context.read, (float(each.values[0]) for each in systems), strict=True))
    rivals = rivals or (_published(context, str(metric)) if task.split == "test" else {})
    rivals = {name: each for name, each in rivals.items() if not np.isnan(each)}
    if not rivals:
        return {**own, **dict.fromkeys(("best", "system", "difference", "low", "high", "p"))}
    system = max(rivals, key=lambda name: sign * rivals[name])
    first, last, p = least - rivals[system], most - rivals[system], float("nan")
    if systems:
        paired = comparisons(systems[list(context.read).index(system)], guess, bounds)[0]
        first, last, p = *paired.interval[:2], paired.p_value
    low, high = sorted((sign * first, sign * last))
    numbers = (rivals[system], sign * (value - rivals[system]), low, high, p)
    names = ("best", "difference", "low", "high", "p")
    return {**own, "system": system, **dict(zip(names, map(value_or_null, numbers), strict=True))}


def _published(context: Context, metric: str) -> dict[str, float]:
    """What is printed of systems by a metric."""
    known = {each.system: each.scores.get(metric, "") for each in context.published}
    return {system: float(score) for system, score in known.items() if _is_number(score)}


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).isdigit()


def _rival(each: dict[str, Any]) -> str:
    if each["best"] is None:
        return ""
    interval = "" if each["low"] is None else f" [{each['low']:+.1f}, {each['high']:+.1f}]"
    return f", {each['system']} {each['best']:.2f} ({each['difference']:+.1f}{interval})"


def _pair(each: dict[str, Any]) -> str:
    value = "-" if each["value"] is None else f"{each['value']:.2f}"
    return value if each["best"] is None else f"{value} against {each['best']:.2f}"
