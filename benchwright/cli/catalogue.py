"""The verbs that say what there is: `list`, and `show` of a benchmark or a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli import console, words
from benchwright.cli.layout import named, numeric
from benchwright.cli.options import Json, RecipeFile, benchmark_names
from schemas.errors import first_few

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe
    from schemas.cards import Card, LabelList, Published
    from schemas.identity import Identity, RecipeOrigin


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command("list", epilog="Example: benchwright list --json")(list_benchmarks)
    app.command(epilog="Example: benchwright show uag-oops")(show)


def list_benchmarks(as_json: Json = False) -> None:
    """List all benchmarks: rows, sources needed, licence."""
    known = [_overview(card) for card in _known_cards()]
    if as_json:
        console.as_json(known)
        return
    cells, sources = [], []
    for benchmark in known:
        cells.append([benchmark["name"], benchmark["rows"], ", ".join(benchmark["splits"]), benchmark["licence"]])
        sources.append([benchmark["name"], ", ".join(benchmark["sources"])])
    console.table("Benchmarks", [named("name"), numeric("rows"), "splits", "licence"], cells)
    console.table("Sources needed", [named("name"), "files"], sources)


def show(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a benchmark, or path of a manifest.", show_default=False, autocompletion=benchmark_names
        ),
    ],
    recipe: RecipeFile = None,
    as_json: Json = False,
) -> None:
    """Show a benchmark's card: sources, rules with parameters and citations, claims, columns."""
    from builders.engine.registry import named_recipe
    from schemas.manifest import open_manifest

    if Path(name).exists() and recipe is None:
        identity = open_manifest(Path(name)).identity
        if as_json:
            console.as_json(identity)
        else:
            _show_manifest(identity)
    else:
        _show_benchmark(named_recipe(name, recipe), as_json)


def show_counts(identity: Identity) -> None:
    """The account of a build, rule by rule."""
    cells = [
        [c.order, c.rule, c.level, c.rows_in, c.dropped, c.changed, c.noted, c.rows_in - c.dropped]
        for c in identity.counts
    ]
    numbers = map(numeric, ("rows in", "dropped", "changed", "noted", "rows out"))
    console.table(f"{identity.name}: rules", ["", "rule", "level", *numbers], cells)
    happened = {"dropped": any(c.dropped for c in identity.counts), "changed": any(c.changed for c in identity.counts)}
    happened["noted"] = any(c.noted for c in identity.counts)
    console.explain(words.RULES, [word for word, happens in happened.items() if happens])
    for line in findings_of(identity):
        console.say(line)


def findings_of(identity: Identity) -> list[str]:
    """What the source has that is odd: how often, and the first names."""
    names = {text: identity.examples.get(text, []) for text in identity.findings}
    return [
        f"{text}: {count:,}" + (f" ({first_few(names[text], count)})" if names[text] else "")
        for text, count in identity.findings.items()
        if count
    ]


def _known_cards() -> list[Card]:
    """All cards; an installed package whose recipe fails is a note, not the end of the list."""
    from builders.engine.registry import BUNDLED, card_of, find_recipe, recipe_names
    from schemas.cards import cards
    from schemas.errors import BenchwrightError

    known = list(cards().values())
    for name in recipe_names():
        if name not in BUNDLED:
            try:
                known.append(card_of(find_recipe(name)))
            except BenchwrightError as failure:
                console.complain(str(failure), "note")
    return known


def _overview(card: Card) -> dict[str, Any]:
    """What `list` says of a benchmark: rows as the card claims them, sources that a default build needs."""
    counted = [c.paper for c in card.claims if c.aggregate == "rows" and c.scope == "manifest" and not c.only]
    return {
        "name": card.name,
        "rows": int(sum(counted)) if counted else None,
        "splits": card.splits,
        "sources": [card.files_of(source)[0] for source in card.sources if not source.optional],
        "licence": card.licence,
    }


