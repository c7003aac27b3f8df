"""Checks of spans: rows and moments that are there twice, times that cannot be, times that give answers away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where

MOMENT = ["split", "video", "start_s", "end_s"]


def repeated(frame: pd.DataFrame, columns: list[str]) -> Evidence | None:
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
    return repeated(context.frame, [*MOMENT, "text"])


@check(
    "repeated-moments",
    "sampling",
    "spans",
    "{of:,} rows hold {distinct:,} moments",
    "{count:,} rows, in {groups:,} groups, share one span of one video: as answers they are not independent.",
)
def repeated_moments(context: Context) -> Evidence | None:
    """Same split, video and span, whatever the query."""
    return repeated(context.frame, MOMENT)


@check(
    "near-duplicate-spans",
    "sampling",
    "spans",
    "{count:,} pairs of moments nearly coincide",
    "{count:,} pairs of different spans of one video overlap by more than {least} of their union ({of:,} rows).",
)
def near_duplicate_spans(context: Context, *, least: float = 0.9) -> Evidence | None:
    """IoU above `least`, not the same span.

    With spans in the order of their starts, a later one overlaps so much only if it starts soon enough.
    """
    spans = context.frame.drop_duplicates(MOMENT).sort_values(["split", "video", "start_s", "sample_id"], kind="stable")
    place = spans.groupby(["split", "video"], sort=False).ngroup().to_numpy()
    start, end = spans["start_s"].to_numpy(float), spans["end_s"].to_numpy(float)
    latest, names = start + (end - start) * (1 - least) / max(least, 1e-9), spans["sample_id"].to_numpy(object)
    found: list[str] = []
    first, step = np.arange(len(spans)), 0
    while len(first):
        step += 1
        first = first[first + step < len(spans)]
        other = first + step
        first = first[(place[other] == place[first]) & (start[other] <= latest[first])]
        other = first + step
        inner = np.minimum(end[first], end[other]) - start[other]
        near = inner > least * (np.maximum(end[first], end[other]) - start[first])
        found += [f"{a} | {b}" for a, b in zip(names[first[near]], names[other[near]], strict=True)]
    return Evidence({"count": len(found), "of": len(context.frame), "least": least}, found) if found else None


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
    "{count:,} of {of:,} spans begin at exactly 0 s, {whole:,} of them are the whole video: who always answers 0 is "
    "right there to the last digit, in {percent:.2f} % of all rows.{held}",
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
    "{count:,} spans are shorter than {seconds} s",
    "{count:,} of {of:,} spans are shorter than {seconds} s, {very_short:,} of them than {half} s: captions made once "
    "a second cannot find them.",
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
    "{count:,} spans are unusually long",
    "{count:,} of {of:,} spans are longer than {limit:.4g} s, which is {times} interquartile ranges above the third "
    "quartile.",
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
    "{count:,} of {of:,} starts are whole multiples of {step} s: a tolerance that is finer measures rounding, and at "
    "equality `<` and `<=` give different scores.",
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
    "{count:,} spans end no later than they begin",
    "{count:,} of {of:,} spans end no later than they begin: no answer overlaps them.",
)
def reversed_spans(context: Context) -> Evidence | None:
    """End not above start."""
    return where(context.frame, context.frame["end_s"] <= context.frame["start_s"])


def labels_of(frame: pd.DataFrame, most: int = 50) -> list[str]:
    """Columns of a few texts, such as a category."""
    own = {"sample_id", "split", "video", "description", "text"}
    others = [str(name) for name in frame if name not in own]
    texts = [name for name in others if frame[name].map(lambda each: isinstance(each, str)).all()]
    return [name for name in texts if 2 <= frame[name].nunique() <= min(most, len(frame) / 2)]


@check(
    "category-name",
    "truth",
    "spans",
    "In {count:,} rows the {column} is not the one in the name of the video",
    "The names of the videos hold the {column} of most rows; in {count:,} of {of:,} rows they hold another one.",
)
def category_name(context: Context, *, share: float = 0.8) -> Evidence | None:
    """Columns of a few texts that the name of the video holds in at least `share` of the rows."""
    frame = context.frame
    videos = frame["video"].map(_letters)
    for column in labels_of(frame):
        labels = frame[column].map(_letters)
        own = np.array([bool(label) and label in video for label, video in zip(labels, videos, strict=True)])
        if own.mean() >= share and not own.all():
            others = [label for label in labels.unique() if label]
            other = np.array([any(label in video for label in others) for video in videos])
            if found := where(frame, ~own & other, column=column):
                return found
    return None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


@check(
    "video-durations",
    "truth",
    "spans",
    "{count:,} rows give their video another duration than others do",
    "{count:,} of {of:,} rows are of {videos:,} videos that have several durations, up to {most:.4g} s apart: one name "
    "for several videos, or wrong lengths.",
)
def video_durations(context: Context, *, slack: float = 1) -> Evidence | None:
    """Durations of one video more than `slack` seconds apart."""
    durations = context.frame.groupby("video")["duration_s"]
    apart = durations.transform("max") - durations.transform("min")
    more = {"videos": int(context.frame["video"][apart > slack].nunique()), "most": float(apart.max())}
    return where(context.frame, apart > slack, **more)


@check(
    "twin-videos",
    "sampling",
    "spans",
    "{count:,} rows are annotated to the last digit as another video is",
    "{count:,} of {of:,} rows have the query, the span and the duration of a row of another video, and hardly another "
    "row has that query: one video under two names.",
)
def twin_videos(context: Context, *, rows_per_query: float = 5) -> Evidence | None:
    """Same query, span and duration, of different videos; queries of many rows say too little."""
    frame, same = context.frame, ["text", "start_s", "end_s", "duration_s"]
    twins = frame.groupby(same, dropna=False)["video"].transform("nunique") > 1
    rare = frame.groupby("text")["text"].transform("size") < rows_per_query
    return where(frame, twins & rare & frame["text"].ne(""))


@check(
    "onsets-outside",
    "annotators",
    "spans",
    "{count:,} rows have onsets outside their video",
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
    "{count:,} spans begin unusually late",
    "{count:,} of {of:,} spans begin later than {limit:.4g} s, which is {times} interquartile ranges above the third "
    "quartile.",
)
def odd_starts(context: Context, *, times: float = 3) -> Evidence | None:
    """Tukey's far outliers of the start."""
    limit = _far(context.frame["start_s"], times)
    return where(context.frame, context.frame["start_s"] > limit, limit=limit, times=times)


@check(
    "odd-durations",
    "truth",
    "spans",
    "{count:,} videos are unusually long",
    "{count:,} of {of:,} rows are of videos longer than {limit:.4g} s, which is {times} interquartile ranges above the "
    "third quartile.",
)
def odd_durations(context: Context, *, times: float = 3) -> Evidence | None:
    """Tukey's far outliers of the duration."""
    limit = _far(context.frame["duration_s"], times)
    return where(context.frame, context.frame["duration_s"] > limit, limit=limit, times=times)


def _far(values: pd.Series[float], times: float) -> float:
    """So many interquartile ranges above the third quartile."""
    low, high = values.quantile([0.25, 0.75])
    return float(high + times * (high - low))
