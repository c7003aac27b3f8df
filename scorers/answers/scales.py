"""What a number without a unit means, and the way from there to seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from schemas.errors import UsageError, shown

KNOWN_SCALES = (
    "seconds, normalised, percent, frames:100 (index on a grid of 100), frames:30fps (frame number at 30 fps)"
)
Unit = Literal["", "clock", "seconds", "minutes", "milliseconds", "percent", "frame"]

_FRAMES = re.compile(r"frames:(?P<count>[0-9]{1,9}(?:\.[0-9]{1,9})?)(?P<rate>fps)?")
SECONDS_PER: dict[Unit, float] = {"seconds": 1.0, "minutes": 60.0, "milliseconds": 0.001}


@dataclass(frozen=True, slots=True)
class TimeScale:
    """What a number without a unit means.

    Attributes:
        name: as written: `seconds`, `normalised`, `percent`, `frames:100`, `frames:30fps`.
        unit: `seconds`, `normalised`, `percent`, `grid` (frames spread over the duration), `rate` (frames per second).
        divisor: how many of the unit make the whole duration, or (`seconds`, `rate`) one second.
        duration: seconds of the video; matters on a relative scale only.
    """

    name: str
    unit: Literal["seconds", "normalised", "percent", "grid", "rate"]
    divisor: float
    duration: float = 1.0

    @property
    def relative(self) -> bool:
        """Whether a number is a share of the duration, so that the duration must be known."""
        return self.unit in ("normalised", "percent", "grid")

    def over(self, duration: float) -> TimeScale:
        """The scale of a video of `duration` seconds."""
        return replace(self, duration=duration)

    def seconds(self, value: float, unit: Unit) -> float | None:
        """`value` as seconds, or None where its unit is no time on this scale (a percentage among seconds)."""
        if unit in ("clock", "seconds"):
            return value
        if unit in SECONDS_PER:
            return round(value * SECONDS_PER[unit], 9)
        if unit == "percent":
            return value / 100 * self.duration if self.unit in ("percent", "normalised") else None
        if unit == "frame" and self.unit not in ("grid", "rate"):
            return None
        return value / self.divisor * (self.duration if self.relative else 1.0)


def time_scale(name: str) -> TimeScale:
    """The scale called `name`.

    `frames:N` is an index on a grid of N frames spread over the whole video, time = index / N * duration (as VTimeLLM
    answers, N = 100); `frames:Rfps` is the number of a frame at R frames per second, time = number / R.

    Raises:
        UsageError: no such scale.

    >>> time_scale("frames:100").over(40.0).seconds(25, "")
    10.0
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
