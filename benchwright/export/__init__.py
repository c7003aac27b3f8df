"""Manifests in the shapes that other tools expect: `export(manifest, "official", file)`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchwright.export.official import official
from schemas.errors import unknown_name
from schemas.exchange import new_file
from schemas.manifest import Manifest

# What `--to` may say: bytes of one file, from a manifest and a split (None: the format's own choice).
FORMATS: dict[str, Callable[[Manifest, str | None], bytes]] = {"official": official}


def export(manifest: Manifest, to: str, out: Path, split: str | None = None) -> int:
    """Write a manifest as one file of another format, in one step; the number of bytes written.

    Raises:
        UsageError: unknown format or split, a benchmark that the format cannot hold, a file that cannot be written.
    """
    if to not in FORMATS:
        raise unknown_name("format", to, list(FORMATS))
    content = FORMATS[to](manifest, split)
    with new_file(out) as draft:
        draft.write_bytes(content)
    return len(content)
