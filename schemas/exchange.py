"""Replace a folder or a file in one step, so that a kill at any moment leaves the old or the new one, whole.

What is written is a draft beside its target, which whoever writes it holds locked, and the next writer to the target
sweeps where nobody does. Drafts are known by names that only this module makes, so that nothing else is swept.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import glob
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from schemas.errors import UsageError
from schemas.guard import refuse_losing, refuse_losing_inputs
from schemas.paths import real_path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
# Characters of the target's name in that of a draft, which has 255 bytes at most.
_SHOWN = 40
# From so many files on, a flush of the whole file system takes less time than one of each.
_MANY = 100


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary sibling of `target` to write into; takes its place when the block ends without an error.

    A link is followed: the folder that it points to is replaced.

    Raises:
        UsageError: `target` is a file or a link to itself, is inside a manifest, or holds an input; the parent is not
            writable, or the disk is full.
    """
    with contextlib.ExitStack() as stack:
        target = stack.enter_context(_place_for(target))
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target} is a file; expected the path of a folder to write")
        refuse_losing_inputs(target)
        with _locked(target.parent):  # between making a draft and locking it, no other build may sweep
            recover(target)
            _sweep(target)
            draft = _draft_of(target)
            draft.mkdir()
            # By this lock a later sweep knows that the writer of this draft is alive.
            stack.enter_context(_locked(draft))
        stack.callback(shutil.rmtree, draft, ignore_errors=True)
        yield draft
        _sync_all(draft)
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

    Of files that belong together one is written within the block of the other, so that no error leaves one alone.
    A link is followed: the file that it points to is replaced.

    Raises:
        UsageError: `target` is a folder, pipe or device, a link to itself, an input or inside a manifest, or cannot be
            written.
    """
    with contextlib.ExitStack() as stack:
        target = stack.enter_context(_place_for(target))
        if target.exists() and not target.is_file():  # renaming over /dev/null would replace the device
            what = "a folder" if target.is_dir() else "a pipe or device"
            raise UsageError(f"{target} is {what}; expected the path of a file to write")
        refuse_losing(target, ())
        _sweep(target)
        draft = _locked_draft(target, stack)
        yield draft
        draft.replace(target)


def recover(target: Path) -> None:
    """Put the previous folder back if a kill struck between the two renames of a system without exchange."""
    with contextlib.suppress(UsageError):
        target = real_path(target)
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
        try:
            draft.rename(target)
        except OSError:
            previous.rename(target)
            raise
        shutil.rmtree(previous, ignore_errors=True)
    with contextlib.suppress(OSError):  # it is in place, whether or not the disk says when
        _sync(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step (Linux renameat2); False where the system or file system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    return bool(rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)


def _draft_of(target: Path) -> Path:
    token = uuid4().hex[:16]
    return target.with_name(f".{target.name[:_SHOWN]}.draft-{token}{_seal(target.name, token)}")


def _locked_draft(target: Path, stack: contextlib.ExitStack) -> Path:
    """An empty draft, locked; another one if a sweep took it before it was."""
    while True:
        draft = _draft_of(target)
        draft.touch(exist_ok=False)
        stack.callback(draft.unlink, missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            stack.enter_context(_locked(draft))
        if draft.exists():
            return draft


def _previous(target: Path) -> Path:
    return target.with_name(f".{target.name[:_SHOWN]}.previous-{_seal(target.name, 'previous')}")


def _seal(name: str, token: str) -> str:
    """What nobody else gives a file: digits that follow from the name of the target and those before them."""
    return hashlib.sha256(b"benchwright\0" + os.fsencode(f"{name}\0{token}")).hexdigest()[:16]


def _sweep(target: Path) -> None:
    """Remove drafts whose writer was killed: nobody holds their lock. Others are another user's, or gone already."""
    for draft in target.parent.glob(f".{glob.escape(target.name[:_SHOWN])}.draft-{'[0-9a-f]' * 32}"):
        token, seal = draft.name[-32:-16], draft.name[-16:]
        if seal == _seal(target.name, token):
            with contextlib.suppress(OSError), _locked(draft, fcntl.LOCK_NB):
                if draft.is_dir():
                    shutil.rmtree(draft, ignore_errors=True)
                else:
                    draft.unlink()


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


def _sync_all(folder: Path) -> None:
    """All that a folder holds onto the disk: many files in one flush of the file system, where the system has it."""
    # A hard link is of a file that was there before.
    paths = [path for path in (*folder.rglob("*"), folder) if path.is_dir() or path.stat().st_nlink == 1]
    if len(paths) > _MANY:
        with contextlib.suppress(AttributeError), _opened(folder) as handle:  # Linux alone
            if ctypes.CDLL(None, use_errno=True).syncfs(handle) == 0:
                return
    for path in paths:
        _sync(path)


@contextlib.contextmanager
def _place_for(target: Path) -> Iterator[Path]:
    """Where `target` really is; its folder is made, and taken away again if nothing comes of it."""
    made: list[Path] = []
    try:
        target = real_path(target)
        made = [folder for folder in target.parents if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            target.stat()  # a name that is too long is told before the work, not after it
        yield target
    except BaseException as failure:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        if not isinstance(failure, OSError):
            raise
        cause = failure.strerror or str(failure)
        raise UsageError(f"cannot write {target}: {cause}; nothing was changed") from None
