"""What a family of metrics implements so that `scorers.run` can score, compare and resample its predictions.

A family is one `Scorer`: it knows what the truth of a manifest's split is, how predictions are read and aligned with
it, and what they are worth under a protocol. Everything else (intervals, baselines, protocols side by side, counts,
signature, comparison) is the same for all and written once. `benchwright.scoring` says how a third party registers one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from schemas.errors import UsageError, unknown_name
from scorers.declarations import OptionError
from scorers.metric import Metric

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schemas.cards import Kind
    from schemas.manifest import Manifest
    from scorers.options import Options
    from scorers.resampling import Statistics
    from scorers.score import Table

Truth = TypeVar("Truth")
Predictions = TypeVar("Predictions")
AnyMetric = TypeVar("AnyMetric", bound=Metric)


@dataclass(frozen=True, eq=False)
class Aligned(Generic[Predictions]):
    """Predictions beside the truth.

    Attributes:
        predictions: as `Scorer.evaluate` takes them.
        counts: by status; `rows` are those of the truth, `scored` those with a prediction.
        warnings: what a reader must know of the alignment: unknown ids, missing rows, suspicious values.
        settings: what else the numbers depend on, for the signature.
        asked: which rows of the truth the source names, be it to say that nothing is predicted; shape (rows,). None
            where it names those alone for which it predicts something.
        doubts: those of the warnings by which the predictions look like something else than what they were read as.
    """

    predictions: Predictions
    counts: dict[str, int]
    warnings: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    asked: NDArray[np.bool_] | None = None
    doubts: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One run under one protocol.

    Attributes:
        values: by metric, on the scale of its unit; NaN is null.
        statistics: the same metrics in the same order for the bootstrap, made when asked for; see `uncertainty`.
        warnings: which values are null, and why; what else a reader must know.
        samples: results of every sample as a table, made when asked for; None where the family has none.
        detail: whatever the family itself wants to look at again, as in `Scorer.reason`.
    """

    values: Mapping[Any, float]
    statistics: Callable[[], Statistics]
    warnings: Sequence[str] = ()
    samples: Callable[[], pa.Table] | None = None
    detail: Any = None


