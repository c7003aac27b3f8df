"""Manifests, opened or in memory: what they say of themselves, and their rows and ledger, read once and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from schemas.cards import CARD_NAME, LONGEST_NAME, SPLIT_NAME, Card, cards
from schemas.conformity import KINDS, plain, refuse_lacking, refuse_other_columns, refuse_other_rows
from schemas.digest import schema_line, split_digest
from schemas.errors import InputError, Problem, UsageError, shown, unknown_name
from schemas.exchange import recover
from schemas.features import FEATURES_KEY
from schemas.identity import FOOTER_KEY, FORMAT, Identity
from schemas.input.files import read_bytes
from schemas.input.parquet import read_parquet
from schemas.ledger import LEDGER
from schemas.manifest_folder import IDENTITY_FILE, LEDGER_FILE, split_file, stamped, with_digests

if TYPE_CHECKING:
    import pandas as pd

# What the metadata of a file has beyond those of its rows.
_OF_FILES = (FOOTER_KEY, FEATURES_KEY)
_NAMES = f"names of letters, digits and underscores, at most {LONGEST_NAME} bytes"


@dataclass(frozen=True)
class Manifest:
    """A manifest that was opened: its identity at hand, its files read when asked for, each once.

    Of one in memory all is at hand, and `path` is what messages call it.

    Rows and ledger are those that were built: files that were changed afterwards are refused, as no result may bear
    their digest. Only `stored_rows` and `stored_ledger` give what is on the disk.
    """

    path: Path
    identity: Identity
    _stored: dict[str, pa.Table] = field(default_factory=dict, repr=False, compare=False)
    _checked: dict[str, pa.Table] = field(default_factory=dict, repr=False, compare=False)
    derived: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What others computed from it, so that it is computed once: the truth of a split, values of baselines."""

    def __repr__(self) -> str:
        splits = ", ".join(f"{name}: {split.rows:,} rows" for name, split in self.identity.splits.items())
        return f"<Manifest {self.identity.name} at {self.path}: {splits}>"

    @property
    def splits(self) -> list[str]:
        return list(self.identity.splits)

    @property
    def card(self) -> Card | None:
        """The card: the one that a recipe of somebody's own brought along, else the bundled one of this name."""
        return self.identity.card or cards().get(self.identity.name)

    @property
    def has_ledger(self) -> bool:
        """Whether it is more than one Parquet file alone."""
        return LEDGER_FILE in self._stored or not self.path.is_file()

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        # Of a split that was read already, else of the one that will most likely be.
        for split in sorted(self.splits, key=lambda name: (name not in self._stored, name != "test")):
            return list(self.stored_rows(split).column_names)
        raise self._without_rows()

    def chosen_split(self, split: str | None = None) -> str:
        """The split to work on: the one named, the only one, or `test`.

        Raises:
            UsageError: there are several, none of them `test`.
        """
        if split is None and len(self.splits) > 1 and "test" not in self.splits:
            raise UsageError(f"{self.path} has several splits ({', '.join(self.splits)}): name one of them")
        return split or (self.splits[0] if len(self.splits) == 1 else "test")

    def refuse_incomplete(self, kind: str) -> None:
        """Refuse a manifest that lacks a column of its kind (`schemas.conformity.KINDS`); `InputError`."""
        for split in self.splits:
            if split in self._stored:
                refuse_lacking(self._stored[split].schema, KINDS[kind][1], str(self._file_of(split)))

    def without_rows(self, split: str | None = None) -> list[str]:
        """A warning for each split that has no rows; of one split, or of all when None."""
        splits = self.identity.splits if split is None else {split: self.identity.splits[split]}
        return [f"the split {name} has no rows" for name, found in splits.items() if not found.rows]

    def table(self, split: str | None = None, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of one split, or of all splits in the card's order.

        Args:
            split: one split, all when None.
            columns: those wanted; a name that the manifest has not is left out.

        Raises:
            UsageError: there is no such split.
            InputError: a file is missing, damaged, of another manifest, or was changed after the build.
        """
        if split is not None and split not in self.identity.splits:
            raise unknown_name("split", split, self.splits)
        splits = [self._rows(name) for name in (self.splits if split is None else [split])]
        if not splits:
            raise self._without_rows()
        table = pa.concat_tables(splits)
        return table if columns is None else table.select([name for name in columns if name in table.column_names])

    def to_pandas(self, split: str | None = None) -> pd.DataFrame:
        """The rows as a pandas frame; arguments and errors as of `table`."""
        frame: pd.DataFrame = self.table(split).to_pandas()
        return frame

    def ledger(self) -> pa.Table:
        """The account of the build: one row for each row dropped, or changed or noted by a rule.

        Raises:
            UsageError: the manifest is one Parquet file alone.
            InputError: the ledger is missing, damaged, or was changed after the build.
        """
        if LEDGER_FILE not in self._checked:
            built = self.identity.ledger_digest
            self._checked[LEDGER_FILE] = self._unchanged(LEDGER_FILE, self.stored_ledger(), built, "ledger was")
        return self._checked[LEDGER_FILE]

    def stored_rows(self, split: str) -> pa.Table:
        """The rows of a split as they are on the disk, the footer as metadata, whether or not a build wrote them."""
        return self._file(split, self._file_of(split))

    def stored_ledger(self) -> pa.Table:
        """The ledger as it is on the disk, whether or not a build wrote it."""
        if not self.has_ledger:
            raise UsageError(f"{self.path} is one split; the ledger is in the folder that the build wrote")
        table = self._file(LEDGER_FILE, self.path / LEDGER_FILE)
        file = str(self.path / LEDGER_FILE)
        refuse_lacking(table.schema, LEDGER, file)
        refuse_other_columns(table, LEDGER, file)
        return table

    def _rows(self, split: str) -> pa.Table:
        if split not in self._checked:
            table = self.stored_rows(split)
            metadata = {key: value for key, value in (table.schema.metadata or {}).items() if key not in _OF_FILES}
            schema = metadata.get(b"schema", b"").decode("utf-8", "replace")
            if schema != self.identity.schema:
                place = (str(self.path), split, "schema", schema or "none", self.identity.schema)
                raise InputError(Problem(*place, "manifest.json or the rows are of another manifest"))
            refuse_other_rows(table, split, str(self._file_of(split)))
            self._refuse_other_schema(split, table)
            built = self.identity.splits[split].digest
            self._checked[split] = self._unchanged(split, table, built, "rows were").replace_schema_metadata(metadata)
        return self._checked[split]

    def _refuse_other_schema(self, split: str, table: pa.Table) -> None:
        for other in self.splits:
            if other in self._stored and not self._stored[other].schema.equals(table.schema):
                found, expected = (schema_line(each.schema) for each in (table, self._stored[other]))
                raise InputError(Problem(str(self._file_of(split)), "", "columns", found, f"{expected}, as in {other}"))

    def _file_of(self, split: str) -> Path:
        return self.path if self.path.is_file() else self.path / split_file(split)

    def _file(self, name: str, path: Path) -> pa.Table:
        if name not in self._stored:
            self._stored[name] = plain(read_parquet(path), str(path))
        return self._stored[name]

    def _unchanged(self, place: str, table: pa.Table, built: str, what: str) -> pa.Table:
        """The table, whose content digest must be the one that was `built`."""
        digest = split_digest(table)
        if digest != built:
            where = (str(self.path), place, "content digest", digest[:12], built[:12])
            raise InputError(Problem(*where, f"its {what} changed after the build"))
        return table

    def _without_rows(self) -> InputError:
        return InputError(Problem(str(self.path), "", "", "rows of no split", "the rows of a manifest"))


def manifest_in_memory(identity: Identity, splits: Mapping[str, pa.Table], ledger: pa.Table) -> Manifest:
    """A manifest of these tables, the same as if they were written and opened, but on no disk."""
    identity = with_digests(identity, splits, ledger)
    stored = {name: stamped(table, identity) for name, table in splits.items()}
    return Manifest(
        Path(f"{identity.name} (in memory)"), identity, {**stored, LEDGER_FILE: ledger}, {**splits, LEDGER_FILE: ledger}
    )


def open_manifest(path: Path | str) -> Manifest:
    """Open the folder of a manifest, also by its `manifest.json`, or one of its Parquet files alone.

    Raises:
        InputError: no manifest is there, or it cannot be read.
    """
    path = Path(path)
    path = path.parent if path.name == IDENTITY_FILE else path
    recover(path)
    if path.is_file():
        return _open_split(path)
    document = path / IDENTITY_FILE
    if not document.is_file():
        found = "no manifest.json" if path.is_dir() else "nothing"
        raise InputError(Problem(str(path), "", "", found, "the folder of a manifest", "build it first"))
    return Manifest(path, _decode_identity(read_bytes(document), document))


def _open_split(path: Path) -> Manifest:
    table = plain(read_parquet(path), str(path))
    identity = footer_identity(table, path)
    # A renamed file is known by its rows; a ledger has rows of no split.
    named = [name for name in identity.splits if path.name == Path(split_file(name)).name]
    held = named or (table["split"].unique().to_pylist() if "split" in table.column_names else [])
    splits = {name: split for name, split in identity.splits.items() if name in held}
    return Manifest(path, msgspec.structs.replace(identity, splits=splits), dict.fromkeys(splits, table))


def footer_identity(table: pa.Table, path: Path) -> Identity:
    """The identity in the footer of a Parquet file that was read whole; `InputError` when there is none."""
    footer = table.schema.metadata or {}
    if FOOTER_KEY not in footer:
        raise InputError(Problem(str(path), "footer", "benchwright", "nothing", "the identity of a manifest"))
    return _decode_identity(footer[FOOTER_KEY], path)


def _decode_identity(document: bytes, path: Path) -> Identity:
    try:
        identity = msgspec.json.decode(document, type=Identity)
    except msgspec.DecodeError as failure:
        raise InputError(Problem(str(path), "", "", str(failure), "the identity of a manifest")) from None
    if identity.format != FORMAT:
        advice = "build it again with this version"
        raise InputError(Problem(str(path), "", "format", str(identity.format), str(FORMAT), advice))
    if not identity.levels or not set(identity.changed_parameters) <= set(identity.parameters):
        raise InputError(Problem(str(path), "", "", "no levels, or unknown parameters", "the identity of a manifest"))
    # Both become names of files and folders, and a manifest is untrusted.
    for place, pattern, names in (("name", CARD_NAME, [identity.name]), ("splits", SPLIT_NAME, identity.splits)):
        for name in names:
            if not re.fullmatch(pattern, name) or len(name.encode()) > LONGEST_NAME:
                raise InputError(Problem(str(path), place, "", shown(name), _NAMES))
    return identity
