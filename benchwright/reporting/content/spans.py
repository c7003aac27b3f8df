"""What a report says of spans: lengths, starts, shares of the video, annotators, and rows as time lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.reporting.blocks import Beside, Figure, Paragraph, Row, Section, Timeline
from benchwright.reporting.charts.histogram import Bins, Mark, binned, histogram
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.words import share, things
from schemas.errors import counted

Floats = NDArray[np.float64]
Span = tuple[float, float]

TOLERANCE = 1.0
"""Seconds, within which annotators count as agreeing."""
_HELD = 5.0

columns: tuple[str, ...] = ("Length", "Description, or reason")
numeric = frozenset({1})


def lead(material: Material) -> str:
    """How many rows there are, and what each asks for."""
    manifest, frame = material.context.manifest, material.context.frame
    lasting = _lasting(frame)
    half = f", half of them shorter than {np.median(lasting):.1f} s" if len(lasting) else ""
    videos = frame["video"].nunique()
    of = f" of {counted(videos, 'videos')}" if videos < len(frame) else ""
    return (
        f"{len(frame):,} {things(manifest.identity)}{of}; for each, a query and the "
        f"span that answers it{half}. This page says how the benchmark was made, what its rules do, and how far its "
        "scores can be trusted."
    )


def sections(material: Material) -> list[Section]:
    """Histograms of all rows."""
    frame = material.context.frame
    if frame.empty:
        return []
    what = things(material.context.manifest.identity)
    figures = (*_lengths(frame, what), *_shares(frame, what), *_annotators(frame, what), _words(frame, what))
    splits = ", ".join(f"{name} {len(own):,}" for name, own in frame.groupby("split", sort=False))
    said = Paragraph(f"All {len(frame):,} {what} ({splits}); a bar says how many lie there.")
    return [Section("figures", "What the rows look like", "Figures", (said, Beside(figures)))]


def rows(material: Material) -> list[Row]:
    """Each row with its span, the onsets or starts of annotators, and the spans of systems."""
    frame = material.context.frame
    answers = _answers(material)
    return [
        Row(
            name,
            "kept",
            (f"{length:.1f} s" if known else "", query),
            split,
            Timeline(_end_of(length, span), span, marks, lanes),
        )
        for name, split, query, length, known, span, marks, lanes in zip(
            frame["sample_id"].tolist(),
            frame["split"].tolist(),
            frame["description"].tolist(),
            frame["duration_s"].fillna(0.0).tolist(),
            frame["duration_s"].notna().tolist(),
            _spans(frame),
            _marks(frame),
            (tuple((system, of.get(name)) for system, of in answers.items()) for name in frame["sample_id"]),
            strict=True,
        )
    ]


def _end_of(length: float, span: Span) -> float:
    """The length of a time line: of the video, where that is known, and of no less than the span."""
    return max(length, *span, 0.0)


def _spans(frame: pd.DataFrame) -> list[Span]:
    return list(zip(frame["start_s"].tolist(), frame["end_s"].tolist(), strict=True))


def _marks(frame: pd.DataFrame) -> Iterator[tuple[float, ...]]:
    """What several annotators say: onsets, or the starts of the spans of those who were asked again."""
    if "onsets_s" in frame:
        return (tuple(float(time) for time in each) for each in frame["onsets_s"])
    if "reannotated" in frame:
        return (() if each is None else tuple(float(one["start_s"]) for one in each) for each in frame["reannotated"])
    return iter([()] * len(frame))


def _answers(material: Material) -> dict[str, dict[str, Span]]:
    """By system, in the order of the colours, and by row: the predicted span; rows without an answer are left out."""
    context = material.context
    if context.task is None:
        return {}
    found = {}
    for system in material.systems:
        if system in context.predicted:
            spans = context.predicted[system].dropna(subset=["end_s"])
            found[system] = dict(zip(spans["sample_id"].tolist(), _spans(spans), strict=True))
    return found


def _figure(title: str, bins: Bins, caption: str, what: str, unit: str = "", mark: Mark | None = None) -> Figure:
    """A histogram; its caption says what lies beyond the edges."""
    if bins.below:
        caption += f" The first bar holds {bins.below:,} below {bins.edges[0]:g} {unit}.".replace(" .", ".")
    if bins.above:
        caption += f" The last bar holds {bins.above:,} above {bins.edges[-1]:g} {unit}.".replace(" .", ".")
    return Figure(title, histogram(bins, title, unit, what, mark), caption)


def _lasting(frame: pd.DataFrame) -> Floats:
    return (frame["end_s"] - frame["start_s"]).to_numpy(float)


def _lengths(frame: pd.DataFrame, what: str) -> list[Figure]:
    """Of videos, and of spans."""
    durations, lasting = frame["duration_s"].dropna().to_numpy(float), _lasting(frame)
    figures = []
    if len(durations):
        middle = float(np.median(durations))
        title = f"Videos last {durations.min():.1f} to {durations.max():.1f} s, half of them less than {middle:.1f} s"
        if durations.min() == durations.max():
            title = f"All videos last {middle:.1f} s"
        caption = f"Length of the video of each of {len(durations):,} {what}."
        figures.append(_figure(title, binned(durations), caption, what, "s", Mark(middle, f"median {middle:.1f} s")))
    middle = float(np.median(lasting))
    empty = int((lasting <= 0).sum())
    caption = f"Length of the span of each of {len(lasting):,} {what}."
    caption += f" {counted(empty, 'spans', 'end')} no later than they start." if empty else ""
    title = f"Half of the spans last less than {middle:.1f} s"
    figures.append(_figure(title, binned(lasting), caption, what, "s", Mark(middle, f"median {middle:.1f} s")))
    return figures


def _shares(frame: pd.DataFrame, what: str) -> list[Figure]:
    """Where in the video spans start, and how much of it they cover."""
    known = frame[frame["duration_s"] > 0]
    if known.empty:
        return []
    length = known["duration_s"].to_numpy(float)
    start = 100 * known["start_s"].to_numpy(float) / length
    ends = np.minimum(known["end_s"].to_numpy(float), length)
    cover = 100 * np.clip(ends - known["start_s"].to_numpy(float), 0, None) / length
    middle, most = float(np.median(start)), float(np.median(cover))
    zero, whole = int((start == 0).sum()), int((cover > 99).sum())
    starting = (
        f"Start as a share of the video of {len(known):,} {what}{f'; {zero:,} start at exactly 0 s' * bool(zero)}."
    )
    covering = f"Share of the video that the span covers{f'; of {whole:,} more than 99 %' * bool(whole)}."
    return [
        _figure(
            f"Half of the spans start within the first {middle:.0f} % of the video",
            binned(start, 0, 100, 25),
            starting,
            what,
            "%",
            Mark(middle, f"median {middle:.0f} %"),
        ),
        _figure(
            f"Half of the spans cover more than {most:.0f} % of the video",
            binned(cover, 0, 100, 25),
            covering,
            what,
            "%",
            Mark(most, f"median {most:.0f} %"),
        ),
    ]


def _annotators(frame: pd.DataFrame, what: str) -> list[Figure]:
    """How far annotators lie apart, and one who was held out from the start."""
    figures = []
    several = [each for each in _marks(frame) if len(each) > 1]
    if several:
        spread = np.array([max(each) - min(each) for each in several])
        apart = int((spread > TOLERANCE).sum())
        title = f"In {apart:,} of {len(spread):,} {what} annotators differ by more than {TOLERANCE:g} s"
        caption = f"Latest minus earliest start, median {np.median(spread):.2f} s, at most {spread.max():.1f} s."
        figures.append(_figure(title, binned(spread), caption, what, "s", Mark(TOLERANCE, f"{TOLERANCE:g} s")))
    if "heldout_onset_s" in frame:
        apart_from = (frame["heldout_onset_s"] - frame["start_s"]).dropna().to_numpy(float)
        if len(apart_from):
            near = int((np.abs(apart_from) <= TOLERANCE).sum())
            said = share(near, len(apart_from))
            title = (
                f"A held-out annotator lies within {TOLERANCE:g} s of the start in {said} of {len(apart_from):,} {what}"
            )
            caption = "Held-out onset minus the start of the span"
            caption += f"; {none:,} have none." if (none := len(frame) - len(apart_from)) else "."
            bins = binned(apart_from, -_HELD, _HELD, 40)
            figures.append(_figure(title, bins, caption, what, "s", Mark(0.0, "start of the span")))
    return figures


def _words(frame: pd.DataFrame, what: str) -> Figure:
    """How long queries are, and how many there are."""
    texts: Sequence[str] = frame["description"].tolist()
    words = np.array([len(text.split()) for text in texts], float)
    least, most = (f"{end:.0f}" for end in (words.min(), words.max()))
    title = (
        f"{counted(len(set(texts)), 'different queries')} of {most if least == most else f'{least} to {most}'} words"
    )
    middle = float(np.median(words))
    caption = f"Words of the query of each of {len(words):,} {what}."
    return _figure(title, binned(words), caption, what, "words", Mark(middle, f"median {middle:g}"))
