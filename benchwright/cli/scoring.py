"""The verbs that score: `score`, `compare`, `baseline`, `reproduce`."""

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
    Metrics,
    PredictionPath,
    Protocol,
    Seed,
    Split,
    Thresholds,
    TruthChoice,
    pairs_of,
    refuse_overwriting,
)
from schemas.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright score manifests/uag-oops predictions.json --protocol strict")(score)
    app.command(epilog="Example: benchwright compare manifests/uag-oops model_a.json model_b.json")(compare)
    app.command(epilog="Example: benchwright baseline manifests/uag-oops random --out random.parquet")(baseline)
    app.command(epilog="Example: benchwright reproduce ual-bench --predictions ~/ual/predictions --table 2")(reproduce)


def score(
    manifest: ManifestPath,
    predictions: PredictionPath,
    protocol: Protocol = None,
    split: Split = None,
    truth: TruthChoice = None,
    metric: Metrics = None,
    form: Form = None,
    category_base: CategoryBase = None,
    classes: Classes = None,
    resamples: Annotated[
        int | None, typer.Option(help="Bootstrap resamples; 0 for none.", min=0, show_default="2000; boxes 200")
    ] = None,
    seed: Seed = 12345,
    rows: Annotated[
        Path | None, typer.Option(help="Spans: write per-row results there.", metavar="FILE.parquet")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="Boxes: pycocotools, to check every value against it.", show_default="our own")
    ] = None,
    threshold: Thresholds = None,
    as_json: Json = False,
) -> None:
    """Score predictions, with 95% intervals; for spans and activities the trivial baselines stand beside."""
    from benchwright.request import Request, scorer_for
    from schemas.manifest import open_manifest

    refuse_overwriting(rows, predictions)
    opened = open_manifest(manifest)
    request = Request(
        split=split,
        protocol=protocol,
        metrics=metric or (),
        form=form,
        resamples=resamples,
        seed=seed,
        truth=truth,
        rows=rows,
        category_base=category_base,
        classes=classes,
        engine=engine,
        threshold=_least(threshold),
    )
    scorer = scorer_for(opened, request)
    result = scorer.score_file(opened, predictions, request)
    if as_json:
        display.as_json(result)
    else:
        scorer.show_score(str(predictions), result)


def compare(
    manifest: ManifestPath,
    run_a: Annotated[Path, typer.Argument(help="Predictions of the first run.", show_default=False)],
    run_b: Annotated[Path, typer.Argument(help="Predictions of the second run.", show_default=False)],
    protocol: Protocol = None,
    split: Split = None,
    truth: TruthChoice = None,
    metric: Metrics = None,
    form: Form = None,
    category_base: CategoryBase = None,
    classes: Classes = None,
    resamples: Annotated[
        int | None, typer.Option(help="Bootstrap resamples.", min=1, show_default="10000; boxes 1000")
    ] = None,
    seed: Seed = 12345,
    threshold: Thresholds = None,
    as_json: Json = False,
) -> None:
    """Compare two runs on the same rows: difference, 95% interval, p-value (paired bootstrap)."""
    from benchwright.cli.score_tables import show_comparison
    from benchwright.request import Request, scorer_for
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    request = Request(
        split=split,
        protocol=protocol,
        metrics=metric or (),
        form=form,
        resamples=resamples,
        seed=seed,
        truth=truth,
        category_base=category_base,
        classes=classes,
        threshold=_least(threshold),
    )
    found = scorer_for(opened, request).compare_files(opened, (run_a, run_b), request)
    for warning in found.warnings:
        display.complain(warning, "warning")
    if as_json:
        display.as_json({"a": str(run_a), "b": str(run_b), "protocol": found.protocol, "metrics": found.metrics})
    else:
        show_comparison(run_a, run_b, found)


def _least(texts: list[str] | None) -> dict[str, float] | None:
    """Scores by task from `TASK=SCORE` texts."""
    least = {}
    for task, text in pairs_of(texts or []).items():
        try:
            least[task] = float(text)
        except ValueError:
            raise UsageError(f"--threshold {task}={text}: expected a number") from None
    return least or None


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
    split: Split = None,
    metric: Annotated[
        str | None, typer.Option(help="For random-paper, which draws anew for each metric: whose draw to write.")
    ] = None,
    annotator: Annotated[
        int | None, typer.Option(help="For human on charades-sta: which re-annotator.", min=1, max=5, show_default="1")
    ] = None,
) -> None:
    """Write the predictions of a trivial baseline."""
    from benchwright.request import kind_of
    from schemas.manifest import open_manifest

    refuse_overwriting(out)
    opened = open_manifest(manifest)
    if kind_of(opened) == "activities":
        from benchwright import activity_scoring

        if metric is not None or annotator is not None:
            raise UsageError("--metric and --annotator are for spans, and this manifest holds activities")
        written = activity_scoring.write_baseline(opened, kind, out, split)
    else:
        from scorers.temporal import baseline_files as baselines

        written = baselines.write_baseline(opened, kind, out, split, metric, annotator or 1)
    display.say(f"{out}: {written:,} predictions of the baseline {kind}")


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
    from benchwright.reproduce import Reproduction
    from schemas.errors import unknown_name

    if paper != "ual-bench":
        raise unknown_name("paper", paper, ["ual-bench"])
    cells = Reproduction(manifests, predictions).cells(table)
    if as_json:
        display.as_json(cells)
    else:
        from benchwright.cli.score_tables import show_tables

        show_tables(cells)
    raise typer.Exit(1 if any(cell.verdict == "differs" and not cell.reason for cell in cells) else 0)
