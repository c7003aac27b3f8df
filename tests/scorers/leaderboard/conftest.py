"""Leaderboards without a manifest."""

from __future__ import annotations

from typing import Any

import pytest

from scorers.leaderboard.board import Leaderboard, Neighbours, Row
from scorers.score import Value

STRANGE = [
    *(
        "plain",
        "a|b",
        "=cmd|' /C calc'!A0",
        "+1",
        "-1",
        "@x",
        "'quoted",
        "'=1",
        "\tx",
        "#&%$_{}~^\\",
        "\\input{x}",
        "$x$",
    ),
    *(
        "**bold** _it_ `code`",
        "<script>alert(1)</script>",
        "[a](http://x)",
        "![a](b)",
        "a\nb",
        "\x1b[31mred",
        "--",
        "''",
        '"',
    ),
    *(
        "caf\u00e9 \u0141\u00f3d\u017a \u00df \u03b1",
        "\u4e2d\u6587",
        "\U0001f600",
        "&amp;",
        "%",
        "x" * 70,
        "?`!`",
        "^^41",
        "~",
        "*",
        "1. a",
    ),
]


def board_of(names: list[str], intervals: bool = True) -> Leaderboard:
    def value(number: float, unit: str, higher: bool) -> Value:
        bounds = (number - 1.5, number + 1.5) if intervals else (None, None)
        return Value(number, *bounds, unit, higher)

    def row(place: int, name: str, **more: Any) -> Row:
        metrics = {"R1(iou>=0.5)": value(50.25 - place, "percent", True), "mTD": value(3.0 + place, "s", False)}
        return Row(name=name, metrics=metrics, group="a" if intervals else None, **more)

    ranked = {"rank_low": 1, "rank_high": 2} if intervals else {}
    rows = [row(place, name, kind="run", rank=place + 1, **ranked) for place, name in enumerate(names)]
    rows.append(row(len(names), "middle", kind="baseline"))
    pair = Neighbours(
        better="x", worse="y", difference=1.0, low=0.5, high=2.0, p_value=0.5, p_adjusted=1.0, told_apart=False
    )
    return Leaderboard(
        rows=rows,
        primary="R1(iou>=0.5)",
        best={"R1(iou>=0.5)": names[:1], "mTD": names[:1]},
        neighbours=[pair] if intervals else [],
        data="our-own/test",
        scored_rows=8,
        protocol="paper",
        warnings=[],
        notes=[],
        signature="2 runs by R1(iou>=0.5) n=8 | data:our-own/test sha:0123 | rules:names.repair=true | v:0.1.0",
    )


@pytest.fixture
def strange() -> Leaderboard:
    """A board whose runs have every name that could be taken for markup, a formula or a command."""
    return board_of(STRANGE)
