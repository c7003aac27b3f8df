"""What made rows differ: parameters, by building with each of them; else the recipe's version, or a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.differences.rows import Compared, Rows, compare
from benchwright.differences.sides import Side
from builders.engine.variants import Variants
from schemas.arrays import booleans
from schemas.errors import BenchwrightError
from schemas.identity import Identity, Value, written
from schemas.manifest import Manifest
from scorers.task import Progress

TOGETHER = "several parameters together"
Levels = Mapping[str, Rows]
Differing = Mapping[str, Compared]


class Causes(NamedTuple):
    """What made each row differ.

    Attributes:
        labels: by level, in the order of `Compared.keys`; empty where nothing explains it.
        because: why rows are left that nothing explains; empty where none are.
        notes: on builds that could not be made.
    """

    labels: dict[str, NDArray[np.object_]]
    because: str
    notes: list[str]


def changed_settings(a: Side, b: Side) -> dict[str, tuple[Value | None, Value | None]]:
    """The parameters that differ, as they are in both; None where a side does not know one."""
    names = dict.fromkeys([*a.settings, *b.settings])
    pairs = {name: (a.settings.get(name), b.settings.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def by_elimination(a: Side, b: Side, compared: Mapping[str, Compared]) -> Causes:
    """Without sources: where no parameter differs, it is the one other thing that does."""
    cause, because = "", "no source was given: --source DIR builds A with each parameter of B"
    if a.name != b.name:
        because = "they are different benchmarks"
    elif not changed_settings(a, b) and a.identity and b.identity:
        cause = _other_cause(a.identity, b.identity)
        because = "" if cause else "neither parameters nor version nor sources differ"
    labels = {level: np.full(len(each.keys), cause, object) for level, each in compared.items()}
    return Causes(labels, because, [])


def by_building(a: Side, b: Side, compared: Mapping[str, Compared], variants: Variants, progress: Progress) -> Causes:
    """With sources: a row is due to a parameter if A built with the value of B removes, adds or changes it as well.

    From A to B there are three steps: to A as it is built today from these sources, from there to the same with the
    parameters of B, and to B itself. A row differs by a parameter if it differs in the second step; if it does in the
    first or last one, by the version of the recipe or by a source, whichever is not the same. Where neither is
    another, nothing explains it.

    Raises:
        BenchwrightError: A cannot be built from these sources.
    """
    root, splits, notes = (a if a.identity else b).root, {*a.rows, *b.rows}, []

    def built(changes: Mapping[str, Value | None]) -> Manifest:
        settings = {**a.settings, **changes}
        return variants.build({name: value for name, value in settings.items() if value is not None})

    def levels(manifest: Manifest) -> Levels:
        rows = {split: manifest.table(split) for split in manifest.splits if split in splits}
        return Side(str(manifest.path), a.name, rows, manifest).levels(root)

    changes = {name: pair[1] for name, pair in changed_settings(a, b).items()}
    alone: dict[str, Differing] = {}
    with progress("builds of A", len(changes) + 2) as step:
        step("as it is")
        start = built({})
        today, end = levels(start), start
        for name, value in changes.items():
            step(name)
            try:
                alone[name] = _differing(today, levels(built({name: value})))
            except BenchwrightError as failure:
                notes.append(f"{name}={written(value)} alone cannot be built: {failure}")
        step("all parameters of B")
        first, last = (_other_cause(a.identity, start.identity) if a.identity else ""), ""
        try:
            end = built(changes)
            last = _other_cause(end.identity, b.identity) if b.identity else ""
        except BenchwrightError as failure:
            notes.append(f"the parameters of B cannot be built: {failure}")
    ended = levels(end)
    together = _differing(today, ended)
    mine, other = ({level: getattr(each, side) for level, each in compared.items()} for side in ("a", "b"))
    moves = [(_differing(mine, today), first), (_differing(ended, other), last)]
    labels = {
        level: _labels(
            each,
            {name: found[level] for name, found in alone.items()},
            together[level],
            [(step[level], cause) for step, cause in moves],
        )
        for level, each in compared.items()
    }
    because = "builds from these sources differ from A or B in ways that no parameter, version or source explains"
    return Causes(labels, because, notes)


def _labels(
    each: Compared, alone: Mapping[str, Compared], together: Compared, moves: Sequence[tuple[Compared, str]]
) -> NDArray[np.object_]:
    """The cause of each row that differs, empty where a step that it differs in has none.

    Args:
        each: A and B.
        alone: by parameter, what it does alone.
        together: what all parameters do.
        moves: the steps beside these, each with the cause that it may have.
    """
    names = [np.where(_alike(each, found), name, "") for name, found in alone.items()]
    parts = [" + ".join(filter(None, row)) for row in zip(*names, strict=True)] or [""] * len(each.keys)
    label = np.array(parts, object)
    label[(label == "") & _moved(each, together)] = TOGETHER
    for step, cause in moves:
        places = _moved(each, step)
        label[places] = [" + ".join(filter(None, (known, cause))) if cause else "" for known in label[places]]
    return label


def _other_cause(a: Identity, b: Identity) -> str:
    """What could make rows of the same parameters differ, empty where nothing could."""
    version = (
        f"recipe version {a.recipe_version} to {b.recipe_version}"
        if a.recipe_version != b.recipe_version
        else "another recipe file"
        if a.recipe != b.recipe
        else ""
    )
    names = dict.fromkeys([*a.sources, *b.sources])
    pairs = {name: [side.sources[name].sha256 if name in side.sources else "" for side in (a, b)] for name in names}
    sources = [f"source {name}" for name, pair in pairs.items() if pair[0] != pair[1]]
    tool = f"benchwright {a.tool_version} to {b.tool_version}" if a.tool_version != b.tool_version else ""
    return " or ".join(filter(None, [version, *sources])) or tool


def _differing(a: Levels, b: Levels) -> Differing:
    return {level: compare(rows, b[level]) for level, rows in a.items() if level in b}


def _alike(each: Compared, other: Compared) -> NDArray[np.bool_]:
    """Which of the rows that differ do so in the same way in the other comparison."""
    pairs = zip(each.kinds, other.kinds, strict=True)
    return np.concatenate([booleans(pc.is_in(keys, value_set=known)) for keys, known in pairs])


def _moved(each: Compared, other: Compared) -> NDArray[np.bool_]:
    """Which of the rows that differ do so in any way in the other comparison."""
    return booleans(pc.is_in(each.keys, value_set=other.keys))
