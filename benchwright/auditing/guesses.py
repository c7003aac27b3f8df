"""What guesses reach on the benchmark as it is, beside which scores are read: they are not ranked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchwright.auditing.effect import Interval, Standing
from benchwright.auditing.effects import on_clusters
from benchwright.auditing.scores import Judge
from schemas.errors import BenchwrightError
from scorers.resampling import replicated
from scorers.score import value_or_null
from scorers.scorer import Evaluation
from scorers.task import Task, at_once
from scorers.uncertainty import intervals


def guesses(judge: Judge) -> dict[str, dict[str, Standing]]:
    """Each trivial baseline of the scorer by metric, with intervals on the draws of the systems' scores."""
    task, drawn = judge.task, judge.clusters
    found = {**task.baselines(), **_people(task)}
    places = judge.default.places
    statistics = at_once(lambda each: on_clusters(each.statistics(), places, drawn.count), list(found.values()))
    runs = replicated(statistics, np.arange(drawn.count), drawn.resamples, drawn.seed) if found else []
    values = [np.array([each.values[metric] for metric in task.metrics]) for each in found.values()]
    bounds = [intervals(replace(run, values=own), task.bounds) for run, own in zip(runs, values, strict=True)]
    return {
        name: {
            str(metric): Standing(
                value_or_null(value), Interval(value_or_null(bound.low), value_or_null(bound.high)), None
            )
            for metric, value, bound in zip(task.metrics, own.tolist(), spread, strict=True)
        }
        for name, own, spread in zip(found, values, bounds, strict=True)
    }


def _people(task: Task) -> dict[str, Evaluation]:
    """A person who was asked, too, where the benchmark has such answers."""
    try:
        return {"human": task.evaluate(task.scorer.baseline("human", task.truth, (), {}))}
    except BenchwrightError:
        return {}
