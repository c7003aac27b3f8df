"""How the bytes of an untrusted file come into memory: whole, of one moment, never without end.

Not mapped: bytes of a mapped file may change after they were hashed, and touching what was cut off kills the process.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from schemas.errors import InputError, Problem

# What is written into a pipe has no size that could be looked at first.
PIPE_LIMIT = 512 * 1024 * 1024
_PIECE = 1 << 20
# As long as a shell may need to start the program that writes into a pipe.
_PATIENCE_S = 2.0
_PARQUET = b"PAR1"
# Of one process, not of a context: threads read, too.
_read: dict[tuple[int, int], Path] | None = None


@contextmanager
def remembered_inputs() -> Iterator[None]:
    """Remember all files that are read inside, so that none of them is written over (`inputs_read`)."""
    global _read
    before, _read = _read, {}
    try:
        yield
    finally:
        _read = before


def inputs_read() -> dict[tuple[int, int], Path]:
    """The files that were read, links followed, by device and number; empty outside of `remembered_inputs`."""
    return _read or {}


def content_of(path: Path, limit: int) -> bytes:
    """The content of a regular file or of a pipe, of at most `limit` bytes (of a pipe `PIPE_LIMIT`).

    Raises:
        InputError: a folder, a device, nothing in it, too much, a file that was changed meanwhile, or with holes.
        OSError: the system does not open it.
    """
    _refuse_unusual(path, path.stat(), limit)  # opening a device may already do something
    with open(path, "rb", buffering=0, opener=_without_waiting) as file:
        before = os.fstat(file.fileno())
        _refuse_unusual(path, before, limit)
        if _read is not None and stat.S_ISREG(before.st_mode):
            _read[before.st_dev, before.st_ino] = path.resolve()
        if stat.S_ISFIFO(before.st_mode):
            content = _from_pipe(file.fileno(), path, min(limit, PIPE_LIMIT))
        else:
            _refuse_hollow(path, file.fileno(), before.st_size)
            content = file.readall()
            if len(content) != before.st_size or _moment(os.fstat(file.fileno())) != _moment(before):
                raise changed(path)
    if not content:
        raise InputError(Problem(str(path), "", "", "an empty file", "content", "obtain the file again"))
    return content


def stamps(path: Path) -> dict[str, tuple[int, ...]]:
    """What changes when a regular file does, by path: of the file, or of those in a folder."""
    with suppress(OSError, ValueError):
        if path.is_dir():
            with os.scandir(path) as entries:
                return {entry.path: _stamp(entry.stat()) for entry in entries if entry.is_file()}
        return {str(path): _stamp(path.stat())} if path.is_file() else {}
    return {}


def changed(path: Path | str) -> InputError:
    """The error for a file that another program wrote to while it was read."""
    advice = "wait until no program writes to it, then run this again"
    return InputError(Problem(str(path), "", "", "a file that changed while it was read", "one that stays", advice))


def _without_waiting(name: str, flags: int) -> int:
    # A pipe that nobody writes to would wait here for ever.
    return os.open(name, flags | os.O_NONBLOCK)


def _moment(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    # Programs may set the time of modification, not that of the last change of anything.
    return status.st_dev, status.st_ino, *_moment(status), status.st_ctime_ns


def _refuse_unusual(path: Path, status: os.stat_result, limit: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InputError(Problem(str(path), "", "", "a directory", "a file"))
    if stat.S_ISFIFO(status.st_mode):
        return
    if not stat.S_ISREG(status.st_mode):
        raise InputError(Problem(str(path), "", "", "a device or socket", "a file or pipe", "save it to disk first"))
    if status.st_size == 0:
        raise InputError(Problem(str(path), "", "", "an empty file", "content", "obtain the file again"))
    if status.st_size > limit:
        raise InputError(Problem(str(path), "", "", f"{status.st_size:,} bytes", f"at most {limit:,} for this format"))


def _refuse_hollow(path: Path, handle: int, size: int) -> None:
    """Refuse zeros in place of content, which may be any number of gigabytes: a download that was begun looks so.

    Of Parquet, whose columns may have zeros, only what does not end as it begins.
    """
    head, tail = os.pread(handle, len(_PARQUET), 0), os.pread(handle, len(_PARQUET), max(size - len(_PARQUET), 0))
    hole = size
    with suppress(OSError):
        hole = os.lseek(handle, 0, os.SEEK_HOLE)
    os.lseek(handle, 0, os.SEEK_SET)
    empty = len(head) == len(_PARQUET) and not any(head)  # fewer zeros begin a text in UTF-16 or UTF-32
    if empty or (hole < size and not head == tail == _PARQUET):
        place = "byte 0" if empty else f"byte {hole}"
        raise InputError(Problem(str(path), place, "", "zeros, no content", "a whole file", "obtain the file again"))


def _from_pipe(handle: int, path: Path, limit: int) -> bytes:
    """All that is written into a pipe; one who writes may take any time, but must have begun to exist."""
    content, end = bytearray(), time.monotonic() + _PATIENCE_S
    while True:
        try:
            piece = os.read(handle, _PIECE)
        except BlockingIOError:  # there is a writer, who has nothing yet
            select.select([handle], [], [])
            continue
        content += piece
        if len(content) > limit:
            expected = f"at most {limit:,} of a pipe"
            raise InputError(Problem(str(path), "", "", "more bytes", expected, "save it to disk first"))
        if not piece:
            if content:
                return bytes(content)
            if time.monotonic() > end:
                raise InputError(Problem(str(path), "", "", "a pipe that nobody writes into", "content"))
            time.sleep(0.01)
