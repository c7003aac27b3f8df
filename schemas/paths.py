"""Paths as people write them: `~` filled in, links followed; what leads nowhere is an error that they can mend."""

from __future__ import annotations

import os
from pathlib import Path

from schemas.errors import UsageError


def home_filled(path: str | os.PathLike[str]) -> Path:
    """A path with `~` filled in; `UsageError` for the home of a user who does not exist."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UsageError(f"{path}: there is no such user, or no home of theirs") from None


def real_path(path: Path) -> Path:
    """Where a path leads, links followed; `UsageError` for a link to itself."""
    try:
        return path.resolve()
    except (RuntimeError, OSError, ValueError):  # of a loop Python 3.11 and 3.12 raise the first
        raise UsageError(f"{path} is a link to itself, or no path") from None
