"""The verbs about detectors: `monitor`, `thresholds`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from benchwright.cli import console
from benchwright.cli.options import Json, ManifestPath, PredictionPath, refuse_overwriting, with_options
from scorers.options import MonitorOptions, ThresholdOptions


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright monitor manifests/coco-person persons.json --parts parts.json")(monitor)
    app.command(epilog="Example: benchwright thresholds manifests/coco-person persons.json --out t.json")(thresholds)


def _class_thresholds(texts: list[str]) -> dict[str, float]:
    from benchwright.thresholds import least_scores

    return least_scores(texts)


@with_options(MonitorOptions, class_thresholds=_class_thresholds)
def monitor(
    manifest: ManifestPath,
    detections: Annotated[Path, typer.Argument(help="Detected persons; alone: persons and parts.", show_default=False)],
    parts: Annotated[Path | None, typer.Option(help="Detected parts, for MultiDet.")] = None,
    second: Annotated[Path | None, typer.Option(help="Persons of a second detector, for Baseline.")] = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Does a body-part detector find the person detector's errors? The sweep over the tolerance o."""
    from benchwright import monitoring
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    found = monitoring.monitor(
        opened,
        detections,
        parts=parts,
        second=second,
        thresholds=options.get("class_thresholds"),
        protocol=options.get("protocol") or "paper",
        split=options.get("split"),
        base=options.get("category_base"),
        classes=options.get("classes"),
    )
    line = monitoring.signature(found, opened.identity)
    if as_json:
        console.as_json(monitoring.as_data(found) | {"signature": line})
    else:
        monitoring.show(found, line)


@with_options(ThresholdOptions)
def thresholds(
    manifest: ManifestPath,
    predictions: PredictionPath,
    out: Annotated[Path | None, typer.Option(help="Write them, for `monitor`.", metavar="FILE.json")] = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Find the score from which on the boxes of each class are best kept: the best F1 on a validation set."""
    from benchwright.thresholds import show_thresholds, write_thresholds
    from benchwright.thresholds import thresholds as best
    from schemas.manifest import open_manifest

    refuse_overwriting(out, predictions)
    protocol = options.get("protocol") or "paper"
    found = best(
        open_manifest(manifest),
        predictions,
        protocol=protocol,
        split=options.get("split"),
        form=options.get("format"),
        base=options.get("category_base"),
        classes=options.get("classes"),
    )
    if out is not None:
        write_thresholds(found, out)
    if as_json:
        console.as_json(found.scores)
    else:
        show_thresholds(found, f"{predictions}: best F1, protocol {protocol}")
