"""Croissant of a manifest in the version that is asked for: the folder itself has 1.0, which all readers know."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import get_args

from schemas.contents import Contents, Part
from schemas.croissant import Version, croissant
from schemas.errors import UsageError, unknown_name
from schemas.exchange import new_file
from schemas.input.files import digest_of
from schemas.manifest import Manifest
from schemas.manifest_folder import LEDGER_FILE, split_file
from schemas.paths import real_path

VERSIONS: tuple[Version, ...] = get_args(Version)


def write_croissant(manifest: Manifest, out: Path, croissant_version: str | None = None) -> dict[str, int]:
    """Write the description of a manifest's files, which stay where they are, above or beside them.

    Args:
        manifest: a folder.
        out: the file; the manifest must be below its folder, since patterns of files have no `..`.
        croissant_version: one of `VERSIONS`, the last unless it is given.

    Raises:
        UsageError: an unknown version, a manifest in memory or of one file alone, or not below the folder of `out`.
    """
    chosen = next(
        (known for known in VERSIONS if known == croissant_version), VERSIONS[-1] if croissant_version is None else None
    )
    if chosen is None:
        raise unknown_name("version of Croissant", str(croissant_version), VERSIONS)
    folder, place = real_path(manifest.path), real_path(out).parent
    if not folder.is_relative_to(place):
        raise UsageError(
            f"{out} names the files of {manifest.path}, which is not below it: write it to {folder.parent}"
        )
    contents = contents_of(manifest)
    below = PurePosixPath(folder.relative_to(place).as_posix())
    with new_file(out) as draft:
        draft.write_bytes(croissant(contents, chosen, "" if below == PurePosixPath() else f"{below}/"))
    return {"files": len(contents.splits) + 1, "rows": sum(part.table.num_rows for part in contents.splits.values())}


def contents_of(manifest: Manifest) -> Contents:
    """What the folder of a manifest holds, its rows checked."""
    if not manifest.path.is_dir():
        raise UsageError(f"{manifest.path} is no folder of a manifest, which is what Croissant describes")

    def part(path: str, table: object) -> Part:
        file = manifest.path / path
        return Part(path, table, file.stat().st_size, digest_of(file))

    splits = {name: part(split_file(name), manifest.table(name)) for name in manifest.splits}
    return Contents(manifest.identity, manifest.card, splits, part(LEDGER_FILE, manifest.ledger()))
