"""The scale on which an answer states its times, and the way from there to seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import UsageError, shown
from scorers.times import LONGEST_TIME

KNOWN_SCALES = (
    "seconds, normalised, percent, frames:100 (index on a grid of 100), frames:30fps (frame number at 30 fps)"
)
_FRAMES = re.compile(r"frames:(?P<count>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?P<rate>fps)?")

Kind = Literal["seconds", "number"]
Unit = Literal["seconds", "percent", "frame"]


class Moment(NamedTuple):
    """One time as read: `seconds`, or a `number` that means a time only on the scale of the call."""

    value: float
    kind: Kind


class Window(NamedTuple):
    """One span as read; an end that the answer does not state is None."""

    start: Moment | None
    end: Moment | None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class TimeScale:
    """What a number without a unit means.

    Attributes:
        name: as written: `seconds`, `normalised`, `percent`, `frames:100`, `frames:30fps`.
        unit: `seconds`, `normalised`, `percent`, `grid` (frames spread over the duration), `rate` (frames per second).
        divisor: how many of the unit make the whole duration, or (`seconds`, `rate`) one second.
    """

    name: str
    unit: Literal["seconds", "normalised", "percent", "grid", "rate"]
    divisor: float

    @property
    def relative(self) -> bool:
        """Whether a number is a share of the duration, so that the duration must be known."""
        return self.unit in ("normalised", "percent", "grid")

    def moment(self, value: float, unit: Unit | None = None) -> Moment | None:
        """`value` as a time, or None where its unit is no time on this scale (a percentage among seconds)."""
        if unit == "seconds" or (unit is None and self.unit == "seconds"):
            return Moment(value, "seconds")
        if unit == "percent":
            share = {"percent": value, "normalised": value / 100}.get(self.unit)
            return None if share is None else Moment(share, "number")
        if unit == "frame" and self.unit not in ("grid", "rate"):
            return None
        return Moment(value, "number")

    def to_seconds(
        self, values: NDArray[np.float64], numbers: NDArray[np.bool_], durations: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Seconds of `values`; those not marked in `numbers` are seconds already. All arrays of one shape."""
        shares = values / self.divisor
        with np.errstate(over="ignore"):
            seconds = np.where(numbers, shares * durations if self.relative else shares, values)
        # Nothing lasts this long: what is beyond is no time.
        return np.where(np.abs(seconds) <= LONGEST_TIME, seconds, np.nan)


def time_scale(name: str) -> TimeScale:
    """The scale called `name`.

    `frames:N` is an index on a grid of N frames spread over the whole video, time = index / N * duration (as VTimeLLM
    answers, N = 100); `frames:Rfps` is the number of a frame at R frames per second, time = number / R.

    Raises:
        UsageError: no such scale.
    """
    if name == "seconds":
        return TimeScale(name, "seconds", 1.0)
    if name in ("normalised", "normalized"):
        return TimeScale("normalised", "normalised", 1.0)
    if name == "percent":
        return TimeScale(name, "percent", 100.0)
    frames = _FRAMES.fullmatch(name)
    count = float(frames["count"]) if frames else 0.0
    if not frames or count <= 0 or (not frames["rate"] and count != int(count)):
        raise UsageError(f"unknown time scale {shown(name)} (known: {KNOWN_SCALES})")
    return TimeScale(name, "rate" if frames["rate"] else "grid", count)
