"""Which parts lie in which persons, and at which tolerances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorers.monitoring.boxes import Bools, Boxes, Floats, Ints, overlaps, pairs


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """The pairs of a part and a person that agree at some tolerance of a sweep; each array has shape (pairs,).

    Attributes:
        part, person: their rows.
        first: position in the sweep of the first tolerance at which they agree; they do at every later one.
        parts, persons: how many there are in all.
        tolerances: how many the sweep has.
    """

    part: Ints
    person: Ints
    first: Ints
    parts: int
    persons: int
    tolerances: int

    @property
    def lonely_parts(self) -> Bools:
        """Whether each part agrees with no person, at each tolerance, shape (parts, tolerances)."""
        return self._lonely(self.part, self.parts)

    @property
    def lonely_persons(self) -> Bools:
        """Whether each person agrees with no part, at each tolerance, shape (persons, tolerances)."""
        return self._lonely(self.person, self.persons)

    def _lonely(self, row: Ints, rows: int) -> Bools:
        first = np.full(rows, self.tolerances)
        np.minimum.at(first, row, self.first)
        return first[:, np.newaxis] > np.arange(self.tolerances)


def agree(parts: Boxes, persons: Boxes, tolerances: Floats, *, without_area: bool) -> Agreement:
    """Parts that lie in persons of their image, up to a tolerance.

    Formula: intersection >= (1 - tolerance) * min(part area, person area).
    Source: `decision_strategy_2` (src/tools/evaluation_protocol.py of the reference). By the formula a box without area
    agrees with everything in its image, if `without_area` says so; else it agrees with nothing.

    >>> parts = Boxes(np.zeros(2, int), *np.array([[1.0, 8.0], [0.0, 0.0], [2.0, 4.0], [2.0, 4.0]]))
    >>> person = Boxes(np.zeros(1, int), *np.array([[0.0], [0.0], [10.0], [20.0]]))
    >>> agree(parts, person, np.array([0.01, 0.5, 0.9]), without_area=False).lonely_parts.tolist()
    [[False, False, False], [True, False, False]]
    """
    common = overlaps(parts, persons)
    smaller = np.minimum(parts.area[common.left], persons.area[common.right])
    first = np.zeros(len(smaller), dtype=np.intp)
    for tolerance in tolerances:
        first += common.area < (1.0 - tolerance) * smaller
    ever = (first < len(tolerances)) & (smaller > 0)
    part, person, first = common.left[ever], common.right[ever], first[ever]
    if without_area:
        more_parts, more_persons = _pairs_without_area(parts, persons)
        part, person = np.append(part, more_parts), np.append(person, more_persons)
        first = np.append(first, np.zeros_like(more_parts))
    return Agreement(part, person, first, len(parts), len(persons), len(tolerances))


def _pairs_without_area(parts: Boxes, persons: Boxes) -> tuple[Ints, Ints]:
    """Pairs of a part and a person of one image of which either, or both, has no area."""
    flat_parts, flat_persons = parts.area == 0, persons.area == 0
    found = [(np.empty(0, np.intp), np.empty(0, np.intp))]
    for some_parts, some_persons in ((flat_parts, np.ones_like(flat_persons)), (~flat_parts, flat_persons)):
        part, person = np.flatnonzero(some_parts), np.flatnonzero(some_persons)
        found += [(part[i], person[j]) for i, j in pairs(parts.image[part], persons.image[person])]
    part, person = map(np.concatenate, zip(*found, strict=True))
    return part, person
