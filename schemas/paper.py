"""What the UAL-Bench paper prints beside its claims: the cells of its tables, the texts of its prompts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import msgspec

from schemas.cards import PAPER, Card, Published, card_folder


class TableRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One printed row.

    Attributes:
        benchmark: the manifest it is about.
        name: as printed.
        paper: the printed cells, as strings with the paper's digits.
        predictions: file of predictions to recompute it from, below the folder of predictions.
        baseline: baseline to recompute it from.
        truth: onsets that count, `start` or `any`.
        elsewhere: whether it is of other rows than the benchmark's.
        note: how the row has to be read.
        reason: why its cells are known to differ.
    """

    benchmark: str
    name: str
    paper: list[str]
    predictions: str = ""
    baseline: str = ""
    truth: str = "start"
    elsewhere: bool = False
    note: str = ""
    reason: str = ""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One printed table; `columns` are metrics."""

    number: int
    title: str
    columns: list[str]
    rows: list[TableRow]


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The printed tables of a paper."""

    title: str
    citation: str
    tables: list[Table]


class Prompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts sent to a model; `{query}` and `{text}` (text representation) are filled in."""

    user: str
    system: str = ""


class Prompts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The prompts of each approach, and queries that replace a benchmark's descriptions."""

    citation: str
    vid_llm: Prompt
    vlm_llm: Prompt
    frame_caption: Prompt
    queries: dict[str, str]


@cache
def printed_tables() -> Tables:
    """The cells of Tables 2 to 6."""
    return msgspec.toml.decode(_file("tables"), type=Tables)


def published_of(card: Card) -> list[Published]:
    """What is printed of the systems of a benchmark: on its card, or in the tables, where a cell counts once."""
    printed = printed_tables()
    rows: dict[str, list[tuple[Table, TableRow]]] = {}
    for table in printed.tables:
        for row in table.rows:
            if row.benchmark == card.name:
                rows.setdefault(row.name.casefold(), []).append((table, row))
    own = card.published if isinstance(card.published, list) else []
    return [*own, *(_published(printed.title, several) for several in rows.values())]


def _published(title: str, rows: Sequence[tuple[Table, TableRow]]) -> Published:
    """The rows of one system in several tables."""
    scores: dict[str, str] = {}
    numbers = []
    for table, row in rows:
        more = {name: cell for name, cell in zip(table.columns, row.paper, strict=True) if name not in scores}
        numbers += [str(table.number)] * bool(more)
        scores |= more
    first = rows[0][1]
    where = f"{title}, Table{'s' * (len(numbers) > 1)} {' and '.join(numbers)}"
    kind: Literal["system", "guess", "elsewhere"] = "elsewhere" if first.elsewhere else "system"
    return Published(first.name, where, scores, "", "guess" if first.baseline else kind, first.note)


def as_printed(value: float, printed: str) -> str:
    """The value with as many digits as the printed one has.

    >>> as_printed(22.8445, "22.84")
    '22.84'
    """
    return f"{value:.{len(printed.partition('.')[2])}f}"


def printed_prompts() -> Prompts:
    """The texts of Table 7 and of section 5.3."""
    return msgspec.toml.decode(_file("prompts"), type=Prompts)


def _file(name: str) -> bytes:
    return (card_folder() / f"{PAPER}{name}.toml").read_bytes()
