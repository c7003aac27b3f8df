"""The page in headless Chromium: under its policy, by keyboard, on a phone, in the dark and on paper."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from benchwright.reporting.blocks import Beside, Figure, Outline, Page, Row, RowTable, Section, Table
from benchwright.reporting.html import html

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab


def counted(tab: Tab, text: str) -> None:
    """Wait for the words on the rows that are found."""
    from playwright.sync_api import expect

    expect(tab.locator("#table-count")).to_have_text(text)


def with_table(page: Page, **changes: Any) -> Page:
    """The report with a changed row table alone."""
    table = page.sections[-1].blocks[0]
    assert isinstance(table, RowTable)
    return dataclasses.replace(
        page, sections=(Section("rows", "Rows", "Rows", (dataclasses.replace(table, **changes),)),)
    )


def test_hostile_texts_stay_texts(opened, hostile: str) -> None:
    tab = opened()
    assert tab.locator("img, body script[src]").count() == 0
    assert tab.title().startswith("invented </script><img")
    assert tab.locator("#summary-h").inner_text().startswith("</script><img src=x onerror=")
    tab.locator("#table-rows button").first.click()
    assert hostile.replace("\n", " ").strip() in tab.locator("#table-rows .x").inner_text().replace("\n", " ")


def test_search_filters_and_pages_by_keyboard(opened) -> None:
    tab = opened()
    count = tab.locator("#table-count")
    assert count.inner_text() == "1 to 25 of 60 clips"
    assert tab.locator("#table-earlier").is_disabled()
    tab.locator("#table-search").focus()
    tab.keyboard.type("FALLS word30")
    tab.keyboard.press("Enter")
    assert count.inner_text() == "1 to 1 of 1 clips"
    assert tab.evaluate("document.activeElement.textContent") == "clip 30"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.textContent") == "clip 30"
    assert tab.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert "no answer" in (tab.locator(".time").text_content() or "")
    assert "9 to 11.25 s: after the end" in (tab.locator(".time").text_content() or "")
    tab.keyboard.press("Enter")
    assert tab.locator(".time").count() == 0
    tab.locator("#table-search").fill("")
    tab.locator("#table-fate").select_option("=agreement")
    assert count.inner_text() == "1 to 20 of 20 clips"
    assert tab.locator("#table-rows tr.r").first.inner_text().split() == [
        "gone",
        "0",
        "test",
        "dropped",
        "by",
        "agreement",
        "reason",
        "0",
    ]
    tab.locator("#table-fate").select_option("")
    tab.locator("#table-later").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("Enter")
    assert count.inner_text() == "51 to 60 of 60 clips"
    assert tab.evaluate("document.activeElement.id") == "table-earlier"
    tab.locator("#table-search").fill("nowhere")
    counted(tab, "Nothing matches. Try fewer words, or choose all clips.")


def test_links_open_rows_and_findings(opened, hostile: str) -> None:
    tab = opened(place="#row=" + quote(hostile, safe=""))
    assert tab.locator("#table-rows .x").count() == 1
    assert tab.evaluate("document.activeElement.textContent") == hostile
    link = tab.locator("#table-rows .x a").get_attribute("href")
    tab.locator("a[data-finding]").first.click()
    counted(tab, "1 to 2 of 2 clips")
    assert tab.locator("#table-finding").input_value() == "guess"
    tab.evaluate("hash => { location.hash = hash }", link)
    tab.wait_for_selector("#table-rows .x")
    tab.evaluate("location.hash = '#row=no%20such'")
    counted(tab, "No row here is called no such.")
    tab.evaluate("location.hash = '#row=%E0%A4%A'")
    assert opened(place="#row=clip%2038").locator("#table-rows tr.open button").inner_text() == "clip 38"


def test_splits_and_outlines(opened, page: Page, outline: Outline) -> None:
    rows = tuple(Row(f"frame {i}", "kept", (f"{i}",), ("train", "test")[i % 2], outline) for i in range(4))
    held = with_table(page, rows=rows, total={"kept": 4}, columns=("frame", "people"), evidence={})
    tab = opened(held, place="#row=frame%202")
    assert tab.locator("#table-rows th").all_inner_texts() == ["frame", "split", "people"]
    assert tab.locator("#table-rows .outline rect").count() == 5
    assert tab.locator("#table-rows .outline text").text_content() == "3"
    assert tab.locator("#table-fate, #table-finding").count() == 0
    tab.locator("#table-split").select_option("=test")
    assert tab.locator("#table-count").inner_text() == "1 to 2 of 2 clips"


def test_names_take_the_whole_width_of_a_phone(opened) -> None:
    tab = opened(viewport={"width": 390, "height": 844})
    name, row = (tab.locator(f"#table-rows tr.r{part}").first.bounding_box() for part in (" td", ""))
    assert name["width"] == row["width"] > 300


def test_phone_dark_and_paper(opened) -> None:
    tab = opened(place="#row=clip%203", viewport={"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.set_viewport_size({"width": 320, "height": 700})
    assert tab.evaluate("document.documentElement.scrollWidth") == 320
    ground = "getComputedStyle(document.body).backgroundColor"
    assert tab.evaluate(ground) == "rgb(255, 255, 255)"
    tab.emulate_media(color_scheme="dark")
    assert tab.evaluate(ground) == "rgb(15, 19, 24)"
    tab.emulate_media(color_scheme="dark", media="print")
    assert tab.evaluate(ground) == "rgb(255, 255, 255)"
    assert not tab.locator("nav, .tools, .pager").first.is_visible()
    assert tab.get_by_text("second tab").is_visible()
    assert tab.locator("#table-rows tr.r").count() == 25
    tab.emulate_media(media="screen")
    assert not tab.get_by_text("second tab").is_visible()


def test_tables_beside_figures_fit_on_paper_and_names_of_tabs_stay_with_them(opened, page: Page) -> None:
    table = Table("parts", ("choice", *["Published"] * 5), (("a", *["1,234.56"] * 5),), frozenset(range(1, 6)))
    figure = next(block for section in page.sections for block in section.blocks if isinstance(block, Figure))
    held = dataclasses.replace(page, sections=(Section("s", "S", "S", (Beside((figure, table)),)), *page.sections))
    tab = opened(held, viewport={"width": 688, "height": 900})  # A4 less its margins
    tab.emulate_media(media="print")
    box = tab.locator("#s table").bounding_box()
    assert box["x"] + box["width"] <= 688
    name = "(kept => getComputedStyle(document.querySelector('.tabs > section'), '::before')[kept])"
    assert [tab.evaluate(f"{name}('{kept}')") for kept in ("display", "breakAfter")] == ["block", "avoid"]


def test_all_but_the_table_works_without_scripts(browser: Browser, page: Page, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(html(page), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((tmp_path / "report.html").as_uri())
    assert tab.locator("noscript p").is_visible()
    assert not tab.locator("#table-parts").is_visible()
    tab.locator(".tabs > label").nth(1).click()
    assert tab.get_by_text("second tab").is_visible()
    context.close()


def test_twenty_thousand_rows(opened, page: Page) -> None:
    rows = tuple(Row(f"image {i}", ("kept", "size")[i % 2], (f"text {i} of many",)) for i in range(20_000))
    tab = opened(with_table(page, rows=rows, total={"kept": 10_000, "size": 1_000_000}, columns=("image", "text")))
    assert tab.get_by_text("10,000 of 1,000,000 dropped clips are here, evenly by rule").is_visible()
    tab.locator("#table-search").fill("image 19999")
    counted(tab, "1 to 1 of 1 clips")
