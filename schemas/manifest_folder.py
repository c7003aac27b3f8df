"""Writing a manifest: a folder of Parquet files that Hugging Face `datasets` and pandas read as they are.

<folder>/README.md                            for people, and the front matter that `datasets` and the Hub read
<folder>/data/<split>-00000-of-00001.parquet  the rows of one split
<folder>/ledger.parquet                       the account of the build
<folder>/croissant.json                       the same as the front matter for other tools, with the files' SHA-256
<folder>/manifest.json                        the identity, the same as in every footer
<folder>/media/                               of an export alone: videos or images, and which belongs to which row
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.cards import SPLIT_NAME, Card, cards
from schemas.contents import MEDIA, Contents, Part
from schemas.croissant import croissant
from schemas.digest import manifest_digest, split_digest
from schemas.errors import UsageError
from schemas.exchange import new_folder
from schemas.features import FEATURES_KEY, class_names, embedded, features_of
from schemas.front_page import front_page
from schemas.identity import FOOTER_KEY, Identity, Split
from schemas.identity import IDENTITY_FILE as IDENTITY_FILE
from schemas.identity import LEDGER_FILE as LEDGER_FILE
from schemas.paths import real_path

README_FILE = "README.md"
CROISSANT_FILE = "croissant.json"
# The files that a build writes.
_WRITTEN = re.compile(
    rf"README\.md|manifest\.json|croissant\.json|ledger\.parquet|data/{SPLIT_NAME}-00000-of-00001\.parquet"
)


class Media(NamedTuple):
    """Media that a folder holds.

    Attributes:
        files: where each is now, by its path below `media`.
        rows: of each split, which file belongs to each row, a path below the folder.
    """

    files: Mapping[str, Path]
    rows: Mapping[str, pa.Table]


def is_written(path: str) -> bool:
    """Whether a path below the folder of a manifest is one that a build writes."""
    return _WRITTEN.fullmatch(path) is not None


def split_file(split: str) -> str:
    """Path of a split's rows inside the folder, in the naming that `datasets` expects."""
    return f"data/{split}-00000-of-00001.parquet"


def write_manifest(
    folder: Path,
    identity: Identity,
    splits: Mapping[str, pa.Table],
    ledger: pa.Table,
    card: Card | None = None,
    findings: Sequence[str] = (),
    media: Media | None = None,
) -> Identity:
    """Write a manifest in one step and return its identity, now with rows and digests.

    The folder is the previous manifest or the new one at every moment, never a part of either.

    Args:
        folder: where to.
        identity: what it says of itself.
        splits: the rows of each split.
        ledger: the account of the build.
        card: what README and Croissant say of the benchmark; that of the identity, else the bundled one of its name.
        findings: sentences on the rows that the README has.
        media: of an export alone, the videos or images that the folder holds, too; may be none. What it replaces was
            looked at before.

    Raises:
        UsageError: the folder holds files that no build wrote, or cannot be written.
    """
    folder = real_path(folder)
    if media is None:
        refuse_foreign_files(folder)
    identity, card = with_digests(identity, splits, ledger), card or identity.card or cards().get(identity.name)
    classes = class_names(card, list(splits.values()))
    with new_folder(folder) as draft:
        (draft / "data").mkdir()
        parts = {
            name: _write_part(draft, split_file(name), _typed(table, classes), identity)
            for name, table in splits.items()
        }
        account = _write_part(draft, LEDGER_FILE, _typed(ledger.replace_schema_metadata(), {}), identity)
        paths = {} if media is None else _with_media(draft, media, identity)
        contents = Contents(identity, card, parts, account, findings, paths)
        (draft / IDENTITY_FILE).write_bytes(msgspec.json.format(msgspec.json.encode(identity), indent=2) + b"\n")
        (draft / README_FILE).write_text(front_page(contents), encoding="utf-8")
        (draft / CROISSANT_FILE).write_bytes(croissant(contents))
    return identity


def _with_media(draft: Path, media: Media, identity: Identity) -> dict[str, Part]:
    """Put media below a folder, as links where the disk is the same, and beside them which is of which row."""
    for path, source in media.files.items():
        target = draft / MEDIA / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.hardlink_to(real_path(source))
        except OSError:  # another disk, or one without links
            shutil.copyfile(source, target)
    return {
        name: _write_part(draft, f"{MEDIA}/{Path(split_file(name)).name}", _typed(table, {}), identity)
        for name, table in media.rows.items()
    }


def _typed(table: pa.Table, classes: Mapping[str, list[str]]) -> pa.Table:
    """A table with the types that `datasets` gives to its columns among the metadata."""
    features = embedded(features_of(table.schema, classes))
    return table.replace_schema_metadata((table.schema.metadata or {}) | {FEATURES_KEY: features})


def _write_part(draft: Path, path: str, table: pa.Table, identity: Identity) -> Part:
    _write_parquet(stamped(table, identity), draft / path)
    content = (draft / path).read_bytes()
    return Part(path, table, len(content), hashlib.sha256(content).hexdigest())


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
    others = {file for file in files if not is_written(file)}
    if others:
        raise UsageError(f"{folder} holds a file that no build wrote: {min(others)}; {advice}")


def _write_parquet(table: pa.Table, path: Path) -> None:
    """The same bytes for the same table."""
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        # `datasets` 5 fails on a row group without rows, which is what `write_table` makes of an empty table.
        if table.num_rows:
            writer.write_table(table)
