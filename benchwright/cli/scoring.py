"""The verbs that score: `score`, `compare`, `baseline`, `reproduce`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from benchwright.cli import console
from benchwright.cli.options import Json, ManifestPath, refuse_overwriting, with_options
from schemas.errors import UsageError, counted
from scorers.declarations import OptionError
from scorers.options import BaselineOptions, Options, ScoreOptions

if TYPE_CHECKING:
    from scorers.leaderboard.board import Leaderboard
    from scorers.scorer import Scorer


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    several = "Example: benchwright score manifests/uag-oops model_a.json b=runs/b.parquet --plot runs.svg"
    app.command(epilog=several)(score)
    app.command(epilog="Example: benchwright compare manifests/uag-oops model_a.json model_b.json")(compare)
    app.command(epilog="Example: benchwright baseline manifests/uag-oops random --out random.parquet")(baseline)
    app.command(epilog="Example: benchwright reproduce ual-bench --predictions ~/ual/predictions --table 2")(reproduce)


FORMATS = ("table", "markdown", "latex", "csv", "json")

Runs = Annotated[
    list[str],
    typer.Argument(
        help="Predictions: a file of any format that the documentation lists, a folder of runs, or NAME=PATH.",
        metavar="RUN...",
        show_default=False,
    ),
]


@with_options(ScoreOptions)
def score(
    manifest: ManifestPath,
    runs: Runs,
    output: Annotated[
        str, typer.Option("--format", help=f"Of what is printed: {', '.join(FORMATS)}.", metavar="FORMAT")
    ] = "table",
    plot: Annotated[
        Path | None, typer.Option(help="Write a forest plot of all runs.", metavar="FILE.svg|png|pdf")
    ] = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Score predictions, with 95% intervals and, for spans and activities, the trivial baselines beside them.

    Several runs make a leaderboard: ranks, and which runs the data tell apart.
    """
    from schemas.manifest import open_manifest
    from scorers.leaderboard.ranking import board_of, runs_of
    from scorers.run import score_runs
    from scorers.task import task_of

    chosen = _output(output, as_json)
    if plot is not None:
        from scorers.leaderboard.plot import refuse_plot

        refuse_plot(plot)
    task = task_of(open_manifest(manifest), options)
    sources, notes = runs_of(task, runs)
    if len(sources) > 1 and (options.get("per_class") or options.get("score_threshold") is not None):
        raise OptionError("per_class", ": for one run, and these are several")
    paths = [path for path in sources.values() if isinstance(path, Path)]
    refuse_overwriting(options.get("rows"), *paths, plot)
    refuse_overwriting(plot, *paths)
    task, scored = score_runs(task, sources, console.progress)
    if len(scored) > 1 or plot or chosen not in ("table", "json"):
        board = board_of(task, scored, notes)
        if plot is not None:
            board.plot(plot)
    if len(scored) > 1 or chosen not in ("table", "json"):
        _print_board(f"{manifest}, protocol {task.protocol}", board, chosen, task.scorer)
    elif chosen == "json":
        console.as_json(next(iter(scored.values())).score)
    else:
        from benchwright.cli.score_tables import show_score

        show_score(str(paths[0]), next(iter(scored.values())).score, task.scorer)
    if plot is not None and chosen == "table":
        console.say(f"{plot}: the plot")


def _output(output: str, as_json: bool) -> str:
    """The format of what is printed; `--json` is short for one."""
    from schemas.errors import unknown_name

    if output not in FORMATS:
        advice = "; --input-format names the format of predictions"
        raise UsageError(f"{unknown_name('format', output, FORMATS)}{advice}")
    if as_json and output not in ("table", "json"):
        raise UsageError(f"--json and --format {output}: give one of the two")
    return "json" if as_json else output


def _print_board(title: str, board: Leaderboard, output: str, scorer: Scorer[Any, Any, Any]) -> None:
    if output == "table":
        from benchwright.cli.board_tables import show_board

        show_board(title, board, scorer)
    elif output == "json":
        console.as_json(board)
    else:
        sys.stdout.write({"markdown": board.to_markdown, "latex": board.to_latex, "csv": board.to_csv}[output]())


@with_options(Options)
def compare(
    manifest: ManifestPath,
    run_a: Annotated[Path, typer.Argument(help="Predictions of the first run.", show_default=False)],
    run_b: Annotated[Path, typer.Argument(help="Predictions of the second run.", show_default=False)],
    as_json: Json = False,
    **options: Any,
) -> None:
    """Compare two runs on the same rows: difference, 95% interval, p-value."""
    from benchwright.cli.score_tables import show_comparison
    from schemas.manifest import open_manifest
    from scorers.comparison import compare as compare_runs
    from scorers.registry import scorer_of

    opened = open_manifest(manifest)
    found = compare_runs(opened, run_a, run_b, options, progress=console.progress)  # type: ignore[arg-type]
    for warning in found.warnings:
        console.complain(warning, "warning")
    if as_json:
        console.as_json({"a": str(run_a), "b": str(run_b)} | msgspec.structs.asdict(found))
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
    from scorers.registry import scorer_of
    from scorers.run import write_baseline

    refuse_overwriting(out)
    opened = open_manifest(manifest)
    written = write_baseline(opened, kind, out, options)  # type: ignore[arg-type]
    for warning in opened.without_rows(opened.chosen_split(options["split"])):
        console.complain(warning, "warning")
    console.say(f"{out}: {counted(written, 'predictions')} of the baseline {kind}")
    console.explain(scorer_of(opened).words, [kind])


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
