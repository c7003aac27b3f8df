"""The floors: imports only point down, builders and scorers never see each other, the front door opens at once."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.cards import cards

REPOSITORY = Path(__file__).resolve().parent.parent

# Each floor and the floors that it may import.
BELOW = {
    "schemas": {"schemas"},
    "builders": {"builders", "schemas"},
    "scorers": {"scorers", "schemas"},
    "benchwright": {"benchwright", "builders", "scorers", "schemas"},
}
SOURCES = [path for floor in BELOW for path in sorted((REPOSITORY / floor).rglob("*.py"))]
HEAVY = {"pandas", "pyarrow", "numpy"}
BENCHMARKS = set(cards())


def names_of(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and module of every import anywhere in a file, also inside functions and under TYPE_CHECKING."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import hides its floor"
            yield node.lineno, node.module or ""


@pytest.mark.parametrize("path", SOURCES, ids=names_of)
def test_imports_only_point_down(path: Path) -> None:
    floor = path.relative_to(REPOSITORY).parts[0]
    floors = {(line, module) for line, module in imported(path) if module.partition(".")[0] in BELOW}
    assert [(line, module) for line, module in floors if module.partition(".")[0] not in BELOW[floor]] == []


# Folders of one floor that must not know one another, and the only exceptions.
FAMILIES = {
    "scorers": {"temporal", "detection", "activity", "monitoring", "answers"},
    "builders": {"oops", "detection", "jrdb_par"},
}
MAY_IMPORT = {("scorers", "monitoring"): {"detection"}}


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if path.relative_to(REPOSITORY).parts[0] in FAMILIES], ids=names_of
)
def test_families_do_not_import_one_another(path: Path) -> None:
    floor, family, *_ = path.relative_to(REPOSITORY).with_suffix("").parts
    own = {family, *MAY_IMPORT.get((floor, family), ())}
    others = {f"{floor}.{other}" for other in FAMILIES[floor] - own}
    assert [(line, module) for line, module in imported(path) if ".".join(module.split(".")[:2]) in others] == []


@pytest.mark.parametrize("path", sorted((REPOSITORY / "benchwright").rglob("*.py")), ids=names_of)
def test_only_the_command_line_imports_the_command_line(path: Path) -> None:
    if path.parent.name != "cli" and path.name != "__main__.py":
        assert [module for _, module in imported(path) if module.startswith("benchwright.cli")] == []


# Where a benchmark's name belongs: its recipe, the list of recipes, the files of its authors.
NAMING = {
    *(
        f"builders/{name}"
        for name in ("oops", "detection", "jrdb_par", "charades_sta.py", "uag_funqa.py", "uag_ssbd.py")
    ),
    "builders/engine/registry.py",
    "benchwright/export",
}


@pytest.mark.parametrize("path", SOURCES, ids=names_of)
def test_no_benchmark_is_named_outside_its_recipe_card_and_exporter(path: Path) -> None:
    place = names_of(path)
    if not any(place.startswith(known) for known in NAMING):
        texts = [
            (node.lineno, node.value)
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant)
        ]
        assert [(line, text) for line, text in texts if text in BENCHMARKS] == []


@pytest.mark.parametrize("path", sorted((REPOSITORY / "builders" / "raw").glob("*.py")), ids=names_of)
def test_parsers_of_raw_formats_know_no_benchmark(path: Path) -> None:
    known = ("builders.raw", "schemas")
    own = [module for _, module in imported(path) if module.partition(".")[0] in BELOW]
    assert [module for module in own if not module.startswith(known)] == []


def test_the_test_sees_what_it_should_refuse(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("import scorers.temporal.metrics\ndef f():\n    from benchwright.cli.main import main\n")
    assert list(imported(path)) == [(1, "scorers.temporal.metrics"), (3, "benchwright.cli.main")]
    path.write_text("from . import below\n")
    with pytest.raises(AssertionError, match="a relative import hides its floor"):
        list(imported(path))


def loaded(*arguments: str) -> set[str]:
    """The heavy packages that a call of the command line has imported by its end."""
    code = (
        "import sys\n"
        f"sys.argv = ['benchwright', *{arguments!r}]\n"
        "from benchwright.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit as stopped:\n    assert not stopped.code\n"
        f"print('\\nLOADED', *sorted({HEAVY!r} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    return set(ran.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize("arguments", [("--help",), ("list",), ("list", "--json"), ("build", "--help")])
def test_help_and_list_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert loaded(*arguments) == set()


def test_a_verb_that_needs_tables_imports_them() -> None:
    assert loaded("show", "uag-oops") == HEAVY


def test_importing_a_floor_does_no_work() -> None:
    code = "import benchwright, builders, scorers, schemas, sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert HEAVY.isdisjoint(ran.stdout.split())


def test_no_module_hides_a_function_of_the_front_door() -> None:
    """Importing `benchwright.verify` would put the module in the place of the function."""
    import benchwright

    home = REPOSITORY / "benchwright"
    assert [name for name in benchwright.__all__ if (home / name).exists() or (home / f"{name}.py").exists()] == []


def test_files_that_the_map_names_are_there() -> None:
    pages = [REPOSITORY / "docs" / "architecture.md", REPOSITORY / "CONTRIBUTING.md"]
    tops = "benchwright|builders|schemas|scorers|manifests|tests|benchmarks|docs"
    named = {path for page in pages for path in re.findall(rf"`((?:{tops})/[\w./-]*)`", page.read_text("utf-8"))}
    assert len(named) > 30
    assert [path for path in sorted(named) if not (REPOSITORY / path).exists()] == []
