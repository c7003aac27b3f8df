"""The verb `instruct`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console
from benchwright.cli.layout import Column, numeric
from benchwright.cli.options import Json, refuse_overwriting, sources_if_given
from benchwright.exporters.training import TRAINERS
from schemas.errors import counted

if TYPE_CHECKING:
    from schemas.manifest import Manifest


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    options = "--templates spans --validation 0.1 --leaks drop --out conversations"
    app.command(epilog=f"Example: benchwright instruct manifests/oops-uag-instruct {options}")(instruct)


def instruct(
    manifest: Annotated[
        Path,
        typer.Argument(
            help="Folder that a build wrote; with --source also the name of a benchmark; or conversations that are "
            "there already: a manifest of them, or a file or folder that a trainer loads, whose turns stay as they "
            "are.",
            metavar="NAME|MANIFEST|FILE",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="New folder, for a manifest of the conversations.", show_default=False)],
    source: Annotated[
        list[str] | None,
        typer.Option(help="Raw files of the benchmark that is named, to build it.", metavar="DIR|NAME=PATH"),
    ] = None,
    input_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            help=f"Of files of a trainer, which one: {', '.join(TRAINERS)}.",
            metavar="TRAINER",
            show_default="what the first record looks like",
        ),
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            help="TOML file of questions and answers, or a bundled one: paper, spans, boxes, activities.",
            metavar="FILE.toml|NAME",
            show_default="by kind; of spans the paper's",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all choices; each depends on it and the row's name alone.")] = 0,
    split: Annotated[str | None, typer.Option(help="Split to read.", show_default="all")] = None,
    validation: Annotated[
        float, typer.Option(help="Share of the rows, as 0.1, that becomes the split validation.", min=0, max=0.99)
    ] = 0.0,
    group_by: Annotated[
        str | None,
        typer.Option(
            help="What no split may part: COLUMN, or COLUMN:PATTERN with a regular expression whose first group names "
            "it.",
            metavar="COLUMN|COLUMN:PATTERN",
            show_default="what the card says, else the video or image",
        ),
    ] = None,
    stratify: Annotated[
        str | None,
        typer.Option(help="Column whose values validation has in the same shares.", metavar="COLUMN"),
    ] = None,
    leaks: Annotated[
        str,
        typer.Option(
            help="Rows of validation whose video, title or text training has too, and rows of --against: "
            "refuse, drop or keep them."
        ),
    ] = "refuse",
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Manifest of a benchmark that no row may come from; several times.", metavar="MANIFEST"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a manifest that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Make conversations for instruction tuning from the rows of a manifest, each answer read back by our parser."""
    import msgspec

    from benchwright.checks.run import opened as benchmark
    from benchwright.exporters.training.importing import open_conversations
    from benchwright.instruction.account import Request
    from benchwright.instruction.making import instruct as make
    from benchwright.instruction.splitting import Splitting
    from schemas.instruction import INSTRUCTION
    from schemas.manifest import open_manifest

    refuse_overwriting(out.parent)
    how = Splitting(validation, group_by or "", stratify or "", leaks)
    benchmarks = [open_manifest(path) for path in against or []]
    if source or not manifest.exists():
        opened, _ = benchmark(str(manifest), *sources_if_given(source))
    else:
        opened = open_conversations(manifest, input_format)
    divided = opened.identity.schema == INSTRUCTION
    request = Request(templates, split, seed, how, benchmarks, force)
    # As many steps as the bundled templates take: two, and one for each task and split.
    with console.progress("instruct", 2 + 4 * (len(opened.splits) + bool(validation))) as step:
        made = make(opened, request, out, step)
    if as_json:
        console.as_json({"path": str(out), "templates": _counts(made)} | msgspec.to_builtins(made.identity))
    else:
        _show_splits(made)
        if not divided:
            _show_templates(made)
        _show_dropped(made)
        if not divided:
            _show_rounding(made, opened)
        console.say(f"{counted(made.table().num_rows, 'conversations')} -> {made.path}", "bold")
    for warning in made.identity.warnings:
        console.complain(warning.message, "warning")
    if "test" in (opened.splits if split is None else [split]):
        name = opened.identity.name
        console.complain(
            f"rows of the split test of {name} are among them: a model trained on it has seen {name}", "note"
        )


def _counts(made: Manifest) -> dict[str, int]:
    """How many conversations each variant of each template gave."""
    return dict(sorted(Counter(made.table(columns=["template"])["template"].to_pylist()).items()))


def _show_splits(made: Manifest) -> None:
    identity = made.identity
    table = made.table(columns=["split", "group", "media", "source_id"])
    frame = table.to_pandas()
    cells = [
        [name, len(rows), *(rows[column].nunique() for column in ("source_id", "media", "group"))]
        for name, rows in frame.groupby("split", sort=False)
    ]
    headings: list[str | Column] = ["split", *map(numeric, ("conversations", "rows", "media", "groups"))]
    console.table(f"{identity.name}: splits", headings, cells)
    console.explain({"groups": str(identity.parameters["split.group_by"])}, ["groups"])


def _show_templates(made: Manifest) -> None:
    counts = _counts(made)
    of_task = Counter[str]()
    for name, count in counts.items():
        of_task[name.rpartition("-")[0]] += count
    rows = [[name, count, f"{100 * count / of_task[name.rpartition('-')[0]]:.1f}"] for name, count in counts.items()]
    console.table("templates", ["template: variants", numeric("rows"), numeric("% of task")], rows)


def _show_dropped(made: Manifest) -> None:
    dropped = Counter(made.ledger()["reason"].to_pylist())
    sentences = {code: text for rule in made.identity.rules for code, text in rule.reasons.items()}
    if dropped:
        lost = [[reason, count, sentences[reason]] for reason, count in dropped.most_common()]
        console.table("left out", ["reason", numeric("rows"), "why"], lost)


def _show_rounding(made: Manifest, source: Manifest) -> None:
    identity = made.identity
    read, most, median = (identity.aggregates[name] for name in ("read_back", "loss_max", "loss_median"))
    if read and most is not None and median is not None:
        unit = "s" if "video" in source.column_names else "px"
        lost_by = f"rounding moved times by at most {most:.3g} {unit}, median {median:.3g} {unit}"
        lost_by = lost_by.replace("times", "sides of boxes") if unit == "px" else lost_by
        console.say(f"{counted(int(read), 'answers')} read back to what they state; {lost_by}")
    if empty := int(identity.aggregates["empty"] or 0):
        short = counted(empty, "conversations", "state")
        console.complain(f"{short} a span without length, since its times round to one", "warning")