def _show_benchmark(recipe: Recipe, as_json: bool) -> None:
    """The card, the rules in order, the columns."""
    from builders.engine.registry import card_of
    from schemas.columns import described

    card = card_of(recipe)
    columns = described(recipe.schema)
    parameters = {f"{rule.name}.{p.name}": p for rule in recipe.steps for p in rule.parameters}
    if as_json:
        console.as_json(
            {
                "card": card,
                "version": recipe.version,
                "rules": [{"name": r.name, "level": r.level, "about": r.about, "cites": r.cites} for r in recipe.rules],
                "parameters": [
                    {"parameter": name, "default": p.default, "alternatives": p.alternatives, "about": p.about}
                    for name, p in parameters.items()
                ],
                "columns": [dict(zip(("name", "type", "unit", "about"), row, strict=True)) for row in columns],
            }
        )
        return
    _show_card(card)
    rules = [[order, rule.name, rule.about, rule.cites] for order, rule in enumerate(recipe.rules, 1)]
    console.table("Rules, in order", ["", "rule", "what it does", "source of the rule"], rules)
    cells = [
        [name, console.plain(p.default), " | ".join(map(console.plain, p.alternatives)) or "free", p.about]
        for name, p in parameters.items()
    ]
    console.table("Parameters (--set PARAMETER=VALUE)", ["parameter", "default", "values", "meaning"], cells)
    console.say("Each rule has the parameter RULE.lift too: true runs it, but lets it drop nothing.", "dim")
    console.table("Columns", ["column", "type", "unit", "meaning"], columns)
    claims = [[f"{c.name} ({c.unit})", c.where, console.number(c.paper, c.digits), c.reason] for c in card.claims]
    console.table("Claims", ["claim", "where", numeric("paper"), "how to read it"], claims)


def _show_card(card: Card) -> None:
    from schemas.paper import published_of

    console.say(f"{card.name}: {card.title}: {card.task}", "bold")
    for heading, text in (
        ("Citation", card.citation),
        ("Licence", card.licence),
        ("Publication of rows", f"{card.publication.redistribution} (licence on the Hub: {card.publication.licence})"),
        ("Access", card.access),
        ("Rows", f"{card.rows}; splits: {', '.join(card.splits)}"),
        *(("Note", note) for note in card.notes),
    ):
        console.say(f"{heading}: {text}")
    sources = [
        [
            source.name,
            " or ".join(card.files_of(source)),
            f"{source.what}{' (optional)' * source.optional}",
            source.obtain,
        ]
        for source in card.sources
    ]
    console.table("Sources", ["source", "looked for as", "what", "obtain from"], sources)
    if printed := published_of(card):
        cells = [[each.system, _scores(each), each.where, each.note] for each in printed]
        console.table("Published scores", ["system", "scores", "where", "how to read it"], cells)
    digests = [[source.files[0], source.sha256] for source in card.sources if source.sha256]
    digests += [[result.file, result.sha256] for result in card.results]
    if digests:
        console.table("The authors' own files", ["file", "SHA-256"], digests)
    lists = card.label_lists
    if lists:
        most = max(len(given.labels) for given in lists)
        names = [[number, *(_class_name(given, number) for given in lists)] for number in range(1, most + 1)]
        console.table("Classes", [numeric("id"), *(given.name for given in lists)], names)
        for given in lists:
            other = f"; other names in brackets: {given.renamed_where}" if given.renamed else ""
            console.say(f"{given.name}: {given.where}{other}")


def _scores(printed: Published) -> str:
    return ", ".join(f"{metric} {score}" for metric, score in printed.scores.items())


def _class_name(given: LabelList, number: int) -> str:
    """The name of a class, its other name in brackets; empty beyond the last."""
    name = given.labels[number - 1] if number <= len(given.labels) else ""
    other = given.renamed.get(str(number), "")
    return f"{name} ({other})" if other else name


def _show_manifest(identity: Identity) -> None:
    """What a manifest, or one of its Parquet files alone, says of itself."""
    changed = ", ".join(f"{name}={identity.parameters[name]}" for name in identity.changed_parameters)
    for heading, text in (
        ("Benchmark", f"{identity.name}, recipe version {identity.recipe_version} ({identity.version_reason})"),
        ("Built by", f"benchwright {identity.tool_version}{_origin(identity.recipe)}"),
        ("Content digest", identity.content_digest),
        ("Parameters", changed or "all at their defaults"),
    ):
        console.say(f"{heading}: {text}")
    splits = [[name, split.rows, split.digest] for name, split in identity.splits.items()]
    console.table("Splits", ["split", numeric("rows"), "content digest"], splits)
    show_counts(identity)
    for warning in identity.warnings:
        console.complain(f"{warning.place}: {warning.message}", "warning")
    sources = [[name, source.file, source.sha256] for name, source in identity.sources.items()]
    console.table("Sources", ["source", "file", "SHA-256"], sources)


def _origin(recipe: RecipeOrigin | None) -> str:
    """Where a recipe that is not bundled came from."""
    if recipe is None:
        return ""
    if recipe.file:
        return f", recipe file {recipe.file}, SHA-256 {recipe.sha256}"
    return f", recipe {recipe.entry_point} of {recipe.package or 'an unknown package'}"
