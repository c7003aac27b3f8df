"""Thresholds of checks that users set, by `CHECK.THRESHOLD`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.checks.finding import Check
from schemas.errors import UsageError, printable, shown, unknown_name


def thresholds_of(checks: Mapping[str, Check], given: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """The thresholds given, as numbers or texts like their defaults, by check and name.

    Raises:
        UsageError: no check has this name or threshold, or it cannot have this value.
    """
    found: dict[str, dict[str, Any]] = {}
    for key, value in given.items():
        name, dot, threshold = key.partition(".")
        if not dot:
            raise UsageError(printable(f"{key!r}: expected CHECK.THRESHOLD=VALUE, as disagreement.seconds=2"))
        if name not in checks:
            raise unknown_name("check", name, list(checks))
        known = checks[name].thresholds
        if threshold not in known:
            raise unknown_name(f"threshold of {name}", threshold, list(known))
        found.setdefault(name, {})[threshold] = _like(known[threshold], value, key)
    return found


def _like(default: Any, value: object, key: str) -> Any:
    """A value of the same type as the default; of several numbers, a text parts them by commas."""
    if isinstance(default, str):
        return str(value)
    several = not isinstance(default, int | float)
    parts: Sequence[object] = value.split(",") if several and isinstance(value, str) else [value]
    parts = list(value) if several and isinstance(value, list | tuple) else parts
    try:
        numbers = [float(part) for part in parts]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        numbers = []
    if not numbers or not all(0 <= number < float("inf") for number in numbers):
        raise UsageError(printable(f"{key}={shown(value)}: expected {'numbers' if several else 'a number'}, 0 or more"))
    if several:
        return tuple(numbers)
    return int(numbers[0]) if isinstance(default, int) and numbers[0].is_integer() else numbers[0]
