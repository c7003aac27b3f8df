"""What no output may be, whatever links lead there: a file that is read, or anything in the folder of a manifest."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from schemas.errors import UsageError
from schemas.identity import IDENTITY_FILE, LEDGER_FILE
from schemas.input.opening import inputs_read
from schemas.paths import real_path


def refuse_losing(target: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write what would be the loss of an input, whatever links lead there, or of a manifest.

    Args:
        target: a file or folder to write.
        inputs: what will be read, beside the files that were (`schemas.input.opening.inputs_read`).

    Raises:
        UsageError: `target` is one of them, or inside the folder of a manifest, which holds what a build wrote alone.
    """
    place = real_path(target)
    refuse_inside_manifest(target, place)
    known = {(each.st_dev, each.st_ino) for each in map(_status, inputs) if each is not None} | set(inputs_read())
    status = _status(place)
    if status is not None and (status.st_dev, status.st_ino) in known:
        raise UsageError(f"{target} is read or written already; name another file to write")


def refuse_inside_manifest(target: Path, place: Path) -> None:
    """Refuse a target of which a real `place` above is the folder of a manifest; `UsageError`."""
    for folder in place.parents:
        if all((folder / name).is_file() for name in (IDENTITY_FILE, LEDGER_FILE)):
            raise UsageError(f"{target} is inside the manifest {folder}, which holds what the build wrote alone")


def refuse_losing_inputs(folder: Path) -> None:
    """Refuse to replace a folder that an input is in, but for the identity that a manifest is built again from."""
    refuse_inside_manifest(folder, folder)
    for path in inputs_read().values():
        if path.is_relative_to(folder) and path != folder / IDENTITY_FILE:
            raise UsageError(f"{folder} holds {path.name}, which was read; name another folder to write")


def _status(path: Path) -> os.stat_result | None:
    with contextlib.suppress(OSError, ValueError):
        return path.stat()
    return None
