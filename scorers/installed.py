"""A scorer of an installed package: what it must have, and a check of everything that its methods give.

A mistake in it becomes one message with file, line, class and method, and bars no other kind of manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pyarrow as pa

from schemas.arrays import booleans
from schemas.cards import Kind
from schemas.errors import UsageError, shown
from scorers.guarded import MISSING, Guarded, is_list
from scorers.metric import Metric, Unit, direction
from scorers.resampling import Ratio
from scorers.scorer import Aligned, Evaluation, Scorer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from schemas.manifest import Manifest
    from scorers.options import Options
    from scorers.resampling import Statistics, Weighted

_TO_WRITE = ("metrics", "read", "evaluate")
_ATTRIBUTES: dict[str, tuple[type, str]] = {
    "kind": (str, "a text"),
    "slack": (Real, "a number"),
    "clusters": (str, "a text, in the singular"),
    "resamples": (Integral, "a whole number"),
    "comparison_resamples": (Integral, "a whole number"),
    "answer": (str, "a text, in the plural"),
    "primary": (str, "a text"),
    "layout": (Mapping, "rows of metric names by title"),
    "kinds": (Mapping, "kinds of alternatives by name"),
    "words": (Mapping, "meanings by word"),
}


def installed_scorer(scorer: object, taken: Iterable[str] = ()) -> Scorer[Any, Any, Any]:
    """A scorer whose attributes are as `Scorer` says, and what whose methods give is checked when they are called.

    Args:
        scorer: what an entry point names.
        taken: kinds that it cannot have.

    Raises:
        UsageError: it is not a `Scorer`, a method is not written, or an attribute is missing or of another type.
    """
    name = scorer.__name__ if isinstance(scorer, type) else type(scorer).__name__
    if isinstance(scorer, type):
        raise UsageError(f"found the class {name}, expected an object of it: {name}()")
    if Scorer not in type(scorer).__mro__:
        raise UsageError(f"found {shown(scorer)}, expected a benchwright.scoring.Scorer")
    unwritten = [method for method in _TO_WRITE if getattr(type(scorer), method) is getattr(Scorer, method)]
    if unwritten:
        raise UsageError(f"{name} lacks {', '.join(unwritten)}: these methods must be written")
    return InstalledScorer(scorer, taken)  # type: ignore[arg-type]


class InstalledScorer(Guarded, Scorer[Any, Any, Any]):
    """Another scorer, every method of which is called through a check; see `Scorer` for what they mean."""

    def __init__(self, scorer: Scorer[Any, Any, Any], taken: Iterable[str]) -> None:
        self._scorer = scorer
        self.columns = frozenset(self._texts("columns"))
        self.protocols = self._texts("protocols")
        self.side_by_side = self._texts("side_by_side", fewest=0)
        for name, (kind, expected) in _ATTRIBUTES.items():
            value = getattr(self._scorer, name, MISSING)
            if not isinstance(value, kind):
                raise self._unfit(name, value, expected)
            setattr(self, name, value)
        if not self.kind or self.kind in taken:
            raise self._unfit("kind", self.kind, "a text that is not the kind of another scorer")
        if not set(self.side_by_side) <= set(self.protocols):
            raise self._unfit("side_by_side", self.side_by_side, f"some of its protocols {self.protocols}")
        if not all(is_list(names) for names in self.layout.values()):
            raise self._unfit("layout", self.layout, "a tuple of metric names by title")
        if not set(self.kinds.values()) <= set(get_args(Kind)):
            raise self._unfit("kinds", self.kinds, f"for each {', '.join(get_args(Kind))}")

    def protocol(self, text: str) -> str:
        return str(self._given("protocol", text))

    def alternatives(self, truth: Any, protocol: str) -> Mapping[str, Mapping[str, str]]:
        found = self._given("alternatives", truth, protocol)
        if not isinstance(found, Mapping) or not all(isinstance(options, Mapping) for options in found.values()):
            raise self._wrong("alternatives", shown(found), "options of scoring, a mapping, by name")
        return found

    def metrics(self, names: Sequence[str], truth: Any, protocol: str) -> Sequence[Metric]:
        found = self._given("metrics", names, truth, protocol)
        units = get_args(Unit)
        if not is_list(found) or not len(found):
            raise self._wrong("metrics", shown(found), "a list of one metric or more")
        for metric in found:
            if getattr(metric, "unit", None) not in units or not isinstance(metric, Hashable):
                expected = f"hashable metrics, each with a unit: {', '.join(units)}"
                raise self._wrong("metrics", shown(metric), expected)
        for metric in found:
            if (better := direction(metric)) not in (True, False, None):
                raise self._wrong("metrics", shown(better), "True, False or None", "higher_is_better")
        return list(found)

    def truth(self, manifest: Manifest, split: str, options: Options) -> Any:
        return self._given("truth", manifest, split, options)

    def numbered_clusters(self, truth: Any) -> NDArray[np.int64]:
        found = self._given("numbered_clusters", truth)
        numbers = np.asarray(found)
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
            gives = f"{numbers.dtype} of the shape {numbers.shape}"
            raise self._wrong("numbered_clusters", gives, "whole numbers of the shape (rows,)")
        numbers = numbers.astype(np.int64)
        different = np.unique(numbers)
        if not np.array_equal(different, np.arange(len(different))):
            raise self._wrong(
                "numbered_clusters", shown(different.tolist()), "clusters numbered 0, 1, ... without gaps"
            )
        return numbers

    def read(self, source: object, truth: Any, metrics: Sequence[Any], options: Options) -> Aligned[Any]:
        found = self._given("read", source, truth, metrics, options)
        if not isinstance(found, Aligned):
            raise self._wrong("read", shown(found), "an Aligned")
        counts: object = found.counts
        if not isinstance(counts, Mapping) or not all(isinstance(count, Integral) for count in counts.values()):
            raise self._wrong("read", shown(counts), "whole numbers by status", "counts")
        lacking = [name for name in ("rows", "scored") if name not in counts]
        if lacking:
            raise self._wrong("read", shown(dict(counts)), f"{' and '.join(lacking)} among them", "counts")
        settings: object = found.settings
        if not isinstance(settings, Mapping):
            raise self._wrong("read", shown(settings), "texts by name", "settings")
        self._check_texts("read", found.warnings, "warnings")
        return replace(found, counts={str(name): int(count) for name, count in counts.items()})

    def carried(self, source: object, truth: Any, options: Options) -> object:
        return self._given("carried", source, truth, options)

    def is_run(self, folder: Path, truth: Any) -> bool:
        return bool(self._given("is_run", folder, truth))

    def names(self, truth: Any) -> pa.Array:
        return self._array("names", pa.types.is_string, "texts", truth)

    def statistics_rows(self, truth: Any) -> NDArray[np.int64]:
        return np.asarray(self._given("statistics_rows", truth))

    def answered(self, truth: Any, predictions: Any) -> NDArray[np.bool_]:
        return booleans(self._array("answered", pa.types.is_boolean, "booleans", truth, predictions))

    def only(self, truth: Any, predictions: Any, rows: NDArray[np.bool_]) -> tuple[Any, Any]:
        found = self._given("only", truth, predictions, rows)
        if not isinstance(found, tuple) or len(found) != 2:
            raise self._wrong("only", shown(found), "a truth and predictions")
        return found

    def evaluate(self, truth: Any, predictions: Any, metrics: Sequence[Any], protocol: str) -> Evaluation:
        found = self._given("evaluate", truth, predictions, metrics, protocol)
        if not isinstance(found, Evaluation):
            raise self._wrong("evaluate", shown(found), "an Evaluation")
        values: object = found.values
        if not isinstance(values, Mapping):
            raise self._wrong("evaluate", shown(values), "numbers by metric", "values")
        for metric in metrics:
            if not isinstance(values.get(metric), Real):
                gives = shown(values[metric]) if metric in values else f"for {', '.join(map(str, values)) or 'nothing'}"
                raise self._wrong("evaluate", gives, f"a number for {metric}, NaN where it has none", "values")
        if not callable(found.statistics):
            raise self._wrong("evaluate", shown(found.statistics), "a function without arguments", "statistics")
        self._check_texts("evaluate", found.warnings, "warnings")
        return replace(
            found,
            values={metric: float(values[metric]) for metric in metrics},
            statistics=lambda: self._statistics(found.statistics, len(metrics), truth),
            samples=found.samples and (lambda: self._samples(found.samples)),
        )

    def baselines(self, truth: Any) -> Mapping[str, Any]:
        found = self._given("baselines", truth)
        if not isinstance(found, Mapping):
            raise self._wrong("baselines", shown(found), "predictions by name")
        return found

    def baseline(self, kind: str, truth: Any, metrics: Sequence[Any], options: Options) -> Any:
        return self._given("baseline", kind, truth, metrics, options)

    def write(self, out: Path, truth: Any, predictions: Any) -> int:
        found = self._given("write", out, truth, predictions)
        if not isinstance(found, Integral):
            raise self._wrong("write", shown(found), "how many were written")
        return int(found)

    def missing(self, protocol: str) -> str:
        return str(self._given("missing", protocol))

    def reason(self, metric: Any, evaluations: Mapping[str, Evaluation], differing: Sequence[Any]) -> str:
        return str(self._given("reason", metric, evaluations, differing))

    def remarks(self, truth: Any, baselines: Mapping[str, Mapping[str, float | None]]) -> Sequence[str]:
        found = self._given("remarks", truth, baselines)
        self._check_texts("remarks", found)
        return list(found)

    def cross_check(self, truth: Any, predictions: Any, evaluation: Evaluation, protocol: str, engine: str) -> str:
        return str(self._given("cross_check", truth, predictions, evaluation, protocol, engine))

    def _samples(self, made: Any) -> pa.Table:
        with self._own_code("evaluate"):
            table = made()
        if not isinstance(table, pa.Table):
            raise self._wrong("evaluate", shown(table), "an Arrow table", "samples")
        return table

    def _statistics(self, made: Callable[[], Statistics], count: int, truth: Any) -> Statistics:
        """The statistics of an evaluation, which must be as many as its metrics, and ratios over the clustered rows."""
        with self._own_code("evaluate"):
            statistics = made()
        if callable(statistics):
            return self._weighted(statistics, count)
        if not is_list(statistics) or not all(isinstance(ratio, Ratio) for ratio in statistics):
            raise self._wrong("evaluate", shown(statistics), "a list of Ratio, or a function of weights", "statistics")
        if len(statistics) != count:
            raise self._wrong("evaluate", f"{len(statistics)} of them", f"{count}, as many as metrics", "statistics")
        rows = len(self.numbered_clusters(truth))
        for ratio in statistics:
            if len(ratio.numerator) != rows:
                found = f"a ratio over {len(ratio.numerator):,} rows"
                raise self._wrong("evaluate", found, f"{rows:,}, as many as numbered_clusters gives", "statistics")
        return statistics

    def _weighted(self, statistics: Weighted, count: int) -> Weighted:
        def checked(weights: NDArray[np.float64]) -> Sequence[float]:
            with self._own_code("evaluate"):
                values = statistics(weights)
            if np.shape(values) != (count,):
                expected = f"{count} numbers, one per metric, for weights of the shape {weights.shape}"
                raise self._wrong("evaluate", shown(values), expected, "statistics")
            return values

        return checked
