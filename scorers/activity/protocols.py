"""The protocols: what each sums up over the sequences, and what its metrics make of the sums.

All metrics are functions of sums, so that the bootstrap over sequences needs to match nothing again.

Sources: Han et al. 2022 (arXiv 2203.03806); RuizeHan/PAR : train_net.py (test_jrdb), my_utils/group_detection_PRF.py
and grp_eval.zip, called the reference in this package; for `description` the recipe in the benchmark's description.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from schemas.errors import unknown_name
from scorers.activity import groups
from scorers.activity.arrays import Flags, Floats, Integers, SampleScores, Sets, sample_scores, sizes
from scorers.activity.frames import Predictions, Truth

Sums = dict[str, Floats]
"""Sums by name over each sequence, shape (sequences,); NaN for a task without predictions."""

Totals = Mapping[str, float]
"""The same over all sequences, or over those that a resample drew."""


class Protocol(NamedTuple):
    """What the protocols differ in.

    Attributes:
        empty: what a person or key frame is worth that has no labels on either side.
        match: which overlapping groups match.
        match_at: the same at one of `TENTHS`, for IOU@AUC; takes the overlaps, those that match, and the tenths.
        label_scores: of the true and the predicted labels of matches.
        over_predicted: whether P, R and F of social activities are sums over the matches, all three divided by the
            predicted groups; else P is over the predicted groups, R over the true ones, and F their harmonic mean.
        no_groups: what groups are worth where there are none on either side.
        no_pairs: Mat.IoU where nobody is together with anybody.
    """

    empty: float
    match: Callable[[groups.Overlaps], Flags]
    match_at: Callable[[groups.Overlaps, Flags, int], Flags]
    label_scores: Callable[[Sets, Sets], SampleScores]
    over_predicted: bool
    no_groups: float
    no_pairs: float


class Outcome(NamedTuple):
    """A run under one protocol.

    Attributes:
        values: from 0 to 1 by metric, NaN where there is none; recalls may exceed 1 if predicted groups overlap.
        sums: what the values are made of, over each sequence.
        totals: the same over all of them.
    """

    values: dict[str, float]
    sums: Sums
    totals: Totals


def _half_at(pairs: groups.Overlaps, _: Flags, tenths: int) -> Flags:
    return groups.match_half(pairs, tenths)


def _jaccard_at(pairs: groups.Overlaps, matched: Flags, tenths: int) -> Flags:
    return matched & (10 * pairs.common > tenths * pairs.union if tenths < 10 else pairs.common == pairs.union)


def _scores_of_reference(true: Sets, predicted: Sets) -> SampleScores:
    scores = sample_scores(true, predicted)
    scores.f1[sizes(true | predicted) == 0] = np.nan
    return scores


def _equal(true: Sets, predicted: Sets) -> SampleScores:
    equal = (true == predicted).astype(np.float64)
    return SampleScores(equal, equal, equal)


PROTOCOLS: Mapping[str, Protocol] = {
    # What the reference does. Every match counts, also several of one group. Of two empty label sets of a match F1 is
    # 0/0, which makes that of the whole set NaN; without predicted groups it stops with ZeroDivisionError.
    "paper": Protocol(0.0, groups.match_half, _half_at, _scores_of_reference, True, 0.0, math.nan),
    # A predicted group is detected if its best Jaccard index with a true group is above 1/2, and correct if its label
    # set equals that group's. The description has no IOU@AUC: that is the reference's.
    "description": Protocol(0.0, groups.best_by_jaccard, _half_at, _equal, False, 0.0, 0.0),
    # What a careful reader would expect. Nothing predicted where nothing is true is right. Groups match one to one, by
    # Jaccard indices above 1/2; at the thresholds of IOU@AUC by higher ones, at 1 by 1.
    "strict": Protocol(1.0, groups.one_to_one, _jaccard_at, partial(sample_scores, both_empty=1.0), False, 1.0, 1.0),
}


def evaluate(
    truth: Truth,
    predictions: Predictions,
    protocols: Iterable[str] = tuple(PROTOCOLS),
    least_members: int = groups.LEAST_MEMBERS,
) -> dict[str, Outcome]:
    """Every metric under some protocols, all when not said.

    Args:
        truth, predictions: of the same key frames.
        protocols: names in `PROTOCOLS`.
        least_members: smaller groups are dropped on both sides; 1 scores everybody who is alone, too.

    Raises:
        UsageError: unknown protocol.

    >>> from scorers.activity.frames import truth_from
    >>> import pyarrow as pa
    >>> people = [{"person_id": 7, "actions": [{"id": 1}]}, {"person_id": 8, "actions": [{"id": 2}]}]
    >>> pair = {"member_ids": [7, 8], "activities": [1]}
    >>> row = {"sample_id": "a/000015", "sequence": "a", "sequence_index": 0, "frame": 15, "persons": people}
    >>> truth = truth_from(pa.Table.from_pylist([row | {"groups": [pair], "global_activities": [1]}]))
    >>> evaluate(truth, Predictions(truth.actions, truth.groups, truth.activities * 2))["paper"].values["F_a"]
    0.6666666666666666
    """
    given = groups.no_groups() if predictions.groups is None else predictions.groups
    pairs = groups.overlaps(truth.groups.of_at_least(least_members), given.of_at_least(least_members))
    together = groups.co_membership(pairs, truth.person_frame, truth.frames)
    outcomes = {}
    for name in protocols:
        if name not in PROTOCOLS:
            raise unknown_name("protocol", name, list(PROTOCOLS))
        sums = _sums(PROTOCOLS[name], truth, predictions, pairs, together)
        totals = {part: float(values.sum()) for part, values in sums.items()}
        outcomes[name] = Outcome(values_of(PROTOCOLS[name], totals), sums, totals)
    return outcomes


def _sums(
    protocol: Protocol, truth: Truth, predictions: Predictions, pairs: groups.Overlaps, together: tuple[Floats, Floats]
) -> Sums:
    """What the metrics are made of.

    * Sums of the scores of persons (`_i`), matches (`_p`) and key frames (`_g`), and how many persons and frames are.
    * How many groups there are and match, also at every threshold; `rematched` are the pairs of groups that match here
      or in the reference, and not in both.
    * How many pairs of people are together on both sides, and on either.
    * How many matches have no labels at all (`unlabelled`), or only some of them in common (`partly`).
    """

    def summed(frame: Integers, values: Floats | None = None) -> Floats:
        return np.bincount(truth.sequence[frame], values, len(truth.sequences)).astype(np.float64)

    def scored(task: str, frame: Integers, scores: SampleScores) -> Sums:
        return {f"{name}_{task}": summed(frame, values) for name, values in zip("PRF", scores, strict=True)}

    def of_instances(task: str, frame: Integers, labels: Sets, given: Sets | None) -> Sums:
        scores = sample_scores(labels, np.zeros_like(labels) if given is None else given, protocol.empty)
        return scored(task, frame, scores) | {f"instances_{task}": summed(frame)}

    everywhere, of_person = np.arange(truth.frames), truth.person_frame[: truth.persons]
    true, predicted = pairs.true_groups, pairs.predicted_groups
    matched, frame = protocol.match(pairs), true.frame[pairs.true]
    one, other = true.labels[pairs.true[matched]], predicted.labels[pairs.predicted[matched]]
    of_groups = {
        "true": summed(true.frame),
        "predicted": summed(predicted.frame),
        "matched": summed(frame[matched]),
        "rematched": summed(frame[matched != groups.match_half(pairs)]),
        **{f"matched_{tenths}": summed(frame[protocol.match_at(pairs, matched, tenths)]) for tenths in groups.TENTHS},
        "together_both": summed(everywhere, together[0]),
        "together_either": summed(everywhere, together[1]),
        **scored("p", frame[matched], protocol.label_scores(one, other)),
        "unlabelled": summed(frame[matched][(one | other) == 0]),
        "partly": summed(frame[matched][(one != other) & ((one & other) > 0)]),
    }
    tasks: tuple[tuple[object, Sums], ...] = (
        (predictions.actions, of_instances("i", of_person, truth.actions, predictions.actions)),
        (predictions.activities, of_instances("g", everywhere, truth.activities, predictions.activities)),
        (predictions.groups, of_groups),
    )
    untried = np.full(len(truth.sequences), np.nan)
    return {name: untried if given is None else values for given, sums in tasks for name, values in sums.items()}


def values_of(protocol: Protocol, totals: Totals) -> dict[str, float]:
    """Every metric in print order."""
    true, predicted = totals["true"], totals["predicted"]
    nothing = 0.0 if true or predicted else protocol.no_groups
    individual, everywhere = (
        {f"{name}_{task}": _quotient(totals[f"{name}_{task}"], totals[f"instances_{task}"], math.nan) for name in "PRF"}
        for task in "ig"
    )
    if protocol.over_predicted:
        social = {name: _quotient(totals[name], predicted, math.nan) for name in ("P_p", "R_p", "F_p")}
    else:
        p, r = _quotient(totals["P_p"], predicted, nothing), _quotient(totals["R_p"], true, nothing)
        social = {"P_p": p, "R_p": r, "F_p": _quotient(2 * p * r, p + r, 0.0)}
    f1 = [_quotient(2 * totals[f"matched_{tenths}"], predicted + true, nothing) for tenths in groups.TENTHS]
    return {
        **individual,
        **social,
        **everywhere,
        "F_a": (individual["F_i"] + social["F_p"] + everywhere["F_g"]) / 3,
        "group_P": _quotient(totals["matched"], predicted, nothing),
        "group_R": _quotient(totals["matched"], true, nothing),
        "group_F": _quotient(2 * totals["matched"], predicted + true, nothing),
        # The trapezoid rule over thresholds .5 to 1, times 2.
        "IOU@AUC": 0.2 * (sum(f1) - (f1[0] + f1[-1]) / 2),
        "Mat.IoU": _quotient(totals["together_both"], totals["together_either"], protocol.no_pairs),
    }


def _quotient(above: float, below: float, nothing: float) -> float:
    return above / below if below else nothing
