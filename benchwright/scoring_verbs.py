"""The verbs that score: `score`, `compare`, `baseline`, `parse`, `prompts`, `reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright import display

if TYPE_CHECKING:
    from scorers.expressions import Metric

Json = Annotated[bool, typer.Option("--json", help="Print data for machines instead of tables.")]
ManifestPath = Annotated[Path, typer.Argument(help="Folder that a build wrote.", show_default=False)]
PredictionPath = Annotated[
    Path, typer.Argument(help="Prediction file, of any form that README lists.", show_default=False)
]
Split = Annotated[str | None, typer.Option(help="Split to score.", show_default="the only one, or test")]
Protocol = Annotated[str, typer.Option(help="paper (what the authors' evaluator does) or strict.")]
TruthChoice = Annotated[str, typer.Option(help="Onsets that count: start, or any (of all annotators).")]
Form = Annotated[str | None, typer.Option("--format", help="Form of the predictions.", show_default="found out")]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Metric, as R1(iou>=0.5), R5(iou>=0.5), R1(td<=3), onset(<=1), mIoU, mTD."),
]
Resamples = Annotated[int, typer.Option(help="Bootstrap resamples of the 95% intervals; 0 for none.", min=0)]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0)]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(epilog="Example: benchwright score manifests/uag-oops predictions.json --protocol strict")(score)
    app.command(epilog="Example: benchwright compare manifests/uag-oops model_a.json model_b.json")(compare)
    app.command(epilog="Example: benchwright baseline manifests/uag-oops random --out random.parquet")(baseline)
    app.command(epilog="Example: benchwright reproduce ual-bench --predictions ~/ual/predictions --table 2")(reproduce)
    app.command(epilog="Example: benchwright parse manifests/uag-oops answers.jsonl --out predictions.parquet")(parse)
    app.command(epilog="Example: benchwright prompts manifests/uag-oops --approach vid-llm --out requests.jsonl")(
        prompts
    )


def score(
    manifest: ManifestPath,
    predictions: PredictionPath,
    protocol: Protocol = "paper",
    split: Split = None,
    truth: TruthChoice = "start",
    metric: Metrics = None,
    form: Form = None,
    resamples: Resamples = 2000,
    seed: Seed = 12345,
    rows: Annotated[Path | None, typer.Option(help="Write per-row results there.", metavar="FILE.parquet")] = None,
    as_json: Json = False,
) -> None:
    """Score predictions of spans, with 95% intervals and the trivial baselines beside."""
    from benchwright.placing import read_rows, read_run
    from benchwright.scoring import score as score_run
    from benchwright.scoring import write_rows
    from schemas.manifest import open_manifest
    from scorers.score import Bootstrap

    wanted = read_rows(open_manifest(manifest), split, truth)
    metrics = _metrics(metric)
    run = read_run(predictions, wanted, form, _ranks(metrics))
    bootstrap = Bootstrap("video", resamples, seed) if resamples else None
    options = {} if truth == "start" else {"truth": truth}
    result, evaluation = score_run(
        wanted, run, protocol=protocol, metrics=metrics, bootstrap=bootstrap, options=options
    )
    if rows is not None:
        write_rows(rows, wanted, run, evaluation)
    if as_json:
        display.as_json(result)
    else:
        from benchwright.score_tables import show_score

        show_score(str(predictions), result)


def compare(
    manifest: ManifestPath,
    run_a: Annotated[Path, typer.Argument(help="Predictions of the first run.", show_default=False)],
    run_b: Annotated[Path, typer.Argument(help="Predictions of the second run.", show_default=False)],
    protocol: Protocol = "paper",
    split: Split = None,
    truth: TruthChoice = "start",
    metric: Metrics = None,
    form: Form = None,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.", min=1)] = 10_000,
    seed: Seed = 12345,
    as_json: Json = False,
) -> None:
    """Compare two runs on the same rows: difference, 95% interval, p-value (paired bootstrap over videos)."""
    from benchwright.comparing import compare_runs
    from benchwright.placing import read_rows, read_run
    from schemas.manifest import open_manifest

    rows = read_rows(open_manifest(manifest), split, truth)
    metrics = _metrics(metric)
    runs = [read_run(path, rows, form, _ranks(metrics)) for path in (run_a, run_b)]
    found = compare_runs(rows, runs[0], runs[1], metrics, protocol, resamples, seed)
    for path, run in zip((run_a, run_b), runs, strict=True):
        for warning in run.warnings:
            display.complain(f"{path}: {warning}", "warning")
    if as_json:
        display.as_json({"a": str(run_a), "b": str(run_b), "protocol": protocol, "metrics": found})
        return
    cells = [
        [
            name,
            display.number(line.a),
            display.number(line.b),
            display.number(line.difference),
            "" if line.low is None else f"{line.low:.2f} to {line.high:.2f}",
            "" if line.p_value is None else f"{line.p_value:.4f}",
        ]
        for name, line in found.items()
    ]
    headings = ["metric", run_a.stem, run_b.stem, "difference", "95% interval", "p-value"]
    display.table(f"{run_b.name} minus {run_a.name}, protocol {protocol}", headings, cells, right=range(1, 6))
    display.say(f"paired bootstrap over videos, {resamples:,} resamples, seed {seed}; p-values are two-sided", "dim")


def baseline(
    manifest: ManifestPath,
    kind: Annotated[
        str, typer.Argument(help="random, random-paper, predict-all, middle or human.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Prediction file to write (.parquet, .csv or .json).", show_default=False)],
    split: Split = None,
    metric: Annotated[
        str | None, typer.Option(help="For random-paper, which draws anew for each metric: whose draw to write.")
    ] = None,
) -> None:
    """Write the predictions of a trivial baseline."""
    from benchwright.baselines import write_baseline
    from schemas.manifest import open_manifest

    written = write_baseline(open_manifest(manifest), kind, out, split, metric)
    display.say(f"{out}: {written:,} predictions of the baseline {kind}")


def _metrics(texts: list[str] | None) -> Sequence[Metric]:
    from scorers.expressions import DEFAULT_METRICS, parse_metric

    return [parse_metric(text) for text in texts] if texts else DEFAULT_METRICS


def _ranks(metrics: Sequence[Metric]) -> int:
    return max(metric.rank for metric in metrics)


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
        from benchwright.score_tables import show_tables

        show_tables(cells)
    raise typer.Exit(1 if any(cell.verdict == "differs" and not cell.reason for cell in cells) else 0)


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
    edits: Annotated[Path | None, typer.Option(help="An edited review file, to put over what was parsed.")] = None,
    split: Split = None,
    as_json: Json = False,
) -> None:
    """Turn free model answers into predictions: status and pattern of each row, and a file to review."""
    from benchwright.parsing import parse_file, write_review
    from benchwright.placing import read_rows
    from schemas.manifest import open_manifest

    rows = read_rows(open_manifest(manifest), split)
    parsed = parse_file(answers, out, rows, patterns, time, edits)
    doubtful = review or out.with_name(f"{out.stem}.review.csv")
    write_review(doubtful, parsed.review, edits)
    for warning in parsed.warnings:
        display.complain(warning, "warning")
    if as_json:
        counts = {"statuses": parsed.statuses, "patterns": parsed.patterns, "review": parsed.review.num_rows}
        display.as_json({"predictions": str(out), "review_file": str(doubtful), **counts})
        return
    display.table(f"{answers}: answers", ["status", "rows"], list(parsed.statuses.items()), right=[1])
    display.table("patterns that matched", ["pattern", "rows"], list(parsed.patterns.items()), right=[1])
    display.say(f"{out} written; {parsed.review.num_rows:,} rows to look at in {doubtful}")
    display.say(f"edit its columns start and end, then: --edits {doubtful}", "dim")


def prompts(
    manifest: ManifestPath,
    approach: Annotated[str, typer.Option(help="vid-llm, vlm-llm or frame-caption.", show_default=False)],
    out: Annotated[Path, typer.Option(help="JSON Lines file to write.", show_default=False)],
    text_rep: Annotated[
        Path | None, typer.Option(help="JSON of {video: [caption of each second]}, for vlm-llm.", metavar="FILE")
    ] = None,
    model: Annotated[str, typer.Option(help="Model to name in the requests.")] = "MODEL",
    media_root: Annotated[
        str | None, typer.Option(help="Address below which the videos lie, to attach them.", metavar="URL")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(help="Cut text representations to about this many tokens.", min=1, show_default="whole"),
    ] = None,
    split: Split = None,
) -> None:
    """Write one request a row, with the paper's prompts, in the shape of OpenAI batches."""
    from benchwright.prompts import write_prompts
    from schemas.manifest import open_manifest

    written, cut = write_prompts(open_manifest(manifest), approach, out, text_rep, model, media_root, max_tokens, split)
    display.say(f"{out}: {written:,} requests" + (f", {cut:,} text representations cut" if cut else ""))
