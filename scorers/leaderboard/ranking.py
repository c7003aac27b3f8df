"""From several runs to a leaderboard: their order, ranks, and which neighbours the data tell apart.

All runs and baselines are resampled with the same clusters, so that the difference of any two is paired.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np

from schemas.manifest import Manifest
from scorers.leaderboard.board import Kind, Leaderboard, Neighbours, Row, labelled
from scorers.leaderboard.sources import Sources, named_runs
from scorers.options import ScoreOptions
from scorers.run import Scored, draws, score_runs, valued
from scorers.score import Score, Value, shared_signature, value_or_null
from scorers.scorer import direction
from scorers.task import Progress, Task, at_once, silent, task_of
from scorers.uncertainty import Floats, p_value, percentiles

LEVEL = 0.05
"""Two neighbours are told apart where the corrected p-value of their difference is below."""


class _Entry(NamedTuple):
    """A row to be: its values, and the primary metric on each resample."""

    name: str
    kind: Kind
    metrics: dict[str, Value]
    value: float
    resampled: Floats
    score: Score | None = None

    @property
    def label(self) -> str:
        return labelled(self.name, self.kind)


def leaderboard(
    manifest: Manifest, runs: Sources, options: ScoreOptions | None = None, *, progress: Progress = silent
) -> Leaderboard:
    """Score several runs and rank them; `runs` as in `named_runs`, errors as in `score_runs`."""
    task = task_of(manifest, options or {})
    sources, notes = runs_of(task, runs)
    return board_of(*score_runs(task, sources, progress), notes)


def runs_of(task: Task, runs: Sources) -> tuple[dict[str, object], list[str]]:
    """The source of each run by its name, and what was made of folders; see `named_runs`."""
    return named_runs(runs, lambda folder: task.scorer.is_run(folder, task.truth))


def board_of(task: Task, scored: Mapping[str, Scored], notes: Sequence[str] = ()) -> Leaderboard:
    """The leaderboard of runs that were scored, with the baselines of their task among them."""
    primary = str(task.primary)
    better = -1.0 if direction(task.primary) is False else 1.0
    entries = sorted(_entries(task, scored), key=lambda entry: _nulls_last(-better * entry.value))
    defined = [entry for entry in entries if not math.isnan(entry.value)]
    neighbours = _neighbours(defined) if task.bootstrap(task.scorer.resamples).resamples else []
    groups = dict(zip((entry.label for entry in defined), _letters(neighbours), strict=True)) if neighbours else {}
    ranks = _ranks([entry for entry in defined if entry.kind == "run"], better)
    rows = [_row(entry, groups.get(entry.label), *ranks.get(entry.label, (None, None, None))) for entry in entries]
    runs = [row for row in rows if row.kind == "run"]
    return Leaderboard(
        rows=rows,
        primary=primary,
        best={str(metric): _best(runs, str(metric), direction(metric)) for metric in task.metrics},
        neighbours=neighbours,
        data=f"{task.manifest.identity.name}/{task.split}",
        scored_rows=runs[0].counts["rows"],
        protocol=task.protocol,
        warnings=[*_shared_warnings(runs), *_doubts(task, primary, neighbours)],
        notes=list(notes),
        signature=shared_signature(primary, [run.score for run in scored.values()]),
    )


def _entries(task: Task, scored: Mapping[str, Scored]) -> Iterator[_Entry]:
    """Runs in the order given, then baselines."""
    place, primary = task.metrics.index(task.primary), str(task.primary)

    def entry(name: str, kind: Kind, metrics: dict[str, Value], drawn: Floats, score: Score | None = None) -> _Entry:
        value = metrics[primary].value
        return _Entry(name, kind, metrics, math.nan if value is None else value, drawn[:, place], score)

    for name, run in scored.items():
        yield entry(name, "run", run.score.metrics, run.resampled, run.score)
    evaluations = task.baselines()
    drawn = at_once(lambda evaluation: draws(task, evaluation), list(evaluations.values()))
    for (name, evaluation), values in zip(evaluations.items(), drawn, strict=True):
        yield entry(name, "baseline", valued(task, evaluation, values), values)


def _row(entry: _Entry, group: str | None, rank: int | None, low: int | None, high: int | None) -> Row:
    score = entry.score
    row = Row(
        name=entry.name,
        kind=entry.kind,
        rank=rank,
        rank_low=low,
        rank_high=high,
        group=group,
        metrics=entry.metrics,
    )
    if score is None:
        return row
    own = {name: getattr(score, name) for name in ("counts", "differences", "warnings", "notes", "tables", "signature")}
    return msgspec.structs.replace(row, **own)


def _nulls_last(number: float) -> tuple[bool, float]:
    return math.isnan(number), number


def _neighbours(entries: Sequence[_Entry]) -> list[Neighbours]:
    """Each entry and the next one, whose p-values are corrected for all of them."""
    found = []
    for above, below in pairwise(entries):
        difference, drawn = above.value - below.value, above.resampled - below.resampled
        found.append((above, below, difference, percentiles(drawn), p_value(difference, drawn)))
    adjusted = holm([p for *_, p in found])
    return [
        Neighbours(
            better=above.label,
            worse=below.label,
            difference=difference,
            low=value_or_null(interval.low),
            high=value_or_null(interval.high),
            p_value=value_or_null(p),
            p_adjusted=value_or_null(corrected),
            told_apart=bool(corrected < LEVEL),
        )
        for (above, below, difference, interval, p), corrected in zip(found, adjusted, strict=True)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number, NaN where one is; they control the chance of a single false rejection.

    Source: Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979), 65-70.

    >>> holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    order = sorted((place for place, p in enumerate(p_values) if not math.isnan(p)), key=p_values.__getitem__)
    corrected, least = [math.nan] * len(p_values), 0.0
    for done, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(order) - done)))
        corrected[place] = least
    return corrected


def _letters(neighbours: Sequence[Neighbours]) -> list[str]:
    """The group of each entry: a new one begins below every pair that is told apart."""
    numbers = np.cumsum([0, *(pair.told_apart for pair in neighbours)]).tolist()
    return [_letter(number) for number in numbers]


def _letter(number: int) -> str:
    """a to z, then aa, ab, ...

    >>> [_letter(number) for number in (0, 25, 26, 27)]
    ['a', 'z', 'aa', 'ab']
    """
    before, last = divmod(number, 26)
    return (_letter(before - 1) if before else "") + chr(ord("a") + last)


def _ranks(runs: Sequence[_Entry], better: float) -> dict[str, tuple[int, int | None, int | None]]:
    """By name the rank, and the best and the worst in 95% of the resamples; equal values share a rank."""
    values = better * np.array([run.value for run in runs])
    ranks = 1 + np.count_nonzero(values > values[:, None], axis=1)
    if not runs or not len(runs[0].resampled):
        return {run.name: (rank, None, None) for run, rank in zip(runs, ranks.tolist(), strict=True)}
    drawn = better * np.stack([run.resampled for run in runs], axis=1)
    drawn[np.isnan(drawn)] = -np.inf
    by_resample = np.stack([1 + np.count_nonzero(drawn > own[:, None], axis=1) for own in drawn.T], axis=1)
    low = np.quantile(by_resample, 0.025, axis=0, method="lower").tolist()
    high = np.quantile(by_resample, 0.975, axis=0, method="higher").tolist()
    return {run.name: (rank, *bounds) for run, rank, *bounds in zip(runs, ranks.tolist(), low, high, strict=True)}


def _best(runs: Sequence[Row], metric: str, higher: bool | None) -> list[str]:
    """The runs with the best value; none where no run has one, or no direction is better."""
    values = {row.name: row.metrics[metric].value for row in runs}
    known = {name: value for name, value in values.items() if value is not None}
    if not known or higher is None:
        return []
    best = (max if higher else min)(known.values())
    return [name for name, value in known.items() if value == best]


def _shared_warnings(runs: Sequence[Row]) -> list[str]:
    """What every run is warned of."""
    return [warning for warning in runs[0].warnings if all(warning in row.warnings for row in runs)]


def _doubts(task: Task, primary: str, neighbours: Sequence[Neighbours]) -> list[str]:
    """What stands between the numbers and a conclusion: a metric without direction, too few resamples."""
    found = []
    if direction(task.primary) is None:
        found.append(f"{primary} does not say which direction is better: higher values are ranked first")
    resamples = task.bootstrap(task.scorer.resamples).resamples
    if neighbours and len(neighbours) / (1 + resamples) >= LEVEL:
        needed = math.ceil(len(neighbours) / LEVEL)
        found.append(f"{resamples:,} resamples can tell no neighbours apart, as there are many: {needed:,} could")
    return found
