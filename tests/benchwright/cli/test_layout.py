"""Layout of tables: whatever the cells and the width, each value is whole on the page or in its legend."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from benchwright.cli.layout import Column, Grid, Name, Page, lay_out
from benchwright.cli.short_names import shortened

WIDTHS = st.sampled_from([40, 80, 100, 120])
LETTERS = st.characters(codec="utf-8", categories=["L", "N", "P", "S"])
WORDS = st.text(LETTERS, max_size=40)
CELLS = {
    "number": st.one_of(st.integers().map("{:,}".format), st.floats(0, 1e9).map("{:.4f}".format)),
    "name": st.one_of(st.text(LETTERS, max_size=70), st.text("ab", min_size=58, max_size=62)),
    "text": st.lists(WORDS, max_size=30).map(" ".join),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], list[list[str]]]:
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=9))
    headings = [draw(st.one_of(CELLS["name"].map(Name), st.text(LETTERS, max_size=20))) for _ in kinds]
    rows = draw(st.lists(st.tuples(*(CELLS[kind] for kind in kinds)), max_size=6))
    return [Column(heading, kind) for heading, kind in zip(headings, kinds, strict=True)], [list(row) for row in rows]


def printed(page: Page) -> list[str]:
    """What the cells of a page say: folded lines joined again, short names as the legend has them."""
    said: list[str] = []
    for grid in page.grids:
        said += [" ".join(cell) for row in grid.rows for cell in row]
    return [*said, *(whole for _, whole in page.legend)]


@given(tables(), WIDTHS)
def test_every_value_is_whole(table: tuple[list[Column], list[list[str]]], width: int) -> None:
    columns, rows = table
    page = lay_out(columns, rows, width)
    said = printed(page)
    values = [*(column.heading for column in columns), *(cell for row in rows for cell in row)]
    assert [value for value in values if value not in said] == []


@given(tables(), WIDTHS)
def test_a_line_is_too_wide_for_a_page_only_if_a_value_is(
    table: tuple[list[Column], list[list[str]]], width: int
) -> None:
    columns, rows = table
    page = lay_out(columns, rows, width)
    if max((grid.width for grid in page.grids), default=0) <= width:
        return
    assert not page.grids[0].headed
    unbroken = [
        [cell] if column.kind != "text" else cell.split(" ")
        for row in [[column.heading for column in columns], *rows]
        for cell, column in zip(row, columns, strict=True)
    ]
    assert max(cell_len(word) for words in unbroken for word in words) > width - width // 3 - 2


@given(tables())
def test_a_pipe_has_one_line_per_row(table: tuple[list[Column], list[list[str]]]) -> None:
    columns, rows = table
    (grid,), legend = lay_out(columns, rows, None)
    assert [[cell for (cell,) in row] for row in grid.rows] == [[column.heading for column in columns], *rows]
    assert legend == []


@given(st.lists(st.one_of(CELLS["name"], st.text("ab", min_size=30, max_size=33)), min_size=1, max_size=8), st.data())
def test_short_names_fit_and_are_told_apart(names: list[str], data: st.DataObject) -> None:
    width = data.draw(st.integers(9, 40))
    forms = shortened(names, width)
    assert set(forms) == set(names)
    assert len(set(forms.values())) == len(forms)
    assert all(cell_len(form) <= width for form in forms.values())


def _lines(grid: Grid) -> list[list[str]]:
    return [[" ".join(cell) for cell in row] for row in grid.rows]


def test_narrow_pages_fold_then_shorten_then_turn() -> None:
    columns = [Column("metric"), Column(Name("runs/a/p.json"), "number"), Column(Name("runs/b/p.json"), "number")]
    rows = [["mIoU", "0.1155", "0.2679"], ["R1(iou>=0.5)", "16.49", "40.72"]]
    assert lay_out(columns, rows, 42).legend == []
    (short,), legend = lay_out(columns, rows, 36)
    assert _lines(short)[0] == ["metric", "runs/a/p…n", "runs/b/p…n"]
    assert legend == [("runs/a/p…n", "runs/a/p.json"), ("runs/b/p…n", "runs/b/p.json")]
    (turned,), _ = lay_out(columns, rows, 33)
    assert _lines(turned)[0] == ["metric", "mIoU", "R1(iou>=0.5)"]
    first, second = lay_out([Column("claim"), Column("why")], [["a" * 30, "b" * 30], ["c", "d"]], 50).grids
    assert (_lines(first), _lines(second)) == ([["claim", "a" * 30], ["why", "b" * 30]], [["claim", "c"], ["why", "d"]])


@pytest.mark.parametrize("rows", [1, 7, 40])
def test_rows_of_numbers_turn_into_as_few_tables_as_fit(rows: int) -> None:
    columns = [Column("run", "name"), *(Column(f"metric{number}", "number") for number in range(20))]
    page = lay_out(columns, [[f"run{n}", *["1.00"] * 20] for n in range(rows)], 80)
    assert len(page.grids) == -(-rows // 12)
    assert all(grid.width <= 80 and len(grid.rows) == 21 for grid in page.grids)
