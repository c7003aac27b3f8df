"""Compare two manifests, split files or authors' files: what they say of themselves, their rows, why these differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.differences.causes import Causes, by_building, by_elimination
from benchwright.differences.result import Aspect, ColumnChange, Diff, LevelChange, Summary
from benchwright.differences.rows import Compared, compare
from benchwright.differences.sides import Side, sides_of
from builders.engine.recipe import Recipe
from builders.engine.registry import find_recipe
from builders.engine.variants import Variants
from schemas.arrays import texts_of
from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.task import Progress, silent


def diff(
    a: Manifest | Path,
    b: Manifest | Path,
    *,
    source: Path | None = None,
    given: Mapping[str, Path] | None = None,
    recipe: Recipe | None = None,
    split: str | None = None,
    progress: Progress = silent,
) -> Diff:
    """Compare two sides.

    Args:
        a, b: manifests, opened or the places of them, of a file of one, or of an authors' file.
        source: folder of the raw files, to build A from with each parameter of B; nothing is built where neither it
            nor a single file is given.
        given: paths of single sources that are not below it.
        recipe: of A, where it is of a file of its own.
        split: one split, all that can be compared when None.
        progress: of the builds.

    Raises:
        UsageError: they hold different things, or have no split in common; a source is missing.
        InputError: one cannot be read, or names a row twice.
        BenchwrightError: A cannot be built.
    """
    one, other, notes = sides_of(a, b, split)
    known = one if one.identity else other
    variants = Variants(recipe or _recipe_of(known), source or Path(), given) if source or given else None
    notes += [
        f"{side.place} does not say how it was made: its parameters are taken for the recipe's defaults"
        for side in (one, other)
        if not side.identity
    ]
    levels = one.levels(known.root), other.levels(known.root)
    compared = {level: compare(rows, levels[1][level]) for level, rows in levels[0].items() if level in levels[1]}
    if not sum(len(each.keys) for each in compared.values()):
        causes = Causes({level: np.empty(0, object) for level in compared}, "", [])
    elif variants is None or one.name != other.name:
        causes = by_elimination(one, other, compared)
    else:
        causes = by_building(one, other, compared, variants, progress)
    counts = Counter(label for labels in causes.labels.values() for label in labels.tolist())
    changes = [_level_change(level, each, (one, other)) for level, each in compared.items()]
    changes[0].not_compared.extend(sorted(set(levels[0]) ^ set(levels[1])))
    summary = Summary(
        a=one.place,
        b=other.place,
        differ=any(_differs(change, one.manifest is not None and other.manifest is not None) for change in changes),
        identities=_aspects(one, other),
        levels=changes,
        explained={cause: count for cause, count in counts.most_common() if cause},
        unexplained=counts[""],
        because=causes.because if counts[""] else "",
        notes=[*notes, *causes.notes],
    )
    return Diff(summary, compared, causes.labels)


def _recipe_of(side: Side) -> Recipe:
    origin = side.identity.recipe if side.identity else None
    if origin and origin.file:
        raise UsageError(f"{side.place} was built by the code in {origin.file}: name it with --recipe FILE.py")
    return find_recipe(side.name)


def _differs(change: LevelChange, columns: bool) -> bool:
    """Whether rows or their order differ; the authors' files never have all `columns`."""
    rows = change.removed or change.added or change.changed or not change.same_order
    return bool(rows or (columns and change.not_compared))


def _aspects(one: Side, other: Side) -> list[Aspect]:
    a, b = one.aspects(), other.aspects()
    # Of the authors' file only what a row can say; its parameters are taken for the defaults.
    known = dict.fromkeys([*a, *b] if one.identity and other.identity else [name for name in a if name in b])
    return [Aspect(name, a.get(name), b.get(name)) for name in known if a.get(name) != b.get(name)]


def _level_change(level: str, compared: Compared, sides: tuple[Side, Side]) -> LevelChange:
    names = [rows.table.column_names for rows in (compared.a, compared.b)]
    return LevelChange(
        level=level,
        a=len(compared.a.keys),
        b=len(compared.b.keys),
        common=compared.common.shape[1],
        removed=len(compared.removed),
        added=len(compared.added),
        changed=int(compared.changed.sum()),
        same_order=compared.in_order,
        columns=[_column_change(name, compared) for name, mask in compared.columns.items() if mask.any()],
        not_compared=sorted(set(names[0]) ^ set(names[1])),
        reasons=[
            *_reasons("removed", compared.a.keys.take(pa.array(compared.removed)), sides[1], level),
            *_reasons("added", compared.b.keys.take(pa.array(compared.added)), sides[0], level),
        ],
    )


def _column_change(name: str, compared: Compared) -> ColumnChange:
    at = np.flatnonzero(compared.columns[name])
    a, b, sizes = compared.values(name, at)
    known = np.flatnonzero(np.isfinite(sizes))
    place = int(known[np.argmax(sizes[known])]) if len(known) else 0
    spread = [float(value) for value in np.quantile(sizes[known], (0.5, 0.95, 1))] if len(known) else [None] * 3
    key = compared.a.keys[int(compared.common[0][at[place]])].as_py()
    metadata = compared.a.table.schema.field(name).metadata or compared.b.table.schema.field(name).metadata or {}
    example = (key, a[place].as_py(), b[place].as_py())
    return ColumnChange(name, metadata.get(b"unit", b"").decode(), len(at), spread[0], spread[1], spread[2], example)


def _reasons(change: str, keys: pa.Array, side: Side, level: str) -> list[tuple[str, str, str, int]]:
    """Why the other side dropped rows, by its ledger."""
    if not len(keys) or side.manifest is None or not side.manifest.has_ledger:
        return []
    ledger = side.manifest.ledger()
    here = (pc.equal(ledger[name], texts_of([value])[0]) for name, value in (("level", level), ("action", "dropped")))
    ledger = ledger.filter(pc.and_(*here))
    inner = pc.binary_join_element_wise(ledger["child_key"], ledger["key"], " of ")
    found = ledger.filter(pc.is_in(pc.coalesce(inner, ledger["key"]), value_set=keys))
    counted = Counter(zip(found["rule"].to_pylist(), found["reason"].to_pylist(), strict=True))
    return [(change, rule, reason, count) for (rule, reason), count in counted.most_common()]
