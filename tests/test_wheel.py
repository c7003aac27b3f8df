"""What the build hook renames on the way into a wheel, and what it must leave alone."""

from __future__ import annotations

import ast
import doctest
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

import hatch_build
from hatch_build import MOVED, renamed

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = [path for floor in ("benchwright", *MOVED) for path in sorted((REPOSITORY / floor).rglob("*.py"))]


@pytest.mark.parametrize(
    ("source", "wheel"),
    [
        ("from schemas.errors import Problem", "from benchwright.schemas.errors import Problem"),
        ("from schemas import errors as schemas", "from benchwright.schemas import errors as schemas"),
        (
            "from  schemas.errors import (\n    a,  # why\n)",
            "from  benchwright.schemas.errors import (\n    a,  # why\n)",
        ),
        ("def f():\n    from builders import oops", "def f():\n    from benchwright.builders import oops"),
        ("if T: from scorers import temporal", "if T: from benchwright.scorers import temporal"),
        ("é = 'ü'; from schemas import errors", "é = 'ü'; from benchwright.schemas import errors"),
        ("import schemas", "import benchwright.schemas as schemas"),
        ("import schemas as s, re", "import benchwright.schemas as s, re"),
        ("import schemas.errors", "import benchwright.schemas.errors, benchwright.schemas as schemas"),
        ("import schemas.errors as e", "import benchwright.schemas.errors as e"),
        ("import_module('scorers.temporal')", "import_module('benchwright.scorers.temporal')"),
        ("import_module(f'scorers.temporal.{x}')", "import_module(f'benchwright.scorers.temporal.{x}')"),
        ("'''\n>>> from schemas import errors\n'''", "'''\n>>> from benchwright.schemas import errors\n'''"),
        ("'''\nschemas.errors.UsageError: no\n'''", "'''\nbenchwright.schemas.errors.UsageError: no\n'''"),
        (r"run('x\nimport schemas.errors')", r"run('x\nimport benchwright.schemas.errors')"),
        ("'a' if 'schemas.errors' else 'b'", "'a' if 'benchwright.schemas.errors' else 'b'"),
    ],
)
def test_imports_and_names_of_modules_in_texts_are_renamed(source: str, wheel: str) -> None:
    assert renamed(source.encode()).decode() == wheel


@pytest.mark.parametrize(
    "code",
    [
        "schemas = builders.manifests",
        "def f(schemas): return schemas.errors",
        "from benchwright.recipes import rule",
        "from benchwright import schemas",
        "from .schemas import errors",
        "from jsonschemas import errors\nimport schemas_of_others.errors",
        "'builders'; 'the schemas.'; 'scorers.nothing_of_ours'; 'schemas/errors.py'; 'other.schemas.errors'",
        "'from schemas and builders'; 'schemas.errors_of_others'; b'schemas.errors'",
        "# schemas.errors",
    ],
)
def test_nothing_else_is_touched(code: str) -> None:
    assert renamed(code.encode()).decode() == code


def test_no_module_of_a_wheel_imports_from_the_top_level() -> None:
    for path in SOURCES:
        wheel = renamed(path.read_bytes())
        for node in ast.walk(ast.parse(wheel)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert [name for name in names if name.partition(".")[0] in MOVED] == [], path
        assert renamed(wheel) == wheel, path
        assert wheel.count(b"\n") == path.read_bytes().count(b"\n")


@pytest.mark.parametrize("builder", [WheelBuilder, SdistBuilder])
def test_files_that_are_no_modules_come_along(builder: Any) -> None:
    """Templates, style sheet and script of reports, and cards, are read at run time."""
    included = {Path(file.path) for file in builder(str(REPOSITORY)).recurse_included_files()}
    for folder in ("benchwright/reporting/page", "manifests/cards"):
        needed = {path for path in (REPOSITORY / folder).rglob("*") if path.is_file()}
        assert len(needed) >= 4
        assert needed <= included


def test_examples() -> None:
    assert doctest.testmod(hatch_build).failed == 0
