"""What runs are scored on: the truth of a manifest's split, the metrics and the protocol that options ask for."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from schemas.manifest import Manifest
from scorers.declarations import OptionError, checked
from scorers.metric import Metric, bounds_of
from scorers.options import Options, ScoreOptions
from scorers.registry import scorer_of
from scorers.resampling import SEED
from scorers.scorer import Aligned, Evaluation, Scorer
from scorers.signature import Bootstrap
from scorers.subset import Subset, subset_of

Progress = Callable[[str, int], AbstractContextManager[Callable[[str], None]]]
"""From the title and the number of steps of some work to what is called at the beginning of each step."""


@contextmanager
def silent(_title: str, _steps: int) -> Iterator[Callable[[str], None]]:
    """Progress that nobody looks at."""
    yield lambda _: None


Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """What a function makes of each item, in their order; as many at a time as there are processors."""
    if len(items) < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(min(len(items), os.cpu_count() or 1)) as pool:
        return list(pool.map(function, items))


@dataclass(frozen=True, eq=False)
class Task:
    """What runs are scored on.

    Attributes:
        manifest: with the truth.
        scorer: for its kind.
        split: one of the manifest's.
        truth: as the scorer has it.
        protocol: how values are computed.
        metrics: those asked for.
        options: those given.
        subset: the rows of the split that are scored where not all are.
    """

    manifest: Manifest
    scorer: Scorer[Any, Any, Any]
    split: str
    truth: Any
    protocol: str
    metrics: Sequence[Metric]
    options: Options
    subset: Subset | None = None

    @property
    def primary(self) -> Metric:
        """The metric that is quoted first, and that ranks runs."""
        return next((metric for metric in self.metrics if str(metric) == self.scorer.primary), self.metrics[0])

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The least and greatest value of each metric."""
        return [bounds_of(metric) for metric in self.metrics]

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """The cluster of each row of the statistics."""
        return self.scorer.numbered_clusters(self.truth)

    @property
    def cluster_count(self) -> int:
        """How many clusters there are."""
        return int(self.clusters.max(initial=-1)) + 1

    @property
    def empty(self) -> bool:
        """Whether the split has no rows; then nothing is read, as no prediction could have one, and values are null."""
        return not self.manifest.identity.splits[self.split].rows

    def read(self, source: object) -> Aligned[Any]:
        """A run beside the truth.

        Raises:
            OptionError: a format is named for predictions that are in memory.
        """
        refuse_format(source, self.options)
        if self.empty:
            warnings = [f"{warning}: every value is null" for warning in self.manifest.without_rows(self.split)]
            return Aligned(None, {"rows": 0, "scored": 0}, warnings)
        return self.scorer.read(source, self.truth, self.metrics, self.options)

    def on(self, runs: Sequence[Aligned[Any]]) -> tuple[Task, list[Aligned[Any]]]:
        """The task and its runs on the rows that the option `on` asks for; errors as in `subset_of`."""
        chosen = self.options.get("on")
        if chosen is None or self.empty:
            return self, list(runs)
        scorer, truth = self.scorer, self.truth
        answered = [scorer.answered(truth, run.predictions) for run in runs]
        subset = subset_of(scorer, truth, answered, chosen)
        pairs = [scorer.only(truth, run.predictions, subset.rows) for run in runs]
        counted = [subset.counted(run, own, rows) for run, (_, own), rows in zip(runs, pairs, answered, strict=True)]
        return replace(self, truth=pairs[0][0], subset=subset), counted

    def baselines(self) -> dict[str, Evaluation]:
        """Each trivial baseline, which depends on the truth alone and is evaluated once for it."""
        scorer, cache, subset = self.scorer, self.manifest.derived, self.subset
        rows = subset and subset.rows.tobytes()
        key = ("baselines", scorer, self.split, self.options.get("truth"), self.protocol, tuple(self.metrics), rows)
        if self.empty:
            return {}
        if key not in cache:
            predicted = scorer.baselines(self.truth if subset is None else subset.truth)
            if subset is not None:
                predicted = {name: scorer.only(subset.truth, one, subset.rows)[1] for name, one in predicted.items()}
            cache[key] = {name: self.evaluate(predictions) for name, predictions in predicted.items()}
        found: dict[str, Evaluation] = cache[key]
        return found

    def evaluate(self, predictions: object, protocol: str = "") -> Evaluation:
        """A run under a protocol, that of the task unless another is named."""
        if self.empty:
            nulls = dict.fromkeys(self.metrics, math.nan)
            none = self.manifest.table(self.split, ["sample_id"])
            return Evaluation(nulls, lambda: lambda _: list(nulls.values()), samples=lambda: none)
        return self.scorer.evaluate(self.truth, predictions, self.metrics, protocol or self.protocol)

    def bootstrap(self, resamples: int) -> Bootstrap:
        """How intervals are made, with so many resamples unless the options say otherwise."""
        given = self.options
        return Bootstrap(self.scorer.clusters, given.get("resamples", resamples), given.get("seed", SEED))  # type: ignore[arg-type]


def task_of(
    manifest: Manifest,
    given: Mapping[str, Any],
    options: type = ScoreOptions,
    scorer: Scorer[Any, Any, Any] | None = None,
) -> Task:
    """The task that options describe; the truth of a split is read once for a manifest that was opened once.

    Raises:
        UsageError: unknown options, protocol, metric or split; no scorer for such a manifest.
        InputError: the rows were changed after the build.
    """
    scorer = scorer or scorer_of(manifest)
    asked: Options = checked(given, options, scorer.kind)  # type: ignore[assignment]
    protocol = scorer.protocol(asked.get("protocol", scorer.protocols[0]))  # type: ignore[arg-type]
    split = manifest.chosen_split(asked.get("split"))
    key = ("truth", scorer, split, asked.get("truth"))
    if key not in manifest.derived:
        manifest.derived[key] = scorer.truth(manifest, split, asked)
    truth = manifest.derived[key]
    metrics = scorer.metrics(asked.get("metrics") or (), truth, protocol)
    return Task(manifest, scorer, split, truth, protocol, metrics, asked)


def refuse_format(source: object, options: Mapping[str, Any]) -> None:
    """Refuse the name of a file format for predictions in memory, of which it would say nothing."""
    if options.get("input_format") is not None and not isinstance(source, str | os.PathLike):
        raise OptionError("input_format", f"={options['input_format']!r}: for files; these predictions are in memory")
