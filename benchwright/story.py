"""What `why` tells of a row: what each rule did to it, and what another choice would have done."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from schemas.cards import Kind
from schemas.identity import Value


class Step(msgspec.Struct, frozen=True):
    """What one rule did to the row: passed, derived, changed, noted or dropped it, or was not reached any more.

    `values` are the numbers compared, and the columns that it gave.
    """

    order: int
    rule: str
    action: str
    sentence: str
    values: dict[str, Any]
    parameters: dict[str, Value]
    cites: str


class Part(msgspec.Struct, frozen=True):
    """What a rule did to a thing within the row."""

    level: str
    key: str
    rule: str
    action: str
    sentence: str


class Change(msgspec.Struct, frozen=True):
    """A column that would have another value; of records how many there are, and in words what becomes of them."""

    column: str
    before: Any
    after: Any
    said: str = ""


class Fate(msgspec.Struct, frozen=True):
    """What would have become of a row with one thing changed.

    Attributes:
        key: what is changed.
        kind: what the alternative is; see `schemas.cards.Kind`.
        fate: `kept` or `dropped`, where it is the other now or falls to another rule; `changed`; `same`; `absent`: not
            read; `not judged`: it cannot be built.
        rule: which drops it.
        sentence: the same in words, empty where nothing changes.
        changes: columns with other values.
    """

    key: str
    kind: Kind
    fate: Literal["kept", "dropped", "changed", "same", "absent", "not judged"]
    rule: str
    sentence: str
    changes: list[Change] = []


class Story(msgspec.Struct, frozen=True):
    """The fate of a key: `kept` or `dropped`, every rule in order, and the row if there is one.

    Attributes:
        key: the row's, or `12 of SAMPLE`.
        level: what it is.
        fate: what became of it.
        steps: what each rule did to it.
        row: as the manifest has it, None if it was dropped.
        parts: of a sample, what it holds and rules dropped, changed or noted by themselves.
        alternatives: what other choices would have made of it, where the sources are there to try.
        page: address of the row on the page of a report.
    """

    key: str
    level: str
    fate: str
    steps: list[Step]
    row: dict[str, Any] | None
    parts: list[Part] = []
    alternatives: list[Fate] = []
    page: str = ""
