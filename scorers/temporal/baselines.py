"""Trivial baselines of temporal localisation: predicted spans, in seconds, of predictors that look at no frame.

`random` and `random-paper` (UAL-Bench, section 5: seed 42, start and end in 0 to 34 s), `predict-all` (its Table 5),
`human` (its Table 3, the held-out annotator of OOPS!), and `middle`, which the paper does not have.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError, unknown_name
from scorers.temporal.expressions import DEFAULT_METRICS, Measure, Metric

Floats = NDArray[np.float64]

KINDS = ("random", "random-paper", "predict-all", "middle", "human")

SEED = 42
LONGEST = 34
"""Seconds: the mean duration of the three UAL-Bench data sets together, which the paper takes for every video."""

_PASSES: dict[Measure, tuple[float, ...]] = {"iou": (0.001, 0.01, 0.1, 0.3, 0.5, 0.7), "td": (0, 1, 3, 5, 7)}
"""Thresholds of the authors' code in its order; it goes once through the data, and draws anew, for each."""

_OOPS, _SSBD = 1589, 104
_DRAWN_BEFORE: dict[str, dict[Measure, int]] = {
    "uag-oops": {"iou": 0, "td": 0, "onset": 0},
    "uag-ssbd": {"iou": 0, "td": len(_PASSES["td"]) * _OOPS, "onset": _OOPS},
    "uag-funqa": {"iou": 0, "td": 0, "onset": _OOPS + _SSBD},
}
"""Spans that the authors' code drew for other data sets since it last set the seed."""


class Spans(NamedTuple):
    """Predicted starts and ends in seconds, each of shape (rows,); NaN for no prediction."""

    start: Floats
    end: Floats


def random_spans(rows: int, seed: int = SEED) -> Spans:
    """Baseline `random`: whole seconds 0 <= start < end <= 34, one span per row, used for every metric.

    Minutes and seconds of the start, then of the end, come from Python's generator; all four again until start < end.
    Source: `generate_random_prediction` in Hasnat79/uag : eval/iou/random_null_pred_recall_1_iou_m.py, duration 34.

    >>> spans = random_spans(6)
    >>> list(zip(spans.start.astype(int).tolist(), spans.end.astype(int).tolist()))
    [(1, 15), (8, 34), (13, 32), (12, 14), (6, 22), (2, 34)]
    """
    generator = random.Random(seed)
    drawn = np.array([_draw_span(generator) for _ in range(rows)], dtype=np.float64).reshape(rows, 2)
    return Spans(*np.ascontiguousarray(drawn.T))


def random_paper(benchmark: str, rows: int, metrics: Sequence[Metric] = DEFAULT_METRICS) -> dict[Metric, Spans]:
    """Baseline `random-paper`: the Random rows of Tables 2 and 3, whose predictions differ from metric to metric.

    The authors' code draws new spans for each threshold (IoU: 0.001, 0.01, 0.1, 0.3, 0.5, 0.7; temporal distance: 0, 1,
    3, 5, 7 s) and takes mIoU and mTD from its first pass. The seed is set anew for IoU on every data set; for temporal
    distance before UAG-OOPS, in whose stream UAG-SSBD follows, and before UAG-FunQA; and for onsets once, before
    UAG-OOPS, UAG-SSBD and UAG-FunQA in turn. The onset row of UAG-OOPS accepts any of the three annotated onsets.
    Source: Hasnat79/uag : eval/iou, eval/abs_dist, eval/accuracy_pred_start; recomputed from the published tables.

    Args:
        benchmark: `uag-oops`, `uag-ssbd` or `uag-funqa`.
        rows: rows of the manifest, in the authors' order; the draws do not depend on anything else.
        metrics: those wanted.

    Raises:
        UsageError: another benchmark, or a metric that the authors' code has no pass for.

    >>> spans = random_paper("uag-oops", 1589)
    >>> [spans[Metric("iou", threshold)].start[0].item() for threshold in (None, 0.3, 0.5, 0.7)]
    [1.0, 25.0, 17.0, 1.0]
    """
    if benchmark not in _DRAWN_BEFORE:
        raise unknown_name("benchmark of the random-paper baseline", benchmark, list(_DRAWN_BEFORE))
    firsts = {metric: _DRAWN_BEFORE[benchmark][metric.measure] + _pass_number(metric) * rows for metric in metrics}
    stream = random_spans(max(firsts.values(), default=0) + rows)
    return {metric: Spans(*(times[first : first + rows] for times in stream)) for metric, first in firsts.items()}


def predict_all(duration: Floats) -> Spans:
    """Baseline `predict-all`: the whole video, from 0 to its duration (NaN: no prediction).

    The paper's Table 5 uses `len` of OOPS!, which is the end of the ground truth, for UAG-OOPS.
    """
    return Spans(np.where(np.isnan(duration), np.nan, 0.0), np.array(duration, dtype=np.float64))


def middle(duration: Floats) -> Spans:
    """Baseline `middle`: the centred half of the video, from 1/4 to 3/4 of its duration (NaN: no prediction).

    >>> middle(np.array([8.0]))
    Spans(start=array([2.]), end=array([6.]))
    """
    return Spans(duration / 4, duration * 3 / 4)


def human(onset: Floats, truth_end: Floats, protocol: str = "paper") -> Spans:
    """Baseline `human`: the held-out annotator's onset, as a span that lasts to the end of the ground truth.

    `onset` has shape (rows,): seconds, -1 where the annotator saw no failure, NaN where there is none. The authors take
    -1 for a time, which hits onsets near 0 (protocol `paper`); under any other protocol it is no prediction. An onset
    after the end (by 1 ms in one clip of UAG-OOPS) gives an empty span, not a reversed one.
    Source: the human row in Hasnat79/uag : eval/accuracy_pred_start/accuracy_pred_start.py.

    >>> human(np.array([2.0, -1.0]), np.array([5.0, 5.0]), protocol="strict")
    Spans(start=array([ 2., nan]), end=array([ 5., nan]))
    """
    start = onset if protocol == "paper" else np.where(onset == -1, np.nan, onset)
    return Spans(start, np.maximum(start, truth_end))


def _draw_span(generator: random.Random) -> tuple[int, int]:
    while True:
        start, end = _draw_time(generator), _draw_time(generator)
        if start < end:
            return start, end


def _draw_time(generator: random.Random) -> int:
    # The minutes can only be 0, but drawing them takes bits from the generator.
    return generator.randint(0, LONGEST // 60) * 60 + generator.randint(0, LONGEST % 60)


def _pass_number(metric: Metric) -> int:
    if metric.measure == "onset" or metric.threshold is None:
        return 0
    passes = _PASSES[metric.measure]
    if metric.rank > 1 or metric.threshold not in passes:
        thresholds = ", ".join(map(str, passes))
        raise UsageError(f"random-paper has no draw for {metric}: only R1 and {metric.measure} thresholds {thresholds}")
    return passes.index(metric.threshold)
