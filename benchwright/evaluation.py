"""What the verbs of predictions do, as functions. Modules are imported when they are needed, as in `api`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from benchwright.api import open_manifest
from benchwright.arguments import check, path_of, path_or
from scorers.declarations import documented
from scorers.options import BaselineOptions, MonitorOptions, Options, ScoreOptions, ThresholdOptions

if TYPE_CHECKING:
    from benchwright.arguments import AnyManifest, Predictions
    from benchwright.score_thresholds import Thresholds
    from scorers.leaderboard.board import Leaderboard
    from scorers.monitoring.scorer import MonitorScore
    from scorers.score import Comparison, Score


@documented
def score(manifest: AnyManifest, predictions: Predictions, **options: Unpack[ScoreOptions]) -> Score:
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
    >>> from benchwright import build
    >>> manifest = build("uag-ssbd", "tests/samples", out=mkdtemp())
    >>> spans = manifest.to_pandas()[["sample_id", "start_s", "end_s"]]
    >>> score(manifest, spans, metrics=["mIoU"], resamples=0).metrics["mIoU"].value
    1.0
    """
    from scorers.run import score as score_run

    return score_run(open_manifest(manifest), path_or(predictions), options)


@documented
def leaderboard(
    manifest: AnyManifest,
    runs: Mapping[str, Predictions] | Sequence[Path | str] | Path | str,
    **options: Unpack[ScoreOptions],
) -> Leaderboard:
    """Score several runs on the same rows and rank them, as the verb `score` does with several.

    Args:
        manifest: opened, or the folder of one.
        runs: predictions by the name of the run, as in `score`; or paths that are given to the verb: of files, of
            folders of runs, or `NAME=PATH`.

    Returns:
        Runs and trivial baselines, the best first, with values and intervals, ranks, and groups of those that the data
        cannot tell apart; `to_pandas()`, `to_markdown()`, `to_latex()`, `to_csv()` and `plot(file)`.

    Raises:
        BenchwrightError: as of `score`; all runs that cannot be read are named.

    >>> from tempfile import mkdtemp
    >>> from benchwright import build
    >>> manifest = build("uag-oops", "tests/samples", out=mkdtemp())
    >>> exact = manifest.to_pandas()[["sample_id", "start_s", "end_s"]]
    >>> late = exact.assign(start_s=exact["start_s"] + 1)
    >>> board = leaderboard(manifest, {"late": late, "exact": exact}, metrics=["mIoU"])
    >>> [(row.rank, row.name) for row in board.rows if row.kind == "run"]
    [(1, 'exact'), (2, 'late')]
    """
    from scorers.leaderboard.ranking import leaderboard as rank

    return rank(open_manifest(manifest), runs, options)


@documented
def compare(manifest: AnyManifest, a: Predictions, b: Predictions, **options: Unpack[Options]) -> Comparison:
    """Compare two runs on the same rows, as the verb `compare` does; arguments and errors as in `score`."""
    from scorers.comparison import compare as compare_runs

    return compare_runs(open_manifest(manifest), path_or(a), path_or(b), options)


@documented
def monitor(manifest: AnyManifest, persons: Predictions, **options: Unpack[MonitorOptions]) -> MonitorScore:
    """Evaluate whether body parts reveal the errors of a person detector, as the verb `monitor` does.

    Args:
        manifest: of boxes, with persons; opened, or the folder of one.
        persons: detections of persons, alone of persons and parts; a path, or in memory as in `score`, like the options
            `parts` (MultiDet) and `second` (Baseline).
    """
    from scorers.monitoring.scorer import monitor as monitor_persons

    return monitor_persons(open_manifest(manifest), path_or(persons), options)


@documented
def thresholds(manifest: AnyManifest, predictions: Predictions, **options: Unpack[ThresholdOptions]) -> Thresholds:
    """The score from which on the boxes of each class are best kept, as the verb `thresholds` finds it."""
    from benchwright.score_thresholds import thresholds as best

    return best(open_manifest(manifest), path_or(predictions), options)


@documented
def baseline(manifest: AnyManifest, kind: str, out: Path | str, **options: Unpack[BaselineOptions]) -> int:
    """Write the predictions of a trivial baseline, as the verb `baseline` does; how many there are."""
    from scorers.run import write_baseline

    check("kind", kind, str, "the name of a baseline")
    return write_baseline(open_manifest(manifest), kind, path_of("out", out), options)
