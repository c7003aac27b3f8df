"""Replace a folder or a file in one step, so that a kill at any moment leaves the old or the new one, whole."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from schemas.errors import UsageError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary sibling of `target` to write into; takes its place when the block ends without an error.

    Raises:
        UsageError: the parent is not writable, or the disk is full.
    """
    with _failures_of(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target.parent):
            recover(target)
            _sweep(target)
            draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.draft-", dir=target.parent))
            handle = os.open(draft, os.O_RDONLY)
            # The lock tells a later sweep that the writer of this draft is alive.
            fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            draft.chmod(0o777 & ~_umask())
            yield draft
            _flush(draft)
            with _alone(target.parent):
                _take_place(draft, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            os.close(handle)


def refuse_filled(target: Path) -> None:
    """Refuse a folder that holds anything, as it may be somebody's work; `UsageError`."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already; expected a new or empty folder")


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A temporary sibling of the file `target`; takes its place when the block ends without an error.

    Raises:
        UsageError: `target` is a folder, pipe or device, or cannot be written.
    """
    with _failures_of(target):
        # Renaming over a link would replace the link, over /dev/null the device.
        target = target.resolve()
        if target.exists() and not target.is_file():
            what = "a folder" if target.is_dir() else "a pipe or device"
            raise UsageError(f"{target} is {what}; expected the path of a file to write")
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.draft-", dir=target.parent)
        os.close(handle)
        draft = Path(name)
        try:
            draft.chmod(0o666 & ~_umask())
            yield draft
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def recover(target: Path) -> None:
    """Put the previous folder back if a kill struck between the two renames of a system without exchange."""
    previous = _previous(target)
    if previous.is_dir() and not target.exists():
        previous.rename(target)


def _take_place(draft: Path, target: Path) -> None:
    if not target.exists():
        draft.rename(target)
    elif not _exchange(draft, target):
        previous = _previous(target)
        shutil.rmtree(previous, ignore_errors=True)
        target.rename(previous)
        draft.rename(target)
        shutil.rmtree(previous, ignore_errors=True)
    _sync(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step (Linux renameat2); False where the system or file system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    return bool(rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)


def _previous(target: Path) -> Path:
    return target.with_name(f".{target.name}.previous")


def _sweep(target: Path) -> None:
    """Remove drafts whose writer was killed: nobody holds their lock."""
    for draft in target.parent.glob(f".{glob.escape(target.name)}.draft-*"):
        try:
            handle = os.open(draft, os.O_RDONLY)
        except OSError:
            continue  # another user's, or gone already
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(draft, ignore_errors=True)
        except BlockingIOError:
            pass
        finally:
            os.close(handle)


@contextlib.contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Hold the parent's lock: between making a draft and locking it, no other build may sweep."""
    handle = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _flush(folder: Path) -> None:
    for path in folder.rglob("*"):
        _sync(path)
    _sync(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def _failures_of(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        cause = failure.strerror or str(failure)
        raise UsageError(f"cannot write {target}: {cause}; nothing was changed") from None
