"""The page of boxes: its numbers are those of the manifest, of `score` and of `monitor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright import monitor, score
from benchwright.checks.run import context_of, findings_in
from benchwright.reporting.blocks import Beside, Block, Figure, Paragraph, Table, Tabs
from benchwright.reporting.content import boxes, content_of
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.losses import losses
from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.monitoring.metrics import CRITERIA

BENCHMARKS = ("coco-person", "densepose-person", "voc-person")


def material_of(manifest: Manifest, runs: Any = None, split: str | None = None, parts: object = None) -> Material:
    context = context_of(manifest, runs, None, split)
    return Material(context, None, findings_in(context), tuple(context.runs), None, parts)


def each(blocks: tuple[Block, ...], kind: type) -> Iterator[Any]:
    for block in blocks:
        if isinstance(block, kind):
            yield block
        if isinstance(block, Beside):
            yield from each(block.blocks, kind)
        if isinstance(block, Tabs):
            for _, held in block.tabs:
                yield from each(held, kind)


@pytest.fixture
def detections(tmp_path: Path) -> Callable[..., Path]:
    """Write detections of some classes: the boxes themselves, a little to the right, every third without score."""

    def call(manifest: Manifest, split: str, by: float = 2, of: tuple[str, ...] = (), name: str = "run") -> Path:
        found = [
            {"sample_id": row["sample_id"], **{side: thing[side] for side in ("y", "width", "height")}}
            | {"x": thing["x"] + by, "category": thing["category"], "score": 0.9 if place % 3 else 0.4}
            for row in manifest.table(split).to_pylist()
            for place, thing in enumerate(row["objects"])
            if not of or thing["category"] in of
        ]
        path = tmp_path / f"{name}.csv"
        lines = [",".join(found[0]), *(",".join(map(str, each.values())) for each in found)]
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return call


@pytest.mark.parametrize("name", BENCHMARKS)
def test_rows_have_their_numbers_and_every_box(name: str, sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest(name)
    for row, truth in zip(boxes.rows(material_of(manifest)), manifest.table().to_pylist(), strict=True):
        things = truth["objects"]
        areas = [thing["area"] for thing in things if thing["area"] is not None]
        left = sum(thing["ignored"] or thing["crowd"] for thing in things)
        assert (row.name, row.split) == (truth["sample_id"], truth["split"])
        assert row.cells[:3] == (str(len(things)), f"{min(areas):,.0f}" if areas else "", str(left))
        assert row.picture is not None
        assert len(row.picture.boxes) == len(things)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_sections_have_the_numbers_of_the_identity(name: str, sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest(name)
    sections = {section.id: section for section in boxes.sections(material_of(manifest))}
    assert list(sections) == ["images", "boxes"]
    titles = [figure.title for figure in each(losses(manifest), Figure)]
    images, objects = (manifest.identity.levels[level] for level in ("image", "objects"))
    assert [title.partition(" stay")[0] for title in titles] == [
        f"{images.kept} of {images.candidates} images",
        f"{objects.kept} of {objects.candidates} objects",
    ]


@pytest.mark.parametrize(
    ("on_small", "said"),
    [
        ("drop_image", "3 images fall over a box below 2,247 px²"),
        ("drop_person", "boxes are dropped, as they are below 2,247 px²"),
        ("ignore", "boxes are left out of scoring, as they are below 2,247 px²"),
    ],
)
def test_the_title_of_areas_says_what_the_rule_does(
    on_small: str, said: str, sample_manifest: Callable[..., Manifest]
) -> None:
    manifest = sample_manifest("coco-person", small_person__on_small=on_small)
    numbers = next(section for section in boxes.sections(material_of(manifest)) if section.id == "boxes")
    assert said in next(each(numbers.blocks, Figure)).title


def test_classes_are_those_of_score(sample_manifest: Callable[..., Manifest], detections: Callable[..., Path]) -> None:
    manifest = sample_manifest("densepose-person")
    runs = {"near": detections(manifest, "train"), "far": detections(manifest, "train", 9, name="far")}
    material = material_of(manifest, runs, "train")
    section = next(section for section in boxes.sections(material) if section.id == "classes")
    (tabs,) = each(section.blocks, Tabs)
    for (name, held), run in zip(tabs.tabs, runs, strict=True):
        assert name == run
        wanted = score(manifest, runs[run], split="train", per_class=True, resamples=0).tables
        tables = [block for block in held if isinstance(block, Table)]
        for table, numbers in zip(tables, wanted.values(), strict=True):
            assert table.caption == numbers.title
            assert len(table.rows) == len(numbers.rows)
        first, row = tables[0].rows[0], wanted["classes"].rows[0]
        assert first[2] == f"{row['AP']:.4f}"


@pytest.mark.parametrize("setup", ["SingleDet", "MultiDet"])
def test_the_sweep_is_that_of_monitor(
    setup: str, sample_manifest: Callable[..., Manifest], detections: Callable[..., Path]
) -> None:
    manifest = sample_manifest("densepose-person")
    run, parts = detections(manifest, "val"), None
    if setup == "MultiDet":
        run = detections(manifest, "val", of=("person",))
        parts = detections(manifest, "val", 1, ("head", "hand", "torso"), "parts")
    material = material_of(manifest, {"run": run}, "val", parts)
    section = next(section for section in boxes.sections(material) if section.id == "monitoring")
    wanted = monitor(manifest, run, split="val", resamples=0, **({"parts": parts} if parts else {}))
    (table,) = each(section.blocks, Table)
    (cells,) = table.rows
    assert cells[:4] == ("run", wanted.setup, str(wanted.counts["persons"]), str(wanted.counts["parts"]))
    for place, criterion in enumerate(CRITERIA):
        best = wanted.best[criterion]
        reached = None if best is None else wanted.metrics[f"{criterion}[o={best:.15g}]"].value
        places = 0 if criterion.startswith("balance") else 4
        expected = "–" if best is None or reached is None else f"{reached:,.{places}f} at {best:g}"
        assert cells[4 + place] == expected


def test_persons_alone_are_not_monitored(
    sample_manifest: Callable[..., Manifest], detections: Callable[..., Path]
) -> None:
    manifest = sample_manifest("densepose-person")
    material = material_of(manifest, {"run": detections(manifest, "val", of=("person",))}, "val")
    assert "monitoring" not in [section.id for section in boxes.sections(material)]


def test_a_manifest_without_boxes_has_a_page(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("coco-person", small_person__min_area=1e9)
    context = context_of(manifest)
    assert content_of(context, None, findings_in(context)).sections


def test_rows_have_thumbnails_where_media_are_there(sample_manifest: Callable[..., Manifest], tmp_path: Path) -> None:
    manifest = sample_manifest("voc-person")
    rows = manifest.table().to_pylist()
    Image.new("RGB", (500, 375)).save(tmp_path / rows[0]["file_name"])
    material = material_of(manifest)._replace(media=tmp_path)
    made = boxes.rows(material)
    assert [row.name for row in made if row.thumbnail] == [rows[0]["sample_id"]]
    said = " ".join(str(block.text) for block in boxes.sections(material)[0].blocks if isinstance(block, Paragraph))
    assert f"1 of {len(rows)} rows have a small picture" in said
    assert f"{len(rows) - 1} of those looked for cannot be shown" in said
    assert repr(rows[1]["file_name"]) in said


def test_what_would_show_nothing_is_refused(sample_manifest: Callable[..., Manifest], tmp_path: Path) -> None:
    boxes_alone = context_of(sample_manifest("densepose-person"))
    with pytest.raises(UsageError, match="give predictions on a manifest of boxes"):
        content_of(boxes_alone, None, findings_in(boxes_alone), None, tmp_path / "parts.csv")
    spans = context_of(sample_manifest("uag-ssbd"))
    with pytest.raises(UsageError, match="name no image files"):
        content_of(spans, None, findings_in(spans), tmp_path)
