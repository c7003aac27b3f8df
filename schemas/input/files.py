"""Safe opening of source files: size limits, strict UTF-8, and an `InputError` for everything that can go wrong."""

from __future__ import annotations

import codecs
import mmap
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown

MEBIBYTE = 1024 * 1024

# The largest real text source (an OOPS name list) has 1.4 MB.
TEXT_LIMIT = 16 * MEBIBYTE

_CHUNK = MEBIBYTE
# What Python makes of the bytes in a file name that are no UTF-8.
_NO_UTF8 = re.compile("[\udc80-\udcff]")


def checked_size(path: Path, limit: int) -> int:
    """Size in bytes of the regular file `path`, found without reading it.

    Raises:
        InputError: nothing there, not a regular file, no permission, empty, or more than `limit` bytes.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError(Problem(str(path), "", "", "a directory", "a file"))
    if not stat.S_ISREG(status.st_mode):
        raise InputError(Problem(str(path), "", "", "a pipe or device", "a regular file", "save it to disk first"))
    if status.st_size == 0:
        raise InputError(Problem(str(path), "", "", "an empty file", "content", "obtain the file again"))
    if status.st_size > limit:
        raise InputError(Problem(str(path), "", "", f"{status.st_size:,} bytes", f"at most {limit:,} for this format"))
    return status.st_size


def read_bytes(path: Path, limit: int) -> bytes:
    """The whole content of a file of at most `limit` bytes.

    Raises:
        InputError: as `checked_size`, or the file cannot be read.
    """
    checked_size(path, limit)
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def map_bytes(path: Path, limit: int) -> mmap.mmap:
    """The content of a file of at most `limit` bytes, mapped: pages load when touched, memory holds no copy.

    Raises:
        InputError: as `checked_size`, or the file cannot be read.
    """
    checked_size(path, limit)
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def read_text(path: Path, limit: int = TEXT_LIMIT) -> str:
    """The content of a UTF-8 file, line ends untouched.

    Raises:
        InputError: as `read_bytes`, or not UTF-8 (names the byte), or a byte order mark in front.
    """
    data = read_bytes(path, limit)
    refuse_byte_order_mark(path, data[:3])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error, 0) from None


def read_lines(path: Path, limit: int = TEXT_LIMIT) -> list[str]:
    """The lines of a UTF-8 file without their ends.

    A missing final newline and one blank line at the end are both accepted, since copies of the published lists
    have them (`Hasnat79/uag` : `data/oops_dataset/annotations/`).

    Raises:
        InputError: as `read_text`, or a carriage return (lines must end in a bare line feed).
    """
    text = read_text(path, limit)
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        advice = "convert the line ends, e.g. with dos2unix"
        raise InputError(Problem(str(path), f"line {line}", "", "a carriage return", "lines ending in LF", advice))
    return text.removesuffix("\n").removesuffix("\n").split("\n")


def check_utf8(path: Path, data: mmap.mmap) -> None:
    """Refuse mapped content that is not UTF-8, without decoding more than a mebibyte at a time.

    Raises:
        InputError: names the first offending byte.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(data[start : start + _CHUNK], final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            raise _not_utf8(path, error, start - pending) from None


def refuse_byte_order_mark(path: Path, head: bytes) -> None:
    """Refuse a file whose first bytes are a UTF-8 byte order mark: it would become part of the first name."""
    if head.startswith(codecs.BOM_UTF8):
        advice = "save the file as UTF-8 without BOM"
        raise InputError(Problem(str(path), "byte 0", "", "a byte order mark", "UTF-8 text", advice))


def files_in(folder: Path, suffix: str) -> list[Path]:
    """The files of `folder` that end in `suffix`, sorted by name; dot files (AppleDouble `._x.xml`) are no sources.

    Raises:
        InputError: no such folder, not a folder, no permission, no such file in it, or names that are no UTF-8.
    """
    try:
        paths = [path for path in folder.iterdir() if path.name.endswith(suffix) and not path.name.startswith(".")]
    except (OSError, ValueError) as error:
        if isinstance(error, NotADirectoryError):
            raise InputError(Problem(str(folder), "", "", "a file", "a folder")) from None
        raise _unreadable(folder, error, "a folder") from None
    if not paths:
        raise InputError(Problem(str(folder), "", "", f"no *{suffix} file", f"at least one *{suffix} file"))
    check_names(paths)
    return sorted(paths, key=lambda path: path.name)


def check_names(paths: Sequence[Path]) -> None:
    """Refuse files whose own names are no UTF-8: they become names of samples, which are text.

    Raises:
        InputError: names them all.
    """
    bad = [path for path in paths if _NO_UTF8.search(path.name)]
    if bad:
        expected, advice = "a name in UTF-8", "rename the file"
        raise InputError(
            [
                Problem(path_text(path), "", "file name", shown(os.fsencode(path.name)), expected, advice)
                for path in sorted(bad)[:MOST_PROBLEMS]
            ]
        )


def path_text(path: Path | str) -> str:
    """A path as text that can be stored and printed: bytes that are no UTF-8 as `\\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _unreadable(path: Path, error: OSError | ValueError, expected: str = "a readable file") -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(Problem(str(path), "", "", reason[:1].lower() + reason[1:], expected))


def _not_utf8(path: Path, error: UnicodeDecodeError, offset: int) -> InputError:
    offending = error.object[error.start : error.end]
    return InputError(Problem(str(path), f"byte {offset + error.start}", "", shown(offending), "UTF-8 text"))
