"""The verbs that score: `score`, `compare`, `baseline`, `reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from benchwright.cli import console
from benchwright.cli.options import Json, ManifestPath, PredictionPath, refuse_overwriting, with_options
from scorers.options import BaselineOptions, Options, ScoreOptions


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright score manifests/uag-oops predictions.json --protocol strict")(score)
    app.command(epilog="Example: benchwright compare manifests/uag-oops model_a.json model_b.json")(compare)
    app.command(epilog="Example: benchwright baseline manifests/uag-oops random --out random.parquet")(baseline)
    app.command(epilog="Example: benchwright reproduce ual-bench --predictions ~/ual/predictions --table 2")(reproduce)


@with_options(ScoreOptions)
def score(manifest: ManifestPath, predictions: PredictionPath, as_json: Json = False, **options: Any) -> None:
    """Score predictions, with 95% intervals and, for spans and activities, the trivial baselines beside them."""
    from benchwright.cli.score_tables import show_score
    from schemas.manifest import open_manifest
    from scorers.registry import scorer_of
    from scorers.run import score as score_run

    refuse_overwriting(options.get("rows"), predictions)
    opened = open_manifest(manifest)
    result = score_run(opened, predictions, options, progress=console.progress)  # type: ignore[arg-type]
    if as_json:
        console.as_json(result)
    else:
        show_score(str(predictions), result, scorer_of(opened))


@with_options(Options)
def compare(
    manifest: ManifestPath,
    run_a: Annotated[Path, typer.Argument(help="Predictions of the first run.", show_default=False)],
    run_b: Annotated[Path, typer.Argument(help="Predictions of the second run.", show_default=False)],
    as_json: Json = False,
    **options: Any,
) -> None:
    """Compare two runs on the same rows: difference, 95% interval, p-value (paired bootstrap)."""
    from benchwright.cli.score_tables import show_comparison
    from schemas.manifest import open_manifest
    from scorers.registry import scorer_of
    from scorers.run import compare as compare_runs

    opened = open_manifest(manifest)
    found = compare_runs(opened, run_a, run_b, options, progress=console.progress)  # type: ignore[arg-type]
    for warning in found.warnings:
        console.complain(warning, "warning")
    if as_json:
        console.as_json({"a": str(run_a), "b": str(run_b), "protocol": found.protocol, "metrics": found.metrics})
    else:
        show_comparison(run_a, run_b, found, scorer_of(opened))


@with_options(BaselineOptions)
def baseline(
    manifest: ManifestPath,
    kind: Annotated[
        str,
        typer.Argument(
            help="Spans: random, random-paper, predict-all, middle or human. "
            "Activities: most-frequent, alone or nearest.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(help="File to write (.parquet, .csv or .json); for activities a folder.", show_default=False),
    ],
    **options: Any,
) -> None:
    """Write the predictions of a trivial baseline."""
    from schemas.manifest import open_manifest
    from scorers.run import write_baseline

    refuse_overwriting(out)
    opened = open_manifest(manifest)
    written = write_baseline(opened, kind, out, options)  # type: ignore[arg-type]
    for warning in opened.without_rows(opened.chosen_split(options["split"])):
        console.complain(warning, "warning")
    console.say(f"{out}: {written:,} predictions of the baseline {kind}")


def reproduce(
    paper: Annotated[str, typer.Argument(help="Whose tables: ual-bench.", show_default=False)],
    manifests: Annotated[Path, typer.Option(help="Folder that holds the manifests.")] = Path("manifests"),
    predictions: Annotated[
        Path, typer.Option(help="Folder of published predictions: <benchmark>/<model>.json.")
    ] = Path("predictions"),
    table: Annotated[int | None, typer.Option(help="One table, 1 to 6.", show_default="all")] = None,
    as_json: Json = False,
) -> None:
    """Recompute the printed tables of a paper, cell by cell: paper, ours, verdict and why."""
    from benchwright.cli.paper_tables import show_tables
    from benchwright.reproduce import Reproduction
    from schemas.errors import unknown_name

    if paper != "ual-bench":
        raise unknown_name("paper", paper, ["ual-bench"])
    cells = Reproduction(manifests, predictions).cells(table)
    if as_json:
        console.as_json(cells)
    else:
        show_tables(cells)
    raise typer.Exit(1 if any(cell.verdict == "differs" and not cell.reason for cell in cells) else 0)
