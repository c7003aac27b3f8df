"""Checks of several annotators of one moment: the column `onsets_s` holds what each of them said."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where


def _onsets(context: Context) -> NDArray[np.float64]:
    """Onsets in ascending order, NaN where there are fewer; shape (rows, annotators)."""
    given: list[Any] = context.frame["onsets_s"].tolist()
    onsets = np.full((len(given), max(map(len, given), default=0)), np.nan)
    for row, times in zip(onsets, given, strict=True):
        row[: len(times)] = np.sort(times)
    return onsets


def _spread(context: Context) -> NDArray[np.float64]:
    """Greatest minus least onset of each row; shape (rows,)."""
    onsets = _onsets(context)
    found: NDArray[np.float64] = np.nanmax(onsets, axis=1) - np.nanmin(onsets, axis=1)
    return found


@check(
    "disagreement",
    "annotators",
    "spans",
    "Annotators lie more than {seconds} s apart in {count:,} rows",
    "In {count:,} of {of:,} rows the onsets of the annotators lie more than {seconds} s apart, in {three:,} more than "
    "3 s, in {five:,} more than 5 s; at most {largest:.1f} s.",
    columns=["onsets_s"],
)
def disagreement(context: Context, *, seconds: float = 1) -> Evidence | None:
    """Greatest minus least onset above `seconds`."""
    spread = _spread(context)
    more = {"three": int((spread > 3).sum()), "five": int((spread > 5).sum()), "largest": float(spread.max())}
    return where(context.frame, spread > seconds, seconds=seconds, **more)


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
    "One annotator alone sets the start of {count:,} spans",
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
    "heldout-annotator",
    "annotators",
    "spans",
    "{count:,} held-out onsets lie outside what the annotators span",
    "{count:,} of {of:,} held-out onsets lie outside the range of the other annotators; within {seconds} s of the "
    "held-out one are the earliest onset in {earliest:.1f} %, the median in {median:.1f} %, the latest in "
    "{latest:.1f} %, any of them in {any:.1f} %.",
    columns=["onsets_s", "heldout_onset_s"],
)
def heldout_annotator(context: Context, *, seconds: float = 1) -> Evidence | None:
    """The annotator that is not part of the truth, where there is one and the others are several."""
    held, onsets = context.frame["heldout_onset_s"].to_numpy(), _onsets(context)
    asked = ~np.isnan(held)
    held, onsets = held[asked], onsets[asked]
    choices = {"earliest": np.nanmin(onsets, axis=1), "median": np.nanmedian(onsets, axis=1)}
    choices["latest"] = np.nanmax(onsets, axis=1)
    within = {name: 100 * float((np.abs(each - held) <= seconds).mean()) for name, each in choices.items()}
    within["any"] = 100 * float((np.abs(onsets - held[:, None]) <= seconds).any(axis=1).mean())
    outside = (held < choices["earliest"]) | (held > choices["latest"])
    return where(context.frame[asked], outside, seconds=seconds, **within)
