"""Instruction data as a kind of manifest: what `validate` says of conversations."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schemas.digest import split_digest
from schemas.instruction import INSTRUCTION_SCHEMA
from schemas.value_findings import value_findings


def turn(role: str, text: str = "at 3.0", begin: int = 3, end: int = 6) -> dict[str, Any]:
    number = {"name": "start_s", "value": 3.0, "unit": "s", "begin": begin, "end": end}
    return {"role": role, "text": text, "numbers": [number]}


def row(*turns: dict[str, Any], span: dict[str, float] | None = None) -> dict[str, Any]:
    texts = dict.fromkeys(("sample_id", "source_id", "group", "media", "task", "template"), "a")
    provenance = {"benchmark": "invented", "parameters": "", "digest": "0"}
    known = {"split": "train", "media_kind": "video", "negative": False, "others": [], "provenance": provenance}
    return texts | known | {"span": span, "turns": list(turns)}


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=INSTRUCTION_SCHEMA)


GOOD = row(turn("user"), turn("assistant"))
LED = row(turn("system"), turn("user"), turn("assistant"), turn("user"), turn("assistant"))


def test_conversations_as_they_should_be() -> None:
    assert list(value_findings("train", table(GOOD, LED), None)) == []


@pytest.mark.parametrize(
    "turns",
    [
        [],
        [turn("user")],
        [turn("assistant"), turn("user")],
        [turn("user"), turn("user")],
        [turn("user"), turn("system"), turn("assistant")],
        [turn("system")],
        [turn("human"), turn("assistant")],
    ],
)
def test_roles_that_do_not_take_turns_are_errors(turns: list[dict[str, Any]]) -> None:
    (found,) = value_findings("train", table(GOOD, row(*turns), LED), None)
    assert (found.severity, found.check, found.count) == ("error", "turns", 1)


@pytest.mark.parametrize(("begin", "end"), [(-1, 2), (3, 3), (4, 7)])
def test_numbers_stand_in_their_text(begin: int, end: int) -> None:
    bad = row(turn("user"), turn("assistant", begin=begin, end=end))
    (found,) = value_findings("train", table(GOOD, bad), None)
    assert (found.severity, found.check, found.count) == ("error", "numbers", 1)


def test_the_digest_tells_a_missing_span_from_another() -> None:
    one, other = table(GOOD), table({**GOOD, "span": {"start_s": 0.0, "end_s": 0.0}})
    assert split_digest(one) != split_digest(other)
