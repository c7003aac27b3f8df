"""Which row of a truth each entry of a file means: by its name, or by what it says (video and query, video and truth).

Exact names and texts go first. What they leave over is matched by folded ones (`scorers.names`), and told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, integers, texts_of
from schemas.cards import cards
from schemas.errors import InputError, Problem, counted, first_few, shown
from scorers.left_out import absent, by_reason
from scorers.names import (
    DISREGARDED,
    NONE,
    SEVERAL,
    FoldedNames,
    Rows,
    left_out,
    mostly_known,
    rows_named,
    several,
    told,
)
from scorers.temporal.contents import Said, folded_contents, in_order, rows_alike, said_of
from scorers.temporal.spans import Floats
from scorers.temporal.truth import Truth

_EXAMPLES = 3


class Match(NamedTuple):
    """Where the entries of a file belong.

    Attributes:
        row: of each entry, -1 for none.
        counts: entries by what became of those without an exact name: `similar_names`, matched by folded names;
            `left_out`, of rows that the split lacks for a known reason; `unknown`, the others. Only the last may be 0.
        warnings: of the same, with examples.
    """

    row: Rows
    counts: dict[str, int]
    warnings: list[str]


def rows_of(
    truth: Truth,
    file: str,
    keys: pa.Array,
    queries: list[str] | None = None,
    videos: pa.Array | None = None,
    quoted: tuple[Floats, Floats] | None = None,
) -> Match:
    """The row of each entry of a file: by name where most are sample ids or aliases, else by what entries say.

    Args:
        truth: the rows.
        file: the file, for messages.
        keys: name of each entry: a sample id, or a video.
        queries: the query of each entry.
        videos: the video of each entry, where other than the key.
        quoted: start and end of the ground truth of each entry.

    Raises:
        InputError: no entry has a row (the message says what was compared with what), or several entries have the same.
    """
    card = truth.manifest.card
    aliases = [truth.column(alias) for alias in (card.aliases if card else [])]
    row, said = rows_named(truth.names, keys, aliases), None
    if not mostly_known(row):
        said = said_of(truth, keys if videos is None else videos, queries, quoted)
    if said is not None:
        row = rows_alike(*said)
    if (row >= 0).all():
        check_rows(row, truth.names, keys, file)
        match = Match(row, {"unknown": 0}, [])
    else:
        match = _without_exact_names(truth, file, keys, aliases, said, row)
    if said is not None and queries is not None:
        match.warnings.extend(in_order(said, match.row))
    return match


def _without_exact_names(
    truth: Truth, file: str, keys: pa.Array, aliases: Sequence[pa.Array], said: Said | None, exact: Rows
) -> Match:
    """The same by folded names and contents for entries that `exact` has no row of, with an account of the others."""
    others, left, place = _absent(truth), np.flatnonzero(exact < 0), exact.copy()
    if said is not None:
        place[left] = folded_contents(said, np.setdiff1d(np.arange(len(truth)), exact), left)
    if said is None or not mostly_known(place):
        nameless = np.flatnonzero(place == NONE)
        place[nameless] = _folded_names(truth.names, aliases, keys.take(array_of(nameless)), others)
    row = np.where(place < len(truth), np.maximum(place, NONE), NONE)
    elsewhere, reasons = place[place >= len(truth)] - len(truth), list(others.values())
    why = [reasons[number] for number in elsewhere.tolist()]
    check_rows(row, truth.names, keys, file, said, why, int(np.count_nonzero(place == SEVERAL)))
    names = keys.to_pylist()
    theirs, ours = (names, truth.names.to_pylist()) if said is None else (said.entries, said.rows)
    similar, fit, unknown = left[row[left] >= 0], np.flatnonzero(place == SEVERAL), np.flatnonzero(place == NONE)
    warnings = [
        *told("predictions", len(similar), [_differing(theirs[n], ours[row[n]]) for n in similar.tolist()]),
        *by_reason("predictions", "of rows", elsewhere, list(others), reasons),
        *several("predictions", [theirs[entry] for entry in fit.tolist()]),
    ]
    if len(unknown):
        examples = quoted_names(keys, unknown)
        name = counted(len(unknown), "predictions", "name")
        warnings.append(f"{name} no row of the manifest ({examples}) and {left_out(len(unknown))}")
    counts = {"similar_names": len(similar), "left_out": len(why)}
    kept = {name: count for name, count in counts.items() if count}
    return Match(row, kept | {"unknown": len(unknown) + len(fit)}, warnings)


def _differing(theirs: object, ours: object) -> tuple[object, object]:
    """Two names, or the first parts that differ of what two say."""
    if isinstance(theirs, tuple) and isinstance(ours, tuple):
        return next(pair for pair in zip(theirs, ours, strict=True) if pair[0] != pair[1])
    return theirs, ours


def _absent(truth: Truth) -> Mapping[str, str]:
    """Why samples are not among the rows, by their ids."""
    others = absent(truth.manifest, truth.split)
    if truth.left_out is not None:
        others = {**others, **dict.fromkeys(truth.left_out.to_pylist(), "that nobody re-annotated")}
    return others


def _folded_names(names: pa.Array, aliases: Sequence[pa.Array], keys: pa.Array, others: Mapping[str, str]) -> Rows:
    """The place of each key among the rows and, behind them, the `others`; `NONE` or `SEVERAL`; shape (keys,)."""
    unique = [alias.to_pylist() for alias in aliases if len(alias.unique()) == len(alias)]
    place = FoldedNames([[*names.to_pylist(), *others], *unique]).rows(keys)
    exact = integers(pc.index_in(keys, value_set=texts_of(list(others))), null=-1)
    return np.where(exact >= 0, len(names) + exact, place)


def check_rows(
    row: Rows,
    names: pa.Array,
    keys: pa.Array,
    file: str,
    said: Said | None = None,
    why: Sequence[str] = (),
    fit: int = 0,
) -> None:
    """Refuse a file none of whose entries has a row, or several of whose entries have the same; `InputError`.

    Where there are no rows, none can be meant.

    Args:
        row: of each entry.
        names: the sample id of each row.
        keys: the name of each entry.
        file: for messages.
        said: what was compared besides names.
        why: why entries are left out, as far as that is known.
        fit: how many entries fit several names.
    """
    known = row >= 0
    if len(row) and len(names) and not known.any():
        expected = f"names such as {names[0].as_py()!r}"
        found = _unknown_names(keys, len(names))
        if said is not None and said.rows:
            parts = "video and query" if len(said.rows[0]) == 2 else "video, start and end of the truth"
            found += f", {parts} such as {shown(said.entries[0])}"
            expected += f", or {parts} such as {shown(said.rows[0])}"
        if why:
            found += f"; {len(why):,} are of rows {' or '.join(dict.fromkeys(why))}"
        if fit:
            found += (
                f"; {fit:,} fit several names, of other splits or dropped rows too, when {DISREGARDED} are disregarded"
            )
        raise InputError(Problem(file, "", "", found, expected))
    repeated = np.flatnonzero(np.bincount(row[known]) > 1)
    if len(repeated):
        found = f"{len(repeated):,} rows with several predictions ({quoted_names(names, repeated)})"
        advice = "rank them with a column `score`, or keep one"
        raise InputError(Problem(file, "", "", found, "one prediction per row", advice))


def missing(row: Rows, names: pa.Array, rows: Rows | None = None) -> list[str]:
    """A warning of the rows without an entry, or of these `rows`, counted, with examples."""
    if rows is None:
        rows = np.flatnonzero(np.bincount(row[row >= 0], minlength=len(names)) == 0)
    return (
        [f"{len(rows):,} of {len(names):,} rows have no prediction ({quoted_names(names, rows)})"] if len(rows) else []
    )


def quoted_names(values: pa.Array, positions: Rows) -> str:
    """The first few of some names, for messages."""
    return first_few([repr(values[int(position)].as_py()) for position in positions[:_EXAMPLES]], len(positions))


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
