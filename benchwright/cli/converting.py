"""The verb `convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli import console
from benchwright.cli.options import Json, pairs_of, refuse_overwriting
from schemas.errors import counted

_EXAMPLES = """\
Examples:

benchwright convert instances_val2017.json --to yolo --out boxes --map person=pedestrian

benchwright convert train=a.json train=b.json val=VOC2010 --to coco --out all.json --split train

benchwright convert predictions.csv --to moment-detr --out predictions.jsonl"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(epilog=_EXAMPLES)(convert)


def convert(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Boxes: a COCO file, a folder of YOLO or VOC, or SPLIT=PATH. Spans: files. Several are merged.",
            metavar="SOURCE...",
            show_default=False,
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            help="Boxes: coco, yolo or voc. Predicted spans: table, ual-bench, official, moment-detr or timelens.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="File to write; for yolo and voc a folder.", show_default=False)],
    input_format: Annotated[
        str | None, typer.Option(help="Format of the sources.", show_default="found out from each")
    ] = None,
    classes: Annotated[
        list[str] | None, typer.Option("--map", help="New name of a class; several may become one.", metavar="OLD=NEW")
    ] = None,
    split: Annotated[str | None, typer.Option(help="The one split to write.", show_default="all")] = None,
    images: Annotated[
        Path | None,
        typer.Option(help="Folder of the images of YOLO sources: their sizes.", show_default="beside labels"),
    ] = None,
    join: Annotated[bool, typer.Option("--join", help="Images of one name in several sources are one image.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an output that is there already.")] = False,
    as_json: Json = False,
) -> None:
    """Convert boxes or predicted spans from one format to another, without a recipe."""
    from benchwright.conversion import convert as write

    refuse_overwriting(out)
    with console.progress("convert", len(sources) + 1) as step:
        done = write(
            sources,
            to,
            out,
            input_format=input_format,
            classes=pairs_of(classes or []),
            split=split,
            images=images,
            join=join,
            force=force,
            progress=step,
        )
    if as_json:
        console.as_json({"file": str(out), **done.written, "notes": done.notes})
        return
    for text, count in done.notes.items():
        console.complain(f"{text}: {count:,}", "note")
    console.say(f"{out}: " + ", ".join(counted(count, what) for what, count in done.written.items()), "bold")
