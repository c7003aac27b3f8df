"""Options that several verbs share, so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from schemas.errors import UsageError

Json = Annotated[bool, typer.Option("--json", help="Print data for machines instead of tables.")]
ManifestPath = Annotated[Path, typer.Argument(help="Folder that a build wrote.", show_default=False)]
PredictionPath = Annotated[
    Path, typer.Argument(help="Prediction file, of any form that README lists.", show_default=False)
]
Split = Annotated[str | None, typer.Option(help="Split to score.", show_default="the only one, or test")]
Protocol = Annotated[
    str | None,
    typer.Option(
        help="Spans: paper (what the authors' evaluator does) or strict. Boxes: coco, voc2007 or voc2010. "
        "Activities: paper, description or strict.",
        show_default="paper; coco",
    ),
]
CategoryBase = Annotated[
    int | None,
    typer.Option(help="Boxes in COCO results: number of the first category.", min=0, show_default="ids of the source"),
]
Classes = Annotated[
    Path | None,
    typer.Option(
        help="Boxes: names of the classes in the order of their numbers, one a line.",
        metavar="NAMES.txt",
        show_default="the source's",
    ),
]
TruthChoice = Annotated[
    str | None,
    typer.Option(
        help="Spans: start, any (onset, or re-annotated span), or annotator:1 to annotator:5 (Charades-STA).",
        show_default="start",
    ),
]
Form = Annotated[str | None, typer.Option("--format", help="Form of the predictions.", show_default="found out")]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="As R1(iou>=0.5), R5(iou>=0.5), R1(td<=3), onset(<=1), mIoU, mTD; AP50(person), mAP50, AP, AR100; "
        "F_i, F_a.",
    ),
]
Thresholds = Annotated[
    list[str] | None,
    typer.Option(
        "--threshold",
        help="Activities: scores strictly above it are labels; of actions, social or global.",
        metavar="TASK=SCORE",
        show_default="0.6, 0.6, 0.5",
    ),
]
Resamples = Annotated[int, typer.Option(help="Bootstrap resamples of the 95% intervals; 0 for none.", min=0)]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0)]


def refuse_overwriting(out: Path | None, *inputs: Path | None) -> None:
    """Refuse an output that is also an input, or another output, or lies in a manifest.

    Raises:
        UsageError: two of the paths are one file; the folder of the output was written by a build.
    """
    if out is not None:
        for folder in (out.resolve(), *out.resolve().parents):
            if all((folder / name).is_file() for name in ("manifest.json", "ledger.parquet")):
                raise UsageError(f"{out} lies in the manifest {folder}, which holds what the build wrote alone")
        for other in inputs:
            if other is not None and out.resolve() == other.resolve():
                raise UsageError(f"{out} is read or written already; name another file to write")


def pairs_of(texts: list[str]) -> dict[str, str]:
    """`NAME=VALUE` texts as a mapping; a name given twice is an error, as one of the two would be ignored."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text!r}: expected NAME=VALUE")
        if name in pairs:
            raise UsageError(f"{name} is given twice: {pairs[name]} and {value}")
        pairs[name] = value
    return pairs
