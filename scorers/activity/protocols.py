"""The protocols: what each sums up over the sequences, and what its metrics make of the sums.

All metrics are functions of sums, so that the bootstrap over sequences needs to match nothing again.

Sources: Han et al. 2022 (arXiv 2203.03806); RuizeHan/PAR : train_net.py (test_jrdb), my_utils/group_detection_PRF.py
and grp_eval.zip, called the reference in this package; for `description` the recipe in the benchmark's description.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scorers.activity.co_membership import linked_pairs
from scorers.activity.frames import Groups, Predictions, Truth, no_groups
from scorers.activity.groups import TENTHS, Flags, Meetings, best_by_jaccard, match_half, meetings, one_to_one
from scorers.activity.samples import Floats, SampleScores, sample_scores
from scorers.activity.sets import Integers, Sets, sizes

Sums = dict[str, Floats]
"""Sums by name over each sequence, shape (sequences,); NaN for a task without predictions."""

Totals = Mapping[str, float]
"""The same over all sequences, or over those that a resample drew."""

LEAST_MEMBERS = 2
"""The reference drops groups of one person, on both sides."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Truth and predictions side by side; the groups of both that are large enough, and how they meet."""

    truth: Truth
    predictions: Predictions
    true: Groups
    predicted: Groups
    pairs: Meetings

    def by_sequence(self, frame: Integers, values: Floats | None = None) -> Floats:
        """Sums over the sequences of the values that stand in the given frames, or of ones."""
        summed = np.bincount(self.truth.sequence[frame], values, len(self.truth.sequences))
        return summed.astype(np.float64)


class Protocol(NamedTuple):
    """From predictions to sums, and from sums to metrics from 0 to 1, NaN where the protocol has no value."""

    sums: Callable[[Compared], Sums]
    values: Callable[[Totals], dict[str, float]]


def compare(truth: Truth, predictions: Predictions, least_members: int = LEAST_MEMBERS) -> Compared:
    """Drop the small groups and find out which of the others meet."""
    given = no_groups() if predictions.groups is None else predictions.groups
    true, predicted = truth.groups.of_at_least(least_members), given.of_at_least(least_members)
    return Compared(truth, predictions, true, predicted, meetings(true, predicted))


def paper_sums(of: Compared) -> Sums:
    """Protocol `paper`: what the reference does.

    * An instance whose sets are both empty scores 0 and stays in the mean.
    * Groups match by `match_half`; every match counts, also several of one group.
    * In a match the label sets are scored. Both empty is 0/0, which makes the F1 of the whole set NaN.
    """
    matched = match_half(of.pairs)
    true, predicted = _labels(of, matched)
    social = sample_scores(true, predicted)
    social.f1[sizes(true | predicted) == 0] = np.nan
    at_tenths = [match_half(of.pairs, tenths) for tenths in TENTHS]
    return _untried(_instances(of, 0.0) | _groups(of, matched, at_tenths) | _social(of, matched, social), of)


def paper_values(totals: Totals) -> dict[str, float]:
    """P, R and F_p of `paper` are sums over the matches, all three divided by the number of predicted groups."""
    social = {name: _quotient(totals[name], totals["predicted"], math.nan) for name in ("P_p", "R_p", "F_p")}
    linked = _quotient(totals["linked_both"], totals["linked_either"], math.nan)
    return _values(totals, social, 0.0, linked)


def description_sums(of: Compared) -> Sums:
    """Protocol `description`: a predicted group is detected if its best Jaccard index with a true group is above 1/2.

    It is correct if its label set equals that group's. The description has no IOU@AUC: that is the reference's.
    """
    detected = best_by_jaccard(of.pairs)
    true, predicted = _labels(of, detected)
    equal = (true == predicted).astype(np.float64)
    at_tenths = [match_half(of.pairs, tenths) for tenths in TENTHS]
    social = SampleScores(equal, equal, equal)
    return _untried(_instances(of, 0.0) | _groups(of, detected, at_tenths) | _social(of, detected, social), of)


def description_values(totals: Totals) -> dict[str, float]:
    """Social precision over the predicted groups, recall over the true ones, harmonic F1; 0/0 is 0."""
    social = _over_both(totals, 0.0)
    return _values(totals, social, 0.0, _quotient(totals["linked_both"], totals["linked_either"], 0.0))


def strict_sums(of: Compared) -> Sums:
    """Protocol `strict`: what a careful reader would expect.

    * Nothing predicted where nothing is true is right.
    * Groups match one to one, by Jaccard indices above 1/2; at the thresholds of IOU@AUC by higher ones, at 1 by 1.
    """
    matched = one_to_one(of.pairs)
    social = sample_scores(*_labels(of, matched), both_empty=1.0)
    union = of.pairs.true_size + of.pairs.predicted_size - of.pairs.common
    above = [matched & (10 * of.pairs.common > tenths * union) for tenths in TENTHS[:-1]]
    at_tenths = [*above, matched & (of.pairs.common == union)]
    return _untried(_instances(of, 1.0) | _groups(of, matched, at_tenths) | _social(of, matched, social), of)


