"""Where the real raw files are, and whether their absence is a skip or a failure."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from schemas.errors import InputError, Problem

# Tests never assert times: a busy machine must not fail a law.
settings.register_profile("benchwright", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("benchwright")

REPOSITORY = Path(__file__).resolve().parent.parent
SAMPLES = Path(__file__).resolve().parent / "samples"


@pytest.fixture
def samples() -> Path:
    """The invented sample sources, in the raw formats."""
    return SAMPLES


@pytest.fixture
def real_data() -> Path:
    """The folder of real raw files; skips without it, fails without it under BENCHWRIGHT_REQUIRE_REAL_DATA=1."""
    folder = Path(os.environ.get("BENCHWRIGHT_REAL_DATA", REPOSITORY.parent / "shared" / "data"))
    if folder.is_dir():
        return folder
    message = f"no real data at {folder}"
    if os.environ.get("BENCHWRIGHT_REQUIRE_REAL_DATA") == "1":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture
def refused() -> Callable[..., tuple[Problem, ...]]:
    """Call a function that must raise `InputError`; returns its problems."""

    def call(function: Callable[..., Any], *arguments: Any) -> tuple[Problem, ...]:
        with pytest.raises(InputError) as caught:
            function(*arguments)
        return caught.value.problems

    return call


@pytest.fixture
def json_file(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a value as JSON; NaN and infinities become the `NaN` and `Infinity` that Python (wrongly) writes."""

    def write(value: Any) -> Path:
        path = tmp_path / "source.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write


@pytest.fixture
def text_file(tmp_path: Path) -> Callable[[str], Path]:
    """Write a text, line ends untouched, as UTF-8."""

    def write(text: str) -> Path:
        path = tmp_path / "source.txt"
        path.write_bytes(text.encode())
        return path

    return write


# Of inotify(7): reads and ends of use are watched too, since equal events in a row are told as one.
_ACCESS, _CLOSE, _OPEN, _IS_FOLDER, _OVERFLOW = 0x1, 0x8 | 0x10, 0x20, 0x40000000, 0x4000


@contextlib.contextmanager
def counted_opens(*folders: Path) -> Iterator[Counter[Path]]:
    """Count how often each file below `folders` is opened, by Python, C++ or any other process; filled at the end."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    watched: dict[int, Path] = {}
    for top in folders:
        for folder in [top, *(path for path in top.rglob("*") if path.is_dir())]:
            number = libc.inotify_add_watch(handle, os.fsencode(folder), _ACCESS | _CLOSE | _OPEN)
            assert number > 0, os.strerror(ctypes.get_errno())
            watched[number] = folder
    opened: Counter[Path] = Counter()
    try:
        yield opened
        with contextlib.suppress(BlockingIOError):
            while True:
                events, place = os.read(handle, 1 << 16), 0
                while place < len(events):
                    number, mask, _, length = struct.unpack_from("iIII", events, place)
                    name = events[place + 16 : place + 16 + length].rstrip(b"\0")
                    assert not mask & _OVERFLOW
                    if mask & _OPEN and not mask & _IS_FOLDER:
                        opened[watched[number] / os.fsdecode(name)] += 1
                    place += 16 + length
    finally:
        os.close(handle)


@pytest.fixture
def opens() -> Callable[..., contextlib.AbstractContextManager[Counter[Path]]]:
    """`with opens(folder, ...) as opened:` counts the opens of each file below the folders; a test of Linux."""
    if sys.platform != "linux":
        pytest.skip("inotify is Linux's")
    return counted_opens
