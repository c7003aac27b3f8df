"""Whole columns at once: label sets as the bits of a number, with precision, recall and F1; rows by their keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.arrays import array_of, integers

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Sets = NDArray[np.uint32]

MOST_LABELS = 32
"""The largest label that a set holds: 1 is the lowest bit."""

# Numbers that are at most so many times as far apart as there are rows are used as they are, the others are hashed.
_SPARSE = 16


def single(labels: NDArray[np.integer[Any]]) -> Sets:
    """The set that holds each label alone; labels from 1 to `MOST_LABELS`.

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
    # Bits of pairs, of fours and of eights are added up in place; NumPy 1 has no function that counts them.
    counts = sets - (sets >> np.uint32(1) & np.uint32(0x55555555))
    counts = (counts & np.uint32(0x33333333)) + (counts >> np.uint32(2) & np.uint32(0x33333333))
    counts = counts + (counts >> np.uint32(4)) & np.uint32(0x0F0F0F0F)
    return np.asarray(counts * np.uint32(0x01010101) >> np.uint32(24), np.int64)


class SampleScores(NamedTuple):
    """One number an instance, shape (instances,)."""

    precision: Floats
    recall: Floats
    f1: Floats


def sample_scores(truth: Sets, predicted: Sets, both_empty: float = 0.0) -> SampleScores:
    """Of each true set T and predicted set Y: P |T and Y| / |Y|, R |T and Y| / |T|, F1 2 |T and Y| / (|T| + |Y|).

    A quotient of nothing is 0, and all three are `both_empty` where both sets are empty: 0 as in the reference, 1 for a
    reader to whom "no label" is the right answer there.
    Source: scikit-learn, precision_recall_fscore_support with average='samples', which takes means of these.

    >>> [values.tolist() for values in sample_scores(np.array([15, 0], np.uint32), np.array([1, 0], np.uint32))]
    [[1.0, 0.0], [0.25, 0.0], [0.4, 0.0]]
    """
    common, true, given = sizes(truth & predicted), sizes(truth), sizes(predicted)
    empty = (true + given) == 0
    scores = (_quotients(common, given), _quotients(common, true), _quotients(2 * common, true + given))
    if both_empty:
        for values in scores:
            values[empty] = both_empty
    return SampleScores(*scores)


def _quotients(above: Integers, below: Integers) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


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
