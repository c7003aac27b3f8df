"""Why metrics have no value on a run, and why the protocols differ on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from scorers.activity.groups import TENTHS
from scorers.activity.protocols import Outcome, Totals

_NO_GROUP = "no group of two or more people is predicted, where the reference evaluator stops with ZeroDivisionError"
_NO_LABELS = "a match has no label on either side, where the reference evaluator gets 0/0"
_NO_GLOBAL = "no global activities were predicted"
_NO_LINK = "nobody is together with anybody on either side, where the reference evaluator stops with ZeroDivisionError"
_JACCARD = "paper matches groups by shared members / larger size, pairs by identity, the others by Jaccard index"
_ONE_TO_ONE = "strict matches groups one to one"
_IN_PART = "description counts equal label sets alone"
_MEAN = "paper takes the mean F1 of the matches, the others the harmonic mean of P and R"
_AT_ONE = "at threshold 1 identical groups of any size count in strict, only pairs in the others"
_THRESHOLDS = "above the thresholds paper and description have shared members / larger size, strict the Jaccard index"
_NO_LINKS = "nobody is together with anybody on either side: no value in paper, 0 in description, right in strict"


def reason(metric: str, totals: Mapping[str, Totals], differing: Sequence[str]) -> str:
    """What made the values of a metric differ, in a line.

    Args:
        metric: one that differs.
        totals: the sums of the run under each protocol.
        differing: all metrics that differ.
    """
    paper, strict = totals["paper"], totals["strict"]
    if metric[-2:] in ("_i", "_g"):
        count = round(strict[metric] - paper[metric])
        who = "persons" if metric[-2:] == "_i" else "key frames"
        return f"{count:,} {who} have labels on neither side: wrong in paper and description, right in strict"
    if metric == "F_a":
        parts = [part for part in ("F_i", "F_p", "F_g") if part in differing]
        return f"it is the mean of F_i, F_p and F_g, and {' and '.join(parts)} {'differ' if parts[1:] else 'differs'}"
    if metric == "Mat.IoU":
        return _NO_LINKS
    causes = {"P_p": _of_social, "R_p": _of_social, "F_p": _of_social, "IOU@AUC": _of_thresholds}
    return "; ".join(_of_nothing(metric, paper) or causes.get(metric, _of_matches)(metric, totals))


def null_reasons(outcome: Outcome) -> list[tuple[tuple[str, ...], str]]:
    """Which metrics have no value, and why."""
    totals = outcome.totals
    causes = (
        (("P_i", "R_i", "F_i"), _cause(totals["instances_i"], "no actions were predicted", "there are no persons")),
        (("P_p", "R_p", "F_p"), _cause(totals["predicted"], "no groups were predicted", _NO_GROUP)),
        (("F_p",), _NO_LABELS),
        (("P_g", "R_g", "F_g"), _cause(totals["instances_g"], _NO_GLOBAL, "there are no key frames")),
        (("F_a",), "it is the mean of F_i, F_p and F_g"),
        (("group_P", "group_R", "group_F", "IOU@AUC"), "no groups were predicted"),
        (("Mat.IoU",), _cause(totals["together_either"], "no groups were predicted", _NO_LINK)),
    )
    left = {metric for metric, value in outcome.values.items() if math.isnan(value)}
    found: list[tuple[tuple[str, ...], str]] = []
    for metrics, cause in causes:
        if cause and left.issuperset(metrics):
            found.append((metrics, cause))
            left.difference_update(metrics)
    return found


def _cause(total: float, untried: str, empty: str) -> str:
    """Why a quotient over `total` has no value, empty if that has another reason."""
    return untried if math.isnan(total) else "" if total else empty


def _of_nothing(metric: str, paper: Totals) -> list[str]:
    """Where no group is predicted, quotients are over nothing; in social activities also where there are true ones."""
    social = "no value in paper, 0 in description" if metric.endswith("_p") else "0 in paper and description"
    if paper["predicted"]:
        return []
    if paper["true"]:
        return [f"no group is predicted: {social}, 0 in strict"]
    return [f"there is no group on either side: {social}, right in strict"]


def _of_matches(_: str, totals: Mapping[str, Totals]) -> Iterator[str]:
    """Which groups match."""
    if totals["description"]["rematched"]:
        yield _JACCARD
    if totals["strict"]["matched"] != totals["description"]["matched"] or (
        totals["strict"]["rematched"] and not totals["description"]["rematched"]
    ):
        yield _ONE_TO_ONE


def _of_social(metric: str, totals: Mapping[str, Totals]) -> Iterator[str]:
    """What the labels of matches are worth, and what is divided by what."""
    paper = totals["paper"]
    yield from _of_matches(metric, totals)
    if count := round(max(each["unlabelled"] for each in totals.values())):
        worth = "no value" if metric == "F_p" else "wrong"
        yield f"{count:,} matches have labels on neither side: {worth} in paper, right in the others"
    if totals["description"]["partly"]:
        yield _IN_PART
    if metric != "P_p" and paper["predicted"] != paper["true"]:
        free = ", so that missed ones cost nothing" if paper["true"] > paper["predicted"] else ""
        theirs, others = ("R and F", "the others R") if metric == "F_p" else ("R", "the others")
        predicted, true = f"{paper['predicted']:,.0f} predicted groups", f"{paper['true']:,.0f} true ones"
        yield f"paper divides {theirs} by the {predicted}, {others} by the {true}{free}"
    if metric == "F_p" and paper["partly"]:
        yield _MEAN


def _of_thresholds(_: str, totals: Mapping[str, Totals]) -> Iterator[str]:
    """How many groups match at each threshold."""
    differ = [t for t in TENTHS if totals["strict"][f"matched_{t}"] != totals["paper"][f"matched_{t}"]]
    if differ[-1:] == [TENTHS[-1]]:
        yield _AT_ONE
    if differ[:1] != [TENTHS[-1]]:
        yield _THRESHOLDS