class Scorer(Protocol[Truth, Predictions, AnyMetric]):
    """A family of metrics for manifests of one kind.

    Attributes:
        kind: what such manifests hold, for messages: spans, boxes.
        columns: the columns by which such a manifest is known.
        protocols: how the metrics may be computed, the default first.
        side_by_side: protocols whose values are shown beside one another where they differ.
        slack: up to where two values count as equal, since sums in another order round differently.
        clusters: what is resampled, in the singular: video, image.
        resamples, comparison_resamples: how often, unless said otherwise.
        answer: what a row is called that has a prediction, in the plural, for scores of such rows alone.
        primary: name of the metric that is quoted first, where it is among those asked for.
        layout: rows of metric names for a table of one run, by title; the last metric of a row has its interval.
        kinds: of `alternatives`, where one is not as good a choice as the authors', by its name or by what it sets:
            `repair` of an accident in their code, or `other benchmark`. A card may say otherwise.
        words: what words of a score mean that are not plain by themselves, by word: counts, protocols, baselines, what
            `missing` gives. Those that a table shows are explained below it.
    """

    kind: str
    columns: frozenset[str]
    protocols: tuple[str, ...]
    side_by_side: tuple[str, ...] = ()
    slack: float = 0.0
    clusters: str = "sample"
    resamples: int = 2000
    comparison_resamples: int = 10_000
    answer: str = "rows with a prediction"
    primary: str = ""
    layout: Mapping[str, tuple[str, ...]] = {}
    kinds: Mapping[str, Kind] = {}
    words: Mapping[str, str] = {}

    def protocol(self, text: str) -> str:
        """The protocol that is meant; `UsageError` for an unknown one."""
        if text not in self.protocols:
            raise unknown_name("protocol", text, self.protocols)
        return text

    def alternatives(self, truth: Truth, protocol: str) -> Mapping[str, Mapping[str, str]]:
        """Options under which the same predictions could be scored as well, by what each changes.

        The other protocols unless a scorer says more.
        """
        return {f"protocol={name}": {"protocol": name} for name in self.protocols if name != protocol}

    def metrics(self, names: Sequence[str], truth: Truth, protocol: str) -> Sequence[AnyMetric]:
        """The metrics of these names, the family's usual ones if none; `UsageError` for an unknown name."""
        raise NotImplementedError

    def truth(self, manifest: Manifest, split: str, options: Options) -> Truth:
        """The truth of a split: the table of its rows unless a scorer says more."""
        return cast("Truth", manifest.table(split))

    def numbered_clusters(self, truth: Truth) -> NDArray[np.int64]:
        """The cluster of each row of the statistics, numbered 0, 1, ... without gaps; shape (rows,).

        Each row by itself unless a scorer says more.
        """
        import numpy

        return numpy.arange(len(truth))  # type: ignore[arg-type]

    def read(
        self, source: object, truth: Truth, metrics: Sequence[AnyMetric], options: Options
    ) -> Aligned[Predictions]:
        """Predictions of a source: a path, a table of pandas or Arrow, a mapping of columns or arrays.

        Raises:
            InputError, UsageError: a source that cannot be read, or does not belong to this truth.
        """
        raise NotImplementedError

    def carried(self, source: object, truth: Truth, options: Options) -> object:
        """The source, or what `read` takes in place of it, so that it means the same samples in other manifests.

        Raises:
            InputError, UsageError: as of `read`.
        """
        return source

    def is_run(self, folder: Path, truth: Truth) -> bool:
        """Whether a folder is the predictions of one run, which `read` reads, and not a folder of runs.

        Raises:
            UsageError: it may be both.
        """
        return False

    def evaluate(
        self, truth: Truth, predictions: Predictions, metrics: Sequence[AnyMetric], protocol: str
    ) -> Evaluation:
        """The metrics of one run under one of `protocols`."""
        raise NotImplementedError

    def names(self, truth: Truth) -> pa.Array:
        """The sample id of each row of a truth, by which another manifest may have it too; shape (rows,)."""
        raise OptionError("on", f": scores of {self.kind} are of all rows")

    def statistics_rows(self, truth: Truth) -> NDArray[np.int64]:
        """In which row of the statistics each sample of `names` is counted, shape (samples,); each has its own
        unless a scorer says more."""
        import numpy

        return numpy.arange(len(self.names(truth)))

    def answered(self, truth: Truth, predictions: Predictions) -> NDArray[np.bool_]:
        """Which rows of a truth a run has a prediction for, as `answer` says; shape (rows,)."""
        raise OptionError("on", f": scores of {self.kind} are of all rows")

    def only(self, truth: Truth, predictions: Predictions, rows: NDArray[np.bool_]) -> tuple[Truth, Predictions]:
        """The truth and the predictions of some rows alone, a mask of shape (rows,)."""
        raise OptionError("on", f": scores of {self.kind} are of all rows")

    def baselines(self, truth: Truth) -> Mapping[str, Predictions]:
        """Trivial predictions of the same truth, by name."""
        return {}

    def baseline(self, kind: str, truth: Truth, metrics: Sequence[AnyMetric], options: Options) -> Predictions:
        """The predictions of one baseline, which may be one that `baselines` leaves out.

        Raises:
            UsageError: unknown kind, or one that needs what the manifest does not have.
        """
        known = self.baselines(truth)
        if kind not in known:
            raise unknown_name("baseline", kind, list(known))
        return known[kind]

    def write(self, out: Path, truth: Truth, predictions: Predictions) -> int:
        """Write predictions so that `read` reads them; how many were written."""
        raise UsageError(f"predictions of {self.kind} cannot be written")

    def missing(self, protocol: str) -> str:
        """What becomes of a row without a prediction, in a word for the signature."""
        return "wrong"

    def reason(self, metric: AnyMetric, evaluations: Mapping[str, Evaluation], differing: Sequence[AnyMetric]) -> str:
        """Why the protocols differ on a metric; `differing` are all on which they do."""
        return ""

    def remarks(self, truth: Truth, baselines: Mapping[str, Mapping[str, float | None]]) -> Sequence[str]:
        """What to say of a score in view of what the baselines reach."""
        return ()

    def breakdown(
        self, truth: Truth, predictions: Predictions, protocol: str, options: Mapping[str, Any]
    ) -> Mapping[str, Table]:
        """What a score is made of, where the options ask for it, as tables by name."""
        return {}

    def cross_check(
        self, truth: Truth, predictions: Predictions, evaluation: Evaluation, protocol: str, engine: str
    ) -> str:
        """Compute the same values by another implementation; what the check says.

        Raises:
            UsageError: there is no such implementation, or a value differs.
        """
        raise OptionError("engine", f"={engine!r}: there is no other implementation of scores of {self.kind}")
