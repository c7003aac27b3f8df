"""Times of videos as files and answers write them."""

from __future__ import annotations

LONGEST_TIME = 1e12
"""Seconds; far above the 3.2e9 that a published model answered, far below where sums lose their digits."""


def loose_clock_seconds(text: str) -> float:
    """Seconds of two or three numbers between colons, of any size: the authors' conversion takes 0:75 and 40:00:47.

    Formula: h*3600 + m*60 + s (UAL_Bench : src/eval/eval_your_results.py).
    """
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total
