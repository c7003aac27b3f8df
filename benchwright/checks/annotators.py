"""Checks of several annotators of one moment: the column `onsets_s` holds what each of them said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where
from scorers.temporal.spans import span_iou

Floats = NDArray[np.float64]
SIDES = ("start_s", "end_s")


def _onsets(context: Context) -> NDArray[np.float64]:
    """Onsets in ascending order, NaN where there are fewer; shape (rows, annotators)."""
    return np.sort(_padded(context.frame["onsets_s"].tolist()), axis=1)


def _padded(several: Sequence[Sequence[float]]) -> Floats:
    """Numbers of each row, and NaN where there are fewer; shape (rows, most)."""
    found = np.full((len(several), max([1, *map(len, several)])), np.nan)
    for row, numbers in zip(found, several, strict=True):
        row[: len(numbers)] = numbers
    return found


def _spread(context: Context) -> NDArray[np.float64]:
    """Greatest minus least onset of each row; shape (rows,)."""
    onsets = _onsets(context)
    found: Floats = np.fmax.reduce(onsets, axis=1) - np.fmin.reduce(onsets, axis=1)
    return found


@check(
    "disagreement",
    "annotators",
    "spans",
    "Annotators lie more than {seconds} s apart in {count:,} {count:row|rows}",
    "In {count:,} of {of:,} rows the onsets of the annotators lie more than {seconds} s apart, in {three:,} more than "
    "3 s, in {five:,} more than 5 s, in {half:,} more than half the video; at most {largest:.1f} s.",
    columns=["onsets_s"],
)
def disagreement(context: Context, *, seconds: float = 1) -> Evidence | None:
    """Greatest minus least onset above `seconds`, the greatest first."""
    spread, frame = _spread(context), context.frame
    more: dict[str, Any] = {"three": int((spread > 3).sum()), "five": int((spread > 5).sum())}
    more |= {"half": int((spread > frame["duration_s"] / 2).sum()), "largest": float(np.nanmax(spread, initial=0))}
    far = np.flatnonzero(spread > seconds)
    rows = frame["sample_id"].iloc[far[np.argsort(-spread[far], kind="stable")]].tolist()
    return Evidence({"count": len(rows), "of": len(frame), "seconds": seconds, **more}, rows) if rows else None


@check(
    "fine-tolerance",
    "annotators",
    "spans",
    "A tolerance of {seconds} s is finer than the annotators agree",
    "In {count:,} of {of:,} rows the onsets of the annotators lie more than {seconds} s apart.",
    columns=["onsets_s"],
)
def fine_tolerance(context: Context, *, seconds: float = 0.25) -> Evidence | None:
    """Greatest minus least onset above a tolerance, in half of the rows at least."""
    found = where(context.frame, _spread(context) > seconds, seconds=seconds)
    return found if found and 2 * found.numbers["count"] >= found.numbers["of"] else None


@check(
    "lone-annotator",
    "annotators",
    "spans",
    "One annotator alone sets the start of {count:,} {count:span|spans}",
    "In {count:,} of {of:,} rows the span begins more than {seconds} s before two other annotators, who agree within "
    "{agree} s; in {three:,} more than 3 s before.",
    columns=["onsets_s"],
)
def lone_annotator(context: Context, *, seconds: float = 1, agree: float = 0.5) -> Evidence | None:
    """The earliest of three is the truth, and lies apart from the other two."""
    onsets = _onsets(context)
    if onsets.shape[1] < 3:
        return None
    first, second, third = onsets[:, :3].T
    together = (third - second <= agree) & (context.frame["start_s"].to_numpy() == first)
    three = int((together & (second - first > 3)).sum())
    return where(context.frame, together & (second - first > seconds), seconds=seconds, agree=agree, three=three)


@check(
    "earliest",
    "annotators",
    "spans",
    "{count:,} held-out {count:onset lies|onsets lie} outside what the annotators span",
    "{count:,} of {of:,} held-out onsets {count:lies|lie} outside the range of the other annotators. Of all {rows:,} "
    "rows, the held-out onset is within {seconds} s of their earliest in {earliest:.1f} %, of their median in "
    "{median:.1f} %, of the latest in {latest:.1f} %, of any in {any:.1f} %.",
    columns=["onsets_s", "heldout_onset_s"],
)
def earliest(context: Context, *, seconds: float = 1) -> Evidence | None:
    """The annotator that is not part of the truth; rows without a held-out onset are none of the shares."""
    held, onsets = context.frame["heldout_onset_s"].to_numpy(float), _onsets(context)
    choices = {"earliest": np.fmin.reduce(onsets, axis=1), "median": np.array([*map(_median, onsets)])}
    choices["latest"] = np.fmax.reduce(onsets, axis=1)
    within = {name: 100 * float((np.abs(each - held) <= seconds).mean()) for name, each in choices.items()}
    within["any"] = 100 * float((np.abs(onsets - held[:, None]) <= seconds).any(axis=1).mean())
    outside = (held < choices["earliest"]) | (held > choices["latest"])
    found = where(context.frame, outside, seconds=seconds, rows=len(held), **within)
    if found is None:
        return None
    best = max(choices, key=within.__getitem__)
    chosen = context.manifest.identity.parameters.get("onset.pick")
    parameter = "onset.pick" if chosen not in (None, best) else None
    numbers = {**found.numbers, "of": int((~np.isnan(held)).sum())}
    return Evidence(numbers, found.rows, parameter=parameter, alternative=best if parameter else None)


def _median(onsets: Floats) -> float:
    """Of those that are there, NaN where none is."""
    there = onsets[~np.isnan(onsets)]
    return float(np.median(there)) if len(there) else float("nan")


@check(
    "reannotated",
    "annotators",
    "spans",
    "{count:,} {count:span meets|spans meet} none of those who annotated again at IoU {least}",
    "{count:,} of {of:,} spans that people annotated again {count:meets|meet} none of theirs at IoU {least}, "
    "{disjoint:,} {disjoint:touches|touch} none; in {among:,} these people are below {least} among themselves, on "
    "average.",
    columns=["reannotated"],
)
def reannotated(context: Context, *, least: float = 0.5) -> Evidence | None:
    """The span of the row against each of the later ones, and the mean IoU of all pairs of these."""
    rows = context.frame[context.frame["reannotated"].map(lambda spans: spans is not None and len(spans) > 0)]
    start, end = (_padded([[each[side] for each in spans] for spans in rows["reannotated"]]) for side in SIDES)
    if not len(rows):
        return None
    own = _ious(rows["start_s"].to_numpy(float), rows["end_s"].to_numpy(float), start, end)
    best = np.fmax.reduce(own, axis=1)
    pairs = [_ious(start[:, at], end[:, at], start[:, at + 1 :], end[:, at + 1 :]) for at in range(start.shape[1] - 1)]
    among = np.hstack([*pairs, np.full((len(rows), 1), np.nan)])
    lacking = np.nansum(among, axis=1) < least * (~np.isnan(among)).sum(axis=1)
    more = {"disjoint": int((best == 0).sum()), "among": int(lacking.sum())}
    order = np.argsort(best, kind="stable")
    return where(rows.iloc[order], best[order] < least, least=least, **more)


def _ious(start: Floats, end: Floats, starts: Floats, ends: Floats) -> Floats:
    """IoU of the span of each row with others of it, shape (rows, others); NaN where there are fewer."""
    shape = starts.shape
    own_start, own_end = (np.broadcast_to(each[:, None], shape).ravel() for each in (start, end))
    found = span_iou(own_start, own_end, starts.ravel(), ends.ravel())
    return np.where(np.isnan(starts), np.nan, np.nan_to_num(found).reshape(shape))
