"""Quantiles of the beta and of Student's t distribution, which intervals need; scipy would be 35 MB for these two.

Source: NIST Digital Library of Mathematical Functions, 8.17.4 and 8.17.22 (the regularised incomplete beta function).
"""

from __future__ import annotations

import math
from functools import lru_cache

_STEPS = 100_000
_FARTHEST = 700.0  # the logit of the smallest double, almost


def beta_share(x: float, a: float, b: float) -> float:
    """The probability that a beta variable with parameters a, b > 0 is at most x.

    >>> round(beta_share(0.25, 2, 3), 10)  # that two or more of four coins of chance .25 fall on heads
    0.26171875
    """
    if not 0 < x < 1:
        return float(x >= 1)
    # Beyond its mean the fraction of the other tail converges faster.
    return 1 - _tail(1 - x, b, a) if x > (a + 1) / (a + b + 2) else _tail(x, a, b)


def beta_quantile(share: float, a: float, b: float) -> float:
    """The x of which `beta_share` is `share`, 0 < share < 1; the limits 0 for a = 0 and 1 for b = 0.

    >>> round(beta_quantile(0.975, 1, 104), 6)  # the upper bound of a share of which 104 trials saw none
    0.034848
    """
    if a <= 0 or b <= 0:
        return float(a > 0)
    low, high, logit = -_FARTHEST, _FARTHEST, math.log(a / b)
    for _ in range(200):
        x = 1 / (1 + math.exp(-logit))
        excess = beta_share(x, a, b) - share
        low, high = (low, logit) if excess > 0 else (logit, high)
        slope = math.exp(_log_slope(x, a, b)) if 0 < x < 1 else 0.0
        newton = logit - excess / slope if slope else math.nan
        before, logit = logit, newton if low < newton < high else (low + high) / 2
        if abs(logit - before) < 1e-13:
            break
    return 1 / (1 + math.exp(-logit))


@lru_cache(maxsize=256)
def t_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's t distribution at a share above a half, for degrees of freedom > 0.

    >>> round(t_quantile(0.975, 6), 4)
    2.4469
    """
    x = beta_quantile(2 * (1 - share), freedom / 2, 0.5)
    return math.sqrt(freedom * (1 - x) / x)


def _tail(x: float, a: float, b: float) -> float:
    """`beta_share` by its continued fraction, evaluated from the front by the ratios of its convergents (Lentz)."""
    fraction, above, below = 1.0, 1.0, 0.0
    for step in range(1, _STEPS):
        m, even = step // 2, step % 2 == 0
        numerator = m * (b - m) if even else -(a + m) * (a + b + m)
        term = numerator * x / ((a + step) * (a + step - 1))
        below = 1 / (1 + term * below)
        above = 1 + term / above
        fraction *= above * below
        if abs(above * below - 1) < 1e-15:
            break
    return math.exp(_log_slope(x, a, b)) / (a * fraction)


def _log_slope(x: float, a: float, b: float) -> float:
    """The logarithm of the density by the logit of x: x^a (1 - x)^b / B(a, b)."""
    return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
