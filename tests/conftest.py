"""What all tests share: samples, real raw files, manifests built once, refusals, counted opens of files."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from schemas.cards import Card
from schemas.errors import InputError, Problem
from schemas.identity import Identity
from schemas.manifest import Manifest, open_manifest

# Tests never assert times: a busy machine must not fail a law.
settings.register_profile("benchwright", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("benchwright")

REPOSITORY = Path(__file__).resolve().parent.parent
SAMPLES = Path(__file__).resolve().parent / "samples"


@pytest.fixture
def cases() -> Path:
    """Small inputs as the world writes them, a folder each."""
    return SAMPLES.parent / "cases"


@pytest.fixture
def samples() -> Path:
    """The invented sample sources, in the raw formats."""
    return SAMPLES


@pytest.fixture
def own_samples(samples: Path, tmp_path: Path) -> Path:
    """A copy of the samples of UAL-Bench that a test may change."""
    for name in ("charades_sta", "funqa", "oops", "ssbd"):
        shutil.copytree(samples / name, tmp_path / "samples" / name)
    return tmp_path / "samples"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real raw files; skips without it, fails without it under BENCHWRIGHT_REQUIRE_REAL_DATA=1."""
    folder = Path(os.environ.get("BENCHWRIGHT_REAL_DATA", REPOSITORY.parent / "shared" / "data"))
    if folder.is_dir():
        return folder
    message = f"no real data at {folder}"
    if os.environ.get("BENCHWRIGHT_REQUIRE_REAL_DATA") == "1":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def identity() -> Callable[..., Identity]:
    """The identity of an invented build, without digests, but for the fields that are given."""

    def made(name: str, **fields: Any) -> Identity:
        plain = {"schema": name, "schema_version": 1, "recipe_version": 1, "version_reason": "first version"}
        empty = {field: {} for field in ("parameters", "sources", "levels", "findings", "aggregates", "splits")}
        lists: dict[str, Any] = {"changed_parameters": [], "counts": []}
        texts = {"content_digest": "", "tool_version": "0"}
        return Identity(**{"name": name, **plain, **empty, **lists, **texts, **fields})

    return made


def invented_card(splits: Sequence[str] = ("test",), **fields: Any) -> Card:
    """A card of the benchmark `invented`."""
    texts = dict.fromkeys(["title", "task", "citation", "licence", "access", "rows"], "invented")
    return Card(**({"name": "invented", "sources": [], "claims": []} | texts | fields), splits=list(splits))


@pytest.fixture(scope="session")
def card() -> Callable[..., Card]:
    """Make an invented card; other fields by name."""
    return invented_card


@pytest.fixture
def inventory(tmp_path: Path) -> Callable[..., Path]:
    """Write an inventory of videos: its columns by name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def write(**columns: Sequence[object]) -> Path:
        path = tmp_path / "measured" / "inventory.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(dict(columns)), path)
        return path

    return write


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


BUILT: dict[tuple[Path, str, str], Path] = {}


def built_once(place: pytest.TempPathFactory, source: Path, name: str, settings: dict[str, object]) -> Manifest:
    from builders.engine.build import build
    from builders.engine.registry import find_recipe

    key = (source, name, repr(sorted(settings.items())))
    if key not in BUILT:
        BUILT[key] = build(find_recipe(name), source, place.mktemp("manifests"), settings=settings).path
    return open_manifest(BUILT[key])


@pytest.fixture
def sample_manifest(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Manifest]:
    """The manifest of a benchmark from the samples, built once; parameters as `rule__parameter=value`."""

    def call(name: str, **settings: object) -> Manifest:
        overrides = {key.replace("__", "."): value for key, value in settings.items()}
        return built_once(tmp_path_factory, samples, name, overrides)

    return call


@pytest.fixture
def real_manifest(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Manifest]:
    """The manifest of a benchmark from the real files, built once; parameters as `rule__parameter=value`."""

    def call(name: str, **settings: object) -> Manifest:
        overrides = {key.replace("__", "."): value for key, value in settings.items()}
        return built_once(tmp_path_factory, real_data, name, overrides)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write predictions of the first rows of a temporal manifest's split `test`: the truth, some seconds later."""

    import pyarrow as pa
    import pyarrow.parquet as pq

    def call(manifest: Manifest, by: float = 1, name: str = "p.json", rows: int | None = None) -> Path:
        table = manifest.table("test").slice(0, rows)
        spans = [
            {"sample_id": row["sample_id"], "start_s": row["start_s"] + by, "end_s": row["end_s"] + by}
            for row in table.to_pylist()
        ]
        path = tmp_path / name
        if name.endswith(".parquet"):
            pq.write_table(pa.Table.from_pylist(spans), path)
        else:
            path.write_text(json.dumps(spans), encoding="utf-8")
        return path

    return call


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
