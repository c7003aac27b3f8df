"""Operating points of a detector: from which score on the detections of each class are best kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from benchwright.cli import console
from schemas.errors import InputError, Problem, UsageError, unknown_name
from schemas.exchange import new_file
from schemas.manifest import Manifest
from scorers.detection.alignment import read_found, read_task
from scorers.detection.coco import AP50_ONLY, Settings, evaluate, outcomes
from scorers.detection.grid import grid
from scorers.detection.operating import OperatingPoints, best_f1, best_f1_of_samples

PROTOCOLS = ("paper", "strict")


@dataclass(frozen=True)
class Thresholds:
    """The operating points of each class, NaN for classes that the truth does not have."""

    labels: tuple[str, ...]
    points: OperatingPoints
    warnings: list[str]

    @property
    def scores(self) -> dict[str, float]:
        """The least score of each class that has one."""
        scores = dict(zip(self.labels, self.points.score.tolist(), strict=True))
        return {label: score for label, score in scores.items() if score == score}


def thresholds(
    manifest: Manifest,
    path: Path,
    *,
    protocol: str = "paper",
    split: str | None = None,
    form: str | None = None,
    base: int | None = None,
    classes: Path | None = None,
) -> Thresholds:
    """The score of the best F1 of each class.

    Args:
        manifest: a detection manifest.
        path: the detections.
        protocol: `paper`: over COCO's 101 recalls and the interpolated precision, at the second of COCO's thresholds,
            IoU .55, which is what the authors' code looks at where it says .50; `strict`: over all scores, at IoU .50.
        split: split of the manifest.
        form: form of the detections, found out when None.
        base: number of the first class in COCO results.
        classes: file of the names of the classes in the order of their numbers.

    Raises:
        UsageError, InputError: unknown protocol; see `read_task` and `read_found`.
    """
    if protocol not in PROTOCOLS:
        raise unknown_name("protocol", protocol, PROTOCOLS)
    task = read_task(manifest, split)
    found = read_found(path, task, form, base, classes)
    if protocol == "paper":
        points = best_f1_of_samples(grid(evaluate(task.truth, found.detections, Settings())), threshold=1)
    else:
        points = best_f1(outcomes(evaluate(task.truth, found.detections, AP50_ONLY), 0))
    return Thresholds(task.labels, points, found.warnings)


def write_thresholds(found: Thresholds, out: Path) -> None:
    """A JSON object of class -> score, for `monitor --class-threshold FILE`."""
    with new_file(out) as draft:
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(found.scores)) + b"\n")


def read_thresholds(path: Path) -> dict[str, float]:
    """What `write_thresholds` wrote.

    Raises:
        InputError: unreadable, or no object of class -> number.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, float])
    except (OSError, msgspec.DecodeError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else str(failure)
        expected = 'CLASS=SCORE, or a file {"person": 0.43, ...} as `benchwright thresholds` writes it'
        raise InputError(Problem(str(path), "", "", reason or str(failure), expected)) from None


def least_scores(texts: list[str]) -> dict[str, float]:
    """Least score of each class from `CLASS=SCORE` texts and files of thresholds; a later one counts.

    Raises:
        UsageError: a text of another form.
        InputError: see `read_thresholds`.
    """
    least: dict[str, float] = {}
    for text in texts:
        label, equals, number = text.partition("=")
        if not equals or Path(text).is_file():
            least |= read_thresholds(Path(text))
            continue
        try:
            least[label] = float(number)
        except ValueError:
            raise UsageError(f"--class-threshold {text}: expected a number behind the class") from None
        if np.isnan(least[label]):
            raise UsageError(f"--class-threshold {text}: expected a number behind the class")
    return least


def show_thresholds(found: Thresholds, title: str) -> None:
    """The operating points as a table."""
    points = found.points
    columns = (points.score, points.f1, points.precision, points.recall)
    rows = [
        [label, *(console.number(None if value != value else value, 4) for value in values)]
        for label, *values in zip(found.labels, *(column.tolist() for column in columns), strict=True)
    ]
    console.table(title, ["class", "least score", "F1", "precision", "recall"], rows, right=[1, 2, 3, 4])
    for warning in found.warnings:
        console.complain(warning, "warning")
