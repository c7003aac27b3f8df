"""The numbers that the findings have on the real data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benchwright
from benchwright.checks.finding import Finding
from schemas.manifest import Manifest

pytestmark = pytest.mark.real_data
Real = Callable[..., Manifest]


def by_id(*given: Any, **options: Any) -> dict[str, Finding]:
    found = benchwright.findings(*given, **options)
    assert found.failures == []
    return {each.id: each for each in found.findings}


def numbers(finding: Finding, *names: str) -> tuple[Any, ...]:
    return tuple(finding.numbers[name] for name in names)


def alone(manifest: Manifest, split: str) -> Manifest:
    return benchwright.open_manifest(next((manifest.path / "data").glob(f"{split}-*.parquet")))


def test_uag_oops(real_manifest: Real, real_data: Path) -> None:
    systems = real_data / "systems" / "uag-oops"
    found = by_id(real_manifest("uag-oops"), systems, against=real_manifest("oops-uag-instruct"))
    assert numbers(found["clusters"], "groups", "largest") == (93, 56)
    assert numbers(found["disagreement"], "count", "three", "five") == (617, 128, 50)
    assert found["disagreement"].numbers["largest"] == pytest.approx(17.7, abs=0.05)
    assert numbers(found["fine-tolerance"], "count", "of") == (1437, 1589)
    assert numbers(found["lone-annotator"], "count", "three") == (111, 18)
    assert numbers(found["heldout-annotator"], "count", "of") == (747, 1520)
    assert numbers(found["placeholder-queries"], "count", "only") == (94, 17)
    assert numbers(found["short-spans"], "count", "very_short") == (101, 26)
    assert found["onset-zero"].numbers["count"] == 56
    assert "videochat2 at 0 s in 1,462 of 1,465" in found["constant-system"].statement
    assert "video_chatgpt at 0 s in 1,307 of 1,315" in found["constant-system"].statement
    assert "videollama 336, videollama_finetuned 440" in found["beyond-video"].statement
    assert found["null-hits"].numbers["detail"].split(", ") == [
        "blip2_llama3 3 of 8",
        "video_chatgpt 52 of 274",
        "videochat2 32 of 124",
        "videollama_finetuned 2 of 8",
    ]
    assert found["leak-near-text"].numbers["count"] == 12
    assert not {"leak-video", "leak-title", "leak-text", "duplicate-rows", "ambiguous-queries"} & set(found)
    blind = found["blind-constant"]
    assert blind.severity == "high"
    assert numbers(blind, "best", "guess", "low", "high") == pytest.approx((39.33, 44.75, 2.1, 8.7), abs=0.15)


def test_shares_of_the_heldout_annotator_over_all_rows(real_manifest: Real) -> None:
    """Over the 1,589 rows, whether or not somebody was held out, they are those of the first study of these data."""
    found = by_id(real_manifest("uag-oops"))["heldout-annotator"].numbers
    shares = [found[name] * found["of"] / 1589 for name in ("earliest", "median", "latest", "any")]
    assert shares == pytest.approx([72.0, 80.9, 68.8, 88.9], abs=0.05)


def test_uag_ssbd_and_uag_funqa(real_manifest: Real, real_data: Path) -> None:
    found = by_id(real_manifest("uag-ssbd"))
    assert numbers(found["ambiguous-queries"], "count", "groups", "of") == (60, 20, 104)
    assert found["few-queries"].numbers["distinct"] == 6
    assert found["coarse-times"].numbers["step"] == 1
    found = by_id(real_manifest("uag-funqa"), real_data / "predictions" / "uag-funqa")
    assert numbers(found["clusters"], "groups", "largest", "name") == (143, 6, "H_H_258")
    assert found["few-queries"].numbers["distinct"] == 1
    assert found["whole-video"].numbers["count"] == 68
    assert "videochat2 at 0 s in 169 of 172" in found["constant-system"].statement


def test_charades_sta(real_manifest: Real) -> None:
    manifest = real_manifest("charades-sta")
    found = by_id(alone(manifest, "test"), against=alone(manifest, "train"))
    assert numbers(found["repeated-moments"], "count", "groups", "of", "distinct") == (1989, 847, 3720, 2578)
    assert found["leak-text"].numbers["count"] == 1573
    assert found["outside-video"].numbers["count"] == 228
    train = by_id(alone(manifest, "train"))
    assert train["outside-video"].numbers["count"] == 734
    assert train["duplicate-rows"].numbers["groups"] == 1


def test_jrdb_par(real_manifest: Real) -> None:
    found = by_id(real_manifest("jrdb-par"))
    assert found["constant-scenes"].numbers["by_split"]["test"] == {"frames": 411, "sequences": 7, "sets": 6}
    assert found["absent-actions"].numbers["count"] == 6
    assert found["rare-classes"].numbers["by_split"] == {"test": 4, "train": 1}
    walking = found["walking-groups"]
    assert walking.numbers["by_label"]["walking"] == 98
    assert walking.numbers["by_label"]["sitting"] == 12
    assert "bytes-cafe-2019-02-07_0/000300: group 6" in walking.rows
    assert numbers(found["lecture-groups"], "count", "least", "most", "largest") == (194, 9, 28, 8)
    assert {row.split("/")[0] for row in found["lecture-groups"].rows} == {
        "huang-lane-2019-02-12_0",
        "packard-poster-session-2019-03-20_2",
    }
    assert numbers(found["twin-persons"], "count", "tracks") == (51, 24)
    assert "clark-center-2019-02-28_1/000420: person 220 and 221" in found["twin-persons"].rows
    assert numbers(found["group-changes"], "count", "most") == (31, 5)
    assert numbers(found["flicker"], "count", "changed", "of") == (603, 4936, 34131)
    assert found["group-id-reuse"].rows == ["huang-2-2019-01-25_0/000825: group 9"]
    assert found["jumps"].numbers["count"] == 52
    assert found["odd-persons"].numbers["count"] == 4
    assert numbers(found["contradictory-actions"], "count", "detail") == (1, "walking and standing (1)")
    assert found["no-posture"].numbers["count"] == 7
    assert "persons-outside" not in found
    assert numbers(found["recall-over-predicted"], "recall", "score") == (
        pytest.approx((18.74, 31.05), abs=0.005),
        pytest.approx((19.65, 25.54), abs=0.005),
    )
    guess = found["published-guess"].numbers
    beaten = [len(guess["beaten"][name]) for name in ("F_i", "F_p", "F_g", "F_a")]
    assert beaten == [3, 1, 4, 3]
    assert [guess["values"][name][0] for name in ("F_i", "F_g", "F_a")] == pytest.approx(
        [49.84, 57.34, 42.28], abs=0.005
    )
    assert guess["clusters"] == 7


def built(name: str, source: Path, settings: dict[str, object] | None = None, **given: Path) -> dict[str, Finding]:
    builds = benchwright.variants(name, source, sources=given)
    return by_id(builds.build(settings), builds=builds)


def test_persons_outside_the_loader_of_jrdb_par(real_data: Path) -> None:
    finding = built("jrdb-par", real_data)["left-out-persons"]
    assert finding.numbers["reasons"] == {"no_activity": 11_581, "group_only": 167, "no_action": 28}
    before, there = (finding.numbers[name] for name in ("guesses", "guesses_with"))
    assert [before["F_i"], there["F_i"]] == pytest.approx([49.84, 51.68], abs=0.005)
    assert [before["F_p"], there["F_p"]] == pytest.approx([19.65, 13.19], abs=0.005)


def test_rules_of_coco_and_voc(real_data: Path) -> None:
    coco = built("coco-person", real_data, instances=real_data / "coco" / "instances_val2014_100.json")
    finding = coco["whole-image-dropped"]
    assert numbers(finding, "of", "kept", "alone", "box") == (55, 30, 48, 33)
    assert finding.numbers["areas"] == {1024: 36, 4096: 29, 9216: 18}
    voc = built("voc-person", real_data, {"source.split": "all"}, annotations=real_data / "voc" / "Annotations")
    assert "100 images of 100 share 1 id, 31 of them are kept" in voc["as-published"].statement
