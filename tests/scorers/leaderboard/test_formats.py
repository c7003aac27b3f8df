"""Leaderboards as CSV and Markdown, whose names are nothing but names."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from schemas.errors import printable
from scorers.leaderboard.board import Leaderboard
from scorers.leaderboard.formats import csv_text, escaped_markdown
from scorers.table_files import inert

from .conftest import board_of


def cells_of(text: str) -> list[list[str]]:
    """The plain text of each cell of the table in a Markdown text; markup other than bold and italics fails."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline" and token.level > 2:
            children = token.children or []
            assert {child.type for child in children} <= {
                "text",
                "text_special",
                "strong_open",
                "strong_close",
                "em_open",
                "em_close",
            }
            rows[-1].append("".join(child.content for child in children))
    return rows


def test_markdown_is_a_table_that_renders_every_name_as_it_is(strange: Leaderboard) -> None:
    headings, *rows = cells_of(strange.to_markdown())
    assert headings == ["rank", "run", "group", "R1(iou>=0.5), % \u2191", "mTD, s \u2193"]
    assert [row[1] for row in rows] == [
        " ".join(printable(row.label).replace("\n", " ").split())
        if "\t" in row.name
        else printable(row.label).replace("\n", " ")
        for row in strange.rows
    ]
    assert rows[0] == ["1 (1-2)", "plain", "a", "50.25 [48.75, 51.75]", "3.00 [1.50, 4.50]"]
    assert "| **50.25** \\[48.75, 51.75\\] |" in strange.to_markdown()


def test_without_intervals_there_are_no_empty_columns() -> None:
    headings, first, *_ = cells_of(board_of(["a"], intervals=False).to_markdown())
    assert headings == ["rank", "run", "R1(iou>=0.5), % \u2191", "mTD, s \u2193"]
    assert first == ["1", "a", "50.25", "3.00"]


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1))
def test_any_text_survives_markdown(text: str) -> None:
    assert cells_of(f"| a |\n| --- |\n| {escaped_markdown(text)} |\n")[1] == [text]


def test_csv_has_all_digits_and_no_cell_that_a_spreadsheet_runs(strange: Leaderboard) -> None:
    headings, *rows = list(csv.reader(io.StringIO(csv_text(strange))))
    assert headings[:8] == [
        *("run", "kind", "rank", "rank_low", "rank_high", "group", "R1(iou>=0.5)", "R1(iou>=0.5) low")
    ]
    for cells, row in zip(rows, strange.rows, strict=True):
        assert cells[0][0] not in "=+-@\t\r"
        assert cells[0].removeprefix("'") == printable(row.name)
        assert [float(cells[6]), float(cells[9])] == [row.metrics[name].value for name in strange.best]


@given(st.text(st.characters(exclude_categories=["C"])), st.text(st.characters(exclude_categories=["C"])))
def test_inert_texts_can_be_taken_back(text: str, other: str) -> None:
    if text:
        assert inert(text)[0] not in "=+-@\uff1d\uff0b\uff0d\uff20"
    assert (inert(text) == inert(other)) == (text == other)


def test_a_data_frame_has_the_same(strange: Leaderboard) -> None:
    frame = strange.to_pandas()
    assert frame.index.tolist() == [row.name for row in strange.rows]
    assert frame.loc["plain", ["rank", "R1(iou>=0.5)", "mTD low"]].tolist() == [1, 50.25, 1.5]
    assert frame["kind"].tolist()[-1] == "baseline"
    assert frame["rank"].isna().tolist()[-1]


@pytest.mark.parametrize("text", ["", "x"])
def test_plain_texts_are_untouched(text: str) -> None:
    assert inert(text) == escaped_markdown(text) == text
