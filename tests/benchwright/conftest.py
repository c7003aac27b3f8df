"""What the tests of the front door share: the command line in this process, and manifests built once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.cli.main import main
from builders.engine.build import build
from builders.engine.registry import find_recipe
from schemas.manifest import Manifest, open_manifest


class Ran(NamedTuple):
    """What a call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON value and nothing else."""
        return json.loads(self.out)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Call `benchwright` with arguments, as its console script does."""

    def call(*arguments: object) -> Ran:
        monkeypatch.setattr("sys.argv", ["benchwright", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return Ran(int(stopped.value.code or 0), out, err)

    return call


@pytest.fixture
def refused(run: Callable[..., Ran]) -> Callable[..., str]:
    """Call `benchwright` with what it must refuse: exit code 2, one clean message; returns the message."""

    def call(*arguments: object) -> str:
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), err
        assert err.startswith("error: ")
        assert "Traceback" not in err
        return err.removeprefix("error: ").rstrip("\n")

    return call


@pytest.fixture
def own_samples(samples: Path, tmp_path: Path) -> Path:
    """A copy of the samples of UAL-Bench that a test may change."""
    for name in ("charades_sta", "funqa", "oops", "ssbd"):
        shutil.copytree(samples / name, tmp_path / "samples" / name)
    return tmp_path / "samples"


BUILT: dict[tuple[Path, str, str], Path] = {}


def built_once(place: pytest.TempPathFactory, source: Path, name: str, settings: dict[str, object]) -> Manifest:
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
