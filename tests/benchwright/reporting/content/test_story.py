"""What every page says: its numbers are those of the audit, the findings, `verify`, `score` and the ledger."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

import benchwright
from benchwright.auditing.result import Audit
from benchwright.checks.run import context_of, findings_in
from benchwright.explanation import stories
from benchwright.reporting.blocks import (
    Cards,
    Figure,
    FindingList,
    Key,
    Noted,
    Page,
    Paragraph,
    RowTable,
    Swaps,
    Table,
    Tabs,
    Text,
    Timeline,
    each_block,
)
from benchwright.reporting.content import content_of
from benchwright.reporting.content.words import bare, number, signed
from benchwright.reporting.drawing import Label, Marker
from benchwright.reporting.texts import plain
from benchwright.verification import verify
from schemas.manifest import Manifest, manifest_in_memory

Make = Callable[..., tuple[Page, Audit]]
# By how they were asked for: both are frozen, and an audit takes a second.
MADE: dict[str, tuple[Page, Audit]] = {}


@pytest.fixture
def made(samples: Path, sample_manifest: Callable[..., Manifest], write: Callable[..., Path]) -> Make:
    """The page of a benchmark from the samples with so many systems, each later than the one before; made once."""

    def call(name: str = "uag-oops", systems: int = 4, by: float = 0.3, **options: Any) -> tuple[Page, Audit]:
        asked = repr((name, systems, by, options))
        if asked not in MADE:
            MADE[asked] = page_of(name, systems, by, **options)
        return MADE[asked]

    def page_of(name: str, systems: int, by: float, **options: Any) -> tuple[Page, Audit]:
        manifest = sample_manifest(name)
        runs: dict[str, Path] = {
            f"system {place:02}": write(manifest, 0.2 + by * place, f"{place}.json") for place in range(systems)
        }
        audit = benchwright.audit(name, samples, runs or None, **options)
        context = context_of(manifest, runs or None)
        return content_of(context, audit, findings_in(context)), audit

    return call


def blocks(page: Page, kind: type[Any], section: str | None = None) -> list[Any]:
    chosen = [each for each in page.sections if section in (None, each.id)]
    held = [block for each in chosen for block in each_block(each.blocks)]
    return [block for block in held if isinstance(block, kind)]


def table(page: Page, section: str, *columns: str) -> Table:
    """The table of a section that has these columns."""
    return next(each for each in blocks(page, Table, section) if set(columns) <= set(each.columns))


def words(cell: object) -> str:
    if isinstance(cell, Noted):
        return plain(cell.text)
    return cell.text if isinstance(cell, Swaps) else plain(cell)  # type: ignore[arg-type]


def texts(page: Page) -> Iterator[str]:
    """All that a page says but its row table."""

    def said(text: Text) -> str:
        return plain(text)

    yield page.lead
    yield from (said(value) for _, value in page.facts)
    for section in page.sections:
        yield section.heading
        for block in each_block(section.blocks):
            if isinstance(block, Paragraph):
                yield said(block.text)
            elif isinstance(block, Figure):
                yield block.title
                yield said(block.caption)
            elif isinstance(block, Cards):
                for card in block.cards:
                    yield from (card.figure, said(card.text))


def test_sections_follow_in_the_order_of_the_design(made: Make) -> None:
    page, _ = made()
    order = ["summary", "claims", "rules", "effects", "scores", "figures", "findings", "rowtable"]
    assert [section.id for section in page.sections] == order
    assert page.sections[2].heading == "From 24 candidates to 12 clips"


def test_every_link_leads_to_a_section(made: Make) -> None:
    page, _ = made()
    known = {section.id for section in page.sections}
    found = [part for cards in blocks(page, Cards) for card in cards.cards for part in card.text]
    links = [part.section for part in found if not isinstance(part, str) and hasattr(part, "section")]
    assert links
    assert set(links) <= known


def test_cells_of_effects_are_those_of_the_audit(made: Make) -> None:
    page, audit = made()
    shown = table(page, "effects", "Rows")
    variants = {each.key: each for each in audit.variants}
    for name, _, *cells in shown.rows:
        variant = variants[words(name)]
        for metric, cell in zip(shown.columns[2:], cells, strict=True):
            assert isinstance(cell, Swaps)
            effect = variant.effects.get(metric)
            if effect is None:
                assert cell.text == "?"
                continue
            counted = re.search(r"\d+", cell.text)
            assert int(counted[0] if counted else 0) == len(effect.pairs)
            grades = {"decides": 3, "reorders": 2, "noise": 1}
            assert cell.degree >= grades.get(effect.grade, 0)
            assert all(pair.a in cell.title for pair in effect.pairs)
    drawn = {words(row[0]) for row in shown.rows}
    swapping = {each.key for each in audit.variants if any(effect.pairs for effect in each.effects.values())}
    assert swapping
    assert swapping <= drawn
    assert {"single_scene.by=skip"} <= drawn  # not judged


def test_what_has_no_effect_is_named_in_a_sentence(made: Make) -> None:
    page, audit = made()
    shown = {words(row[0]) for row in table(page, "effects", "Rows").rows}
    said = " ".join(plain(each.text) for each in blocks(page, Paragraph, "effects"))
    assert all(each.key in said for each in audit.variants if each.key not in shown)
    assert all(each.key in said and each.reason in said for each in audit.not_judged)


def test_parts_are_those_of_the_audit(made: Make) -> None:
    page, audit = made()
    shown = table(page, "effects", "System", "Lost")
    metric = re.findall(r"by (\S+)$", str(shown.folded))[0]
    variants = {each.key: each for each in audit.variants}
    assert shown.rows
    for key, system, *cells in shown.rows:
        standing = variants[words(key)].effects[metric].systems[words(system)]
        assert standing.parts is not None
        parts = (standing.parts.lost, standing.parts.changed, standing.parts.gained)
        before = audit.default.effects[metric].systems[words(system)].score
        assert [*map(words, cells)] == [number(before), *map(signed, parts), number(standing.score)]


def test_scores_are_those_of_score_and_audit(
    made: Make, sample_manifest: Callable[..., Manifest], write: Callable[..., Path]
) -> None:
    page, audit = made(systems=2)
    shown = table(page, "scores", *audit.metrics)
    rows = {words(row[0]): dict(zip(shown.columns[1:], map(words, row[1:]), strict=True)) for row in shown.rows}
    assert set(rows) == {*audit.systems, *audit.baselines}
    manifest = sample_manifest("uag-oops")
    scored = benchwright.score(manifest, write(manifest, 0.2), metrics=list(audit.metrics), resamples=0)
    for metric, value in scored.metrics.items():
        assert rows["system 00"][metric].partition(" [")[0] == bare(value.value, value.unit)
        for name, by_metric in scored.baselines.items():
            assert rows[name][metric].partition(" [")[0] == bare(by_metric[metric], value.unit)
            interval = audit.baselines[name][metric].interval
            assert (
                interval.low is None
                or f"[{bare(interval.low, value.unit)}, {bare(interval.high, value.unit)}]" in rows[name][metric]
            )


def test_charts_of_scores_have_a_mark_for_each_system_and_guess(made: Make) -> None:
    page, audit = made(systems=7)
    for figure in blocks(page, Figure, "scores"):
        marks = [shape for shape in figure.drawing.shapes if isinstance(shape, Marker)]
        assert sum(mark.hollow for mark in marks) == len(audit.baselines)
        assert {mark.colour for mark in marks} == {*(f"system {n}" for n in range(5)), "other", "guess"}
        assert len(marks) == len(audit.systems) + len(audit.baselines)


def test_rules_have_the_numbers_of_identity_and_audit(made: Make, sample_manifest: Callable[..., Manifest]) -> None:
    page, audit = made(systems=0)
    identity = sample_manifest("uag-oops").identity
    (fall, *_) = blocks(page, Figure, "rules")
    labels = [shape.text for shape in fall.drawing.shapes if isinstance(shape, Label)]
    for count in identity.counts:
        assert (count.rule in labels) == bool(count.dropped)
        assert not count.dropped or any(text.startswith(f"−{count.dropped} (") for text in labels)
    lifted = {words(row[0]): words(row[2]) for row in table(page, "rules", "Won without it").rows}
    assert lifted == {
        each.key.removeprefix("lift "): f"+{each.gained}" if each.gained else "0"
        for each in audit.variants
        if each.key.startswith("lift ")
    }
    overlaps = table(page, "rules", "Share").rows
    assert [int(words(row[1])) for row in overlaps] == [each.rows for each in audit.overlaps]
    said = " ".join(plain(each.text) for each in blocks(page, Paragraph, "rules"))
    assert all(f"{each.key} (+{each.together:,})" in said for each in audit.masked)


def test_claims_are_those_of_verify(made: Make, sample_manifest: Callable[..., Manifest]) -> None:
    page, _ = made(systems=0)
    lines = verify(sample_manifest("uag-oops"))
    shown = table(page, "claims", "Verdict").rows
    assert [row[3].text for row in shown] == [line.verdict for line in lines]  # type: ignore[union-attr]
    assert [words(row[0]) for row in shown] == [f"{line.claim} ({line.unit})" for line in lines]


def test_findings_are_told_and_their_rows_counted(made: Make, sample_manifest: Callable[..., Manifest]) -> None:
    page, _ = made(systems=1)
    (found,) = blocks(page, FindingList, "findings")
    (rows,) = blocks(page, RowTable)
    names = {row.name for row in rows.rows}
    assert found.findings
    for note in found.findings:
        assert note.rows == len(rows.evidence[note.id])
        assert set(rows.evidence[note.id]) <= names


def test_dropped_rows_have_the_reasons_that_why_gives(made: Make, sample_manifest: Callable[..., Manifest]) -> None:
    page, _ = made(systems=0)
    manifest = sample_manifest("uag-oops")
    (rows,) = blocks(page, RowTable)
    dropped = [row for row in rows.rows if row.fate != "kept"]
    assert len(dropped) == rows.total[dropped[0].fate] + sum(
        count for fate, count in rows.total.items() if fate not in ("kept", dropped[0].fate)
    )
    for row in dropped:
        (story,) = stories(manifest, row.name)
        step = next(step for step in story.steps if step.action == "dropped")
        assert (row.fate, row.cells[-1]) == (step.rule, step.sentence)


def test_rows_have_spans_annotators_and_answers(made: Make, sample_manifest: Callable[..., Manifest]) -> None:
    page, _ = made(systems=2)
    (rows,) = blocks(page, RowTable)
    truth = {row["sample_id"]: row for row in sample_manifest("uag-oops").table().to_pylist()}
    for row in rows.rows[: len(truth)]:
        of, picture = truth[row.name], row.picture
        assert isinstance(picture, Timeline)
        assert (picture.span, picture.marks) == ((of["start_s"], of["end_s"]), tuple(of["onsets_s"]))
        assert row.cells[-1] == of["description"]
        lanes: Mapping[str, Any] = dict(picture.lanes)
        assert lanes["system 00"] == pytest.approx((of["start_s"] + 0.2, of["end_s"] + 0.2))


def test_curves_have_a_column_per_combination(made: Make) -> None:
    page, audit = made()
    assert audit.factorial is not None
    (tabs,) = blocks(page, Tabs, "effects")
    assert {name for name, _ in tabs.tabs} == {m for m, curve in audit.factorial.curves.items() if curve.choices}
    for name, (beside,) in tabs.tabs:
        curve = audit.factorial.curves[name]
        dots = [shape for shape in beside.blocks[0].drawing.shapes if isinstance(shape, Marker)]
        kept = [shape for shape in dots if shape.colour == "kept"]
        assert len(kept) == len(curve.combinations) * len(curve.choices)
        top = max(curve.firsts, key=lambda system: curve.firsts[system])
        assert beside.blocks[0].title.startswith(f"{top} is first under ")


@pytest.mark.parametrize("count", [0, 1, 2, 6, 50])
def test_any_number_of_systems_has_a_page(count: int, made: Make) -> None:
    page, audit = made(systems=count, by=0.05, resamples=20)
    ids = [section.id for section in page.sections]
    assert ("scores" in ids) == (count > 0)
    assert "effects" in ids
    said = " ".join(texts(page))
    assert not re.search(r"\bnan\b|\bNone\b|\{|\binf\b", said)
    if count > 5:
        (key, *_) = blocks(page, Key, "scores")
        assert ("other", f"{count - 5} further {'system' if count == 6 else 'systems'}") in key.entries
    assert len(audit.systems) == count


@pytest.mark.parametrize("name", ["uag-ssbd", "uag-funqa", "charades-sta", "oops-uag-instruct"])
def test_every_benchmark_of_spans_has_a_page(name: str, made: Make, sample_manifest: Callable[..., Manifest]) -> None:
    systems = 3 if "test" in sample_manifest(name).splits else 0
    page, audit = made(name, systems=systems)
    (rows,) = blocks(page, RowTable)
    kept = sum(split.rows for split in sample_manifest(name).identity.splits.values())
    assert (rows.total["kept"], len([row for row in rows.rows if row.fate == "kept"])) == (kept, kept)
    assert len(blocks(page, Figure, "figures")) >= 3
    assert not re.search(r"\bnan\b|\bNone\b|\{", " ".join(texts(page)))
    assert len(audit.systems) == systems


def test_without_an_audit_a_page_has_rules_figures_findings_and_rows(sample_manifest: Callable[..., Manifest]) -> None:
    context = context_of(sample_manifest("uag-oops"))
    page = content_of(context, None, findings_in(context))
    assert [section.id for section in page.sections] == [
        *("summary", "claims", "rules", "figures", "findings", "rowtable")
    ]


def test_a_benchmark_of_ones_own_without_a_card_has_a_page(sample_manifest: Callable[..., Manifest]) -> None:
    built = sample_manifest("uag-oops")
    identity = msgspec.structs.replace(built.identity, name="mine")
    own = manifest_in_memory(identity, {name: built.table(name) for name in built.splits}, built.ledger())
    assert own.card is None
    context = context_of(own)
    page = content_of(context, None, findings_in(context))
    assert page.name == "mine"
    assert [section.id for section in page.sections] == ["summary", "rules", "figures", "findings", "rowtable"]
    assert "Licence" not in dict(page.facts)


def test_splits_are_told_apart(made: Make, sample_manifest: Callable[..., Manifest]) -> None:
    page, _ = made("charades-sta", systems=0)
    splits = sample_manifest("charades-sta").identity.splits
    assert len(splits) > 1
    assert all(f"{name} {split.rows:,}" in str(dict(page.facts)["Rows"]) for name, split in splits.items())
    (rows,) = blocks(page, RowTable)
    assert {row.split for row in rows.rows if row.fate == "kept"} == set(splits)


def test_rules_of_boxes_win_images_and_objects(made: Make) -> None:
    page, audit = made("coco-person", systems=0)
    won = {words(row[0]): words(row[2]) for row in table(page, "rules", "Won without it").rows}
    (lifted,) = (each for each in audit.variants if each.key == "lift small_person")
    assert won["small_person"] == "; ".join(f"+{each.added} {each.level.removesuffix('s')}s" for each in lifted.levels)


def test_what_decides_the_images_is_not_what_decides_the_objects(
    made: Make, sample_manifest: Callable[..., Manifest]
) -> None:
    page, audit = made("coco-person", systems=0)
    identity = sample_manifest("coco-person").identity
    image = next(iter(identity.levels))
    won = {
        each.key.removeprefix("lift "): level.added
        for each in audit.variants
        for level in each.levels
        if each.key.startswith("lift ") and level.level == image and level.added
    }
    assert won
    assert any(each.gained > won.get(each.key.removeprefix("lift "), 0) for each in audit.variants)
    (cards,) = blocks(page, Cards, "summary")
    said = plain(cards.cards[0].text)
    assert all(f"{rule} (+{count})" in said for rule, count in won.items())
    assert said.count("(+") == len(won)
    shown = table(page, "effects", "Gained").rows
    assert shown


def test_the_first_alternative_of_a_choice_says_what_is_chosen(made: Make) -> None:
    page, audit = made()
    rows = [row[0] for row in table(page, "effects", "Rows").rows]
    notes = {words(cell): plain(cell.note) for cell in rows if isinstance(cell, Noted)}
    about = {each.key: each.about for each in audit.variants if each.about}
    assert notes["single_scene.by=skip"] == f"other benchmark: {about['single_scene.by=skip']}"
    picks = [note for key, note in notes.items() if key.startswith("onset.pick=")]
    assert [about["onset.pick=median"] in note for note in picks] == [True, *(False for _ in picks[1:])]


def test_a_system_that_equals_a_guess_is_not_above_it(sample_manifest: Callable[..., Manifest], tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    benchwright.baseline(manifest, "predict-all", tmp_path / "all.json")
    audit = benchwright.audit("uag-oops", "tests/samples", {"mine": tmp_path / "all.json"})
    context = context_of(manifest, {"mine": tmp_path / "all.json"})
    page = content_of(context, audit, findings_in(context))
    titles = [figure.title for figure in blocks(page, Figure, "scores")]
    assert titles
    assert not [title for title in titles if "above every guess" in title]
