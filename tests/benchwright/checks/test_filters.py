"""Findings of the rules about boxes and persons, on the samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import benchwright
from benchwright.checks.finding import Finding
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
