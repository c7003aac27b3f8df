"""Curves of invented scores: which choices they vary, who is first, how many orders there are."""

from __future__ import annotations

from itertools import product

import numpy as np

from benchwright.auditing.curves import MOST, curve
from scorers.metric import Named

CHOICES = {"pick": ["pick=median", "pick=latest"], "cap": ["cap=none"], "idle": ["idle=on"]}
SHARES = {"pick": 0.2, "cap": 0.7, "idle": 0.004}


def scored(higher: bool) -> dict[tuple[int, ...], np.ndarray]:
    """Of `a` 10 and of `b` 9, but that `cap` gives `b` 2 more; `pick` adds to both, `idle` does nothing."""
    sign = 1 if higher else -1
    return {
        (pick, cap, idle): sign * np.array([10.0 + pick, 9.0 + pick + 2 * cap])
        for pick, cap, idle in product(range(3), range(2), range(2))
    }


def test_choices_that_explain_little_stay_as_they_are() -> None:
    found = curve(Named("accuracy"), ["a", "b"], CHOICES, SHARES, scored(higher=True))
    assert found.choices == ["cap", "pick"]
    assert [(each.changed, each.scores) for each in found.combinations] == [
        ([], [10, 9]),
        (["cap=none"], [10, 11]),
        (["pick=median"], [11, 10]),
        (["pick=median", "cap=none"], [11, 12]),
        (["pick=latest"], [12, 11]),
        (["pick=latest", "cap=none"], [12, 13]),
    ]


def test_first_places_and_orders_are_of_all_combinations_in_the_direction_of_the_metric() -> None:
    for higher in (True, False):
        metric = Named("metric", higher_is_better=higher)
        found = curve(metric, ["a", "b"], CHOICES, SHARES, scored(higher))
        assert (found.firsts, found.orders) == ({"a": 6, "b": 6}, 2)


def test_a_curve_has_so_many_combinations_at_most() -> None:
    choices = {name: [f"{name}=1"] for name in "abcdefghi"}
    points = {point: np.array([float(sum(point))]) for point in product(range(2), repeat=9)}
    found = curve(Named("accuracy"), ["x"], choices, dict.fromkeys(choices, 0.1), points)
    assert len(found.combinations) == MOST == 2 ** len(found.choices)
    assert found.orders == 1
