"""What a metric says of itself, whatever its family: the unit, bounds and direction of its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

Unit = Literal["percent", "fraction", "s", "count"]


class Metric(Protocol):
    """A metric of a family: hashable, and its text is its name.

    One that has an attribute `higher_is_better`, true or false, says in which direction it is read; see `direction`.
    One that has an attribute `bounds` says between which values it lies; see `bounds_of`.
    """

    @property
    def unit(self) -> Unit:
        """The scale that its values are printed on."""


BOUNDS: Mapping[Unit, tuple[float, float]] = {
    "percent": (0.0, 100.0),
    "fraction": (0.0, 1.0),
    "s": (0.0, math.inf),
    "count": (0.0, math.inf),
}
"""The least and greatest value of most metrics of a unit."""


def bounds_of(metric: Metric) -> tuple[float, float]:
    """The least and greatest value of a metric: its attribute `bounds`, which need not be; else nothing is known.

    Intervals stay within them.
    """
    bounds: tuple[float, float] = getattr(metric, "bounds", (-math.inf, math.inf))
    return bounds


@dataclass(frozen=True, slots=True)
class Named:
    """A metric that its name says all about; `higher_is_better` is None where neither is, or nobody said."""

    name: str
    unit: Unit = "percent"
    higher_is_better: bool | None = None
    bounds: tuple[float, float] = (-math.inf, math.inf)

    def __str__(self) -> str:
        return self.name


def direction(metric: Metric) -> bool | None:
    """Whether higher values of a metric are better, or lower ones (False); None where the metric does not say.

    >>> direction(Named("accuracy", higher_is_better=True)), direction(Named("images", "count"))
    (True, None)
    """
    return getattr(metric, "higher_is_better", None)
