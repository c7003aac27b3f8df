"""Which recipes exist, and what third parties may add."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from builders.engine import registry
from builders.engine.recipe import Recipe
from builders.engine.registry import BUNDLED, card_of, find_recipe, load_recipe, recipe_names
from schemas.cards import cards
from schemas.columns import described
from schemas.errors import BenchwrightError, UsageError

RECIPE = """
import pyarrow as pa
from builders.engine.recipe import Candidates, Recipe
from schemas.cards import Card
from schemas.columns import column, table_schema

COLUMNS = [column(name, pa.string(), name) for name in ("sample_id", "split")]
CARD = Card(name="mine", title="t", task="t", citation="c", licence="l", access="a", rows="r", splits=["test"],
            sources=[], claims=[])
RECIPE = Recipe(CARD, 1, "first version", "row", lambda sources: Candidates(None), (), table_schema("mine", 1, COLUMNS))
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Pretend that a package is installed whose entry point has the given name and value, and this source."""

    def install(name: str, value: str, source: str = RECIPE) -> None:
        (tmp_path / "their_package.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "their_package", raising=False)
        points = EntryPoints([EntryPoint(name, value, registry.GROUP)])
        monkeypatch.setattr(registry, "entry_points", lambda group: points.select(group=group))

    return install


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_recipe_bears_its_name_and_has_a_card(name: str) -> None:
    recipe = find_recipe(name)
    assert recipe.name == card_of(recipe).name == name
    assert recipe.schema.metadata[b"schema"]
    assert {"sample_id", "split"} <= set(recipe.schema.names)
    assert set(card_of(recipe).aliases) <= set(recipe.schema.names)


def test_every_card_has_a_recipe_and_every_recipe_a_card() -> None:
    assert set(cards()) == set(BUNDLED)


@pytest.mark.parametrize("name", BUNDLED)
def test_every_rule_is_explained_cited_and_has_unlike_reasons(name: str) -> None:
    for rule in find_recipe(name).rules:
        assert rule.about.endswith(".")
        assert rule.cites
        assert len(set(rule.reasons.values())) == len(rule.reasons)
        for parameter in rule.parameters:
            assert parameter.about
            assert parameter.parse(parameter.default, rule.name) == parameter.default


@pytest.mark.parametrize("name", BUNDLED)
def test_claims_about_manifests_name_columns_that_the_manifest_has(name: str) -> None:
    recipe = find_recipe(name)
    parameters = {f"{step.name}.{p.name}": p for step in recipe.steps for p in step.parameters}
    for claim in card_of(recipe).claims:
        if claim.scope == "manifest":
            assert {claim.column.split(".")[0], *claim.only} | ({claim.per} - {""}) <= set(recipe.schema.names)
            assert claim.column in {name for name, *_ in described(recipe.schema)}
        for key, value in claim.settings.items():
            assert parameters[key].parse(value, key)


def test_an_unknown_benchmark_is_a_usage_error_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"unknown benchmark 'uag-ops'; did you mean uag-oops"):
        find_recipe("uag-ops")


def test_a_recipe_file_is_read_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "my recipe.py").write_text(RECIPE)
    recipe = load_recipe(tmp_path / "my recipe.py")
    assert isinstance(recipe, Recipe)
    assert (recipe.name, card_of(recipe).title) == ("mine", "t")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, ": expected a Python file that defines RECIPE"),
        ("", ": found no RECIPE, expected RECIPE = Recipe"),
        ("RECIPE = 7", ": found RECIPE as int, expected"),
        ("x = 3\n1 / 0", ", line 2: ZeroDivisionError: division by zero"),
        ("x = 3\ndef", ", line 2: SyntaxError: invalid syntax: def"),
        ("from pandas import no_such", ", line 1: ImportError: cannot import name 'no_such'"),
        (RECIPE.replace('name="mine"', 'name="../mine"'), ", line 8: ValueError: name '../mine'"),
        (RECIPE.replace('splits=["test"]', 'splits=["a b"]'), ", line 8: ValueError: split 'a b'"),
        (
            RECIPE.replace("table_schema(", "pa.schema(COLUMNS) or ("),
            ", line 10: TypeError: its schema has no name",
        ),
        (
            RECIPE.replace('"mine", 1, COLUMNS', '"mine", 1, COLUMNS[:1]'),
            ", line 10: ValueError: its schema has no col",
        ),
    ],
)
def test_a_file_without_a_sound_recipe_is_a_usage_error(tmp_path: Path, source: str | None, said: str) -> None:
    path = tmp_path / "recipe.py"
    if source is not None:
        path.write_text(source)
    with pytest.raises(BenchwrightError) as caught:
        load_recipe(path)
    assert str(caught.value).startswith(f"{path}{said}")


def test_a_file_that_is_no_python_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "recipe.txt").write_text(RECIPE)
    for path in (tmp_path / "recipe.txt", tmp_path):
        with pytest.raises(UsageError, match="expected a Python file that defines RECIPE"):
            load_recipe(path)


def test_an_installed_package_adds_a_recipe_after_the_bundled_ones(installed) -> None:
    installed("mine", "their_package:RECIPE")
    assert recipe_names() == [*BUNDLED, "mine"]
    assert find_recipe("mine").version_reason == "first version"


def test_an_installed_package_cannot_take_the_name_of_a_bundled_recipe(installed) -> None:
    installed("uag-oops", "their_package:RECIPE")
    assert recipe_names() == list(BUNDLED)
    assert find_recipe("uag-oops").name == "uag-oops"


@pytest.mark.parametrize(
    ("name", "value", "source", "said"),
    [
        ("mine", "no_such_package:RECIPE", RECIPE, "ModuleNotFoundError: No module named 'no_such_package'"),
        ("mine", "their_package:RECEIPT", RECIPE, "AttributeError: .* has no attribute 'RECEIPT'"),
        (
            "mine",
            "their_package:RECIPE",
            "x = 1\n1 / 0",
            r"package.py, line 2, entry point .*: ZeroDivisionError",
        ),
        ("mine", "their_package:CARD", RECIPE, "found RECIPE as Card, expected RECIPE"),
        ("yours", "their_package:RECIPE", RECIPE, "its recipe is named 'mine'"),
    ],
)
def test_a_broken_entry_point_is_a_usage_error_that_names_it(
    installed, name: str, value: str, source: str, said: str
) -> None:
    installed(name, value, source)
    with pytest.raises(BenchwrightError, match=said) as caught:
        find_recipe(name)
    assert f"entry point {name!r} of benchwright.recipes: " in str(caught.value)


def test_a_recipe_file_has_no_future_of_ours(tmp_path: Path) -> None:
    """Annotations are evaluated, as they are when the file is imported."""
    code = "def f(x: int): pass\nassert f.__annotations__ == {'x': int}\n"
    (tmp_path / "recipe.py").write_text(code + RECIPE)
    assert load_recipe(tmp_path / "recipe.py").name == "mine"


@pytest.mark.parametrize("failing", ["print('hello')\nraise SystemExit(3)", "print('hello')\n{}['x']"])
def test_a_package_that_fails_or_prints_as_it_is_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: str
) -> None:
    (tmp_path / "failing_package").mkdir()
    (tmp_path / "failing_package" / "__init__.py").write_text(failing)
    (tmp_path / "failing_package" / "mine.py").write_text(RECIPE)
    monkeypatch.syspath_prepend(tmp_path)
    points = EntryPoints([EntryPoint("mine", "failing_package.mine:RECIPE", registry.GROUP)])
    monkeypatch.setattr(registry, "entry_points", lambda group: points.select(group=group))
    with pytest.raises(BenchwrightError, match=r"__init__.py, line 2, entry point 'mine' of benchwright.recipes: "):
        find_recipe("mine")
    assert capsys.readouterr().out == ""


def test_a_recipe_file_imports_modules_beside_it_its_own_ones(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "title_of_mine.py").write_text(f"TITLE = {name!r}")
        text = RECIPE.replace('title="t"', "title=TITLE").replace(
            "import pyarrow", "from title_of_mine import TITLE\nimport pyarrow"
        )
        (folder / "recipe.py").write_text(text)
    path = list(sys.path)
    assert [card_of(load_recipe(tmp_path / name / "recipe.py")).title for name in ("one", "two", "one")] == [
        "one",
        "two",
        "one",
    ]
    assert sys.path == path


@pytest.mark.parametrize(
    ("helper", "said"),
    [
        ("x = 1\n1 / 0", r"recipe.py, line 1: .*their_helper.py, line 2: ZeroDivisionError: division by zero"),
        ("x = 1\ndef", r"recipe.py, line 1: .*their_helper.py, line 2: SyntaxError: invalid syntax: def"),
        ("raise SystemExit(3)", r"recipe.py, line 1: .*their_helper.py, line 1: SystemExit: 3"),
    ],
)
def test_a_module_beside_a_recipe_that_fails_is_named_with_the_recipe(tmp_path: Path, helper: str, said: str) -> None:
    (tmp_path / "their_helper.py").write_text(helper)
    (tmp_path / "recipe.py").write_text("import their_helper\n" + RECIPE)
    with pytest.raises(BenchwrightError, match=said):
        load_recipe(tmp_path / "recipe.py")
