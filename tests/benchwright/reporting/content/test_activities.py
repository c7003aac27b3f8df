"""The page of activities: its numbers are those of the manifest, its rows have every box."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from benchwright.checks.run import context_of, findings_in
from benchwright.reporting.blocks import Beside, Block, Figure, Paragraph, Table
from benchwright.reporting.content import activities, content_of
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.losses import losses
from schemas.manifest import Manifest


def material_of(manifest: Manifest) -> Material:
    context = context_of(manifest)
    return Material(context, None, findings_in(context))


def figures(blocks: tuple[Block, ...]) -> Iterator[Figure]:
    for block in blocks:
        if isinstance(block, Beside):
            yield from figures(block.blocks)
        elif isinstance(block, Figure):
            yield block


def test_rows_have_their_numbers_and_every_box(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("jrdb-par")
    rows = activities.rows(material_of(manifest))
    dropped = [each["key"] for each in manifest.ledger().to_pylist() if each["level"] == "persons"]
    for row, truth in zip(rows, manifest.table().to_pylist(), strict=True):
        counts = (len(truth["persons"]), len(truth["groups"]), dropped.count(truth["sample_id"]))
        assert (row.name, row.split) == (truth["sample_id"], truth["split"])
        assert row.cells[:3] == tuple(map(str, counts))
        assert row.picture is not None
        assert len(row.picture.boxes) == counts[0]
        assert row.notes[1].count("Group ") == counts[1]


def test_sections_say_who_is_left_out_and_what_labels_there_are(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("jrdb-par")
    frame, labels = activities.sections(material_of(manifest))
    assert [section.id for section in (frame, labels)] == ["frame", "labels"]
    titles = [figure.title for figure in figures(losses(manifest))]
    for level in ("persons", "groups"):
        found = manifest.identity.levels[level]
        assert any(t.startswith(f"{found.kept} of {found.candidates} {level} stay") for t in titles)
    (table,) = (block for block in losses(manifest) if isinstance(block, Table))
    assert sum(int(str(row[1])) for row in table.rows) == sum(count.dropped for count in manifest.identity.counts)
    assert len(list(figures(labels.blocks))) == 5


@pytest.mark.real_data
def test_the_page_of_the_real_data_has_the_numbers_of_the_study(real_manifest: Callable[..., Manifest]) -> None:
    material = material_of(real_manifest("jrdb-par"))
    _, labels = activities.sections(material)
    assert [figure.title for figure in figures(losses(material.context.manifest))] == [
        "36,554 of 48,330 persons stay (75.6 %)",
        "6,872 of 32,543 groups stay (21.1 %)",
    ]
    drawn = list(figures(labels.blocks))
    assert drawn[0].title == "6 of 27 individual actions never occur in test"
    assert "194 groups of other splits are larger than any in test." in str(drawn[2].caption)
    assert drawn[2].title == "Groups have up to 28 members in train, 8 in test"
    (scenes,) = (block.text for block in labels.blocks[1:] if isinstance(block, Paragraph))
    assert "the 411 frames of test are of 7 sequences with 6 different sets of global labels" in str(scenes)
    rows = activities.rows(material)
    assert (len(rows), sum(len(row.picture.boxes) for row in rows if row.picture)) == (1850, 36554)


def test_a_manifest_without_rows_has_a_page(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("jrdb-par", people__keep="action", key_frames__first=14)
    assert manifest.table().num_rows == 0
    context = context_of(manifest)
    page = content_of(context, None, findings_in(context))
    assert "rowtable" in [section.id for section in page.sections]
