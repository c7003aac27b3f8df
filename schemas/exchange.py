"""Replace a folder or a file in one step, so that a kill at any moment leaves the old or the new one, whole."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import glob
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from schemas.errors import UsageError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary sibling of `target` to write into; takes its place when the block ends without an error.

    Raises:
        UsageError: the parent is not writable, or the disk is full.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(_failures_of(target))
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target.parent):  # between making a draft and locking it, no other build may sweep
            recover(target)
            _sweep(target)
            draft = _draft_of(target)
            draft.mkdir()
            # By this lock a later sweep knows that the writer of this draft is alive.
            stack.enter_context(_locked(draft))
        stack.callback(shutil.rmtree, draft, ignore_errors=True)
        yield draft
        for path in (*draft.rglob("*"), draft):
            _sync(path)
        with _locked(target.parent):
            _take_place(draft, target)


def refuse_filled(target: Path, advice: str = "") -> None:
    """Refuse a folder that holds anything, as it may be somebody's work; `UsageError`, with advice if there is any."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        more = f" ({advice})" if advice else ""
        raise UsageError(f"{target} is there already; expected a new or empty folder{more}")


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
        draft = _draft_of(target)
        draft.touch(exist_ok=False)
        try:
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


def _draft_of(target: Path) -> Path:
    return target.with_name(f".{target.name[:100]}.draft-{uuid4().hex}")


def _previous(target: Path) -> Path:
    return target.with_name(f".{target.name}.previous")


def _sweep(target: Path) -> None:
    """Remove drafts whose writer was killed: nobody holds their lock. Others are another user's, or gone already."""
    for draft in target.parent.glob(f".{glob.escape(target.name[:100])}.draft-*"):
        with contextlib.suppress(OSError), _locked(draft, fcntl.LOCK_NB):
            shutil.rmtree(draft, ignore_errors=True)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _locked(folder: Path, how: int = 0) -> Iterator[None]:
    """Hold a folder's lock, waiting for it unless `how` says otherwise."""
    with _opened(folder) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX | how)
        yield


def _sync(path: Path) -> None:
    with _opened(path) as handle:
        os.fsync(handle)


@contextlib.contextmanager
def _failures_of(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        cause = failure.strerror or str(failure)
        raise UsageError(f"cannot write {target}: {cause}; nothing was changed") from None
