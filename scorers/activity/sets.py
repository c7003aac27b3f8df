"""Sets of labels as the bits of a number: label 1 is the lowest bit, so that a column of sets is one small array."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Sets = NDArray[np.uint32]

CLASSES = {"actions": 27, "social": 32, "global": 7}
"""How many labels each task has; they are numbered from 1 (RuizeHan/PAR : action.pbtxt, group.pbtxt, global.pbtxt)."""


def single(labels: NDArray[np.integer[Any]]) -> Sets:
    """The set that holds each label alone; labels from 1 to 32.

    >>> single(np.array([1, 3])).tolist()
    [1, 4]
    """
    return np.left_shift(np.uint32(1), (labels - 1).astype(np.uint32))


def united(sets: Sets, owner: Integers, owners: int) -> Sets:
    """The union of the sets of each owner, empty for one without any; shape (owners,).

    >>> united(single(np.array([1, 3, 2])), np.array([2, 2, 0]), 3).tolist()
    [2, 0, 5]
    """
    if (owner[1:] < owner[:-1]).any():
        order = np.argsort(owner, kind="stable")
        sets, owner = sets[order], owner[order]
    result = np.zeros(owners, np.uint32)
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    if len(starts):
        result[owner[starts]] = np.bitwise_or.reduceat(sets, starts)
    return result


def sizes(sets: Sets) -> Integers:
    """How many labels each set holds.

    >>> sizes(np.array([0, 5, 2**32 - 1], np.uint32)).tolist()
    [0, 2, 32]
    """
    ones = _ones()
    return np.asarray(ones[sets & np.uint32(0xFFFF)] + ones[sets >> np.uint32(16)], np.int64)


@cache
def _ones() -> NDArray[np.uint8]:
    """How many ones there are in every number of 16 bits; NumPy 1 cannot count them."""
    numbers = np.arange(1 << 16, dtype=np.uint16)
    bits = np.unpackbits(numbers.view(np.uint8)).reshape(-1, 16)
    return np.asarray(bits.sum(axis=1), np.uint8)
