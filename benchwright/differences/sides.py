"""What can be compared: manifests, split files alone, and the authors' own files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from benchwright.differences.rows import Rows, levels_of
from benchwright.exporters.official import FORMATS
from benchwright.exporters.official_files import read_official
from builders.engine.registry import find_recipe
from schemas.errors import InputError, Problem, UsageError, shown, unknown_name
from schemas.identity import Identity, Value, written
from schemas.manifest import Manifest, open_manifest
from schemas.manifest_folder import IDENTITY_FILE

# The first that a manifest has says what it holds.
_KINDS = {"objects": "boxes in images", "persons": "activities of persons", "start_s": "spans of videos"}


@dataclass(frozen=True)
class Side:
    """One of two that are compared.

    Attributes:
        place: where it is, as people know it.
        name: of the benchmark.
        rows: by split.
        manifest: None for the authors' own file, which says nothing of how it was made.
    """

    place: str
    name: str
    rows: dict[str, pa.Table]
    manifest: Manifest | None = None

    @property
    def identity(self) -> Identity | None:
        return self.manifest.identity if self.manifest else None

    @property
    def whole(self) -> bool:
        """Whether it is all that a build made, and not one split of it."""
        return self.manifest is not None and self.manifest.has_ledger

    @property
    def root(self) -> str:
        """What a sample is."""
        return next(iter(self.identity.levels)) if self.identity else "row"

    @property
    def settings(self) -> Mapping[str, Value]:
        """Its parameters; of the authors' own file those that the recipe takes for theirs."""
        return self.identity.parameters if self.identity else find_recipe(self.name).settings({})

    @property
    def kind(self) -> str:
        """What it holds."""
        names = {name for table in self.rows.values() for name in table.column_names}
        return next((kind for name, kind in _KINDS.items() if name in names), "other rows")

    def levels(self, root: str) -> dict[str, Rows]:
        """The rows of each level; errors as of `levels_of`."""
        try:
            table = pa.concat_tables(self.rows.values(), promote_options="default")
        except pa.ArrowException as failure:
            expected = "the same columns in all splits"
            raise InputError(Problem(self.place, "", "", shown(str(failure)), expected)) from None
        return levels_of(table, root, self.place)

    def aspects(self) -> dict[str, str]:
        """What it says of itself, in the order in which it is told."""
        identity = self.identity
        rows = {f"rows of split {split}": f"{table.num_rows:,}" for split, table in self.rows.items()}
        settings = {f"parameter {name}": written(value) for name, value in self.settings.items()}
        if identity is None:
            return {"benchmark": self.name, **settings, **rows}
        origin = identity.recipe
        return {
            "benchmark": identity.name,
            "recipe version": f"{identity.recipe_version} ({identity.version_reason})",
            "recipe": (origin.sha256 or f"{origin.entry_point} of {origin.package}") if origin else "bundled",
            "schema": f"{identity.schema} {identity.schema_version}",
            **settings,
            **{
                what: text
                for name, source in identity.sources.items()
                for what, text in ((f"source {name}", source.file), (f"SHA-256 of source {name}", source.sha256))
            },
            "benchwright": identity.tool_version,
            "content digest": identity.content_digest,
            **rows,
        }


def side_of(given: Manifest | Path, others: Sequence[str] = ()) -> Side:
    """A manifest, or a file of one, or one of the authors, which has the ending `.json`.

    Args:
        given: opened, or where it is.
        others: names of the benchmarks that an authors' file may be of; any when empty.

    Raises:
        UsageError: an authors' file, and a benchmark that has none.
        InputError: it is none of these, or cannot be read.
    """
    if not isinstance(given, Manifest) and given.name == IDENTITY_FILE:
        given = given.parent
    if not isinstance(given, Manifest) and given.suffix.lower() == ".json" and given.is_file():
        name, table = read_official(given, list(others) or list(FORMATS))
        return Side(str(given), name, {table["split"][0].as_py(): table})
    manifest = given if isinstance(given, Manifest) else open_manifest(given)
    rows = {split: manifest.table(split) for split in manifest.splits}
    if not rows:
        raise InputError(Problem(str(manifest.path), "", "", "rows of no split", "the rows of a manifest"))
    return Side(str(manifest.path), manifest.identity.name, rows, manifest)


def sides_of(a: Manifest | Path, b: Manifest | Path, split: str | None = None) -> tuple[Side, Side, list[str]]:
    """Both sides, with the splits that can be compared, and notes on those that cannot.

    Splits that only one side has are compared where both are all that a build made: their rows were added or removed.

    Raises:
        UsageError: they hold different things, or have no split in common. Errors as of `side_of`.
    """
    if isinstance(b, Manifest) or b.suffix.lower() != ".json":
        other = side_of(b)
        one = side_of(a, [other.name])
    else:
        one = side_of(a)
        other = side_of(b, [one.name])
    if one.manifest and other.manifest and one.kind != other.kind:
        raise UsageError(f"{one.place} has {one.kind}, {other.place} {other.kind}: nothing to compare")
    if split is not None:
        for side in (one, other):
            if split not in side.rows:
                raise unknown_name(f"split of {side.place}", split, list(side.rows))
    elif one.whole and other.whole:
        return one, other, []
    kept = [name for name in one.rows if name in other.rows and split in (None, name)]
    if not kept:
        found = "; ".join(f"{side.place}: {', '.join(side.rows) or 'none'}" for side in (one, other))
        raise UsageError(f"no split that both have ({found})")
    why = f"only {split} is asked for" if split else "the other has none of its rows"
    notes = [
        f"split {name} of {side.place} is not compared: {why}"
        for side in (one, other)
        for name in side.rows
        if name not in kept
    ]
    chosen = (replace(side, rows={name: side.rows[name] for name in kept}) for side in (one, other))
    return next(chosen), next(chosen), notes
