"""An invented report that holds every kind of block, its texts hostile; and one headless Chromium for all tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchwright.reporting.blocks import (
    Beside,
    Card,
    Cards,
    Code,
    Figure,
    FindingList,
    FindingNote,
    Key,
    Link,
    Noted,
    Outline,
    Page,
    Paragraph,
    Row,
    RowTable,
    Section,
    Subheading,
    Swaps,
    Table,
    Tabs,
    Timeline,
    Verdict,
)
from benchwright.reporting.drawing import SHAPES, Drawing, Label, Line, Marker, Rectangle

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

HOSTILE = (
    "</script><img src=x onerror=\"document.title='owned'\">&amp;'\u202e\u05d0\x1b[31m $x_1$ \\input{y} | `a` 中é\n#"
)


@pytest.fixture
def hostile() -> str:
    """A text that is markup, script and command to whoever lets it."""
    return HOSTILE


def drawing(width: float = 520) -> Drawing:
    """Every shape, hostile wherever there is text."""
    marks = (Marker(20 + 30 * i, 60, shape, f"system {i}", HOSTILE, 5, bool(i % 2)) for i, shape in enumerate(SHAPES))
    return Drawing(
        width,
        100,
        (
            Rectangle(0, 0, 50, 20, "kept", HOSTILE),
            Rectangle(60, 0, 50, 20, "gone", filled=False),
            Line(((0, 90), (width, 90)), "hair", dashed=True, title=HOSTILE),
            Label(4, 40, HOSTILE, "system 1", "middle", bold=True),
            Marker(200, 60, "circle", "guess", hollow=True),
            Marker(230, 60, "circle", "other"),
            *marks,
        ),
        HOSTILE,
    )


def rows(kept: int, dropped: int) -> tuple[Row, ...]:
    """Kept rows with time lines, some without an answer; dropped rows without."""
    names = ("system a", "system b", HOSTILE)
    lanes = ((1.5, 4.0), None, (9.0, 11.25))
    time = Timeline(8.0, (2.0, 6.5), (2.0, 2.5, 3.0), tuple(zip(names, lanes, strict=True)))
    return (
        Row(HOSTILE, "kept", ("8 s", HOSTILE), HOSTILE, time, (("see ", Code("why"), HOSTILE),)),
        *(Row(f"clip {i}", "kept", (f"{i} s", f"word{i} falls"), "test", time) for i in range(kept - 1)),
        *(Row(f"gone {i}", "agreement", ("", f"reason {i % 3}"), "test") for i in range(dropped)),
    )


def page_of(*, kept: int = 40, dropped: int = 20) -> Page:
    """The whole report."""
    figure = Figure(HOSTILE, drawing(), ("caption ", Code(HOSTILE)))
    return Page(
        name=f"invented {HOSTILE}",
        lead=HOSTILE,
        facts=(("Digest", "f" * 64), (HOSTILE, HOSTILE), ("Quote as", (Code("invented"),))),
        commands=("benchwright audit invented", HOSTILE),
        sections=(
            Section(
                "summary",
                HOSTILE,
                "Summary",
                (
                    Cards(
                        (Card("44.6 %", ("said ", Link("Evidence", "f-guess")), "change"), Card("3", HOSTILE, "good"))
                    ),
                    Paragraph((HOSTILE, Code(HOSTILE), Link(HOSTILE, "rows", "guess"))),
                    Subheading(HOSTILE),
                    Table(
                        HOSTILE,
                        ("Choice", "rows", "R1(td<=5)"),
                        (
                            ((HOSTILE), "+3", Swaps("★ 1", 2, HOSTILE)),
                            (Noted(HOSTILE, (Code("a=1"),)), "=", Swaps("·", 0, "kept")),
                            ("claim", "1,589", Verdict(HOSTILE, "good")),
                        ),
                        frozenset({1}),
                    ),
                    Table("folded", ("a", "b"), (("1", "2"),), folded=HOSTILE),
                    Key(
                        (
                            ("system 2", HOSTILE),
                            ("kept", "stays"),
                            ("degree 3", "turns"),
                            ("guess", "g"),
                            ("★", "first"),
                        )
                    ),
                    Beside((figure, Paragraph("beside"))),
                    Figure("wide", drawing(1040), "wide one"),
                    Tabs((("one", (figure,)), (HOSTILE, (Paragraph("second tab"),)))),
                ),
            ),
            Section(
                "findings",
                "Findings",
                "Findings",
                (
                    FindingList(
                        (
                            FindingNote("guess", "high", HOSTILE, HOSTILE, HOSTILE, "onset.pick=median", 2),
                            FindingNote("text", "low", "title", "statement"),
                        )
                    ),
                ),
            ),
            Section(
                "rows",
                "All rows",
                "All clips",
                (
                    RowTable(
                        "clips",
                        ("clip", "length", "description"),
                        rows(kept, dropped),
                        {"guess": (HOSTILE, "clip 30", "unknown"), "text": ()},
                        {"kept": kept, "agreement": dropped * 1000},
                        frozenset({1}),
                        ("system a", "system b", HOSTILE),
                    ),
                ),
            ),
        ),
    )


@pytest.fixture(scope="session")
def page() -> Page:
    """A report of 40 kept and 20 dropped rows, of 20,000."""
    return page_of()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium of the system, once for all tests; skips without it, fails under BENCHWRIGHT_REQUIRE_CHROMIUM=1."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        if os.environ.get("BENCHWRIGHT_REQUIRE_CHROMIUM") == "1":
            pytest.fail("no chromium")
        pytest.skip("no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser, page: Page, tmp_path: Path) -> Iterator[Callable[..., Tab]]:
    """Open a report, or its file; at the end of the test it must have loaded nothing and said nothing."""
    from benchwright.reporting.html import html

    said: list[str] = []
    tabs: list[Tab] = []

    def call(held: Page | Path = page, place: str = "", **options: Any) -> Tab:
        file = held if isinstance(held, Path) else tmp_path / "report.html"
        if isinstance(held, Page):
            file.write_text(html(held), encoding="utf-8")
        tab = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda failure: said.append(str(failure)))
        tab.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        tab.add_init_script("addEventListener('securitypolicyviolation', e => console.log(e.violatedDirective))")
        tab.goto(file.as_uri() + place)
        tabs.append(tab)
        return tab

    yield call
    for tab in tabs:
        tab.close()
    assert said == []


@pytest.fixture(scope="session")
def outline() -> Outline:
    """Four boxes, two of them a group."""
    boxes = (
        (10.0, 10.0, 50.0, 100.0, 3, "walks"),
        (80.0, 10.0, 50.0, 100.0, 3, HOSTILE),
        (300.0, 20.0, 40.0, 90.0, -1, "a"),
    )
    return Outline(3760, 480, boxes, grouped=True)
