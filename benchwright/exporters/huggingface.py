"""A manifest of any kind as a folder for the Hugging Face Hub, with its videos or images if there are any."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchwright.checks.run import statements
from benchwright.exporters.media_files import looked_for, way_with_missing
from benchwright.instruction.table import image_files
from schemas.contents import MEDIA
from schemas.errors import UsageError
from schemas.manifest import Manifest
from schemas.manifest_folder import Media, write_manifest
from scorers.task import Progress, silent


def write_huggingface(
    manifest: Manifest, out: Path, media: Path | None = None, missing: str = "refuse", progress: Progress = silent
) -> dict[str, int]:
    """Write the manifest anew, the same rows under the same digest, and its media below `media`.

    Which file belongs to a row is said beside the rows, by the configuration `media`: for each row in turn the path
    below the folder. They are texts, as `datasets` looks for paths of the type `Video` below the working folder.

    Args:
        manifest: what to write.
        out: the folder.
        media: folder of the videos or images; without it, rows alone are written.
        missing: `refuse` to write where media are missing or do not open, or `keep` their rows, without a path.
        progress: of looking at media.

    Raises:
        UsageError: the folder of the manifest itself; rows to be dropped, which would be another benchmark.
        InputError: media that are missing, that lead out of their folder, or of which there are two.
    """
    if out.resolve() == manifest.path.resolve():
        raise UsageError(f"{out} is the manifest itself, which is ready for the Hub; name another folder")
    how = way_with_missing(missing)
    if how == "drop":
        raise UsageError("huggingface writes all rows, so that their digest stays true: --missing keep, without a path")
    tables = {name: manifest.table(name) for name in manifest.splits}
    counts = {"rows": sum(map(len, tables.values()))}
    held = Media({}, {})
    if media is not None:
        named = {split: _named(table) for split, table in tables.items()}
        names = [name for _, column in named.values() for name in column.to_pylist()]
        found = looked_for(names, manifest.identity.name, media, how, progress)
        files = {} if found is None else found.files
        rows = {
            split: pa.table({"sample_id": tables[split]["sample_id"], kind: _paths(column.to_pylist(), files)})
            for split, (kind, column) in named.items()
        }
        held = Media({path: media / path for path in files.values()}, rows)
        counts |= {"media": len(held.files)} | (
            {"media missing": len(found.missing)} if found and found.missing else {}
        )
    write_manifest(out, manifest.identity, tables, manifest.ledger(), manifest.card, statements(manifest), held)
    return counts


def _named(table: pa.Table) -> tuple[str, pa.Array]:
    """What the media of a table are, and the name of each row's."""
    if "media_kind" in table.column_names:
        kinds = pc.unique(table["media_kind"]).to_pylist()
        return (kinds[0] if len(kinds) == 1 else MEDIA), table["media"]
    return ("video", table["video"]) if "video" in table.column_names else ("image", image_files(table))


def _paths(names: list[str], files: dict[str, str]) -> pa.Array:
    return pa.array([f"{MEDIA}/{files[name]}" if name in files else None for name in names], pa.string())
