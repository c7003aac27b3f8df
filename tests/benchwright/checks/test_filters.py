"""Findings of the rules about boxes and persons, on the samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import benchwright
from benchwright.checks.finding import Finding
from benchwright.recipes import Card, Recipe, Source, box_candidates, detection_schema, read_csv, rules_for
from builders.engine.variants import Variants
from schemas.manifest import Manifest


def by_id(manifest: Manifest | None = None, builds: Variants | None = None) -> dict[str, Finding]:
    found = benchwright.findings(manifest or builds.build(), builds=builds)  # type: ignore[union-attr]
    assert found.failures == []
    return {each.id: each for each in found.findings}


def test_images_dropped_for_a_small_object(samples: Path) -> None:
    finding = by_id(builds=benchwright.variants("coco-person", samples / "coco"))["whole-image-dropped"]
    numbers = finding.numbers
    assert numbers["kept"] + numbers["count"] == numbers["of"]
    assert len(finding.rows) == numbers["count"]
    assert numbers["kept"] <= numbers["alone"] <= numbers["of"]
    assert (finding.parameter, finding.alternative) == ("small_person.on_small", "drop_person")
    assert numbers["areas"][1024] >= numbers["areas"][9216]


def test_errors_of_the_authors_code_that_the_default_mends(samples: Path) -> None:
    foot = by_id(builds=benchwright.variants("densepose-person", samples / "densepose"))["as-published"]
    assert "3 boxes of foot are called upper_leg" in foot.statement
    assert foot.alternative == "upper_leg_as_published"
    years = by_id(builds=benchwright.variants("voc-person", samples / "voc"))["as-published"]
    assert "share" in years.statement
    assert years.parameter == "voc.image_id"


def test_persons_left_out_and_what_guesses_reach_with_them(
    sample_manifest: Callable[..., Manifest], samples: Path
) -> None:
    alone = by_id(sample_manifest("jrdb-par"))["left-out-persons"]
    assert alone.numbers["count"] == sum(alone.numbers["reasons"].values()) == len(alone.rows)
    assert alone.parameter is None
    whole = by_id(builds=benchwright.variants("jrdb-par", samples / "jrdb_par"))["left-out-persons"]
    assert (whole.parameter, whole.alternative) == ("people.keep", "action")
    assert "guesses of nearest neighbours change: F_i" in whole.statement


def test_classes_of_ones_own_that_cost_their_image(tmp_path: Path) -> None:
    (tmp_path / "images.csv").write_text("image,width,height\nroad1,640,480\nroad2,640,480\n")
    (tmp_path / "boxes.csv").write_text(
        "image,label,x,y,w,h\nroad1,crack,1,1,9,9\nroad1,hole,50,50,70,60\nroad2,crack,1,1,80,70\n"
    )
    classes = rules_for("damage", ["crack", "hole"])
    sources = [Source(name=name, files=[f"{name}.csv"], what="", obtain="") for name in ("images", "boxes")]
    texts = dict.fromkeys(["title", "task", "citation", "licence", "access", "rows"], "invented")
    recipe = Recipe(
        card=Card(name="damages", splits=["test"], sources=sources, **texts),
        version=1,
        version_reason="first version",
        level="image",
        read=read_damages,
        rules=(classes.category, classes.present, classes.small),
        schema=detection_schema("damages", 1),
    )
    finding = by_id(builds=benchwright.variants(recipe, tmp_path))["whole-image-dropped"]
    assert [finding.numbers[name] for name in ("of", "kept", "alone")] == [2, 1, 2]
    assert finding.rows == ["road1"]
    assert finding.alternative == "drop_damage"


def read_damages(sources: Any) -> Any:
    images = read_csv(sources["images"], {"image": str, "width": int, "height": int})
    boxes = read_csv(sources["boxes"], {"image": str, "label": str, "x": float, "y": float, "w": float, "h": float})
    names = {"image": "sample_id", "label": "category", "w": "width", "h": "height"}
    return box_candidates(images.rename(columns=names), boxes.rename(columns=names), split="test")
