"""Checks of the times of spans: those that cannot be, are odd, or give answers away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where


@check(
    "outside-video",
    "truth",
    "spans",
    "{count:,} {count:span reaches beyond its|spans reach beyond their} video",
    "{count:,} of {of:,} spans {count:begins before 0 s or ends|begin before 0 s or end} more than {slack} s after "
    "the end of the video.",
)
def outside_video(context: Context, *, slack: float = 1) -> Evidence | None:
    """Start below 0, or end above the duration by more than `slack` seconds."""
    frame = context.frame
    return where(frame, (frame["start_s"] < 0) | (frame["end_s"] > frame["duration_s"] + slack), slack=slack)


@check(
    "whole-video",
    "truth",
    "spans",
    "In {count:,} {count:row|rows} the moment is nearly the whole video",
    "{count:,} of {of:,} spans {count:leaves|leave} less than {margin} s of the video at both ends.",
)
def whole_video(context: Context, *, margin: float = 1) -> Evidence | None:
    """Start and rest both below `margin` seconds."""
    frame = context.frame
    return where(frame, (frame["start_s"] < margin) & (frame["duration_s"] - frame["end_s"] < margin), margin=margin)


@check(
    "onset-zero",
    "truth",
    "spans",
    "{count:,} {count:span begins|spans begin} at exactly 0 s",
    "{count:,} of {of:,} spans {count:begins|begin} at exactly 0 s; {whole:,} of {count:,} {whole:is|are} the whole "
    "video: who always answers 0 is right there to the last digit, in {percent:.2f} % of all rows.{held}",
)
def onset_zero(context: Context) -> Evidence | None:
    """Start equal to 0; and held-out onsets that are those of another annotator, of which such zeros are a part."""
    frame = context.frame
    zero = frame["start_s"] == 0
    whole = int((zero & (frame["end_s"] == frame["duration_s"])).sum())
    numbers: dict[str, Any] = {"whole": whole, "percent": 100 * float(zero.mean()), "held": ""}
    if {"onsets_s", "heldout_onset_s"} <= set(frame):
        pairs = zip(frame["heldout_onset_s"], frame["onsets_s"], strict=True)
        equal = np.array([held in list(onsets) for held, onsets in pairs], dtype=bool)
        both = int((equal & (frame["heldout_onset_s"] == 0)).sum())
        numbers |= {"equal": int(equal.sum()), "equal_zeros": both}
        numbers["held"] = f" Of {equal.sum():,} held-out onsets that equal another annotator's, {both:,} are 0."
    return where(frame, zero, **numbers)


@check(
    "short-span",
    "truth",
    "spans",
    "{count:,} {count:span is|spans are} shorter than {seconds} s",
    "{count:,} of {of:,} spans {count:is|are} shorter than {seconds} s, {very_short:,} than {half} s: captions made "
    "once a second cannot find them.",
)
def short_span(context: Context, *, seconds: float = 1) -> Evidence | None:
    """Length below `seconds`, and below half of that."""
    length = context.frame["end_s"] - context.frame["start_s"]
    very = int((length < seconds / 2).sum())
    return where(context.frame, length < seconds, seconds=seconds, half=seconds / 2, very_short=very)


@check(
    "long-spans",
    "truth",
    "spans",
    "{count:,} {count:span is|spans are} unusually long",
    "{count:,} of {of:,} spans {count:is|are} longer than {limit:.4g} s, which is {times} interquartile ranges above "
    "the third quartile.",
)
def long_spans(context: Context, *, times: float = 3) -> Evidence | None:
    """Tukey's far outliers of the length."""
    length = context.frame["end_s"] - context.frame["start_s"]
    limit = _far(length, times)
    return where(context.frame, length > limit, limit=limit, times=times)


