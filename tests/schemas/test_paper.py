"""The printed tables and prompts: whole, in words that the rest of the toolkit knows."""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import pytest

from schemas.cards import cards
from schemas.paper import Prompts, Table, TableRow, Tables, printed_prompts, printed_tables

CELLS = {2: 21 * 9, 3: 23 * 2, 4: 11 * 3, 5: 6 * 3, 6: 3}


def test_every_printed_cell_is_there() -> None:
    tables = printed_tables().tables
    assert {table.number: sum(len(row.paper) for row in table.rows) for table in tables} == CELLS
    for table in tables:
        assert {len(row.paper) for row in table.rows} == {len(table.columns)}


def test_cells_are_numbers_as_printed() -> None:
    printed = [cell for table in printed_tables().tables for row in table.rows for cell in row.paper]
    assert [cell for cell in printed if not re.fullmatch(r"\d+\.\d{1,2}", cell)] == []


def test_rows_name_known_benchmarks_and_one_source_of_predictions() -> None:
    for table in printed_tables().tables:
        assert set(Counter((row.benchmark, row.name) for row in table.rows).values()) == {1}
        for row in table.rows:
            assert row.benchmark in cards()
            assert not (row.predictions and row.baseline)
            assert not row.predictions or re.fullmatch(rf"{row.benchmark}/\w+\.json", row.predictions)
            assert row.baseline in ("", "random-paper", "predict-all", "human")
            assert row.truth in ("start", "any")
            assert row.predictions or row.baseline or row.note


def test_a_row_of_one_model_has_the_same_file_in_every_table() -> None:
    files = {
        (row.benchmark, row.name, row.predictions) for table in printed_tables().tables for row in table.rows
        if row.predictions and row.name != "VideoLLaMA"
    }  # fmt: skip
    assert len({(benchmark, name) for benchmark, name, _ in files}) == len(files)


def test_cells_that_table_4_and_5_repeat_are_those_of_table_2() -> None:
    of_files = {row.predictions: row.paper[:3] for row in printed_tables().tables[0].rows if row.predictions}
    repeated = [row for table in printed_tables().tables[2:4] for row in table.rows if row.predictions in of_files]
    assert len(repeated) == 9
    assert all(row.paper == of_files[row.predictions] for row in repeated)


def test_prompts_have_the_places_that_are_filled_in() -> None:
    prompts = printed_prompts()
    places = {name: re.findall(r"\{\w+\}", getattr(prompts, name).user) for name in ("vid_llm", "vlm_llm")}
    assert places == {"vid_llm": ["{query}"], "vlm_llm": ["{query}", "{text}"]}
    assert "{" not in prompts.frame_caption.user + prompts.vlm_llm.system
    assert set(prompts.queries) <= set(cards())


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        (TableRow, b'benchmark = "a"\nname = "b"\npaper = []\nbaselin = "human"'),
        (Table, b"number = 2\nrows = []\ncolumns = []"),
        (Tables, b'title = "a"\ncitation = "b"\ntables = [1]'),
        (Prompts, b'citation = "a"\n[vid_llm]\nuser = "b"'),
    ],
)
def test_misspelt_and_missing_fields_are_refused(kind: type, document: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.toml.decode(document, type=kind)
