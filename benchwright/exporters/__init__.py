"""Manifests in the formats of other tools: `export(manifest, "official", file)`."""

from __future__ import annotations

from pathlib import Path

from benchwright.exporters import jrdb_par
from benchwright.exporters.coco import write_coco
from benchwright.exporters.croissant import write_croissant
from benchwright.exporters.official import official
from benchwright.exporters.yolo import write_yolo
from schemas.errors import UsageError, unknown_name
from schemas.exchange import new_file
from schemas.manifest import Manifest

FORMATS = ("official", "coco", "yolo", "croissant")


def export(
    manifest: Manifest,
    to: str,
    out: Path,
    split: str | None = None,
    base: int | None = None,
    version: str | None = None,
) -> dict[str, int]:
    """Write a manifest in another format, in one step.

    Args:
        manifest: what to write.
        to: one of `FORMATS`.
        out: the file, or for `yolo` and the text files of jrdb-par the folder.
        split: one split; None leaves the choice to the format.
        base: for `coco` alone, the id of the first category; 1 unless it is given.
        version: for `croissant` alone, of the format; the newest unless it is given.

    Returns:
        What was written, counted.

    Raises:
        UsageError: unknown format or split, a benchmark that the format cannot hold, a place that cannot be written.
    """
    if to not in FORMATS:
        raise unknown_name("format", to, FORMATS)
    if base is not None and to != "coco":
        raise UsageError(f"the number of the first category is for coco; {to} has its own numbers")
    if to == "croissant":
        if split is not None:
            raise UsageError("croissant describes all splits of a manifest")
        return write_croissant(manifest, out, version)
    if version is not None:
        raise UsageError(f"the version of the format is for croissant; {to} has one alone")
    if to == "coco":
        return write_coco(manifest, out, split, 1 if base is None else base)
    if to == "yolo":
        return write_yolo(manifest, out, split)
    if manifest.identity.name == jrdb_par.NAME:
        return jrdb_par.write_label_files(manifest, out, split)
    content = official(manifest, split)
    with new_file(out) as draft:
        draft.write_bytes(content)
    return {"bytes": len(content)}
