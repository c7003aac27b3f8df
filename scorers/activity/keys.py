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
    first = _first_rows(keys)
    new = first == np.arange(len(first))
    return np.flatnonzero(new), (np.cumsum(new) - 1)[first]


def repeated(*keys: Integers) -> Integers:
    """Rows whose key is that of an earlier row.

    >>> repeated(np.array([1, 2, 1, 1]), np.array([5, 5, 5, 6])).tolist()
    [2]
    """
    first = _first_rows(keys)
    return np.flatnonzero(first != np.arange(len(first)))


def rows_of(keys: Sequence[Integers], wanted: Sequence[Integers]) -> Integers:
    """The row whose keys are those of each wanted one, -1 where there is none; shape (wanted,).

    >>> rows_of([np.array([0, 0, 1]), np.array([5, 6, 5])], [np.array([1, 0, 1]), np.array([5, 6, 6])]).tolist()
    [2, 1, -1]
    """
    # Predictions in the order of the manifest need no search.
    if all(np.array_equal(key, value) for key, value in zip(keys, wanted, strict=True)):
        return np.arange(len(keys[0]))
    count = len(keys[0])
    first = _first_rows([np.append(key, value) for key, value in zip(keys, wanted, strict=True)])[count:]
    return np.where(first < count, first, -1)


def _first_rows(keys: Sequence[Integers]) -> Integers:
    """The first row that has the keys of each row; shape (rows,)."""
    number, size = _dense(keys[0])
    for key in keys[1:]:
        other, count = _dense(key)
        number, size = _dense(number * count + other)
    first = np.empty(size, np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first[number]


def _dense(key: Integers) -> tuple[Integers, int]:
    """A number from 0 for each different key, and how many numbers there may be."""
    low, high = (int(key.min()), int(key.max())) if len(key) else (0, -1)
    if high - low < _SPARSE * len(key):
        return key - low, high - low + 1
    encoded = array_of(key).dictionary_encode()
    return integers(encoded.indices), len(encoded.dictionary)
