"""The command that makes an export again, for the README of it."""

from __future__ import annotations

import shlex
from pathlib import Path

from schemas.manifest import Manifest


def command_of(
    manifest: Manifest, to: str, out: Path, split: str | None, media: Path | None, missing: str = "refuse"
) -> str:
    """The call of `benchwright export`, quoted for a shell; what has its default is not said."""
    words = ["benchwright", "export", str(manifest.path), "--to", to, "--out", str(out)]
    words += [] if split is None else ["--split", split]
    words += [] if media is None else ["--media", str(media)]
    words += [] if missing == "refuse" else ["--missing", missing]
    return shlex.join(words)
