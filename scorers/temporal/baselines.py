"""Trivial baselines of temporal localisation: predicted spans, in seconds, of predictors that look at no frame.

`random` and `random-paper` (UAL-Bench, section 5: seed 42, start and end in 0 to 34 s), `predict-all` (its Table 5),
`human` (its Table 3, the held-out annotator of OOPS!), and `middle`, the centred half, which the paper does not have.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow.compute as pc

from schemas.arrays import booleans, floats
from schemas.cards import cards
from schemas.errors import UsageError, unknown_name
from scorers.declarations import OptionError
from scorers.temporal.expressions import DEFAULT_METRICS, Measure, Metric
from scorers.temporal.spans import Floats, Spans
from scorers.temporal.truth import Truth, reannotated_spans

KINDS = ("random", "random-paper", "predict-all", "middle", "human")

SEED = 42
LONGEST = 34
"""Seconds: the mean duration of the three UAL-Bench data sets together, which the paper takes for every video."""

_SHARES = {"predict-all": (0.0, 1.0), "middle": (0.25, 0.75)}
"""Shares of the duration at which a span starts and ends; the paper's Table 5 takes `len` of OOPS! for the duration."""

_PASSES: dict[Measure, tuple[float, ...]] = {"iou": (0.001, 0.01, 0.1, 0.3, 0.5, 0.7), "td": (0, 1, 3, 5, 7)}
"""Thresholds of the authors' code in its order; it goes once through the data, and draws anew, for each."""


def random_spans(rows: int) -> Spans:
    """Baseline `random`: whole seconds 0 <= start < end <= 34, one span per row, used for every metric.

    Minutes and seconds of the start, then of the end, come from Python's generator; all four again until start < end.
    Source: `generate_random_prediction` in Hasnat79/uag : eval/iou/random_null_pred_recall_1_iou_m.py, duration 34.

    >>> spans = random_spans(6)
    >>> list(zip(spans.start.astype(int).tolist(), spans.end.astype(int).tolist()))
    [(1, 15), (8, 34), (13, 32), (12, 14), (6, 22), (2, 34)]
    """
    generator = random.Random(SEED)
    drawn = np.array([_draw_span(generator) for _ in range(rows)], dtype=np.float64).reshape(rows, 2)
    return Spans(*np.ascontiguousarray(drawn.T))


def baseline_spans(
    kind: str, truth: Truth, *, protocol: str = "strict", metrics: Sequence[Metric] = (), annotator: int = 1
) -> Spans:
    """The spans of a baseline for the rows of a truth.

    Args:
        kind: one of `KINDS`; `human` is the held-out annotator, or, of a re-annotated benchmark, one of five.
        truth: the rows.
        protocol: see `human`; under `paper` someone who saw no failure predicts -1 s, which no file holds.
        metrics: of `random-paper`, which draws anew for each: the one whose draw to take.
        annotator: of a re-annotated benchmark, 1 to 5.

    Raises:
        UsageError: unknown kind; durations or annotators that the manifest does not have; not one metric for
            random-paper.
    """
    if kind not in KINDS:
        raise unknown_name("baseline", kind, list(KINDS))
    if kind == "random":
        return random_spans(len(truth))
    if kind == "random-paper":
        if len(metrics) != 1:
            raise OptionError("metrics", ": random-paper draws anew for each metric; name one, as R1(iou>=0.5)")
        return random_paper(drawn_before(truth), len(truth), metrics)[metrics[0]]
    if kind == "human":
        if "reannotated" in truth.table.column_names:
            return Spans(*reannotated_spans(truth.column("reannotated"))[annotator - 1])
        return human(heldout_onsets(truth), truth.spans.end, protocol)
    if len(truth) and np.isnan(truth.duration).all():
        raise UsageError(f"{kind} needs the durations of the videos, which this manifest does not have")
    return Spans(*(truth.duration * share for share in _SHARES[kind]))


def drawn_before(truth: Truth) -> Mapping[str, int]:
    """How many spans the paper's code drew before a benchmark's own, by measure; `UsageError` where it drew none."""
    name = truth.manifest.identity.name
    card = cards().get(name)
    if card is None or not card.random_draws:
        known = [other for other, each in cards().items() if each.random_draws]
        raise unknown_name("benchmark of the random-paper baseline", name, known)
    return card.random_draws


