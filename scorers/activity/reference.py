"""The scores of activities as one would write them down: frame by frame, over Python sets. The oracle of the tests.

Of true labels T and predicted labels Y: P = |T and Y| / |Y|, R = |T and Y| / |T|, F = 2 |T and Y| / (|T| + |Y|).
P_i, R_i, F_i are means over persons, P_g, R_g, F_g over key frames; P_p, R_p, F_p are of groups that match."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import nan

# A key frame: true and predicted labels of each person, and of the scene; true groups; predicted groups.
Labels = set[int]
Group = tuple[set[int], Labels]
Frame = tuple[Sequence[tuple[Labels, Labels]], tuple[Labels, Labels], Sequence[Group], Sequence[Group]]


def activity_scores(frames: Sequence[Frame], protocol: str) -> dict[str, float]:
    """P, R and F of each task, and the mean F_a, from 0 to 1; NaN where `protocol` has no value.

    >>> pair = ({7, 8}, {1})
    >>> frame = ([({1, 2}, {1}), (set(), set())], ({5}, {5}), [pair, ({4, 5}, {2})], [pair])
    >>> [round(activity_scores([frame], protocol)["F_a"], 3) for protocol in ("paper", "description", "strict")]
    [0.778, 0.667, 0.833]
    """
    empty = 1 if protocol == "strict" else 0
    persons = [label_scores(*labels, empty) for people, _, _, _ in frames for labels in people]
    scenes = [label_scores(*labels, empty) for _, labels, _, _ in frames]
    tasks = {"i": over(persons, len(persons)), "p": group_scores(frames, protocol), "g": over(scenes, len(scenes))}
    found = {f"{name}_{task}": values["PRF".index(name)] for task, values in tasks.items() for name in "PRF"}
    return found | {"F_a": (found["F_i"] + found["F_p"] + found["F_g"]) / 3}


def label_scores(true: Labels, predicted: Labels, empty: float) -> list[float]:
    """P, R and F of a label set: 0 over nothing, but `empty` where there is nothing on either side."""
    common, both = len(true & predicted), len(true) + len(predicted)
    p, r = common / len(predicted) if predicted else 0, common / len(true) if true else 0
    return [p, r, 2 * common / both] if both else [empty] * 3


def over(scores: Sequence[list[float]], count: int, nothing: float = nan) -> list[float]:
    """The sums of P, of R and of F over a number; `nothing` over none."""
    return [sum(score[column] for score in scores) / count if count else nothing for column in range(3)]


def group_scores(frames: Sequence[Frame], protocol: str) -> list[float]:
    """P, R and F of the labels of groups that match; groups of less than two people are left out on both sides."""
    true = [[group for group in groups if len(group[0]) > 1] for _, _, groups, _ in frames]
    predicted = [[group for group in groups if len(group[0]) > 1] for _, _, _, groups in frames]
    all_true, all_predicted = sum(map(len, true)), sum(map(len, predicted))
    labels = [(a[1], b[1]) for groups in zip(true, predicted, strict=True) for a, b in matches(*groups, protocol)]
    if protocol == "paper":  # all three over the predicted groups, and F of two empty sets is 0 / 0
        return over([label_scores(*both, 0)[:2] + label_scores(*both, nan)[2:] for both in labels], all_predicted)
    if protocol == "description":  # only equal label sets count
        scores, nothing = [[float(one == other)] * 3 for one, other in labels], 0.0
    else:
        scores, nothing = [label_scores(*both, 1) for both in labels], float(not all_true and not all_predicted)
    p, r = over(scores, all_predicted, nothing)[0], over(scores, all_true, nothing)[1]
    return [p, r, 2 * p * r / (p + r) if p + r else 0]


def matches(true: Sequence[Group], predicted: Sequence[Group], protocol: str) -> list[tuple[Group, Group]]:
    """All that match by `half`; else the best by Jaccard index, each predicted (in `strict` also true) group once."""
    pairs = list(product(true, predicted))
    if protocol == "paper":
        return [pair for pair in pairs if half(pair[0][0], pair[1][0])]
    index = {place: len(one[0] & other[0]) / len(one[0] | other[0]) for place, (one, other) in enumerate(pairs)}
    taken: list[tuple[Group, Group]] = []
    for place in sorted(index, key=lambda place: -index[place]):  # the best Jaccard index first, of equals the first
        one, other = pairs[place]
        if index[place] > 1 / 2 and not any(other is b or (one is a and protocol == "strict") for a, b in taken):
            taken.append((one, other))
    return taken


def half(one: set[int], other: set[int], share: float = 1 / 2) -> bool:
    """Whether they share more than half of the larger; two groups of two must be the same."""
    return one == other if len(one) == len(other) == 2 else len(one & other) > share * max(len(one), len(other))
