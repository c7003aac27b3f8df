"""The verb `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from benchwright.cli import console
from benchwright.cli.options import Json, ManifestPath, refuse_overwriting, with_options
from benchwright.exporters import WRITERS
from benchwright.exporters.options import ExportOptions
from benchwright.exporters.training import TRAINERS
from schemas.errors import counted


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    example = "benchwright export manifests/uag-oops --to official --out oops_uag_paper_version.json"
    app.command(epilog=f"Example: {example}")(export)


@with_options(ExportOptions)
def export(
    manifest: ManifestPath,
    to: Annotated[
        str,
        typer.Option(
            help=f"official (the authors' own file), {', '.join(list(WRITERS)[1:])}; for trainers: "
            f"{', '.join(TRAINERS)}.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="File to write; for yolo, voc, jrdb-par, huggingface, lmms-eval, trainers a folder.",
            show_default=False,
        ),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace an output of an earlier export.")] = False,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Write a manifest in the format that other tools expect."""
    from benchwright.exporters import export as write
    from benchwright.exporters.coco import other_numbers
    from schemas.input.files import digest_of
    from schemas.manifest import open_manifest

    # An earlier export to huggingface is a manifest itself, which --force may replace.
    refuse_overwriting(out.parent if to == "huggingface" else out)
    opened = open_manifest(manifest)
    written = write(opened, to, out, console.progress, force, **cast(ExportOptions, options))
    split = options["split"]
    for warning in opened.without_rows(split):
        console.complain(warning, "warning")
    base = 1 if options["category_base"] is None else options["category_base"]
    if to == "coco" and other_numbers(opened, split, base):
        note = f"categories are numbered from {base}, not as in the source"
        console.complain(f"{note}: score results of these numbers with --category-base {base}", "note")
    if written.get("ignored"):
        console.complain("pycocotools counts ignored boxes, which only crowds are not: AP by it will differ", "warning")
    if to == "coco" and written.get("difficult"):
        console.complain("pycocotools reads no `attributes`: difficult boxes are like others to it", "warning")
    digest = {"sha256": digest_of(out)} if out.is_file() else {}
    if as_json:
        console.as_json({"file": str(out), **written, **digest})
    else:
        counts = [counted(count, what) for what, count in written.items()]
        console.say(f"{out}: " + ", ".join([*counts, *(f"SHA-256 {value}" for value in digest.values())]))
