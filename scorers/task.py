"""What runs are scored on: the truth of a split of a manifest, the metrics, the protocol."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from schemas.errors import unknown_name
from schemas.manifest import Manifest
from schemas.user_code import user_code
from scorers.declarations import checked
from scorers.options import Options, ScoreOptions
from scorers.scorer import BUNDLED, Aligned, Evaluation, Metric, Scorer, scorer_of


@contextmanager
def own_code(scorer: Scorer[Any, Any, Any]) -> Iterator[None]:
    """Name file and line where the code of a scorer that is not bundled fails."""
    if scorer.kind in BUNDLED:
        yield
    else:
        with user_code(inspect.getsourcefile(type(scorer)) or "", f"scorer {scorer.kind}"):
            yield


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
    """

    manifest: Manifest
    scorer: Scorer[Any, Any, Any]
    split: str
    truth: Any
    protocol: str
    metrics: Sequence[Metric]
    options: Options

    def read(self, source: object) -> Aligned[Any]:
        return self.scorer.read(source, self.truth, self.metrics, self.options)

    def evaluate(self, predictions: object, protocol: str = "") -> Evaluation:
        return self.scorer.evaluate(self.truth, predictions, self.metrics, protocol or self.protocol)


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
    protocol = asked.get("protocol") or scorer.protocols[0]
    if protocol not in scorer.protocols:
        raise unknown_name("protocol", protocol, scorer.protocols)
    split = manifest.chosen_split(asked.get("split"))
    key = ("truth", scorer, split, asked.get("truth"))
    if key not in manifest.derived:
        manifest.derived[key] = scorer.truth(manifest, split, asked)
    truth = manifest.derived[key]
    names = asked.get("metrics") or ()
    return Task(manifest, scorer, split, truth, protocol, scorer.metrics(names, truth, protocol), asked)
