"""Checks of spans: rows, moments and videos that are there twice, labels that are not those of the video."""

from __future__ import annotations

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
    "{count:,} of {of:,} rows {count:shares|share} video, span and query with another: they count more than once.",
)
def duplicate_rows(context: Context) -> Evidence | None:
    """Same split, video, span and folded query."""
    return repeated(context.frame, [*MOMENT, "text"])


@check(
    "repeated-moments",
    "sampling",
    "spans",
    "{of:,} rows hold {distinct:,} moments",
    "{count:,} rows, in {groups:,} {groups:group|groups}, share one span of one video: as answers they are not "
    "independent.",
)
def repeated_moments(context: Context) -> Evidence | None:
    """Same split, video and span, whatever the query."""
    return repeated(context.frame, MOMENT)


@check(
    "near-duplicate-spans",
    "sampling",
    "spans",
    "{count:,} {count:pair of moments nearly coincides|pairs of moments nearly coincide}",
    "{count:,} {count:pair|pairs} of different spans of one video {count:overlaps|overlap} by more than {least} of "
    "their union ({of:,} rows).",
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
    "In {count:,} {count:row|rows} the {column} is not the one in the name of the video",
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
    "twin-videos",
    "sampling",
    "spans",
    "{count:,} {count:row is|rows are} annotated to the last digit as another video is",
    "{count:,} of {of:,} rows have the query, the span and the duration of a row of another video, and hardly another "
    "row has that query: one video under two names.",
)
def twin_videos(context: Context, *, rows_per_query: float = 5) -> Evidence | None:
    """Same query, span and duration, of different videos; queries of many rows say too little."""
    frame, same = context.frame, ["text", "start_s", "end_s", "duration_s"]
    twins = frame.groupby(same, dropna=False)["video"].transform("nunique") > 1
    rare = frame.groupby("text")["text"].transform("size") < rows_per_query
    return where(frame, twins & rare & frame["text"].ne(""))
