"""Rows by their keys, for whole columns at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorers.activity.sets import Integers

_DENSE = 16
_SMALL = 1 << 16


class _Coding(NamedTuple):
    """How to write the keys of some columns as single numbers from 0 to size - 1.

    Attributes:
        columns: for each either its least value, or where values lie far apart, all of them in order.
        spans: how many numbers each needs.
    """

    columns: tuple[int | Integers, ...]
    spans: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.spans)

    def of(self, keys: Sequence[Integers]) -> tuple[Integers, NDArray[np.bool_]]:
        """The number of each key, and whether all of its values are known; the number of others means nothing."""
        code = np.zeros(len(keys[0]), np.int64)
        known = np.ones(len(keys[0]), np.bool_)
        for values, column, span in zip(keys, self.columns, self.spans, strict=True):
            if isinstance(column, int):
                known &= (values >= column) & (values <= column + (span - 1))
                place = np.where(known, values, column) - column
            else:
                place = np.minimum(np.searchsorted(column, values), span - 1)
                known &= column[place] == values
            code = code * span + place
        return code, known


def rows_of(keys: Sequence[Integers], wanted: Sequence[Integers]) -> Integers:
    """The row of `keys` that equals each row of `wanted`, -1 where none does; shape (wanted,).

    Both are the same number of columns of whole numbers. Of equal keys any row may be found.

    >>> rows_of([np.array([1, 1, 2]), np.array([5, 6, 5])], [np.array([2, 1, 2]), np.array([5, 6, 6])]).tolist()
    [2, 1, -1]
    """
    # Files in the order of the manifest need no search.
    if all(np.array_equal(key, value) for key, value in zip(keys, wanted, strict=True)):
        return np.arange(len(wanted[0]))
    if not len(keys[0]):
        return np.full(len(wanted[0]), -1)
    coding = _coding(keys)
    code, _ = coding.of(keys)
    sought, known = coding.of(wanted)
    if coding.size <= max(_SMALL, _DENSE * len(code)):
        table = np.full(coding.size, -1)
        table[code] = np.arange(len(code))
        return np.where(known, table[sought], -1)
    order = np.argsort(code, kind="stable")
    row = order[np.minimum(np.searchsorted(code[order], sought), len(code) - 1)]
    return np.where(known & (code[row] == sought), row, -1)


def repeated(*keys: Integers) -> Integers:
    """Rows whose key stands in an earlier row already.

    >>> repeated(np.array([1, 2, 1, 1]), np.array([5, 5, 5, 6])).tolist()
    [2]
    """
    if not len(keys[0]):
        return np.empty(0, np.int64)
    coding = _coding(keys)
    code, _ = coding.of(keys)
    if coding.size <= max(_SMALL, _DENSE * len(code)) and np.bincount(code).max() == 1:
        return np.empty(0, np.int64)
    order = np.argsort(code, kind="stable")
    return np.sort(order[1:][code[order[1:]] == code[order[:-1]]])


def _coding(keys: Sequence[Integers]) -> _Coding:
    columns: list[int | Integers] = []
    spans = []
    for column in keys:
        low, span = int(column.min()), int(column.max()) - int(column.min()) + 1
        distinct = np.unique(column) if span > max(_SMALL, _DENSE * len(column)) else None
        columns.append(low if distinct is None else distinct)
        spans.append(span if distinct is None else len(distinct))
    return _Coding(tuple(columns), tuple(spans))