def strict_values(totals: Totals) -> dict[str, float]:
    """Social precision over the predicted groups, recall over the true ones, harmonic F1; no groups at all is right."""
    nothing = float(not totals["predicted"] and not totals["true"])
    linked = _quotient(totals["linked_both"], totals["linked_either"], 1.0)
    return _values(totals, _over_both(totals, nothing), nothing, linked)


PROTOCOLS: Mapping[str, Protocol] = {
    "paper": Protocol(paper_sums, paper_values),
    "description": Protocol(description_sums, description_values),
    "strict": Protocol(strict_sums, strict_values),
}


def _instances(of: Compared, both_empty: float) -> Sums:
    """Sums of the scores of persons (`_i`) and key frames (`_g`), and how many there are."""
    truth, everywhere = of.truth, np.arange(of.truth.frames)
    tasks = (
        ("i", truth.actions, of.predictions.actions, truth.person_frame[: truth.persons]),
        ("g", truth.activities, of.predictions.activities, everywhere),
    )
    sums: Sums = {}
    for task, true, predicted, frame in tasks:
        scores = sample_scores(true, np.zeros_like(true) if predicted is None else predicted, both_empty)
        sums |= {f"{name}_{task}": of.by_sequence(frame, values) for name, values in zip("PRF", scores, strict=True)}
        sums[f"instances_{task}"] = of.by_sequence(frame)
    return sums


def _groups(of: Compared, matched: Flags, at_tenths: Sequence[Flags]) -> Sums:
    """How many groups there are and match, also at every threshold, and how many pairs of people are linked.

    `rematched` are the pairs of groups that match here or in the reference, and not in both.
    """
    both, either = linked_pairs(of.true, of.predicted, of.pairs, of.truth.person_frame, of.truth.frames)
    everywhere = np.arange(of.truth.frames)
    frame = of.true.frame[of.pairs.true]
    return {
        "true": of.by_sequence(of.true.frame),
        "predicted": of.by_sequence(of.predicted.frame),
        "matched": of.by_sequence(frame[matched]),
        "rematched": of.by_sequence(frame[matched != match_half(of.pairs)]),
        **{f"matched_{t}": of.by_sequence(frame[flags]) for t, flags in zip(TENTHS, at_tenths, strict=True)},
        "linked_both": of.by_sequence(everywhere, both),
        "linked_either": of.by_sequence(everywhere, either),
    }


def _labels(of: Compared, matched: Flags) -> tuple[Sets, Sets]:
    """The true and the predicted labels of the matches."""
    return of.true.labels[of.pairs.true[matched]], of.predicted.labels[of.pairs.predicted[matched]]


def _social(of: Compared, matched: Flags, scores: SampleScores) -> Sums:
    """Sums of the scores of the matches, and how many have no labels at all, or only some of them in common."""
    frame = of.true.frame[of.pairs.true[matched]]
    true, predicted = _labels(of, matched)
    return {
        **{f"{name}_p": of.by_sequence(frame, values) for name, values in zip("PRF", scores, strict=True)},
        "unlabelled": of.by_sequence(frame[(true | predicted) == 0]),
        "partly": of.by_sequence(frame[(true != predicted) & ((true & predicted) > 0)]),
    }


def _untried(sums: Sums, of: Compared) -> Sums:
    """NaN for the sums of tasks that have no predictions."""
    given = {"_i": of.predictions.actions, "_g": of.predictions.activities}
    missing = [name for name in sums if given.get(name[-2:], of.predictions.groups) is None]
    return sums | {name: np.full(len(of.truth.sequences), np.nan) for name in missing}


def _values(totals: Totals, social: dict[str, float], nothing: float, linked: float) -> dict[str, float]:
    """Every metric in print order; `nothing` is what the detection of no groups at all is worth."""
    individual, everywhere = (
        {f"{name}_{task}": _quotient(totals[f"{name}_{task}"], totals[f"instances_{task}"], math.nan) for name in "PRF"}
        for task in "ig"
    )
    overall = (individual["F_i"] + social["F_p"] + everywhere["F_g"]) / 3
    f1 = [_harmonic(totals[f"matched_{tenths}"], totals, nothing) for tenths in TENTHS]
    return {
        **individual,
        **social,
        **everywhere,
        "F_a": overall,
        "group_P": _quotient(totals["matched"], totals["predicted"], nothing),
        "group_R": _quotient(totals["matched"], totals["true"], nothing),
        "group_F": _harmonic(totals["matched"], totals, nothing),
        # The trapezoid rule over thresholds .5 to 1, times 2.
        "IOU@AUC": 0.2 * (sum(f1) - (f1[0] + f1[-1]) / 2),
        "Mat.IoU": linked,
    }


def _over_both(totals: Totals, nothing: float) -> dict[str, float]:
    precision = _quotient(totals["P_p"], totals["predicted"], nothing)
    recall = _quotient(totals["R_p"], totals["true"], nothing)
    return {"P_p": precision, "R_p": recall, "F_p": _quotient(2 * precision * recall, precision + recall, 0.0)}


def _harmonic(matched: float, totals: Totals, nothing: float) -> float:
    """F1 of the detection of groups: 2 TP / (predicted + true)."""
    return _quotient(2 * matched, totals["predicted"] + totals["true"], nothing)


def _quotient(above: float, below: float, nothing: float) -> float:
    return above / below if below else nothing
