"""Predictions of trivial baselines for the rows of a manifest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from schemas.arrays import booleans, floats
from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.temporal.alignment import Rows, read_rows, reannotated_spans
from scorers.temporal.baselines import KINDS, Floats, Spans, human, middle, predict_all, random_paper, random_spans
from scorers.temporal.expressions import Metric, parse_metric
from scorers.temporal.table import write_table

# Baselines that look at nothing but the duration.
TRIVIAL = ("random", "predict-all", "middle")


def write_baseline(
    manifest: Manifest, kind: str, out: Path, split: str | None, metric: str | None, annotator: int = 1
) -> int:
    """Write a baseline's predictions in our own form; how many rows got one.

    A held-out annotator who saw no failure makes no prediction; a file has no times below 0. On Charades-STA `human` is
    one of the five re-annotators, `annotator` 1 to 5.
    """
    rows = read_rows(manifest, split)
    if kind == "human" and manifest.identity.name == "charades-sta":
        spans = Spans(*reannotated_spans(rows.column("reannotated"))[annotator - 1])
    else:
        spans = baseline_spans(kind, rows, manifest.identity.name, "strict", parse_metric(metric) if metric else None)
    write_table(out, rows.names, spans.start, spans.end)
    return int(np.count_nonzero(~np.isnan(spans.start) & ~np.isnan(spans.end)))


def baseline_spans(
    kind: str, rows: Rows, benchmark: str = "", protocol: str = "paper", metric: Metric | None = None
) -> Spans:
    """The spans of a baseline.

    Raises:
        UsageError: unknown kind; durations or onsets that the manifest does not have; no metric for random-paper.
    """
    if kind not in KINDS:
        raise unknown_name("baseline", kind, list(KINDS))
    if kind == "random":
        return random_spans(len(rows))
    if kind == "random-paper":
        if metric is None:
            raise UsageError("random-paper draws anew for each metric: name one with --metric, as R1(iou>=0.5)")
        return random_paper(benchmark, len(rows), [metric])[metric]
    if kind == "human":
        return human(heldout_onsets(rows), rows.truth.end, protocol)
    if np.isnan(rows.duration).all():
        raise UsageError(f"{kind} needs the durations of the videos, which this manifest does not have")
    return predict_all(rows.duration) if kind == "predict-all" else middle(rows.duration)


def heldout_onsets(rows: Rows) -> Floats:
    """The held-out annotator's onset of each row: -1 where none was seen, NaN where nobody was asked.

    Raises:
        UsageError: a benchmark without held-out onsets, or built without them.
    """
    try:
        given, saw = (rows.column(f"heldout_{name}") for name in ("onset_s", "saw_failure"))
    except UsageError:
        raise UsageError("the human baseline needs held-out onsets, which only uag-oops has") from None
    if saw.null_count == len(saw):
        raise UsageError("the human baseline needs held-out onsets, and the manifest was built without them")
    return np.where(booleans(pc.invert(saw)), -1.0, floats(given))
