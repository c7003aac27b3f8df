"""What the UAL-Bench paper prints beside its claims: the cells of its tables, the texts of its prompts."""

from __future__ import annotations

import msgspec

from schemas.cards import PAPER, card_folder


class TableRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One printed row.

    Attributes:
        benchmark: the manifest it is about.
        name: as printed.
        paper: the printed cells, as strings with the paper's digits.
        predictions: file of predictions to recompute it from, below the folder of predictions.
        baseline: baseline to recompute it from.
        truth: onsets that count, `start` or `any`.
        note: how the row has to be read.
        reason: why its cells are known to differ.
    """

    benchmark: str
    name: str
    paper: list[str]
    predictions: str = ""
    baseline: str = ""
    truth: str = "start"
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


def printed_tables() -> Tables:
    """The cells of Tables 2 to 6."""
    return msgspec.toml.decode(_file("tables"), type=Tables)


def printed_prompts() -> Prompts:
    """The texts of Table 7 and of section 5.3."""
    return msgspec.toml.decode(_file("prompts"), type=Prompts)


def _file(name: str) -> bytes:
    return (card_folder() / f"{PAPER}{name}.toml").read_bytes()
