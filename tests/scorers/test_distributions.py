"""Quantiles against exact sums of binomial probabilities and printed tables."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.distributions import beta_quantile, beta_share, t_quantile


@given(trials=st.integers(1, 60), events=st.integers(0, 59), chance=st.floats(0.001, 0.999))
def test_a_beta_share_is_the_tail_of_a_binomial(trials: int, events: int, chance: float) -> None:
    events = 1 + events % trials
    tail = sum(comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(events, trials + 1))
    assert beta_share(chance, events, trials - events + 1) == pytest.approx(tail, rel=1e-9, abs=1e-14)


@given(a=st.floats(0.1, 1e4), b=st.floats(0.1, 1e4), share=st.sampled_from([0.025, 0.5, 0.975]))
def test_a_quantile_turns_the_share_back(a: float, b: float, share: float) -> None:
    x = beta_quantile(share, a, b)
    assert 0 <= x <= 1
    if 1e-12 < x < 1 - 1e-12:  # nearer to 1 there are no numbers to tell shares apart
        assert beta_share(x, a, b) == pytest.approx(share, rel=1e-6)


def test_a_quantile_has_limits() -> None:
    assert (beta_quantile(0.025, 0, 5), beta_quantile(0.975, 5, 0)) == (0.0, 1.0)
    assert (beta_share(0, 1, 2), beta_share(1, 1, 2)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.7062), (4, 2.7764), (11, 2.2010), (59, 2.0010), (1e6, 1.9600)]
)
def test_quantiles_of_student_are_those_of_the_tables(freedom: float, expected: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(expected, abs=5e-5)
