"""Keys of whole columns at once: which are equal, and which rows they name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schemas.arrays import array_of, integers
from scorers.activity.label_sets import Integers

# Numbers that are at most so many times as far apart as there are rows are used as they are, the others are hashed.
_SPARSE = 16


def grouped(*keys: Integers) -> tuple[Integers, Integers]:
    """The first row of each different key, ascending; and which of these each row's key is that of, shape (rows,).

    >>> [part.tolist() for part in grouped(np.array([7, 7, 5, 7]), np.array([1, 2, 1, 1]))]
    [[0, 1, 2], [0, 1, 2, 0]]
    """
    number, size = _numbered(keys)
    first = _first(number, size)
    rows = np.sort(first[first >= 0])
    place = np.empty(size, np.int64)
    place[number[rows]] = np.arange(len(rows))
    return rows, place[number]


def repeated(*keys: Integers) -> Integers:
    """Rows whose key is that of an earlier row.

    >>> repeated(np.array([1, 2, 1, 1]), np.array([5, 5, 5, 6])).tolist()
    [2]
    """
    number, size = _numbered(keys)
    if np.bincount(number).max(initial=0) <= 1:
        return np.empty(0, np.int64)
    return np.flatnonzero(_first(number, size)[number] != np.arange(len(number)))


def rows_of(keys: Sequence[Integers], wanted: Sequence[Integers]) -> Integers:
    """The row whose keys are those of each wanted one, -1 where there is none; shape (wanted,).

    >>> rows_of([np.array([0, 0, 1]), np.array([5, 6, 5])], [np.array([1, 0, 1]), np.array([5, 6, 6])]).tolist()
    [2, 1, -1]
    """
    # Predictions in the order of the manifest need no search.
    if all(np.array_equal(key, value) for key, value in zip(keys, wanted, strict=True)):
        return np.arange(len(keys[0]))
    rows = len(keys[0])
    number, size = _numbered([np.append(key, value) for key, value in zip(keys, wanted, strict=True)])
    return _first(number[:rows], size)[number[rows:]]


def _first(number: Integers, size: int) -> Integers:
    """The first row of each number, -1 where there is none; shape (size,)."""
    first = np.full(size, -1)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first


def _numbered(keys: Sequence[Integers]) -> tuple[Integers, int]:
    """A number from 0 for each different key, and how many numbers there may be."""
    number, size = _dense(keys[0])
    for key in keys[1:]:
        other, count = _dense(key)
        number, size = _dense(number * count + other)
    return number, size


def _dense(key: Integers) -> tuple[Integers, int]:
    low, high = (int(key.min()), int(key.max())) if len(key) else (0, -1)
    if high - low < _SPARSE * len(key):
        return key - low, high - low + 1
    encoded = array_of(key).dictionary_encode()
    return integers(encoded.indices), len(encoded.dictionary)
