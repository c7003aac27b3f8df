"""What is not so: spans of a video in which the event does not happen, and what happens in other videos."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.checks.near import content_words
from benchwright.instruction.draws import Floats, Words, draw

Rows = NDArray[np.int64]
_TRIED = 64
# Shorter than a frame or two, nothing can be seen.
_SHORTEST = 0.1  # s
# Texts that share so many of their content words (Jaccard index) may be of the same event.
_NEAR = 0.6


def wrong_spans(spans: pd.DataFrame, words: Words, max_overlap: float) -> tuple[Floats, Floats]:
    """A span for each row whose IoU with every true span of the same video and a like text is at most `max_overlap`.

    It is as long as the true one where the gap between true spans that it is drawn in has room for it, else as long as
    the gap, and may reach into true spans as far as the limit allows. Gaps are drawn by their length; times are whole
    milliseconds.

    Args:
        spans: `video`, `text`, `start_s`, `end_s`, `duration_s`.
        words: random bits of each row.
        max_overlap: below 1.

    Returns:
        Starts and ends in seconds, shape (rows,); NaN where the video is of unknown length, or has no room for 0.1 s.
    """
    group = _events(spans)
    gaps = _gaps(spans, group)
    length = (spans["end_s"] - spans["start_s"]).to_numpy()
    shortest = pd.Series(length).groupby(group).transform("min").to_numpy()
    by_group = gaps.sort_values(["group", "start"]).reset_index(drop=True)
    ends = np.cumsum(by_group["size"].to_numpy())
    first, last = (np.searchsorted(by_group["group"].to_numpy(), group, side=side) for side in ("left", "right"))
    before = np.concatenate([[0.0], ends])
    total = before[last] - before[first]
    at = before[first] + draw(words, "gap") * total
    place = np.minimum(np.searchsorted(ends, at, side="right"), np.maximum(last - 1, 0))
    if not len(by_group):
        return np.full(len(spans), np.nan), np.full(len(spans), np.nan)
    gap = by_group.iloc[np.clip(place, 0, len(by_group) - 1)]
    size = np.minimum(length, gap["size"].to_numpy())
    # An overlap of x with a span of length n gives an IoU of x / (n + size - x).
    reach = max_overlap * (np.minimum(shortest, size) + size) / (1 + max_overlap)
    low = np.maximum(gap["start"].to_numpy() - np.where(gap["left"], reach, 0.0), 0.0)
    high = gap["end"].to_numpy() + np.where(gap["right"], reach, 0.0)
    high = np.minimum(high, spans["duration_s"].to_numpy())
    low, high = np.ceil(low * 1000) / 1000, np.floor(high * 1000) / 1000
    size = np.floor(np.minimum(size, high - low) * 1000) / 1000
    start = np.floor((low + draw(words, "place") * (high - low - size)) * 1000) / 1000
    start = np.maximum(start, low)
    fits = (total > 0) & (size >= _SHORTEST)
    return np.where(fits, start, np.nan), np.where(fits, np.round(start + size, 3), np.nan)


def _events(spans: pd.DataFrame) -> Rows:
    """A number for each video and text; texts of a video that are alike share it, and what these are like."""
    codes = np.array(spans.groupby(["video", "text"], sort=False).ngroup(), np.int64)
    several = spans[spans.groupby("video")["text"].transform("nunique") > 1]
    for rows in several.groupby("video", sort=False).indices.values():
        places = several.index.to_numpy()[rows]
        texts = list(dict.fromkeys(several["text"].to_numpy()[rows]))
        bags = [content_words(text, 1) for text in texts]
        for one, text in enumerate(texts):
            for other in range(one):
                if _alike(bags[one], bags[other]):
                    at = spans["text"].to_numpy()[places]
                    mine, theirs = (codes[places[at == each][0]] for each in (text, texts[other]))
                    codes[places[codes[places] == mine]] = theirs
    return codes


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= _NEAR * len(one | other)


def _gaps(spans: pd.DataFrame, group: Rows) -> pd.DataFrame:
    """The parts of each video, between 0 and its duration, where no true span of an event is.

    A row each: `group`, the event, `start`, `end`, `size`, and whether a true span is at its `left` and `right`.
    """
    ordered = spans.assign(group=group).sort_values(["group", "start_s"], kind="stable")
    reached = ordered.groupby("group")["end_s"].cummax()
    previous = reached.groupby(ordered["group"]).shift()
    inner = pd.DataFrame(
        {
            "group": ordered["group"],
            "start": previous.fillna(0.0),
            "end": ordered["start_s"],
            "left": previous.notna(),
            "right": True,
        }
    )
    by_group = ordered.assign(reached=reached).groupby("group")
    tail = by_group.agg(start=("reached", "max"), end=("duration_s", "max")).reset_index()
    gaps = pd.concat([inner, tail.assign(left=True, right=False)], ignore_index=True)
    known = set(tail["group"][tail["end"].notna()])
    gaps = gaps[gaps["group"].isin(known)].assign(size=lambda gap: gap["end"] - gap["start"])
    return gaps[gaps["size"] >= _SHORTEST]


def others(rows: pd.DataFrame, words: Words, count: int) -> tuple[Rows, NDArray[np.bool_]]:
    """For each row, `count` rows of other videos with texts that are not like its own, nor one another's again.

    Args:
        rows: `sample_id`, `video`, `text`.
        words: random bits of each.
        count: how many.

    Returns:
        Positions, shape (rows, count), and whether there are so many, shape (rows,).
    """
    size = len(rows)
    order = np.argsort(rows["sample_id"].to_numpy(dtype=object), kind="stable")
    video, text = (pd.factorize(rows[name])[0] for name in ("video", "text"))
    said = (rows["text"] != "").to_numpy()
    bags = [content_words(text, 1) for text in rows["text"]]
    found = np.zeros((size, count), np.int64)
    filled = np.zeros(size, np.int64)
    for attempt in range(_TRIED):
        open_ = np.flatnonzero(filled < count)
        if not len(open_):
            break
        tried = order[(draw(words[open_], f"other {attempt}") * size).astype(np.int64)]
        good = (video[tried] != video[open_]) & (text[tried] != text[open_]) & said[tried]
        for place in range(count):
            good &= (place >= filled[open_]) | (text[found[open_, place]] != text[tried])
        pairs = zip(open_[good].tolist(), tried[good].tolist(), strict=True)
        good[good] = [not _alike(bags[row], bags[other]) for row, other in pairs]
        rows_, taken = open_[good], tried[good]
        found[rows_, filled[rows_]] = taken
        filled[rows_] += 1
    for row in np.flatnonzero(filled < count).tolist():  # few texts: all are looked at
        known = {text[row], *(text[found[row, place]] for place in range(filled[row]))}
        for other in order.tolist():
            free = said[other] and video[other] != video[row] and text[other] not in known
            if filled[row] < count and free and not _alike(bags[row], bags[other]):
                found[row, filled[row]] = other
                filled[row] += 1
                known.add(text[other])
    return found, filled == count
