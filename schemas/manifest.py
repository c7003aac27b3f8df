"""Manifests on disk: a folder of Parquet files that Hugging Face `datasets` and pandas read as they are.

<folder>/README.md                            for people, and the front matter that `datasets` reads
<folder>/data/<split>-00000-of-00001.parquet  the rows of one split
<folder>/ledger.parquet                       the account of the build
<folder>/manifest.json                        the identity, the same as in every footer
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.digest import manifest_digest, split_digest
from schemas.errors import InputError, Problem, UsageError, shown, unknown_name
from schemas.exchange import new_folder, recover
from schemas.identity import FOOTER_KEY, FORMAT, SPLIT_NAME, Identity, Split
from schemas.readme import readme

README_FILE = "README.md"
IDENTITY_FILE = "manifest.json"
LEDGER_FILE = "ledger.parquet"
# The files that a build writes.
_WRITTEN = re.compile(rf"README\.md|manifest\.json|ledger\.parquet|data/{SPLIT_NAME}-00000-of-00001\.parquet")
LEDGER_COLUMNS = {"level", "key", "child_key", "rule", "order", "action", "reason", "values"}


@dataclass(frozen=True)
class Manifest:
    """A manifest that was opened: its identity at hand, its tables read when asked for."""

    path: Path
    identity: Identity

    @property
    def splits(self) -> list[str]:
        return list(self.identity.splits)

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        path = self._file(self.splits[0]) if self.splits else self.path
        with _whole_parquet(path):
            return list(pq.read_schema(path).names)

    def chosen_split(self, split: str | None = None) -> str:
        """The split to work on: the one named, the only one, or `test`.

        Raises:
            UsageError: there are several, none of them `test`.
        """
        if split is None and len(self.splits) > 1 and "test" not in self.splits:
            raise UsageError(f"{self.path} has several splits ({', '.join(self.splits)}): name one with --split")
        return split or (self.splits[0] if len(self.splits) == 1 else "test")

    def table(self, split: str | None = None, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of one split, or of all splits in the card's order.

        Args:
            split: one split, all when None.
            columns: those wanted; a name that the manifest has not is left out.

        Raises:
            UsageError: there is no such split.
            InputError: a file is missing or damaged.
        """
        if split is not None and split not in self.identity.splits:
            raise unknown_name("split", split, self.splits)
        wanted = self.splits if split is None else [split]
        return self._joined([self._rows(name, columns) for name in wanted])

    def ledger(self) -> pa.Table:
        """The account of the build: one row for each row dropped, or changed or noted by a rule."""
        if self.path.is_file():
            raise UsageError(f"{self.path} is one split; the ledger lies in the folder that the build wrote")
        table = read_parquet(self.path / LEDGER_FILE)
        lacking = sorted(LEDGER_COLUMNS - set(table.column_names))
        if lacking:
            raise InputError(Problem(str(self.path / LEDGER_FILE), "", lacking[0], "no such column", "a ledger"))
        return table

    def _file(self, split: str) -> Path:
        return self.path if self.path.is_file() else self.path / split_file(split)

    def _joined(self, splits: Sequence[pa.Table]) -> pa.Table:
        if not splits:
            raise InputError(Problem(str(self.path), "", "", "rows of no split", "the rows of a manifest"))
        try:
            return pa.concat_tables(splits)
        except pa.ArrowInvalid as failure:
            raise InputError(
                Problem(str(self.path), "", "", shown(str(failure)), "the same columns in all splits")
            ) from None

    def _rows(self, split: str, columns: Sequence[str] | None) -> pa.Table:
        table = read_parquet(self._file(split), columns)
        return table.replace_schema_metadata(_without_identity(table.schema))


def check_rows(manifest: Manifest, split: str | None = None) -> pa.Table:
    """The rows of a split, or of all, refused if they were changed after the build: results must not bear its digest.

    Raises:
        InputError: the split's content digest is not the one in its identity, or the file belongs to another manifest.
    """
    if split is None:
        return manifest._joined([check_rows(manifest, name) for name in manifest.splits])
    table = manifest.table(split)
    schema = (table.schema.metadata or {}).get(b"schema", b"").decode()
    if schema != manifest.identity.schema:
        place = (str(manifest.path), split, "schema", schema or "none", manifest.identity.schema)
        raise InputError(Problem(*place, "manifest.json or the rows are of another manifest"))
    _same_digest(manifest, split, split_digest(table), manifest.identity.splits[split].digest, "rows were")
    return table


def check_ledger(manifest: Manifest) -> pa.Table:
    """The ledger, refused if it was changed after the build.

    Raises:
        InputError: its digest is not the one in the identity.
    """
    ledger = manifest.ledger()
    _same_digest(manifest, LEDGER_FILE, split_digest(ledger), manifest.identity.ledger_digest, "ledger was")
    return ledger


def _same_digest(manifest: Manifest, place: str, digest: str, built: str, what: str) -> None:
    if digest != built:
        where = (str(manifest.path), place, "content digest", digest[:12], built[:12])
        raise InputError(Problem(*where, f"its {what} changed after the build"))


def split_file(split: str) -> str:
    """Path of a split's rows inside the folder, in the naming that `datasets` expects."""
    return f"data/{split}-00000-of-00001.parquet"


