"""The page of UAG-OOPS with its five systems: the numbers that were found independently, and the verbs'."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import benchwright
from benchwright.auditing.result import Audit
from benchwright.checks.finding import Findings
from benchwright.checks.run import context_of, findings_in
from benchwright.reporting.blocks import (
    Cards,
    Figure,
    FindingList,
    Noted,
    Page,
    Paragraph,
    RowTable,
    Swaps,
    Table,
    each_block,
)
from benchwright.reporting.content import content_of
from benchwright.reporting.content.words import bare
from benchwright.reporting.texts import plain
from schemas.manifest import Manifest

pytestmark = pytest.mark.real_data

Told = tuple[Page, Audit, Findings, Manifest]


@pytest.fixture(scope="module")
def audit(real_data: Path) -> Audit:
    return benchwright.audit("uag-oops", real_data / "oops", real_data / "systems" / "uag-oops")


@pytest.fixture
def told(audit: Audit, real_data: Path, real_manifest: Callable[..., Manifest]) -> Told:
    manifest, training = real_manifest("uag-oops"), real_manifest("oops-uag-instruct")
    context = context_of(manifest, real_data / "systems" / "uag-oops", training)
    found = findings_in(context)
    return content_of(context, audit, found), audit, found, manifest


def of(page: Page, kind: type, section: str) -> list:  # type: ignore[type-arg]
    (chosen,) = (each for each in page.sections if each.id == section)
    return [block for block in each_block(chosen.blocks) if isinstance(block, kind)]


def test_rules_say_what_decides_and_what_is_masked(told: Told) -> None:
    page, *_ = told
    (section,) = (each for each in page.sections if each.id == "rules")
    assert section.heading == "From 4,711 candidates to 1,589 clips"
    said = " ".join(plain(each.text) for each in of(page, Paragraph, "rules"))
    for words in ("single_scene (+1,314)", "names.repair=true (+3)", "agreement.max_notfound=1 (+651)"):
        assert words in said
    overlaps = next(each for each in of(page, Table, "rules") if "Share" in each.columns)
    assert [row[1] for row in overlaps.rows] == ["1,589", "1,314", "1,154", "651", "3"]


def test_effects_show_the_swaps_of_the_study(told: Told) -> None:
    page, *_ = told
    table = next(each for each in of(page, Table, "effects") if "Rows" in each.columns)
    cells = {
        plain(row[0].text): dict(zip(table.columns[2:], row[2:], strict=True))
        for row in table.rows
        if isinstance(row[0], Noted)
    }
    for key in ("onset.pick=median", "onset.pick=latest", "null=miss", "protocol=strict"):
        cell = cells[key]["R1(td<=5)"]
        assert isinstance(cell, Swaps)
        assert (cell.text, cell.degree) == ("2", 2)
    assert cells["cap=none"]["mTD"] == Swaps(
        "2", 2, "video_chatgpt passes videochat2 (a lead is lost); videollama passes videochat2 (a lead is lost); "
        "Kendall's tau 0.60, noise floor 0.80",
    )  # fmt: skip
    assert not any(cell.degree == 3 for row in cells.values() for cell in row.values() if isinstance(cell, Swaps))
    titles = [figure.title for figure in of(page, Figure, "effects")]
    assert "R1(td<=5): 3 systems trade places 3 to 5" in titles
    assert "onset.pick explains 91 % of how R1(td<=5) varies" in titles
    assert "blip2_llama3 is first under all 256 combinations; the systems have 5 orders" in titles


def test_every_number_is_that_of_its_verb(told: Told, real_data: Path) -> None:
    page, audit, found, manifest = told
    table = next(each for each in of(page, Table, "scores") if set(audit.metrics) <= set(each.columns))
    rows = {str(row[0]): dict(zip(table.columns[1:], map(str, row[1:]), strict=True)) for row in table.rows}
    for name in audit.systems:
        run = real_data / "systems" / "uag-oops" / f"{name}.json"
        scored = benchwright.score(manifest, run, metrics=list(audit.metrics), resamples=0)
        for metric, value in scored.metrics.items():
            assert value.value is not None
            assert rows[name][metric].partition(" [")[0] == bare(value.value, value.unit)
        for guess, by_metric in scored.baselines.items():
            for metric, reached in by_metric.items():
                assert reached is not None
                assert rows[guess][metric].partition(" [")[0] == bare(reached, audit.metrics[metric].unit)
    claims = next(iter(of(page, Table, "claims")))
    assert [row[3].text for row in claims.rows] == [line.verdict for line in benchwright.verify(manifest)]
    (notes,) = of(page, FindingList, "findings")
    by_id = {each.id: each for each in found.findings}
    assert all(
        (note.title, note.statement) == (by_id[note.id].title, by_id[note.id].statement) for note in notes.findings
    )
    assert len(notes.findings) == min(20, len(found.findings))


def test_figures_have_the_numbers_of_the_study(told: Told) -> None:
    page, *_ = told
    titles = [figure.title for figure in of(page, Figure, "figures")]
    assert "In 617 of 1,589 clips annotators differ by more than 1 s" in titles
    assert "Half of the spans start within the first 40 % of the video" in titles
    (rows,) = of(page, RowTable, "rowtable")
    assert rows.total == {"kept": 1589, "agreement": 1805, "described": 3, "single_scene": 1314}
    assert len(rows.rows) == 4711


def test_cards_answer_in_one_look(told: Told) -> None:
    page, *_ = told
    (cards,) = of(page, Cards, "summary")
    assert [card.figure for card in cards.cards][:3] == ["1 of 3 rules", "0 of 19", "8 of 8"]
    assert all(re.search(r"\d", card.figure) for card in cards.cards)
    assert "; other choice: " in plain(cards.cards[3].text)
