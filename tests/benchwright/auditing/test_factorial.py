"""Shares of variance, on invented scores."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.auditing.factorial import explained, explained_by_pairs

effects = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=2, max_size=4)


@given(effects, effects)
def test_what_adds_up_is_explained_whole_by_its_parts(one: list[float], other: list[float]) -> None:
    added = np.add.outer(np.array(one), np.array(other))[..., None, None]
    shares = explained(added)[:, 0]
    spread = np.var(one), np.var(other)
    if max(spread) < 1e-3:
        return
    assert shares.sum() == pytest.approx(1)
    assert shares[0] == pytest.approx(spread[0] / sum(spread), abs=1e-6)


def test_what_only_both_do_is_explained_by_neither() -> None:
    either = np.array([[0.0, 1.0], [1.0, 0.0]])[..., None, None]
    assert explained(either).tolist() == [[0.0], [0.0]]


def test_systems_that_never_change_and_metrics_without_values_do_not_count() -> None:
    values = np.zeros((2, 2, 2, 2))
    values[1, :, 0, 0] = 5.0
    values[..., 1] = np.nan
    shares = explained(values)
    assert shares[:, 0].tolist() == [1.0, 0.0]
    assert np.isnan(shares[:, 1]).all()


@given(st.lists(st.integers(2, 3), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_pairs_say_what_all_combinations_say_where_no_three_act_together(shape: list[int], seed: int) -> None:
    numbers = np.random.default_rng(seed)
    whole = np.zeros((*shape, 2, 3))
    for pair in combinations(range(len(shape)), 2):
        sizes = [size if factor in pair else 1 for factor, size in enumerate(shape)]
        whole += numbers.normal(size=(*sizes, 2, 3))
    few = {point: whole[point] for point in product(*map(range, shape)) if np.count_nonzero(point) <= 2}
    assert explained_by_pairs(shape, few) == pytest.approx(explained(whole))
