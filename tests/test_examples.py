"""The examples in docstrings, README.md and docs/ do what they say."""

from __future__ import annotations

import doctest
import json
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import benchwright
import builders
import schemas
import scorers

MODULES = sorted(
    {
        module.name
        for package in (benchwright, builders, schemas, scorers)
        for module in walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.endswith("__main__")
    }
)
REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    assert doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS).failed == 0


@pytest.fixture
def prepared(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pages read: raw files in ~/data; in the working directory a manifest and predictions."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hugging-face"))
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    Path("data").symlink_to(samples)
    rows = benchwright.build("uag-oops", "~/data/oops").table("test").select(["sample_id", "start_s", "end_s"])
    Path("predictions.json").write_text(json.dumps(rows.to_pylist()))


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_of_a_page(page: Path) -> None:
    for snippet in SNIPPET.findall(page.read_text(encoding="utf-8")):
        exec(compile(snippet, str(page), "exec"), {"__name__": page.stem})
