"""The README of a manifest: the front matter that the Hugging Face Hub and `datasets` read, and a page for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from schemas.claims import Judgement, judged_claims
from schemas.columns import described
from schemas.contents import DEFAULT, FOLDER, LEDGER, MEDIA, Contents, Part
from schemas.errors import BenchwrightError, first_few, printable
from schemas.features import features_of, front_matter
from schemas.identity import Identity, written
from schemas.instruction import INSTRUCTION, command_of

_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10_000_000: "1M<n<10M"}
_NAMELESS = ("other", "unknown")


def front_page(contents: Contents) -> str:
    """The README as Markdown, the front matter before it."""
    import yaml

    matter = yaml.safe_dump(_matter(contents), allow_unicode=True, sort_keys=False, width=120)
    sections = [f"## {heading}\n\n{text}\n" for heading, text in _sections(contents) if text]
    return f"---\n{matter}---\n" + "\n".join([_beginning(contents), *sections])


def _matter(contents: Contents) -> dict[str, Any]:
    told, name = contents.publication, contents.identity.name
    matter: dict[str, Any] = {
        "pretty_name": contents.title,
        "license": told.licence,
        "license_name": f"{name}-annotations".casefold() if told.licence == "other" else None,
        "task_categories": told.task_categories,
        "language": told.languages,
        "tags": [*told.tags, "benchwright"],
        "size_categories": [size_category(sum(split.rows for split in contents.identity.splits.values()))],
        "configs": [_files(config, parts) for config, parts in contents.configs.items()],
        "dataset_info": [_info(contents, config, parts) for config, parts in contents.configs.items()],
    }
    return {key: value for key, value in matter.items() if value}


def size_category(rows: int) -> str:
    """The Hub's category of a number of rows.

    >>> size_category(999), size_category(1_000), size_category(20_000_000)
    ('n<1K', '1K<n<10K', 'n>10M')
    """
    return next((name for limit, name in _SIZES.items() if rows < limit), "n>10M")


def _files(config: str, parts: dict[str, Part]) -> dict[str, Any]:
    # Ledger and media are configurations of their own, as their columns are others.
    files = [{"split": split, "path": part.path} for split, part in parts.items()]
    return {"config_name": config, **({"default": True} if config == DEFAULT else {}), "data_files": files}


def _info(contents: Contents, config: str, parts: dict[str, Part]) -> dict[str, Any]:
    schema = next(iter(parts.values())).table.schema if parts else pa.schema([])
    sizes = {split: part.table.nbytes for split, part in parts.items()}
    return {
        "config_name": config,
        "features": front_matter(features_of(schema, contents.classes if config == DEFAULT else {})),
        "splits": [
            {"name": split, "num_bytes": sizes[split], "num_examples": part.table.num_rows}
            for split, part in parts.items()
        ],
        "download_size": sum(part.size for part in parts.values()),
        "dataset_size": sum(sizes.values()),
    }


def _beginning(contents: Contents) -> str:
    identity, card = contents.identity, contents.card
    about = f"{_text(card.task).capitalize()}: {_text(card.rows)}.\n\n" if card else ""
    return f"""\
# {_text(contents.title)}

{about}Built by benchwright {identity.tool_version}, recipe `{identity.name}` version {identity.recipe_version}
({_text(identity.version_reason)}). Content digest `{identity.content_digest}`.
"""


def _sections(contents: Contents) -> Iterator[tuple[str, str]]:
    identity, card, told = contents.identity, contents.card, contents.publication
    yield "Use", _use(contents)
    yield "Licence", _licence(contents)
    yield "Splits", _splits(contents)
    yield "Columns", _columns(contents)
    yield "How it was built", _account(identity)
    yield "Claims of the paper, and what this build gives", _claims(contents) if card else ""
    yield "Known findings", _findings(contents)
    yield "How the annotations were collected", _text(told.collection)
    yield "Personal and sensitive information", _text(told.personal or "Nothing is said of it in the card.")
    yield "Biases", _items(told.biases)
    yield "Limitations", _items(told.limitations)
    yield "Intended uses", _items(told.uses)
    yield "Citation", f"{_text(card.citation)}{f' <{told.url}>' if told.url else ''}" if card else ""


def _use(contents: Contents) -> str:
    split = next(iter(contents.configs["default"]), "test")
    ledger = f'load_dataset("{FOLDER}", "ledger", split="ledger")  # what was dropped or changed, and why\n'
    media = (
        f'load_dataset("{FOLDER}", "media", split="{split}")  # row by row, the path of its media below this folder\n'
    )
    return f"""\
