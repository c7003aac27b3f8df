"""Why the protocols of activities differ on a metric, with how many persons, groups or matches cause it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from schemas.errors import counted
from scorers.activity.groups import TENTHS
from scorers.activity.protocols import PROTOCOLS, Totals


def causes(metric: str, totals: Mapping[str, Totals]) -> Iterator[str]:
    """What made the values of a metric differ between the protocols, of which `totals` are the sums."""
    paper, description, strict = (totals[name] for name in PROTOCOLS)
    if metric[-2:] in ("_i", "_g"):
        who = "persons" if metric[-2:] == "_i" else "key frames"
        count = round(strict[metric] - paper[metric])
        yield f"{counted(count, who, 'have')} labels on neither side: wrong in paper and description, right in strict"
    elif metric == "Mat.IoU":
        yield "nobody is together with anybody on either side: no value in paper, 0 in description, right in strict"
    elif not paper["predicted"]:
        # Quotients are over nothing, in social activities also where there are true groups.
        neither = "no group is predicted" if paper["true"] else "there is no group on either side"
        worth = "no value in paper, 0 in description" if metric.endswith("_p") else "0 in paper and description"
        yield f"{neither}: {worth}, {'0' if paper['true'] else 'right'} in strict"
    elif metric == "IOU@AUC":
        *below, at_one = (round(abs(strict[name] - paper[name])) for name in (f"matched_{tenths}" for tenths in TENTHS))
        if at_one:
            more = counted(at_one, "groups")
            yield f"at threshold 1 identical groups of any size count in strict, only pairs in the others: {more}"
        if any(below):
            above = "shared members / larger size, strict the Jaccard index"
            most = counted(max(below), "groups", "differ")
            yield f"above the thresholds paper and description have {above}: up to {most}"
    else:
        if description["rematched"]:
            differ = counted(round(description["rematched"]), "matches", "differ")
            by = "by shared members / larger size, pairs by identity, the others by Jaccard index"
            yield f"paper matches groups {by}: {differ}"
        one_to_one = 0 if description["rematched"] else strict["rematched"]
        if count := round(one_to_one or abs(strict["matched"] - description["matched"])):
            yield f"strict matches groups one to one: {counted(count, 'matches', 'differ')}"
        if metric.endswith("_p"):
            yield from _causes_of_social(metric, totals)


def _causes_of_social(metric: str, totals: Mapping[str, Totals]) -> Iterator[str]:
    """What the labels of matches are worth, and what is divided by what."""
    paper = totals["paper"]
    if count := round(max(each["unlabelled"] for each in totals.values())):
        worth = "no value" if metric == "F_p" else "wrong"
        yield f"{counted(count, 'matches', 'have')} labels on neither side: {worth} in paper, right in the others"
    if count := round(totals["description"]["partly"]):
        yield f"description counts equal label sets alone: {counted(count, 'matches', 'share')} some labels"
    if metric != "P_p" and paper["predicted"] != paper["true"]:
        free = ", so that missed ones cost nothing" if paper["true"] > paper["predicted"] else ""
        theirs, others = ("R and F", "the others R") if metric == "F_p" else ("R", "the others")
        predicted, true = f"{paper['predicted']:,.0f} predicted groups", f"{paper['true']:,.0f} true ones"
        yield f"paper divides {theirs} by the {predicted}, {others} by the {true}{free}"
    if metric == "F_p" and (count := round(paper["partly"])):
        mean = "paper takes the mean F1 of the matches, the others the harmonic mean of P and R"
        yield f"{mean}: {counted(count, 'matches', 'share')} some labels"
