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
from scorers.metric import bounds_of, direction
from scorers.options import ScoreOptions
from scorers.resampling import FEW, Replicates
from scorers.run import Scored, draws, score_runs, valued
from scorers.score import Score, Value, value_or_null
from scorers.signature import shared_signature
from scorers.significance import LEVEL, holm, rank_intervals
from scorers.task import Progress, Task, silent, task_of
from scorers.uncertainty import Bounds, comparisons


class _Entry(NamedTuple):
    """A row to be: its values, and the primary metric on other draws of the clusters."""

    name: str
    kind: Kind
    metrics: dict[str, Value]
    value: float
    replicates: Replicates | None
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
    neighbours = _neighbours(defined, bounds_of(task.primary))
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

    def entry(
        name: str, kind: Kind, metrics: dict[str, Value], drawn: Replicates | None, score: Score | None = None
    ) -> _Entry:
        value = metrics[primary].value
        of_primary = None if drawn is None else drawn.only(place)
        return _Entry(name, kind, metrics, math.nan if value is None else value, of_primary, score)

    for name, run in scored.items():
        yield entry(name, "run", run.score.metrics, run.replicates, run.score)
    evaluations = task.baselines()
    drawn = draws(task, list(evaluations.values()))
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


def _neighbours(entries: Sequence[_Entry], bounds: Bounds) -> list[Neighbours]:
    """Each entry and the next one, whose p-values are corrected for all of them; none without resamples."""
    found = [
        (above, below, comparisons(below.replicates, above.replicates, [bounds])[0])
        for above, below in pairwise(entries)
        if above.replicates is not None and below.replicates is not None
    ]
    adjusted = holm([paired.p_value for *_, paired in found])
    return [
        Neighbours(
            better=above.label,
            worse=below.label,
            difference=paired.difference,
            low=value_or_null(paired.interval.low),
            high=value_or_null(paired.interval.high),
            method=paired.interval.method,
            p_value=value_or_null(paired.p_value),
            p_floor=paired.floor,
            p_adjusted=value_or_null(corrected),
            told_apart=corrected < LEVEL,
        )
        for (above, below, paired), corrected in zip(found, adjusted, strict=True)
    ]


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
    """By name the rank, and the best and the worst that it may be; equal values share a rank."""
    values = better * np.array([run.value for run in runs])
    ranks = (1 + np.count_nonzero(values > values[:, None], axis=1)).tolist()
    drawn = [run.replicates for run in runs if run.replicates is not None]
    bounds = rank_intervals(drawn, better > 0) if drawn else [None] * len(runs)
    return {run.name: (rank, *(of or (None, None))) for run, rank, of in zip(runs, ranks, bounds, strict=True)}


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
    least = max((pair.p_floor for pair in neighbours), default=0.0) * len(neighbours)
    if least >= LEVEL:
        few = f"{task.cluster_count:,} {task.scorer.clusters}s" if task.cluster_count < FEW else "so few resamples"
        found.append(f"{few} tell no neighbours apart: of {len(neighbours):,} p-values none can be below {least:.2g}")
    return found
