"""The verbs about detectors: `monitor`, `thresholds`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli import console as display
from benchwright.cli.options import (
    CategoryBase,
    Classes,
    Form,
    Json,
    ManifestPath,
    PredictionPath,
    Split,
    refuse_overwriting,
)


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright monitor manifests/coco-person persons.json --parts parts.json")(monitor)
    app.command(epilog="Example: benchwright thresholds manifests/coco-person persons.json --out t.json")(thresholds)


def monitor(
    manifest: ManifestPath,
    detections: Annotated[Path, typer.Argument(help="Detected persons; alone: persons and parts.", show_default=False)],
    parts: Annotated[Path | None, typer.Option(help="Detected parts, for MultiDet.")] = None,
    second: Annotated[Path | None, typer.Option(help="Persons of a second detector, for Baseline.")] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="Least score of a class, or a file that `thresholds` wrote; 0.5 where not given.",
            metavar="CLASS=SCORE|FILE",
        ),
    ] = None,
    protocol: Annotated[str, typer.Option(help="paper (what the authors' code does) or strict.")] = "paper",
    split: Split = None,
    category_base: CategoryBase = None,
    classes: Classes = None,
    as_json: Json = False,
) -> None:
    """Does a body-part detector find the person detector's errors? The sweep over the tolerance o."""
    from benchwright import monitoring
    from benchwright.thresholds import least_scores
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    found = monitoring.monitor(
        opened,
        detections,
        parts=parts,
        second=second,
        thresholds=least_scores(threshold or []),
        protocol=protocol,
        split=split,
        base=category_base,
        classes=classes,
    )
    line = monitoring.signature(found, opened.identity)
    if as_json:
        display.as_json(monitoring.as_data(found) | {"signature": line})
    else:
        monitoring.show(found, line)


def thresholds(
    manifest: ManifestPath,
    predictions: PredictionPath,
    out: Annotated[Path | None, typer.Option(help="Write them, for `monitor`.", metavar="FILE.json")] = None,
    protocol: Annotated[str, typer.Option(help="paper (what the authors' code does) or strict.")] = "paper",
    split: Split = None,
    form: Form = None,
    category_base: CategoryBase = None,
    classes: Classes = None,
    as_json: Json = False,
) -> None:
    """Find the score from which on the boxes of each class are best kept: the best F1 on a validation set."""
    from benchwright.thresholds import show_thresholds, write_thresholds
    from benchwright.thresholds import thresholds as best
    from schemas.manifest import open_manifest

    refuse_overwriting(out, predictions)
    found = best(
        open_manifest(manifest),
        predictions,
        protocol=protocol,
        split=split,
        form=form,
        base=category_base,
        classes=classes,
    )
    if out is not None:
        write_thresholds(found, out)
    if as_json:
        display.as_json(found.scores)
    else:
        show_thresholds(found, f"{predictions}: best F1, protocol {protocol}")