@check(
    "coarse-times",
    "truth",
    "spans",
    "Starts are multiples of {step} s",
    "{count:,} of {of:,} starts {count:is a whole multiple|are whole multiples} of {step} s: a tolerance that is "
    "finer measures rounding, and at equality `<` and `<=` give different scores.",
)
def coarse_times(context: Context, *, steps: Sequence[float] = (1.0, 0.5), share: float = 0.9) -> Evidence | None:
    """The coarsest step of which at least `share` of the starts are multiples."""
    starts = context.frame["start_s"].to_numpy()
    for step in steps:
        on_grid = np.abs(starts / step - np.rint(starts / step)) < 1e-6
        if len(starts) and on_grid.mean() >= share:
            found = where(context.frame, on_grid, step=step)
            return found and replace(found, parameter="compare", alternative="exclusive")
    return None


@check(
    "reversed-spans",
    "truth",
    "spans",
    "{count:,} {count:span ends no later than it begins|spans end no later than they begin}",
    "{count:,} of {of:,} spans {count:ends no later than it begins|end no later than they begin}: no answer overlaps "
    "{count:it|them}.",
)
def reversed_spans(context: Context) -> Evidence | None:
    """End not above start."""
    return where(context.frame, context.frame["end_s"] <= context.frame["start_s"])


@check(
    "video-durations",
    "truth",
    "spans",
    "{count:,} {count:row gives its|rows give their} video another duration than others do",
    "{count:,} of {of:,} rows {count:is|are} of {videos:,} {videos:video that has|videos that have} several "
    "durations, up to {most:.4g} s apart: one name for several videos, or wrong lengths.",
)
def video_durations(context: Context, *, slack: float = 1) -> Evidence | None:
    """Durations of one video more than `slack` seconds apart."""
    durations = context.frame.groupby("video")["duration_s"]
    apart = durations.transform("max") - durations.transform("min")
    more = {"videos": int(context.frame["video"][apart > slack].nunique()), "most": float(apart.max())}
    return where(context.frame, apart > slack, **more)


@check(
    "onsets-outside",
    "annotators",
    "spans",
    "{count:,} {count:row has|rows have} onsets outside {count:its|their} video",
    "In {count:,} of {of:,} rows an annotator's onset is below 0 s, or more than {slack} s after the video ends.",
    columns=["onsets_s"],
)
def onsets_outside(context: Context, *, slack: float = 1) -> Evidence | None:
    """Any onset out of the video."""
    frame = context.frame
    onsets = frame[["onsets_s", "duration_s"]].explode("onsets_s").astype(float)
    outside = (onsets["onsets_s"] < 0) | (onsets["onsets_s"] > onsets["duration_s"] + slack)
    return where(frame, outside.groupby(level=0).any(), slack=slack)


@check(
    "odd-starts",
    "truth",
    "spans",
    "{count:,} {count:span begins|spans begin} unusually late",
    "{count:,} of {of:,} spans {count:begins|begin} later than {limit:.4g} s, which is {times} interquartile ranges "
    "above the third quartile.",
)
def odd_starts(context: Context, *, times: float = 3) -> Evidence | None:
    """Tukey's far outliers of the start."""
    limit = _far(context.frame["start_s"], times)
    return where(context.frame, context.frame["start_s"] > limit, limit=limit, times=times)


@check(
    "odd-durations",
    "truth",
    "spans",
    "{count:,} {count:row is of an unusually long video|rows are of unusually long videos}",
    "{count:,} of {of:,} rows {count:is of a video|are of videos} longer than {limit:.4g} s, which is {times} "
    "interquartile ranges above the third quartile.",
)
def odd_durations(context: Context, *, times: float = 3) -> Evidence | None:
    """Tukey's far outliers of the duration."""
    limit = _far(context.frame["duration_s"], times)
    return where(context.frame, context.frame["duration_s"] > limit, limit=limit, times=times)


def _far(values: pd.Series[float], times: float) -> float:
    """So many interquartile ranges above the third quartile."""
    low, high = values.quantile([0.25, 0.75])
    return float(high + times * (high - low))
