"""The folder that a trainer loads: data files, what belongs to them, and a README that says how it came about."""

from __future__ import annotations

from pathlib import Path

from benchwright.exporters.commands import command_of
from benchwright.exporters.media_files import way_with_missing
from benchwright.exporters.training import target_named
from benchwright.exporters.training.readme import readme
from benchwright.exporters.training.writing import write_training
from schemas.identity import Identity
from schemas.instruction import INSTRUCTION
from schemas.manifest import Manifest
from scorers.task import Progress, silent


def write_folder(
    to: str,
    manifest: Manifest,
    out: Path,
    split: str | None = None,
    media: Path | None = None,
    missing: str = "refuse",
    progress: Progress = silent,
) -> dict[str, int]:
    """Write instruction data for a trainer.

    Args:
        to: the trainer, one of `benchwright.exporters.training.TRAINERS`.
        manifest: instruction data; of another manifest, conversations are made by the default templates.
        out: the folder.
        split: one split; None for all.
        media: folder of the videos or images.
        missing: `refuse` rows whose media are missing or do not open, `drop` or `keep` them.
        progress: of looking at media, and of rows.

    Returns:
        Rows and media, and rows that were left out by reason.

    Raises:
        UsageError, InputError: as `write_training`.
    """
    how = way_with_missing(missing)
    target = target_named(to)
    rows = _conversations(manifest, split)
    command = command_of(manifest, to, out, split, media, missing)
    identity = rows.identity
    signature = f"`{identity.name}`, content digest `{identity.content_digest}`, benchwright {identity.tool_version}"
    absent_from = _absent_from(identity)
    export = write_training(
        rows,
        target,
        out,
        media,
        how,
        split,
        lambda written: readme(written, target, command, out, media, signature, absent_from),
        progress,
    )
    counts = {"rows": export.rows, f"{export.summary.kind}s": export.summary.media}
    counts |= {f"{export.summary.kind}s missing": export.missing} if export.missing and media is not None else {}
    counts |= {"rows with a token in a text, escaped": export.escaped} if export.escaped else {}
    counts |= {"splits without rows left out": len(export.empty_splits)} if export.empty_splits else {}
    return counts | {f"rows left out for {reason}": count for reason, count in export.dropped.items()}


def _conversations(manifest: Manifest, split: str | None) -> Manifest:
    from benchwright.instruction.account import Request
    from benchwright.instruction.making import instruct

    return manifest if manifest.identity.schema == INSTRUCTION else instruct(manifest, Request(split=split))


def _absent_from(identity: Identity) -> list[str]:
    """Benchmarks of which it was made sure that no row comes from them: `NAME DIGEST, NAME DIGEST`."""
    known = identity.parameters
    if known.get("split.leaks") == "keep":
        return []
    return [each.split()[0] for each in str(known.get("split.against", "")).split(", ") if each]
