"""Checks of spans: rows said twice, queries that no system can tell apart, times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where

MOMENT = ["split", "video", "start_s", "end_s"]


def _repeated(frame: pd.DataFrame, columns: list[str]) -> Evidence | None:
    """The rows that share these columns with another."""
    rows = frame[frame.duplicated(columns, keep=False)]
    groups = int((~rows.duplicated(columns)).sum())
    numbers = {"count": len(rows), "groups": groups, "of": len(frame), "distinct": len(frame) - len(rows) + groups}
    return Evidence(numbers, rows["sample_id"].tolist()) if groups else None


@check(
    "duplicate-rows",
    "sampling",
    "spans",
    "Rows that stand there more than once: {groups:,}",
    "{count:,} of {of:,} rows share video, span and query with another: they count more than once.",
)
def duplicate_rows(context: Context) -> Evidence | None:
    """Same split, video, span and folded query."""
    return _repeated(context.frame, [*MOMENT, "text"])


@check(
    "repeated-moments",
    "sampling",
    "spans",
    "{of:,} rows hold {distinct:,} moments",
    "{count:,} rows, in {groups:,} groups, share one span of one video: as answers they are not independent.",
)
def repeated_moments(context: Context) -> Evidence | None:
    """Same split, video and span, whatever the query."""
    return _repeated(context.frame, MOMENT)


@check(
    "ambiguous-queries",
    "text",
    "spans",
    "{count:,} rows cannot be told apart by their query",
    "{count:,} of {of:,} rows, in {groups:,} groups, have the same query as another moment of the same video: "
    "no system can know which is meant.",
)
def ambiguous_queries(context: Context) -> Evidence | None:
    """Same split, video and folded query, another span."""
    return _repeated(context.frame.drop_duplicates([*MOMENT, "text"]), ["split", "video", "text"])


@check(
    "few-queries",
    "text",
    "spans",
    "Different queries for {of:,} rows: {distinct:,}",
    "{count:,} of {of:,} rows share their query with another; there are {distinct:,} in all, so that the text says "
    "little of what is sought.",
)
def few_queries(context: Context, *, rows_per_query: float = 5) -> Evidence | None:
    """On average many rows per query."""
    found = _repeated(context.frame, ["text"])
    return found if found and found.numbers["of"] >= rows_per_query * found.numbers["distinct"] else None


@check(
    "near-duplicate-spans",
    "sampling",
    "spans",
    "{count:,} pairs of moments nearly coincide",
    "{count:,} pairs of different spans of one video overlap by more than {least} of their union ({of:,} rows).",
)
def near_duplicate_spans(context: Context, *, least: float = 0.9) -> Evidence | None:
    """IoU above `least`, not the same span."""
    spans = context.frame.drop_duplicates(MOMENT)[["sample_id", *MOMENT]]
    shared = spans[spans.duplicated(["split", "video"], keep=False)]
    pairs = shared.merge(shared, on=["split", "video"], suffixes=("", "_b"))
    pairs = pairs[pairs["sample_id"] < pairs["sample_id_b"]]
    inner = np.minimum(pairs["end_s"], pairs["end_s_b"]) - np.maximum(pairs["start_s"], pairs["start_s_b"])
    outer = np.maximum(pairs["end_s"], pairs["end_s_b"]) - np.minimum(pairs["start_s"], pairs["start_s_b"])
    pairs = pairs[(outer > 0) & (inner > least * outer)]
    names = [f"{a} | {b}" for a, b in zip(pairs["sample_id"], pairs["sample_id_b"], strict=True)]
    return Evidence({"count": len(pairs), "of": len(context.frame), "least": least}, names) if names else None


@check(
    "outside-video",
    "truth",
    "spans",
    "{count:,} spans reach beyond their video",
    "{count:,} of {of:,} spans begin before 0 s or end more than {slack} s after their video does.",
)
def outside_video(context: Context, *, slack: float = 1) -> Evidence | None:
    """Start below 0, or end above the duration by more than `slack` seconds."""
    frame = context.frame
    return where(frame, (frame["start_s"] < 0) | (frame["end_s"] > frame["duration_s"] + slack), slack=slack)


@check(
    "whole-video",
    "truth",
    "spans",
    "In {count:,} rows the moment is nearly the whole video",
    "{count:,} of {of:,} spans leave less than {margin} s of their video at both ends.",
)
def whole_video(context: Context, *, margin: float = 1) -> Evidence | None:
    """Start and rest both below `margin` seconds."""
    frame = context.frame
    return where(frame, (frame["start_s"] < margin) & (frame["duration_s"] - frame["end_s"] < margin), margin=margin)


@check(
    "onset-zero",
    "truth",
    "spans",
    "{count:,} spans begin at exactly 0 s",
    "{count:,} of {of:,} spans begin at exactly 0 s: who always answers 0 is right there to the last digit.",
)
def onset_zero(context: Context) -> Evidence | None:
    """Start equal to 0."""
    return where(context.frame, context.frame["start_s"] == 0)


@check(
    "short-spans",
    "truth",
    "spans",
    "{count:,} spans are shorter than {seconds} s",
    "{count:,} of {of:,} spans are shorter than {seconds} s, {very_short:,} of them than {half} s: captions made once "
    "a second cannot find them.",
)
def short_spans(context: Context, *, seconds: float = 1) -> Evidence | None:
    """Length below `seconds`, and below half of that."""
    length = context.frame["end_s"] - context.frame["start_s"]
    very = int((length < seconds / 2).sum())
    return where(context.frame, length < seconds, seconds=seconds, half=seconds / 2, very_short=very)


@check(
    "long-spans",
    "truth",
    "spans",
    "{count:,} spans are unusually long",
    "{count:,} of {of:,} spans are longer than {limit:.4g} s, which is {times} interquartile ranges above the third "
    "quartile.",
)
def long_spans(context: Context, *, times: float = 3) -> Evidence | None:
    """Tukey's far outliers of the length."""
    length = context.frame["end_s"] - context.frame["start_s"]
    low, high = length.quantile([0.25, 0.75])
    limit = high + times * (high - low)
    return where(context.frame, length > limit, limit=float(limit), times=times)


@check(
    "coarse-times",
    "truth",
    "spans",
    "Starts are multiples of {step} s",
    "{count:,} of {of:,} starts are whole multiples of {step} s: a tolerance that is finer measures rounding, and at "
    "equality `<` and `<=` give different scores.",
)
def coarse_times(context: Context, *, steps: Sequence[float] = (1.0, 0.5, 0.1), share: float = 0.9) -> Evidence | None:
    """The coarsest step of which at least `share` of the starts are multiples."""
    starts = context.frame["start_s"].to_numpy()
    for step in steps:
        on_grid = np.abs(starts / step - np.rint(starts / step)) < 1e-6
        if len(starts) and on_grid.mean() >= share:
            return where(context.frame, pd.Series(on_grid), step=step)
    return None


@check(
    "placeholder-queries",
    "text",
    "spans",
    "{count:,} queries hold a placeholder",
    "{count:,} of {of:,} queries say `{words}`, {only:,} of them nothing else: these ask for nothing.",
)
def placeholder_queries(context: Context, *, words: str = "don t know") -> Evidence | None:
    """The words in the folded query, also where they are written together."""
    text = context.frame["text"].str.replace(" ", "")
    word = words.replace(" ", "")
    only = text.str.replace(word, "").eq("") & text.ne("")
    found = where(context.frame, text.str.contains(word, regex=False), only=int(only.sum()))
    return found and Evidence({**found.numbers, "words": words.replace(" t ", "'t ")}, found.rows)
