"""Splits that do not leak: groups of rows stay together, and what validation shares with training is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.checks.context import Context
from benchwright.checks.splits import leak_near_text, leak_text, leak_title, leak_video
from benchwright.instruction.draws import words_of
from schemas.cards import AuditCard
from schemas.errors import UsageError, counted, first_few, unknown_name
from schemas.manifest import Manifest, manifest_in_memory

LEAKS = ("refuse", "drop", "keep")
TRAIN, VALIDATION = "train", "validation"
# In the order in which a row that leaks in several ways is counted.
_CHECKS = {"leak_video": leak_video, "leak_title": leak_title, "leak_text": leak_text, "leak_near_text": leak_near_text}
_SHARED = {
    "leak_video": ("are", "of a video or an image of"),
    "leak_title": ("come", "from a source of"),
    "leak_text": ("have", "a query of"),
    "leak_near_text": ("have", "a query near one of"),
}


class Splitting(msgspec.Struct, frozen=True):
    """How rows are parted.

    Attributes:
        validation: share of the rows that goes to validation; 0 leaves the splits as they are.
        group_by: what stays together: a column, `COLUMN:PATTERN` with a regular expression whose first group, at the
            beginning of the text, is the name of the group; empty for what the card says, else the video or image.
        stratify: a column whose values validation has in the same shares.
        leaks: what becomes of rows that leak: `refuse` all, `drop` them, or `keep` them.
    """

    validation: float = 0.0
    group_by: str = ""
    stratify: str = ""
    leaks: str = "refuse"


@dataclass(frozen=True)
class Parted:
    """What became of the rows.

    Attributes:
        split: of each row.
        group: of each row.
        what: groups are, in the plural.
        reason: why a row is dropped, empty for the others.
        found: sentences on what leaks and was dropped or kept.
    """

    split: NDArray[np.object_]
    group: NDArray[np.object_]
    what: str
    reason: NDArray[np.object_]
    found: list[str]


def parted(manifest: Manifest, table: pa.Table, how: Splitting, against: Sequence[Manifest], seed: int) -> Parted:
    """Part the rows of a manifest.

    Args:
        manifest: their own, for what it says of itself.
        table: the rows.
        how: the way.
        against: benchmarks that no row may come from.
        seed: which groups go to validation.

    Raises:
        UsageError: an unknown column, a pattern that is none, too few groups, or rows that leak and are refused.
    """
    if how.leaks not in LEAKS:
        raise unknown_name("way with leaks", how.leaks, LEAKS)
    if not 0 <= how.validation < 1:
        raise UsageError(f"validation is {how.validation:g}; expected a share of the rows, as 0.1")
    if how.stratify and not how.validation:
        raise UsageError("--stratify is for --validation: without it nothing is parted")
    what, group = _groups(manifest, table, how.group_by)
    split = np.array(table["split"].to_pylist(), dtype=object)
    reason = np.full(len(table), "", object)
    found: list[str] = []
    for other in against:
        _leaking(_Side(manifest, table, np.ones(len(table), bool)), other, how.leaks, reason, found)
    if how.validation:
        mine = _divided(split, reason)
        names = _validation(group, mine, _strata(table, how.stratify), how.validation, seed, what)
        split[mine] = np.where(np.isin(group[mine], list(names)), VALIDATION, TRAIN)
        kept = reason == ""
        train = _part(manifest, table.filter(pa.array(kept & (split == TRAIN))), TRAIN)
        _leaking(_Side(manifest, table, kept & (split == VALIDATION)), train, how.leaks, reason, found, TRAIN)
    return Parted(split, group, what, reason, found)


def _divided(split: NDArray[np.object_], reason: NDArray[np.object_]) -> NDArray[np.bool_]:
    """The rows that are divided: those of `train`, or of the only split."""
    names = sorted(set(split.tolist()))
    if VALIDATION in names and len(names) > 1:
        raise UsageError(f"the manifest has a split {VALIDATION} already ({', '.join(names)}): name one with --split")
    if len(names) > 1 and TRAIN not in names:
        raise UsageError(f"of the splits {', '.join(names)}, which one is to be divided? Name it with --split")
    mine: NDArray[np.bool_] = (split == (TRAIN if TRAIN in names else names[0])) & (reason == "")
    return mine


def _groups(manifest: Manifest, table: pa.Table, by: str) -> tuple[str, NDArray[np.object_]]:
    if not by:
        what, names = Context(_part(manifest, table, "")).clusters
        return what, names.to_numpy(dtype=object)
    column, colon, pattern = by.partition(":")
    texts = _texts(table, column, "--group-by")
    try:
        rule = AuditCard(column=column, pattern=pattern)
    except ValueError as failure:
        raise UsageError(f"--group-by {by}: {failure}") from None
    return f"values of {column}", np.array([rule.cluster(text) for text in texts] if colon else texts, object)


def _texts(table: pa.Table, column: str, option: str) -> list[str]:
    known = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    if column not in known:
        raise UsageError(f"{option}: {unknown_name('column', column, known)}")
    return [str(value) for value in table[column].to_pylist()]


def _strata(table: pa.Table, column: str) -> NDArray[np.object_]:
    return np.array(_texts(table, column, "--stratify") if column else [""] * len(table), dtype=object)


def _validation(
    group: NDArray[np.object_], mine: NDArray[np.bool_], strata: NDArray[np.object_], share: float, seed: int, what: str
) -> set[str]:
    """The groups of validation: in a random order, each that brings the share of its stratum nearer to what is wanted.

    A group is of the stratum that most of its rows have.
    """
    frame = pd.DataFrame({"group": group[mine], "stratum": strata[mine]})
    sizes = frame.groupby(["group", "stratum"], sort=True).size().reset_index(name="rows")
    total = sizes.groupby("group")["rows"].sum()
    main = sizes.sort_values(["rows", "stratum"], ascending=[False, True], kind="stable").drop_duplicates("group")
    if len(total) < 2:
        raise UsageError(
            f"all rows share one of the {what}: there is nothing to part; name other groups with --group-by"
        )
    groups = main.assign(total=main["group"].map(total), order=words_of(main["group"], seed)).sort_values("order")
    chosen: set[str] = set()
    for _, each in groups.groupby("stratum", sort=True):
        wanted, taken = share * each["total"].sum(), 0
        for name, size in zip(each["group"], each["total"], strict=True):
            if abs(taken + size - wanted) < abs(taken - wanted):
                chosen.add(name)
                taken += size
    if not chosen or len(chosen) == len(total):
        raise UsageError(f"{len(total)} {what} cannot be parted with {share:g} of the rows in validation")
    return chosen


@dataclass(frozen=True)
class _Side:
    """The rows of a table that may leak."""

    manifest: Manifest
    table: pa.Table
    mask: NDArray[np.bool_]


def _leaking(
    side: _Side, other: Manifest, leaks: str, reason: NDArray[np.object_], found: list[str], name: str = ""
) -> None:
    """Drop, keep or refuse the rows of a side that the other manifest has in one way or another."""
    rows = side.table.filter(pa.array(side.mask & (reason == "")))
    if not len(rows) or not any(split.rows for split in other.identity.splits.values()):
        return
    name = name or other.identity.name
    context = Context(_part(side.manifest, rows, ""), other)
    sample_ids = np.array(side.table["sample_id"].to_pylist(), dtype=object)
    said = []
    for code, check in _CHECKS.items():
        if not check.columns <= set(rows.column_names) or ("text" in code and "text" not in context.frame):
            continue
        if "text" in code and "text" not in context.other:
            continue
        evidence = check.run(context)
        if evidence is None:
            continue
        leaking = list(dict.fromkeys(evidence.rows))
        verb, shared = _SHARED[code]
        such = first_few([repr(row) for row in leaking[:2]], len(leaking))
        said.append(f"{len(leaking):,} of {counted(len(rows), 'rows', verb)} {shared} {name} (such as {such})")
        if leaks == "drop":
            reason[np.isin(sample_ids, leaking) & side.mask & (reason == "")] = code
    if said and leaks == "refuse":
        rows_of = VALIDATION if name == TRAIN else "the rows"
        raise UsageError(
            f"{rows_of} would leak: {'; '.join(said)}; --leaks drop leaves just these rows out and counts them, "
            "--leaks keep keeps them with a warning"
        )
    found += said


def _part(manifest: Manifest, table: pa.Table, split: str) -> Manifest:
    """Some rows of a manifest as a manifest of one split."""
    identity = msgspec.structs.replace(manifest.identity, card=manifest.card, splits={})
    return manifest_in_memory(identity, {split or "all": table}, pa.table({"level": pa.array([], pa.string())}))
