"""Which row of a manifest each entry of a prediction file means, what is unknown, missing, or repeated."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import integers
from schemas.cards import cards
from schemas.errors import InputError, Problem

_EXAMPLES = 3

Content = tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Join:
    """Where the entries of a prediction file belong.

    Attributes:
        row: row of each entry, -1 where no row has its name; shape (entries,).
        missing: rows without an entry.
        warnings: unknown names and missing rows, counted, with examples.
    """

    row: NDArray[np.int64]
    missing: NDArray[np.int64]
    warnings: Sequence[str] = ()

    @property
    def unknown(self) -> int:
        """Entries that name no row."""
        return int(np.count_nonzero(self.row < 0))


def rows_named(names: pa.Array, keys: pa.Array, aliases: Sequence[pa.Array] = ()) -> NDArray[np.int64]:
    """The row that each key names, -1 for none; shape (keys,).

    Args:
        names: `sample_id` of every row.
        keys: name of every entry.
        aliases: other columns whose values name rows, tried in turn where most keys are not sample ids. One whose
            values repeat names nothing.
    """
    row = _positions(names, keys)
    for column in aliases:
        if mostly_known(row):
            break
        if len(column.unique()) == len(column):
            row = np.maximum(row, _positions(column, keys))
    return row


def rows_alike(contents: Iterable[Content], entries: Iterable[Content]) -> NDArray[np.int64]:
    """The row that says the same as each entry (video and query, or video and truth), -1 for none; shape (entries,).

    Entries that are alike take rows that are alike in their order.
    """
    rows: dict[Content, list[int]] = defaultdict(list)
    for number, content in enumerate(contents):
        rows[content].append(number)
    waiting = {content: iter(numbers) for content, numbers in rows.items()}
    return np.array([next(waiting[entry], -1) if entry in waiting else -1 for entry in entries], dtype=np.int64)


def mostly_known(row: NDArray[np.int64]) -> bool:
    """Whether more than half of the entries have a row."""
    return 2 * int(np.count_nonzero(row >= 0)) > len(row)


def checked_join(row: NDArray[np.int64], names: pa.Array, keys: pa.Array, file: str) -> Join:
    """Account for what has no row and what has no entry.

    Args:
        row: row of each entry, -1 for none.
        names: `sample_id` of every row.
        keys: name of every entry, as the file has it.
        file: the prediction file, for messages.

    Raises:
        InputError: as `join_entries`.
    """
    known = row >= 0
    if len(row) and not known.any():
        expected = f"names such as {names[0].as_py()!r}" if len(names) else "no predictions: there are no rows"
        raise InputError(Problem(file, "", "", _unknown_names(keys, len(names)), expected))
    counts = np.bincount(row[known], minlength=len(names))
    if (counts > 1).any():
        repeated = _quoted(names, np.flatnonzero(counts > 1))
        found = f"{np.count_nonzero(counts > 1):,} rows with several predictions ({repeated})"
        advice = "rank them with a column `score`, or keep one"
        raise InputError(Problem(file, "", "", found, "one prediction per row", advice))
    missing = np.flatnonzero(counts == 0)
    warnings = []
    if not known.all():
        unknown = np.flatnonzero(~known)
        quoted = _quoted(keys, unknown)
        warnings.append(f"{len(unknown):,} predictions name no row of the manifest ({quoted}) and are left out")
    if len(missing):
        warnings.append(f"{len(missing):,} of {len(names):,} rows have no prediction ({_quoted(names, missing)})")
    return Join(row, missing, warnings)


def _positions(names: pa.Array, keys: pa.Array) -> NDArray[np.int64]:
    # Files in manifest order need no look-up: comparing is a hundred times faster than hashing.
    if len(names) == len(keys) and names.equals(keys):
        return np.arange(len(keys))
    return integers(pc.index_in(keys, value_set=names), null=-1)


def _quoted(values: pa.Array, positions: NDArray[np.int64]) -> str:
    examples = ", ".join(repr(values[int(position)].as_py()) for position in positions[:_EXAMPLES])
    return examples + (", ..." if len(positions) > _EXAMPLES else "")


def _unknown_names(keys: pa.Array, rows: int) -> str:
    """What names look like of which none is known."""
    sample = keys.slice(0, 100).to_pylist()
    like = [
        name
        for name, card in cards().items()
        if card.sample_ids and all(re.fullmatch(card.sample_ids, key) for key in sample)
    ]
    guess = f"; these look like {like[0]} ids" if like else ""
    return f"names such as {sample[0]!r} (0 of {rows:,} ids match{guess})"
