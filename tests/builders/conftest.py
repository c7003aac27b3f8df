"""What the tests of recipes share: invented recipes, and the samples with an inventory of their videos."""

from __future__ import annotations

import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pytest

from builders.engine.recipe import Candidates, Recipe, reader_options
from builders.engine.registry import card_of, find_recipe
from builders.engine.rules import Rule
from builders.engine.run import Build, run
from builders.engine.sources import Sources
from schemas.cards import Card


@pytest.fixture(scope="session")
def run_rules(tmp_path_factory: pytest.TempPathFactory, card: Callable[..., Card]) -> Callable[..., Build]:
    """Run rules over candidates: an invented recipe without sources, with the given schema."""
    sources, invented = Sources([], tmp_path_factory.mktemp("no sources")), card

    def call(
        candidates: Candidates,
        rules: Iterable[Rule],
        schema: pa.Schema,
        overrides: Mapping[str, object] | None = None,
        *,
        level: str = "image",
        card: Card | None = None,
    ) -> Build:
        card = card or invented()
        recipe = Recipe(card, 1, "first version", level, lambda _: candidates, tuple(rules), schema)
        return run(recipe, sources, overrides, card=card)

    return call


@pytest.fixture
def build_of(samples: Path) -> Callable[..., Build]:
    """Run a bundled recipe in memory: on the samples, or on another folder, or with single sources given."""

    def call(
        name: str, folder: Path | None = None, given: Mapping[str, Path] | None = None, **settings: object
    ) -> Build:
        recipe = find_recipe(name)
        card = card_of(recipe)
        overrides = {key.replace("__", "."): value for key, value in settings.items()}
        options = reader_options(recipe.settings(overrides))
        return run(recipe, Sources(card.sources, folder or samples, given, options), overrides, card=card)

    return call


@pytest.fixture(scope="session")
def reasons() -> Callable[[Build], dict[tuple[str, str, str], int]]:
    """How many entries of a ledger have the same (rule, action, reason)."""

    def call(build: Build) -> dict[tuple[str, str, str], int]:
        entries = build.ledger.select(["rule", "action", "reason"]).to_pylist()
        return dict(Counter(tuple(entry.values()) for entry in entries))

    return call


@pytest.fixture(scope="session")
def passed() -> Callable[[Build], list[tuple[str, int]]]:
    """How many rows left each rule."""
    return lambda build: [(count.rule, count.rows_in - count.dropped) for count in build.identity.counts]


Place = tuple[str, str, str, str]


@pytest.fixture
def places(refused: Callable[..., Any]) -> Callable[..., list[Place]]:
    """Call a function that must raise `InputError`: name of the file, record, field and what was found, each time."""

    def call(function: Callable[..., Any], *arguments: Any) -> list[Place]:
        return [
            (Path(problem.file).name, problem.record, problem.field, problem.found)
            for problem in refused(function, *arguments)
        ]

    return call


@pytest.fixture
def own_samples(samples: Path, tmp_path: Path) -> Path:
    """A copy of the samples that a test may change."""
    return Path(shutil.copytree(samples, tmp_path / "samples"))


TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONSHIPS = (
    f'<Relationships xmlns="{PACKAGE}"><Relationship Id="rId1" Type="{OFFICE}/%s" Target="%s"/></Relationships>'
)
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OTHER = f'xmlns:r="{OFFICE}"'


def sheet_of(rows: Iterable[Sequence[object]]) -> str:
    """The XML of a sheet: texts and numbers in their cells, none for None."""

    def cell(place: str, value: object) -> str:
        if isinstance(value, str):
            return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
        return f'<c r="{place}"><v>{value}</v></c>'

    lines = [
        "".join(cell(f"{chr(65 + column)}{number}", value) for column, value in enumerate(row) if value is not None)
        for number, row in enumerate(rows, 1)
    ]
    content = "".join(f'<row r="{number}">{line}</row>' for number, line in enumerate(lines, 1))
    return f"<worksheet {MAIN}><sheetData>{content}</sheetData></worksheet>"


@pytest.fixture
def workbook(tmp_path: Path) -> Callable[..., Path]:
    """Write an xlsx workbook of one sheet from rows of cells; other `parts` by name replace or join its own."""

    def write(
        rows: Iterable[Sequence[object]],
        name: str = "sheets/seq_0_1.xlsx",
        sheet: str = "Sheet1",
        parts: Mapping[str, str | bytes] | None = None,
    ) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        sheets = f'<sheets><sheet name="{escape(sheet)}" sheetId="1" r:id="rId1"/></sheets>'
        content: dict[str, str | bytes] = {
            "[Content_Types].xml": TYPES,
            "_rels/.rels": RELATIONSHIPS % ("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f"<workbook {MAIN} {OTHER}>{sheets}</workbook>",
            "xl/_rels/workbook.xml.rels": RELATIONSHIPS % ("worksheet", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml": sheet_of(rows),
        }
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for part, text in (content | dict(parts or {})).items():
                packed.writestr(part, text)
        return path

    return write