def write_manifest(
    folder: Path, identity: Identity, splits: Mapping[str, pa.Table], ledger: pa.Table, title: str, licence: str
) -> Identity:
    """Write a manifest in one step and return its identity, now with rows and digests.

    The folder is the previous manifest or the new one at every moment, never a part of either.

    Raises:
        UsageError: the folder holds files that no build wrote, or cannot be written.
    """
    folder = folder.resolve()
    refuse_foreign_files(folder)
    rows = {name: Split(table.num_rows, split_digest(table)) for name, table in splits.items()}
    digest = manifest_digest({name: split.digest for name, split in rows.items()})
    account = split_digest(ledger)
    identity = msgspec.structs.replace(identity, splits=rows, content_digest=digest, ledger_digest=account)
    footer = {FOOTER_KEY: msgspec.json.encode(identity)}
    with new_folder(folder) as draft:
        (draft / "data").mkdir()
        for name, table in splits.items():
            stamped = table.replace_schema_metadata((table.schema.metadata or {}) | footer)
            _write_parquet(stamped, draft / split_file(name))
        _write_parquet(ledger.replace_schema_metadata(footer), draft / LEDGER_FILE)
        (draft / IDENTITY_FILE).write_bytes(identity.to_json())
        (draft / README_FILE).write_text(readme(identity, title, licence), encoding="utf-8")
    return identity


def open_manifest(path: Path | str) -> Manifest:
    """Open the folder of a manifest, or one of its Parquet files alone.

    Raises:
        InputError: no manifest is there, or it cannot be read.
    """
    path = Path(path)
    recover(path.resolve())
    if path.is_file():
        return _open_split(path)
    if not path.is_dir():
        raise InputError(Problem(str(path), "", "", "nothing", "the folder of a manifest", "build it first"))
    document = path / IDENTITY_FILE
    if not document.is_file():
        raise InputError(Problem(str(path), "", "", "no manifest.json", "the folder that `benchwright build` wrote"))
    return Manifest(path, _decode_identity(document.read_bytes(), document))


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read one Parquet file, or some columns of it; `InputError` when it is missing, no Parquet file, or damaged."""
    # ParquetFile, not read_table: that one imports the dataset layer, 50 ms in a fresh process.
    with _whole_parquet(path), pq.ParquetFile(path, pre_buffer=False) as file:
        table = file.read(columns=None if columns is None else list(columns))
        table.validate(full=True)
    return table


@contextlib.contextmanager
def _whole_parquet(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(Problem(str(path), "", "", "nothing", "a Parquet file")) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as failure:
        raise InputError(Problem(str(path), "", "", shown(str(failure)), "a whole Parquet file")) from None


def refuse_foreign_files(folder: Path) -> None:
    """Refuse to replace a folder unless everything in it was written by an earlier build.

    Raises:
        UsageError: names a file that a build did not write.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; expected a folder to write the manifest to")
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    if not files:
        return
    advice = "choose another --out, or remove the folder yourself"
    if IDENTITY_FILE not in files:
        raise UsageError(f"{folder} holds files but no manifest ({min(files)}); {advice}")
    # By name, not by what manifest.json says: that may be damaged, or of another version, and a build mends it.
    strangers = {file for file in files if not _WRITTEN.fullmatch(file)}
    if strangers:
        raise UsageError(f"{folder} holds a file that no build wrote: {min(strangers)}; {advice}")


def _write_parquet(table: pa.Table, path: Path) -> None:
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        # `datasets` 5 fails on a row group without rows, which is what `write_table` makes of an empty table.
        if table.num_rows:
            writer.write_table(table)


def _open_split(path: Path) -> Manifest:
    table = read_parquet(path)
    footer = table.schema.metadata or {}
    if FOOTER_KEY not in footer:
        raise InputError(Problem(str(path), "footer", "benchwright", "nothing", "the identity of a manifest"))
    identity = _decode_identity(footer[FOOTER_KEY], path)
    # A renamed file is known by its rows; a ledger has rows of no split.
    named = [name for name in identity.splits if path.name == Path(split_file(name)).name]
    held = named or (table["split"].unique().to_pylist() if "split" in table.column_names else [])
    splits = {name: split for name, split in identity.splits.items() if name in held}
    return Manifest(path, msgspec.structs.replace(identity, splits=splits))


def _decode_identity(document: bytes, path: Path) -> Identity:
    try:
        identity = msgspec.json.decode(document, type=Identity)
    except msgspec.DecodeError as failure:
        raise InputError(Problem(str(path), "", "", str(failure), "the identity of a manifest")) from None
    if identity.format != FORMAT:
        raise InputError(
            Problem(str(path), "", "format", str(identity.format), str(FORMAT), "build it again with this version")
        )
    if not identity.levels or not set(identity.changed_parameters) <= set(identity.parameters):
        raise InputError(Problem(str(path), "", "", "no levels, or unknown parameters", "the identity of a manifest"))
    for name in identity.splits:
        # Split names become paths, and a manifest may come from a stranger.
        if not re.fullmatch(SPLIT_NAME, name):
            raise InputError(Problem(str(path), "splits", "", shown(name), "names of letters, digits and underscores"))
    return identity


def _without_identity(schema: pa.Schema) -> dict[bytes, bytes]:
    return {key: value for key, value in (schema.metadata or {}).items() if key != FOOTER_KEY}