def heldout_onsets(truth: Truth) -> Floats:
    """The held-out annotator's onset of each row: -1 where none was seen, NaN where nobody was asked.

    Raises:
        UsageError: a benchmark without held-out onsets, or built without them.
    """
    names = ("heldout_onset_s", "heldout_saw_failure")
    if not set(names) <= set(truth.table.column_names):
        raise UsageError(f"the human baseline needs held-out onsets (columns {' and '.join(names)})")
    given, saw = (truth.column(name) for name in names)
    if len(saw) and saw.null_count == len(saw):
        raise UsageError("the human baseline needs held-out onsets, and the manifest was built without them")
    return np.where(booleans(pc.invert(saw)), -1.0, floats(given))


def random_paper(
    before: Mapping[str, int], rows: int, metrics: Sequence[Metric] = DEFAULT_METRICS
) -> dict[Metric, Spans]:
    """Baseline `random-paper`: the Random rows of Tables 2 and 3, whose predictions differ from metric to metric.

    The authors' code draws new spans for each threshold (IoU: 0.001, 0.01, 0.1, 0.3, 0.5, 0.7; temporal distance: 0, 1,
    3, 5, 7 s) and takes mIoU and mTD from its first pass. The seed is set anew for IoU on every data set; for temporal
    distance before UAG-OOPS, in whose stream UAG-SSBD follows, and before UAG-FunQA; and for onsets once, before
    UAG-OOPS, UAG-SSBD and UAG-FunQA in turn. The onset row of UAG-OOPS accepts any of the three annotated onsets.
    Source: Hasnat79/uag : eval/iou, eval/abs_dist, eval/accuracy_pred_start; recomputed from the published tables.

    Args:
        before: how many spans the authors' code drew for other data sets since it last set the seed, by measure.
        rows: rows of the manifest, in the authors' order; the draws do not depend on anything else.
        metrics: those wanted.

    Raises:
        UsageError: a metric that the authors' code has no pass for.

    >>> spans = random_paper({"iou": 0, "td": 0, "onset": 0}, 1589)
    >>> [spans[Metric("iou", threshold)].start[0].item() for threshold in (None, 0.3, 0.5, 0.7)]
    [1.0, 25.0, 17.0, 1.0]
    """
    firsts = {metric: before[metric.measure] + _pass_number(metric) * rows for metric in metrics}
    stream = random_spans(max(firsts.values(), default=0) + rows)
    return {metric: Spans(*(times[first : first + rows] for times in stream)) for metric, first in firsts.items()}


def human(onset: Floats, truth_end: Floats, protocol: str = "paper") -> Spans:
    """Baseline `human`: the held-out annotator's onset, as a span that lasts to the end of the ground truth.

    `onset` has shape (rows,): seconds, -1 where the annotator saw no failure, NaN where there is none. The authors take
    -1 for a time, which hits onsets near 0 (protocol `paper`); under any other protocol nothing is predicted. An onset
    after the end (by 1 ms in one clip of UAG-OOPS) gives an empty span, not a reversed one.
    Source: the human row in Hasnat79/uag : eval/accuracy_pred_start/accuracy_pred_start.py.

    >>> human(np.array([2.0, -1.0]), np.array([5.0, 5.0]), protocol="strict")
    Spans(start=array([ 2., nan]), end=array([ 5., nan]))
    """
    start = onset if protocol == "paper" else np.where(onset == -1, np.nan, onset)
    return Spans(start, np.maximum(start, truth_end))


def _draw_span(generator: random.Random) -> tuple[int, int]:
    while True:
        # The minutes can only be 0, but drawing them takes bits from the generator.
        start, end = (generator.randint(0, LONGEST // 60) * 60 + generator.randint(0, LONGEST % 60) for _ in range(2))
        if start < end:
            return start, end


def _pass_number(metric: Metric) -> int:
    if metric.measure == "onset" or metric.threshold is None:
        return 0
    passes = _PASSES[metric.measure]
    if metric.rank > 1 or metric.threshold not in passes:
        thresholds = ", ".join(map(str, passes))
        raise UsageError(f"random-paper has no draw for {metric}: only R1 and {metric.measure} thresholds {thresholds}")
    return passes.index(metric.threshold)
