"""What `list` and `show` print."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from benchwright.cli import console
from builders.engine.registry import BUNDLED, card_of, find_recipe, recipe_names
from schemas.cards import Card, LabelList, cards
from schemas.errors import BenchwrightError

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe
    from schemas.identity import Identity, RecipeOrigin


class Overview(msgspec.Struct, frozen=True):
    """One line of `list`: rows as the card claims them, sources that a default build needs."""

    name: str
    rows: int | None
    splits: list[str]
    sources: list[str]
    licence: str


def overview() -> list[Overview]:
    """All benchmarks; an installed package whose recipe fails is a note, not the end of the list."""
    known = list(cards().values())
    for name in recipe_names():
        if name not in BUNDLED:
            try:
                known.append(card_of(find_recipe(name)))
            except BenchwrightError as failure:
                console.complain(str(failure), "note")
    return [_line(card) for card in known]


def line_of(row: Overview) -> list[object]:
    """The cells of one line of the table; of the licence its first words, `show` has them all."""
    names = ["/".join(Path(file).parts[-2:]).replace("{split}", row.splits[0]) for file in row.sources]
    licence, *_ = re.split("[;(]", row.licence)
    return [row.name, row.rows, ", ".join(row.splits), console.Lines("\n".join(names)), licence]


def _line(card: Card) -> Overview:
    counted = [c.paper for c in card.claims if c.aggregate == "rows" and c.scope == "manifest" and not c.only]
    return Overview(
        name=card.name,
        rows=int(sum(counted)) if counted else None,
        splits=card.splits,
        sources=[source.files[0] for source in card.sources if not source.optional],
        licence=card.licence,
    )


def show_benchmark(recipe: Recipe, as_json: bool) -> None:
    """The card, the rules in order, the columns."""
    from schemas.columns import described

    card = card_of(recipe)
    columns = described(recipe.schema)
    parameters = [
        (rule.name, p.name, p.default, list(p.alternatives), p.about) for rule in recipe.steps for p in rule.parameters
    ]
    if as_json:
        console.as_json(
            {
                "card": card,
                "version": recipe.version,
                "rules": [{"name": r.name, "level": r.level, "about": r.about, "cites": r.cites} for r in recipe.rules],
                "parameters": [
                    {"parameter": f"{rule}.{name}", "default": default, "alternatives": alternatives, "about": about}
                    for rule, name, default, alternatives, about in parameters
                ],
                "columns": [dict(zip(("name", "type", "unit", "about"), row, strict=True)) for row in columns],
            }
        )
        return
    _show_card(card)
    rules = [[order, rule.name, rule.about, rule.cites] for order, rule in enumerate(recipe.rules, 1)]
    console.table("Rules, in order", ["", "rule", "what it does", "source of the rule"], rules)
    cells = [
        [f"{rule}.{name}", console.plain(default), " | ".join(map(console.plain, alternatives)) or "free", about]
        for rule, name, default, alternatives, about in parameters
    ]
    console.table("Parameters (--set PARAMETER=VALUE)", ["parameter", "default", "values", "meaning"], cells)
    console.table("Columns", ["column", "type", "unit", "meaning"], columns)
    claims = [[f"{c.name} ({c.unit})", c.where, console.number(c.paper, c.digits), c.reason] for c in card.claims]
    console.table("Claims", ["claim", "where", "paper", "how to read it"], claims, right=[2])


def _show_card(card: Card) -> None:
    console.say(f"{card.title}: {card.task}", "bold")
    for heading, text in (
        ("Citation", card.citation),
        ("Licence", card.licence),
        ("Access", card.access),
        ("Rows", f"{card.rows}; splits: {', '.join(card.splits)}"),
        *(("Note", note) for note in card.notes),
    ):
        console.say(f"{heading}: {text}")
    sources = [
        [source.name, " or ".join(source.files), f"{source.what}{' (optional)' * source.optional}", source.obtain]
        for source in card.sources
    ]
    console.table("Sources", ["source", "looked for as", "what", "obtain from"], sources)
    lists = card.label_lists
    if lists:
        most = max(len(given.labels) for given in lists)
        names = [[number, *(_class_name(given, number) for given in lists)] for number in range(1, most + 1)]
        console.table("Classes", ["id", *(given.name for given in lists)], names, right=[0])


def _class_name(given: LabelList, number: int) -> str:
    """The name of a class, its other name in brackets; empty beyond the last."""
    name = given.labels[number - 1] if number <= len(given.labels) else ""
    other = given.renamed.get(str(number), "")
    return f"{name} ({other})" if other else name


def show_manifest(path: Path, as_json: bool) -> None:
    """What a manifest, or one of its Parquet files alone, says of itself."""
    from schemas.manifest import open_manifest

    identity = open_manifest(path).identity
    if as_json:
        console.as_json(identity)
        return
    changed = ", ".join(f"{name}={identity.parameters[name]}" for name in identity.changed_parameters)
    for heading, text in (
        ("Benchmark", f"{identity.name}, recipe version {identity.recipe_version} ({identity.version_reason})"),
        ("Built by", f"benchwright {identity.tool_version}{_origin(identity.recipe)}"),
        ("Content digest", identity.content_digest),
        ("Parameters", changed or "all at their defaults"),
    ):
        console.say(f"{heading}: {text}")
    splits = [[name, split.rows, split.digest] for name, split in identity.splits.items()]
    console.table("Splits", ["split", "rows", "content digest"], splits, right=[1])
    show_counts(identity)
    sources = [[name, source.file, source.sha256] for name, source in identity.sources.items()]
    console.table("Sources", ["source", "file", "SHA-256"], sources)


def _origin(recipe: RecipeOrigin | None) -> str:
    """Where a recipe that is not bundled came from."""
    if recipe is None:
        return ""
    if recipe.file:
        return f", recipe file {recipe.file}, SHA-256 {recipe.sha256}"
    return f", recipe {recipe.entry_point} of {recipe.package or 'an unknown package'}"


def show_counts(identity: Identity) -> None:
    """The account of a build, rule by rule."""
    cells = [
        [c.order, c.rule, c.level, c.rows_in, c.dropped, c.changed, c.noted, c.rows_in - c.dropped]
        for c in identity.counts
    ]
    headings = ["", "rule", "level", "rows in", "dropped", "changed", "noted", "rows out"]
    console.table(f"{identity.name}: rules", headings, cells, right=[3, 4, 5, 6, 7])
    for finding, count in identity.findings.items():
        console.say(f"{finding}: {count:,}")
