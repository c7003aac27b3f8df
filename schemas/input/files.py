"""The one place where untrusted files are opened: files and pipes below a limit, strict UTF-8, one wording of errors.

Within `recorded_digests` the SHA-256 of whatever is read is kept, so that `digest_of` need not open it again.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown
from schemas.input.opening import changed, content_of

MEBIBYTE = 1024 * 1024

# The largest real text source (an OOPS name list) has 1.4 MB.
TEXT_LIMIT = 16 * MEBIBYTE
# Files of results have no limit of their own: they hold as many rows as a user has.
NO_LIMIT = 2**63

_CHUNK = MEBIBYTE
# UTF-16 without a mark is either not UTF-8, or full of NULs that no format accepts.
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What Python makes of the bytes in a file name that are not UTF-8.
_NO_UTF8 = re.compile("[\udc80-\udcff]")

_digests: ContextVar[dict[str, str] | None] = ContextVar("_digests", default=None)


def read_bytes(path: Path, limit: int = NO_LIMIT) -> bytes:
    """The whole content of a file or pipe of at most `limit` bytes.

    Raises:
        InputError: nothing there, a folder or device, no permission, empty, more than `limit` bytes, or changed while
            it was read, now or since it was read before within `recorded_digests`.
    """
    try:
        content = content_of(path, limit)
    except (OSError, ValueError) as failure:
        raise _unreadable(path, failure) from None
    digests = _digests.get()
    if digests is not None:
        digest = hashlib.sha256(content).hexdigest()
        if digests.setdefault(str(path), digest) != digest:
            raise changed(path)
    return content


def read_text(path: Path, limit: int = TEXT_LIMIT) -> str:
    """The content of a UTF-8 file, line ends untouched, without a byte order mark.

    Raises:
        InputError: as `read_bytes` and `check_utf8`.
    """
    content = read_bytes(path, limit)
    check_utf8(str(path), content)
    return content.decode("utf-8-sig")


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


def mark_length(content: bytes) -> int:
    """How many bytes the byte order mark of UTF-8 takes, which editors of Windows write in front: 3 or 0."""
    return len(codecs.BOM_UTF8) if content[:3] == codecs.BOM_UTF8 else 0


def check_utf8(file: str, content: bytes) -> None:
    """Refuse content that is not UTF-8, without decoding more than a mebibyte at a time.

    Raises:
        InputError: names the first offending byte; or a byte order mark of UTF-16.
    """
    if content[:2].startswith(_UTF16_MARKS):
        raise InputError(Problem(file, "byte 0", "", "a byte order mark of UTF-16", "UTF-8 text", "save it as UTF-8"))
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(content), _CHUNK):
        pending = len(decoder.getstate()[0])
        chunk = content[start : start + _CHUNK]
        if not pending and chunk.isascii():
            continue
        try:
            decoder.decode(chunk, final=start + _CHUNK >= len(content))
        except UnicodeDecodeError as failure:
            place = f"byte {start - pending + failure.start}"
            found = shown(failure.object[failure.start : failure.end])
            raise InputError(Problem(file, place, "", found, "UTF-8 text")) from None


@contextmanager
def recorded_digests(digests: dict[str, str] | None = None) -> Iterator[None]:
    """Keep the digests of all that is read inside, for `digest_of`; in `digests`, by path, where they outlive it."""
    token = _digests.set({} if digests is None else digests)
    try:
        yield
    finally:
        _digests.reset(token)


def digest_of(path: Path) -> str:
    """SHA-256 of a file; of a folder, that of the lines `digest name` of its files in sorted order, no dot files.

    Raises:
        InputError: the system does not let us read it.
    """
    try:
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
            lines = "".join(f"{digest_of(file)} {file.name}\n" for file in files)
            return hashlib.sha256(os.fsencode(lines)).hexdigest()
        recorded = (_digests.get() or {}).get(str(path))
        if recorded is not None:
            return recorded
        if not stat.S_ISREG(path.stat().st_mode):
            return hashlib.sha256(read_bytes(path)).hexdigest()
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as failure:
        raise _unreadable(path, failure) from None


def files_in(folder: Path, suffix: str) -> list[Path]:
    """The files of `folder` that end in `suffix`, sorted by name; dot files (AppleDouble `._x.xml`) are not sources.

    Raises:
        InputError: no such folder, not a folder, no permission, no such file in it, or names that are not UTF-8.
    """
    try:
        paths = [path for path in folder.iterdir() if path.name.endswith(suffix) and not path.name.startswith(".")]
    except NotADirectoryError:
        raise InputError(Problem(str(folder), "", "", "a file", "a folder")) from None
    except (OSError, ValueError) as failure:
        raise _unreadable(folder, failure, "a folder") from None
    if not paths:
        raise InputError(Problem(str(folder), "", "", f"no *{suffix} file", f"at least one *{suffix} file"))
    check_names(paths)
    return sorted(paths, key=lambda path: path.name)


def check_names(paths: Sequence[Path]) -> None:
    """Refuse files whose own names are not UTF-8: they become names of samples, which are text.

    Raises:
        InputError: names them all.
    """
    problems = [
        Problem(path_text(path), "", "file name", shown(os.fsencode(path.name)), "a name in UTF-8", "rename the file")
        for path in sorted(path for path in paths if _NO_UTF8.search(path.name))[:MOST_PROBLEMS]
    ]
    if problems:
        raise InputError(problems)


def path_text(path: Path | str) -> str:
    """A path as text that can be stored and printed: bytes that are not UTF-8 as `\\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _unreadable(path: Path, failure: OSError | ValueError, expected: str = "a readable file") -> InputError:
    """The error for a file or folder that the system does not let us read."""
    reason = failure.strerror if isinstance(failure, OSError) and failure.strerror else str(failure)
    advice = "standard input is /dev/stdin" if str(path) == "-" else ""
    return InputError(Problem(str(path), "", "", reason[:1].lower() + reason[1:], expected, advice))
