"""What nobody thought of: one line that asks for a report and names the file with all that it needs."""

from __future__ import annotations

import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from traceback import format_exception

from schemas.errors import clipped


def unforeseen(failure: BaseException) -> str:
    """The message about an error that is a mistake in this toolkit; its traceback is saved.

    >>> print(unforeseen(ValueError("odd")))  # doctest: +ELLIPSIS
    unforeseen ValueError: odd; this is a mistake in benchwright: please report it with the file ...
    """
    said = clipped(" ".join(str(failure).split()))
    kind = type(failure).__name__ + (f": {said}" if said else "")
    try:
        where = f"with the file {_saved(failure)}"
    except OSError as reason:
        where = f"with what --traceback shows (it could not be saved: {reason.strerror})"
    return f"unforeseen {kind}; this is a mistake in benchwright: please report it {where}"


def _saved(failure: BaseException) -> Path:
    system = f"benchwright {version('benchwright')}, Python {platform.python_version()}, {platform.platform()}"
    text = "\n".join([system, f"arguments: {sys.argv[1:]!r}", "", "".join(format_exception(failure))])
    with tempfile.NamedTemporaryFile(
        "w", prefix="benchwright-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(text)
    return Path(file.name)
