"""The verbs around free model answers: `prompts`, `parse`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli import console
from benchwright.cli.layout import numeric
from benchwright.cli.options import Json, ManifestPath, SplitOption, refuse_overwriting
from schemas.errors import counted


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright parse manifests/uag-oops answers.jsonl --out predictions.parquet")(parse)
    example = "Example: benchwright prompts manifests/uag-oops --approach vid-llm --out requests.jsonl"
    app.command(epilog=example)(prompts)


def parse(
    manifest: ManifestPath,
    answers: Annotated[Path, typer.Argument(help="File of free model answers.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Prediction file to write (.parquet, .csv or .json).", show_default=False)],
    patterns: Annotated[
        str, typer.Option(help="general, or official: the authors' for this benchmark and model (or official:SET).")
    ] = "general",
    time: Annotated[
        str, typer.Option(help="What bare numbers mean: seconds, normalised, percent, frames:100, frames:30fps.")
    ] = "seconds",
    review: Annotated[
        Path | None, typer.Option(help="CSV of the rows that a person should look at.", show_default="OUT.review.csv")
    ] = None,
    answer_field: Annotated[
        str | None,
        typer.Option(
            help="Field of the records that holds the answer.", metavar="NAME", show_default="found by its name"
        ),
    ] = None,
    edits: Annotated[Path | None, typer.Option(help="An edited review file, to put over what was parsed.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a review file that is there, which a person may have edited.")
    ] = False,
    split: SplitOption = None,
    as_json: Json = False,
) -> None:
    """Turn free model answers into predictions: status and pattern of each row, and a file to review."""
    from benchwright.parsing import parse_file
    from schemas.manifest import open_manifest
    from scorers.answers import PATTERNS, STATUSES
    from scorers.temporal.truth import read_truth

    doubtful = review or out.with_name(f"{out.stem}.review.csv")
    refuse_overwriting(out, answers, edits, doubtful)
    refuse_overwriting(doubtful, answers)
    truth = read_truth(open_manifest(manifest), split)
    parsed = parse_file(answers, out, truth, patterns, time, edits, answer_field, doubtful, force)
    for warning in parsed.warnings:
        console.complain(warning, "warning")
    if as_json:
        counts = {"statuses": parsed.statuses, "patterns": parsed.patterns, "review": parsed.review.num_rows}
        counts |= {"names": parsed.names, "warnings": parsed.warnings}
        console.as_json({"predictions": str(out), "review_file": str(doubtful), **counts})
        return
    statuses = [[status, count, STATUSES[status]] for status, count in parsed.statuses.items()]
    console.table(f"{answers}: answers", ["status", numeric("rows"), "what was found"], statuses)
    matched = [[name, count, PATTERNS[name].meaning] for name, count in parsed.patterns.items()]
    console.table("patterns that matched", ["pattern", numeric("rows"), "what they read"], matched)
    console.say(f"{out} written; {counted(parsed.review.num_rows, 'rows')} to look at in {doubtful}")
    console.say(f"edit its columns start and end, then: --edits {doubtful}", "dim")


def prompts(
    manifest: ManifestPath,
    approach: Annotated[str, typer.Option(help="vid-llm, vlm-llm or frame-caption.", show_default=False)],
    out: Annotated[Path, typer.Option(help="JSON Lines file to write.", show_default=False)],
    text_rep: Annotated[
        Path | None, typer.Option(help="JSON of {video: [caption of each second]}, for vlm-llm.", metavar="FILE")
    ] = None,
    model: Annotated[str, typer.Option(help="Model to name in the requests.")] = "MODEL",
    media_root: Annotated[
        str | None, typer.Option(help="Address below which the videos are, to attach them.", metavar="URL")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(help="Cut text representations to about this many tokens.", min=1, show_default="whole"),
    ] = None,
    split: SplitOption = None,
) -> None:
    """Write one request per row, with the paper's prompts, in the format of OpenAI batches."""
    from benchwright.prompts import write_prompts
    from schemas.manifest import open_manifest

    refuse_overwriting(out, text_rep)
    opened = open_manifest(manifest)
    for warning in opened.without_rows(opened.chosen_split(split)):
        console.complain(warning, "warning")
    written, cut = write_prompts(opened, approach, out, text_rep, model, media_root, max_tokens, split)
    console.say(f"{out}: {counted(written, 'requests')}" + (f", {cut:,} text representations cut" if cut else ""))
