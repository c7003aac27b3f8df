"""The verbs about detectors: `monitor`, `thresholds`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli import console, words
from benchwright.cli.layout import named, numeric
from benchwright.cli.options import Json, ManifestPath, PredictionPath, refuse_overwriting, with_options
from schemas.errors import UsageError
from scorers.options import MonitorOptions, ThresholdOptions

if TYPE_CHECKING:
    from benchwright.score_thresholds import Thresholds
    from scorers.monitoring.scorer import MonitorScore


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright monitor manifests/coco-person persons.json --parts parts.json")(monitor)
    app.command(epilog="Example: benchwright thresholds manifests/coco-person persons.json --out t.json")(thresholds)


def _class_thresholds(texts: list[str]) -> dict[str, float]:
    """The score threshold of each class from `CLASS=SCORE` texts and files of thresholds; a later one counts.

    Raises:
        UsageError: no number behind a class.
        InputError: a file that is unreadable, or no object of class -> number.
    """
    from scorers.monitoring.thresholds import read_thresholds

    found: dict[str, float] = {}
    for text in texts:
        label, equals, number = text.partition("=")
        if not equals or Path(text).is_file():
            found |= read_thresholds(Path(text))
            continue
        try:
            found[label] = float(number)
        except ValueError:
            found[label] = math.nan
        if math.isnan(found[label]):
            raise UsageError(f"--class-threshold {text}: expected a number behind the class")
    return found


@with_options(MonitorOptions, class_thresholds=_class_thresholds)
def monitor(
    manifest: ManifestPath,
    detections: Annotated[Path, typer.Argument(help="Detected persons; alone: persons and parts.", show_default=False)],
    as_json: Json = False,
    **options: Any,
) -> None:
    """Does a body-part detector find the person detector's errors? The sweep over the tolerance o."""
    from schemas.manifest import open_manifest
    from scorers.monitoring.scorer import monitor as monitor_persons

    found = monitor_persons(open_manifest(manifest), detections, options, progress=console.progress)  # type: ignore[arg-type]
    if as_json:
        console.as_json(found)
    else:
        _show_monitor(found)


@with_options(ThresholdOptions)
def thresholds(
    manifest: ManifestPath,
    predictions: PredictionPath,
    out: Annotated[Path | None, typer.Option(help="Write them, for `monitor`.", metavar="FILE.json")] = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Find the score from which on the boxes of each class are best kept: the best F1 on a validation set."""
    from benchwright.score_thresholds import thresholds as best
    from benchwright.score_thresholds import write_thresholds
    from schemas.manifest import open_manifest

    refuse_overwriting(out, predictions)
    found = best(open_manifest(manifest), predictions, options)  # type: ignore[arg-type]
    if out is not None:
        write_thresholds(found, out)
    for warning in found.warnings:
        console.complain(warning, "warning")
    if as_json:
        console.as_json(found.scores)
    else:
        _show_thresholds(found, f"{predictions}: best F1, protocol {found.protocol}")


def _show_monitor(found: MonitorScore) -> None:
    """The sweep as tables, per object and per image, the best tolerances, where the protocols differ."""
    from benchwright.cli.score_tables import show_counts, show_signature
    from scorers.monitoring.metrics import IMAGES, OBJECTS, parse_metrics
    from scorers.monitoring.scorer import SCORER

    metrics = parse_metrics(list(found.metrics))
    units = {metric.name: (metric.unit, metric.higher_is_better) for metric in metrics}
    numbers = {(m.name, m.tolerance): _number(found.metrics[str(m)].value, m.unit) for m in metrics}
    fixed = ", ".join(f"{_spelled(name)} {number}" for (name, o), number in numbers.items() if o is None)
    console.say(f"{found.setup}, protocol {found.protocol}" + (f": {fixed}" if fixed else ""), "bold")
    for title, names in (("per object", OBJECTS), ("per image", IMAGES)):
        shown = [name for name in names if name in units and not name.startswith("image")]
        _show_sweep(title, {name: {o: n for (of, o), n in numbers.items() if of == name} for name in shown}, units)
    best = [f"{_spelled(name)} o={'-' if o is None else f'{o:g}'}" for name, o in found.best.items() if name in units]
    if best:
        console.say("best tolerance by: " + ", ".join(best))
    differing: dict[str, dict[float | None, str]] = {}
    for difference in found.differences:
        (metric,) = parse_metrics([difference.metric])
        values = [_number(value, metric.unit) for value in difference.values.values()]
        differing.setdefault(metric.name, {})[metric.tolerance] = ", ".join(
            filter(None, (" | ".join(values), difference.reason))
        )
    _show_sweep("Where the protocols differ: paper | strict, and how many images cause it", differing, units)
    scales = "precision, recall: fractions; MCC: -1 to 1; others: counts"
    console.say(f"↑ higher is better, ↓ lower is better; {scales}", "dim")
    meanings = {_spelled(word): meaning for word, meaning in SCORER.words.items()}
    console.explain(meanings, ["o", *(_spelled(part) for name in units for part in (name, name.partition("(")[0]))])
    console.explain(SCORER.words, [found.setup, *SCORER.protocols])
    show_counts(found.counts, SCORER.words)
    for warning in found.warnings:
        console.complain(warning, "warning")
    show_signature(found.signature, SCORER.clusters)


def _show_sweep(
    title: str, values: Mapping[str, Mapping[float | None, str]], units: Mapping[str, tuple[str, bool | None]]
) -> None:
    """Metrics by columns, tolerances by rows, with arrows for their direction; nothing where there are none.

    One row where all are alike, as without parts: the tolerance is of nothing then.
    """
    from scorers.score import scale

    found = {o for by_tolerance in values.values() for o in by_tolerance}
    tolerances = sorted(found, key=lambda o: -1 if o is None else o)
    rows = [["all" if o is None else f"{o:g}", *(cells.get(o, "") for cells in values.values())] for o in tolerances]
    if len({tuple(cells) for _, *cells in rows}) == 1 < len(rows):
        rows = [["all", *rows[0][1:]]]
    headings = [numeric(f"{_spelled(name)}{scale('', units[name][1])}") for name in values]
    if rows:
        console.table(title, [numeric("o"), *headings], rows)


def _spelled(name: str) -> str:
    """The name of a metric, so that a heading folds: `detected FP`, `recall (FN)`."""
    return name if name.startswith("D_") else name.replace("_", " ").replace("(", " (")


def _show_thresholds(found: Thresholds, title: str) -> None:
    """The operating points as a table."""
    rows = [
        [label, *(_number(value, "threshold") for value in values)]
        for label, *values in zip(found.labels, *(column.tolist() for column in found.points), strict=True)
    ]
    numbers = map(numeric, ("score threshold", "F1 ↑", "precision ↑", "recall ↑"))
    console.table(title, [named("class"), *numbers], rows)
    console.say("↑ higher is better; F1, precision, recall: fractions", "dim")
    console.explain(words.F1, words.F1)


def _number(value: float | None, unit: str) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:,.0f}" if unit == "count" else f"{value:.{4 if unit == 'threshold' else 3}f}"
