"""Guesses that look at no video: one answer for all rows, fitted on rows that are not asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.checks.context import Context
from scorers.temporal.spans import Spans, span_iou

Floats = NDArray[np.float64]
_STEP, _MOST_STEPS = 0.25, 4000  # seconds between starts that are tried, and how many at most


@dataclass(frozen=True)
class Guess:
    """An answer to all rows.

    Attributes:
        words: what it is; `{0}`, `{1}` stand for its numbers.
        grid: the numbers that are tried, shape (tries, 1 or 2).
        spans: from rows and numbers, of all or of each row, to answers.
        fit: from rows and one try to how well it does on each, 0 to 1.
    """

    words: str
    grid: Floats
    spans: Callable[[pd.DataFrame, Floats], Spans]
    fit: Callable[[pd.DataFrame, Floats], Floats]

    def fitted(self, rows: pd.DataFrame) -> Floats:
        """The try that does best on these rows, the first of several."""
        found: Floats = self.grid[int(np.argmax([self.fit(rows, each).sum() for each in self.grid]))]
        return found

    def left_out(self, rows: pd.DataFrame, clusters: pd.Series[str]) -> Floats:
        """For each row the try that does best on the rows of the other clusters, shape (rows, 1 or 2)."""
        codes, names = pd.factorize(clusters)
        totals = np.array([self.fit(rows, each).sum() for each in self.grid])
        # Without a cluster, a try loses at most as many points as the cluster has rows.
        near = self.grid[totals >= totals.max() - np.bincount(codes).max()]
        own = np.array([np.bincount(codes, self.fit(rows, each), len(names)) for each in near])
        best: Floats = near[np.argmax(own.sum(axis=1, keepdims=True) - own, axis=0)][codes]
        return best


def start_at(rows: pd.DataFrame, tolerance: float) -> Guess:
    """A start in seconds, and the end of the video; fitted to be within `tolerance` of the true start."""
    latest = float(rows["start_s"].max())
    step = max(_STEP, latest / _MOST_STEPS)
    grid = np.arange(0, latest + step, step)[:, None]
    return Guess(
        "the span from {0:g} s to the end", grid, lambda rows, at: _to_the_end(rows, at.T[0]), _hits(tolerance)
    )


def start_share(tolerance: float) -> Guess:
    """A start at a share of the duration, and the end of the video."""
    grid = np.arange(0, 1, 0.01)[:, None]

    def spans(rows: pd.DataFrame, at: Floats) -> Spans:
        return _to_the_end(rows, at.T[0] * rows["duration_s"].to_numpy(float))

    def fit(rows: pd.DataFrame, at: Floats) -> Floats:
        return _hits(tolerance)(rows, at * rows["duration_s"].to_numpy(float))

    return Guess("the span from {0:.0%} of the video to its end", grid, spans, fit)


def span_share() -> Guess:
    """A start and an end at shares of the duration, fitted to overlap as much as can be."""
    ends = np.round(np.arange(0, 1.01, 0.05), 2)
    grid = np.array([(start, end) for start in ends for end in ends if start < end])

    def spans(rows: pd.DataFrame, at: Floats) -> Spans:
        duration = rows["duration_s"].to_numpy(float)
        return Spans(at.T[0] * duration, at.T[1] * duration)

    def fit(rows: pd.DataFrame, at: Floats) -> Floats:
        found = span_iou(rows["start_s"].to_numpy(float), rows["end_s"].to_numpy(float), *spans(rows, at))
        return np.nan_to_num(found)

    return Guess("the span from {0:.0%} to {1:.0%} of the video", grid, spans, fit)


def _to_the_end(rows: pd.DataFrame, start: Floats) -> Spans:
    start = np.broadcast_to(start, len(rows)).astype(float)
    return Spans(start, np.fmax(rows["duration_s"].to_numpy(float), start))


def _hits(tolerance: float) -> Callable[[pd.DataFrame, Floats], Floats]:
    return lambda rows, at: (np.abs(rows["start_s"].to_numpy(float) - at) <= tolerance).astype(float)


def answered(context: Context, guess: Guess, rows: pd.DataFrame) -> tuple[Spans, Sequence[float], str]:
    """The guess on the rows that are scored, its numbers, and what it was fitted on.

    It is fitted on the other manifest; else on the other splits; else for each row on the rows of other clusters.
    """
    asked = context.other
    if not len(asked):
        what, names = context.clusters
        found = guess.left_out(rows, names[rows.index])
        return guess.spans(rows, found), np.median(found, axis=0).tolist(), f"the other {what}"
    at = guess.fitted(asked.dropna(subset=["duration_s"]) if asked["duration_s"].notna().any() else asked)
    return guess.spans(rows, at), at.tolist(), context.elsewhere