```python
from datasets import load_dataset

load_dataset("{FOLDER}", split="{split}")
{ledger if LEDGER in contents.configs else ""}{media if MEDIA in contents.configs else ""}```"""


def _licence(contents: Contents) -> str:
    card, told = contents.card, contents.publication
    may = {
        "allowed": "Rows made of the annotations may be published under its terms.",
        "forbidden": "Rows made of the annotations must not be published: do not upload this folder.",
        "not stated": "Nobody is said to have the right to publish rows made of the annotations.",
    }[told.redistribution]
    media = "\nMedia have a licence of their own, of which this says nothing." if contents.media else ""
    if card is None:
        return may + media
    known = f"Licence of the annotations: {_text(card.licence)}. {may}\nAccess to the sources: {_text(card.access)}."
    return known + media


def _splits(contents: Contents) -> str:
    parts = contents.splits.items()
    rows = [
        [name, f"{part.table.num_rows:,}", f"{part.size:,}", f"`{contents.identity.splits[name].digest}`"]
        for name, part in parts
    ]
    empty = [name for name, part in parts if not part.table.num_rows]
    left_out = f"\nWithout rows, and so not among the files that `datasets` loads: {', '.join(empty)}." if empty else ""
    no_ledger = "" if contents.ledger.table.num_rows else "\nThe ledger has no rows: no rule dropped or noted any."
    return _table(["split", "rows", "bytes", "content digest"], rows) + left_out + no_ledger


def _columns(contents: Contents) -> str:
    schema = next(iter(contents.splits.values())).table.schema if contents.splits else pa.schema([])
    rows = [[f"`{name}`", kind, unit, about] for name, kind, unit, about in described(schema)]
    lists = [
        f"- ids of {', '.join(f'`{path}`' for path in given.columns)}: "
        + ", ".join(f"{number} {_text(label)}" for number, label in enumerate(given.labels, 1))
        for given in (contents.card.label_lists if contents.card else ())
        if given.columns
    ]
    classes = contents.card.labels if contents.card else []
    lists += [f"- classes: {', '.join(map(_text, classes))}"] if classes else []
    return "\n\n".join([_table(["column", "type", "unit", "meaning"], rows), "\n".join(lists)]).rstrip()


def _account(identity: Identity) -> str:
    cites = {rule.name: rule.cites for rule in identity.rules}
    rules = [
        [c.order, c.rule, c.level, f"{c.rows_in:,}", f"{c.dropped:,}", f"{c.changed:,}", cites.get(c.rule, "")]
        for c in identity.counts
    ]
    other = [f"--set {name}={written(identity.parameters[name])}" for name in identity.changed_parameters]
    parameters = [
        f"`{name}` = `{written(value)}`{' (not the default)' if name in identity.changed_parameters else ''}"
        for name, value in identity.parameters.items()
    ]
    sources = [f"`{source.file}`: SHA-256 `{source.sha256}`" for source in identity.sources.values()]
    command = " ".join(["benchwright build", identity.name, "--source FOLDER", *other])
    command = command_of(identity) if identity.schema == INSTRUCTION else command
    return "\n\n".join(
        [
            f"    {printable(command)}",
            _table(["order", "rule", "level", "rows in", "dropped", "changed", "source of the rule"], rules),
            f"Parameters:\n\n{_items(parameters) or '- none'}",
            f"Sources:\n\n{_items(sources) or '- none'}",
        ]
    )


def _claims(contents: Contents) -> str:
    assert contents.card is not None
    tables = [part.table.replace_schema_metadata() for part in contents.splits.values()]
    if not contents.card.claims or not tables:
        return ""
    try:
        lines = judged_claims(contents.card, contents.identity, pa.concat_tables(tables))
    except (BenchwrightError, pa.ArrowException) as failure:  # of somebody's own card; the build is whole all the same
        return f"They cannot be judged: {_text(failure)}"
    return _table(["claim", "where", "paper", "rebuilt", "verdict", "remark"], map(_claim, lines))


def _claim(line: Judgement) -> list[str]:
    paper, ours = (f"{value:.10g}" if isinstance(value, float) else str(value) for value in (line.paper, line.value))
    return [f"{line.claim} ({line.unit})", line.where, paper, ours, line.verdict, line.reason]


def _findings(contents: Contents) -> str:
    """What the source has that is odd, what rules made invalid, what the checks found, what the card remarks."""
    identity, card = contents.identity, contents.card
    counts = {text: count for text, count in identity.findings.items() if count}
    names = {text: identity.examples.get(text, []) for text in counts}
    found = [
        f"{text}: {count:,}" + (f" ({first_few(names[text], count)})" if names[text] else "")
        for text, count in counts.items()
    ]
    warnings = [f"{each.place}: {each.message}" for each in identity.warnings]
    return _items([*contents.findings, *found, *warnings, *(card.notes if card else ())])


def _items(texts: Iterable[str]) -> str:
    return "\n".join(f"- {_text(text)}" for text in texts)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([_text(cell).replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def _text(value: object) -> str:
    """On one line, without control characters: names are untrusted, and a line of their own might be a heading."""
    return printable(" ".join(str(value).split()))
