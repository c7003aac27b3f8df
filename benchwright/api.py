"""What the verbs do, as functions. Modules are imported when they are needed, so that `import benchwright` is quick."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from scorers.declarations import documented
from scorers.options import BaselineOptions, MonitorOptions, Options, ScoreOptions, ThresholdOptions

if TYPE_CHECKING:
    from benchwright.explanation import Story
    from benchwright.score_thresholds import Thresholds
    from builders.engine.recipe import Recipe
    from schemas.claims import Judgement
    from schemas.manifest import Manifest
    from schemas.validation import Finding
    from scorers.monitoring.scorer import MonitorScore
    from scorers.score import Comparison, Score

    AnyManifest = Manifest | Path | str


def list_benchmarks() -> list[str]:
    """Names of all benchmarks that `build` knows, those of installed packages included.

    >>> list_benchmarks()[:2]
    ['charades-sta', 'coco-person']
    """
    from builders.engine.registry import recipe_names

    return recipe_names()


def build(
    benchmark: str | Recipe,
    source: Path | str,
    out: Path | str = "manifests",
    *,
    settings: Mapping[str, object] | None = None,
    sources: Mapping[str, Path | str] | None = None,
) -> Manifest:
    """Build the manifest of a benchmark below `out`.

    Args:
        benchmark: a name of `list_benchmarks`, or a recipe of your own.
        source: folder below which the raw files are.
        out: folder that holds the manifests.
        settings: `rule.parameter` -> value, where other than the default.
        sources: paths of single sources, by name, that are not below `source`.

    Raises:
        BenchwrightError: anything wrong with the call or the raw files; the message says what and where.

    >>> from tempfile import mkdtemp
    >>> build("uag-ssbd", "tests/samples", out=mkdtemp()).splits
    ['test']
    """
    from builders.engine.build import build as build_recipe
    from builders.engine.registry import find_recipe

    recipe = find_recipe(benchmark) if isinstance(benchmark, str) else benchmark
    given = {name: Path(path).expanduser() for name, path in (sources or {}).items()}
    return build_recipe(recipe, Path(source).expanduser(), Path(out).expanduser(), settings=settings, given=given)


def open_manifest(path: Path | str) -> Manifest:
    """Open the folder of a manifest, or one of its Parquet files alone.

    Raises:
        InputError: no manifest is there, or it cannot be read.
    """
    from schemas.manifest import open_manifest as open_folder

    return open_folder(Path(path).expanduser())


@documented
def score(manifest: AnyManifest, predictions: object, **options: Unpack[ScoreOptions]) -> Score:
    """Score predictions, as the verb `score` does.

    Args:
        manifest: opened, or the folder of one. Its truth is read once if it is opened once.
        predictions: a file or folder in any format that the documentation lists; or in memory a pandas DataFrame, an
            Arrow table, or a mapping of columns or arrays (a mapping of such by task for activities).

    Returns:
        Values by metric with their intervals, counts, baselines, warnings, and the signature of the first in one line.

    Raises:
        BenchwrightError: anything wrong with the call, the manifest or the predictions.

    >>> from tempfile import mkdtemp
    >>> manifest = build("uag-ssbd", "tests/samples", out=mkdtemp())
    >>> spans = manifest.to_pandas()[["sample_id", "start_s", "end_s"]]
    >>> score(manifest, spans, metrics=["mIoU"], resamples=0).metrics["mIoU"].value
    1.0
    """
    from scorers.run import score as score_run

    return score_run(_opened(manifest), _path_or(predictions), options)


@documented
def compare(manifest: AnyManifest, a: object, b: object, **options: Unpack[Options]) -> Comparison:
    """Compare two runs on the same rows, as the verb `compare` does; arguments and errors as in `score`."""
    from scorers.run import compare as compare_runs

    return compare_runs(_opened(manifest), _path_or(a), _path_or(b), options)


@documented
def monitor(manifest: AnyManifest, persons: object, **options: Unpack[MonitorOptions]) -> MonitorScore:
    """Evaluate whether body parts reveal the errors of a person detector, as the verb `monitor` does.

    Args:
        manifest: of boxes, with persons; opened, or the folder of one.
        persons: detections of persons, alone of persons and parts; a path, or in memory as in `score`, like the options
            `parts` (MultiDet) and `second` (Baseline).
    """
    from scorers.monitoring.scorer import monitor as monitor_persons

    given: Any = options | {name: _path_or(options[name]) for name in ("parts", "second") if name in options}
    return monitor_persons(_opened(manifest), _path_or(persons), given)


@documented
def thresholds(manifest: AnyManifest, predictions: object, **options: Unpack[ThresholdOptions]) -> Thresholds:
    """The score from which on the boxes of each class are best kept, as the verb `thresholds` finds it."""
    from benchwright.score_thresholds import thresholds as best

    return best(_opened(manifest), _path_or(predictions), options)


@documented
def baseline(manifest: AnyManifest, kind: str, out: Path | str, **options: Unpack[BaselineOptions]) -> int:
    """Write the predictions of a trivial baseline, as the verb `baseline` does; how many there are."""
    from scorers.run import write_baseline

    return write_baseline(_opened(manifest), kind, Path(out).expanduser(), options)


def export(
    manifest: AnyManifest, to: str, out: Path | str, *, split: str | None = None, category_base: int = 1
) -> dict[str, int]:
    """Write a manifest in the format of other tools, as the verb `export` does.

    Args:
        manifest: opened, or the folder of one.
        to: a name in `benchwright.exporters.FORMATS`.
        out: the file or folder to write.
        split: one split; the choice of the format when None.
        category_base: for `coco`, the id of the first category.

    Returns:
        What was written, counted.
    """
    from benchwright.exporters import export as write

    return write(_opened(manifest), to, Path(out).expanduser(), split, category_base)


def verify(manifest: AnyManifest) -> list[Judgement]:
    """Compare a manifest with the paper: each claim, the rebuilt value, the verdict and why."""
    from benchwright.verification import verify as judge

    return judge(_opened(manifest))


def why(manifest: AnyManifest, key: str) -> list[Story]:
    """What happened to one row, or one thing in a row, rule by rule."""
    from benchwright.explanation import stories

    return stories(_opened(manifest), key)


def validate(manifest: AnyManifest) -> list[Finding]:
    """Check a manifest against its own identity and its values against common sense."""
    from schemas.validation import validate as findings_of

    return findings_of(_opened(manifest))


def _opened(manifest: AnyManifest) -> Manifest:
    return open_manifest(manifest) if isinstance(manifest, (str, Path)) else manifest


def _path_or(source: Any) -> object:
    """A path as one, with `~` filled in; anything else as it is."""
    return Path(source).expanduser() if isinstance(source, (str, Path)) else source
