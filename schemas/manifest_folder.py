"""Writing a manifest: a folder of Parquet files that Hugging Face `datasets` and pandas read as they are.

<folder>/README.md                            for people, and the front matter that `datasets` reads
<folder>/data/<split>-00000-of-00001.parquet  the rows of one split
<folder>/ledger.parquet                       the account of the build
<folder>/manifest.json                        the identity, the same as in every footer
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.cards import SPLIT_NAME
from schemas.digest import manifest_digest, split_digest
from schemas.errors import UsageError
from schemas.exchange import new_folder
from schemas.identity import FOOTER_KEY, Identity, Split

README_FILE = "README.md"
IDENTITY_FILE = "manifest.json"
LEDGER_FILE = "ledger.parquet"
# The files that a build writes.
_WRITTEN = re.compile(rf"README\.md|manifest\.json|ledger\.parquet|data/{SPLIT_NAME}-00000-of-00001\.parquet")


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
    identity = with_digests(identity, splits, ledger)
    with new_folder(folder) as draft:
        (draft / "data").mkdir()
        for name, table in splits.items():
            _write_parquet(stamped(table, identity), draft / split_file(name))
        _write_parquet(stamped(ledger.replace_schema_metadata(), identity), draft / LEDGER_FILE)
        (draft / IDENTITY_FILE).write_bytes(msgspec.json.format(msgspec.json.encode(identity), indent=2) + b"\n")
        (draft / README_FILE).write_text(readme(identity, title, licence), encoding="utf-8")
    return identity


def with_digests(identity: Identity, splits: Mapping[str, pa.Table], ledger: pa.Table) -> Identity:
    """The identity of a manifest of these tables: with their rows and digests."""
    rows = {name: Split(table.num_rows, split_digest(table)) for name, table in splits.items()}
    digest = manifest_digest({name: split.digest for name, split in rows.items()})
    return msgspec.structs.replace(identity, splits=rows, content_digest=digest, ledger_digest=split_digest(ledger))


def stamped(table: pa.Table, identity: Identity) -> pa.Table:
    """A table with the identity of its manifest among the metadata, which is the footer of its file."""
    return table.replace_schema_metadata((table.schema.metadata or {}) | {FOOTER_KEY: msgspec.json.encode(identity)})


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
    others = {file for file in files if not _WRITTEN.fullmatch(file)}
    if others:
        raise UsageError(f"{folder} holds a file that no build wrote: {min(others)}; {advice}")


def _write_parquet(table: pa.Table, path: Path) -> None:
    """The same bytes for the same table."""
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        # `datasets` 5 fails on a row group without rows, which is what `write_table` makes of an empty table.
        if table.num_rows:
            writer.write_table(table)


def readme(identity: Identity, title: str, licence: str) -> str:
    """Markdown with a `configs` entry that maps every split with rows, and the ledger as a configuration of its own."""
    rows = "".join(f"| {name} | {split.rows:,} | `{split.digest}` |\n" for name, split in identity.splits.items())
    rules = "".join(
        f"| {c.order} | {c.rule} | {c.level} | {c.rows_in:,} | {c.dropped:,} | {c.changed:,} |\n"
        for c in identity.counts
    )
    parameters = "".join(
        f"- `{name}` = `{value}`{' (not the default)' if name in identity.changed_parameters else ''}\n"
        for name, value in identity.parameters.items()
    )
    # `datasets` cannot load a split without rows, and one such split would bar the way to all others.
    filled = [name for name, split in identity.splits.items() if split.rows] or list(identity.splits)
    data_files = "".join(f"  - split: {name}\n    path: data/{name}-*.parquet\n" for name in filled)
    sources = "".join(f"- `{source.file}`: SHA-256 `{source.sha256}`\n" for source in identity.sources.values())
    return f"""\
---
pretty_name: {msgspec.json.encode(title).decode()}
configs:
- config_name: default
  default: true
  data_files:
{data_files}- config_name: ledger
  data_files:
  - split: ledger
    path: ledger.parquet
---
# {title}

Built by benchwright {identity.tool_version}, recipe `{identity.name}` version {identity.recipe_version}
({identity.version_reason}). Content digest `{identity.content_digest}`.

Licence of the annotations: {licence}

| split | rows | content digest |
|---|---|---|
{rows}
| order | rule | level | rows in | dropped | changed |
|---|---|---|---|---|---|
{rules}
Parameters:

{parameters or "- none"}
Sources:

{sources}"""
