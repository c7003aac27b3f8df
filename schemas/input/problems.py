"""How parsers collect what is wrong: all problems of a source in one error, up to a thousand, not only the first."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown

Item = TypeVar("Item")
Parsed = TypeVar("Parsed")

Place: TypeAlias = Callable[[int], str]
"""What errors call the record at a position."""

# C0, DEL and C1 (Unicode category Cc): no name or sentence of the published files holds one.
CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f]")

# Pixels. No image is so large; numbers beyond are damage, and overflow when computed with.
FARTHEST = 1_000_000_000


def raise_any(problems: Sequence[Problem]) -> None:
    """Raise one `InputError` with all `problems`, if there are any."""
    if problems:
        raise InputError(problems)


def gather(parse: Callable[[Item], Parsed], items: Iterable[Item]) -> list[Parsed]:
    """`parse` applied to every item.

    Raises:
        InputError: with the problems of all items together, in their order.
    """
    results: list[Parsed] = []
    problems: list[Problem] = []
    for item in items:
        try:
            results.append(parse(item))
        except InputError as error:
            problems.extend(error.problems)
            if len(problems) >= MOST_PROBLEMS:
                break
    raise_any(problems)
    return results


def problems_where(
    bad: npt.NDArray[np.bool_],
    file: str,
    label: Place,
    field: str,
    found: Sequence[object],
    expected: str,
    advice: str = "",
) -> list[Problem]:
    """A `Problem` for each place where `bad` holds; `label` names the record there, `found` is parallel to `bad`."""
    return [
        Problem(file, label(place), field, shown(found[place]), expected, advice)
        for place in np.flatnonzero(bad)[:MOST_PROBLEMS].tolist()
    ]


def repeats(file: str, label: Place, field: str, values: Sequence[Hashable]) -> list[Problem]:
    """One `Problem` for each value that an earlier record already has; `label` names the record at a place."""
    first: dict[Hashable, int] = {}
    problems = []
    for place, value in enumerate(values):
        earlier = first.setdefault(value, place)
        if earlier != place:
            once = f"each once (first at {label(earlier)})"
            problems.append(Problem(file, label(place), field, f"{shown(value)} again", once))
            if len(problems) == MOST_PROBLEMS:
                break
    return problems
