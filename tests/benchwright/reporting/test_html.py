"""What the page is made of, without a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from benchwright.reporting.blocks import Page, Row, RowTable
from benchwright.reporting.html import html
from benchwright.reporting.row_data import evidence_of, row_data


def held(text: str, element: str) -> str:
    """What stands in the last element of a name."""
    found = re.findall(rf"<{element}[^>]*>(.*?)</{element}>", text, re.DOTALL)
    assert found
    return str(found[-1])


def test_policy_names_the_one_style_sheet_and_the_one_script(page: Page) -> None:
    text = html(page)
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    hashes = {
        f"{name}-src": base64.b64encode(hashlib.sha256(held(text, name).encode()).digest()).decode()
        for name in ("style", "script")
    }
    assert policy[1].split("; ") == [
        "default-src 'none'",
        *(f"{name} 'sha256-{value}'" for name, value in hashes.items()),
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_nothing_is_loaded_and_no_style_is_inline(page: Page) -> None:
    text = html(page)
    assert re.findall(r"<[^>]* style=", text) == []
    assert re.findall(r"""<(?:link|script|img|iframe)[^>]*(?:src|href)=["'](?!data:,)""", text) == []
    assert re.findall(r"url\(|@import", held(text, "style")) == []


def data_of(table: RowTable) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(row_data(table, "invented"))
    return data


def table_of(*rows: Row, **fields: Any) -> RowTable:
    return RowTable("clips", ("clip",), rows, **{"evidence": {}, "total": {}, **fields})


def test_texts_that_occur_twice_are_written_once() -> None:
    data = data_of(
        table_of(Row("a", "kept", ("often said", "once")), Row("b", "size", ("often said", "abc"), "", None, ("abc",)))
    )
    assert data["texts"] == ["often said"]
    assert data["rows"] == [["a", 0, 0, [0, "once"], 0, []], ["b", 1, 0, [0, "abc"], 0, [["abc"]]]]
    assert data["fates"] == ["kept", "size"]


def test_evidence_that_names_no_row_is_left_out() -> None:
    table = table_of(Row("a", "kept", ()), Row("b", "kept", ()), Row("a", "kept", ()))
    found = evidence_of(RowTable(**{**table.__dict__, "evidence": {"twice": ("a", "a", "c"), "none": ("c",)}}))
    assert found == {"twice": [0, 2]}


def test_json_cannot_end_its_element() -> None:
    text = row_data(table_of(Row("</script><!--", "kept", ("\ud800",))), "invented")
    assert "<" not in text
    assert json.loads(text)["rows"][0][0] == "</script><!--"


def test_no_line_ends_between_a_number_and_its_unit() -> None:
    page = Page("p", "40.72 % of 3 s", (("a", "5 %"),), (), ())
    assert "40.72\N{NO-BREAK SPACE}% of 3\N{NO-BREAK SPACE}s" in html(page)
