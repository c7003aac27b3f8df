"""Texts of findings: templates over numbers."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any


class _Words(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        one, several, others = format_spec.partition("|")
        return (one if value == 1 else others) if several else str(super().format_field(value, format_spec))


def filled(template: str, numbers: Mapping[str, Any]) -> str:
    """A template with its numbers; `{count:span begins|spans begin}` is the words for one, or for any other number.

    >>> filled("{n:,} {n:span begins|spans begin} late", {"n": 1}), filled("{n:,} {n:span|spans}", {"n": 1_589})
    ('1 span begins late', '1,589 spans')
    """
    return _Words().vformat(template, (), numbers)


def by_split(numbers: Mapping[str, Any]) -> str:
    """The counts of `splits` as a sentence, empty where there are none.

    >>> by_split({"splits": {"train": 734, "test": 228}})
    ' By split: train 734, test 228.'
    """
    told = ", ".join(f"{name} {count:,}" for name, count in numbers.get("splits", {}).items())
    return f" By split: {told}." if told else ""
