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
    assert numbers(found["disagreement"], "count", "three", "five", "half") == (617, 128, 50, 73)
    assert found["disagreement"].rows[0] == "Fails of the Week - Let's Do This Thing! (April 2017)38"
    assert found["disagreement"].numbers["largest"] == pytest.approx(17.7, abs=0.05)
    assert numbers(found["fine-tolerance"], "count", "of") == (1437, 1589)
    assert numbers(found["lone-annotator"], "count", "three") == (111, 18)
    assert numbers(found["earliest"], "count", "of") == (747, 1520)
    assert numbers(found["dont-know"], "count", "only") == (94, 17)
    assert numbers(found["short-span"], "count", "very_short") == (101, 26)
    zeros = numbers(found["onset-zero"], "count", "whole", "equal", "equal_zeros")
    assert zeros == (56, 56, 26, 15)
    assert found["onset-zero"].numbers["percent"] == pytest.approx(3.52, abs=0.005)
    constant = found["constant-system"].numbers["systems"]
    assert {name: (each["count"], each["of"]) for name, each in constant.items()} == {
        "videochat2": (1462, 1465),
        "video_chatgpt": (1307, 1315),
    }
    scores = [each["values"]["onset(<=1)"] for each in (constant["videochat2"], constant["video_chatgpt"])]
    assert scores == [pytest.approx((10.01, 11.89), abs=0.005), pytest.approx((9.38, 11.89), abs=0.005)]
    assert found["beyond-clip"].numbers["systems"].items() >= {"videollama": 336, "videollama_finetuned": 440}.items()
    silent = found["null-hits"].numbers["systems"]
    assert {name: (each["hits"], each["silent"]) for name, each in silent.items()} == {
        "blip2_llama3": (3, 8),
        "video_chatgpt": (52, 274),
        "videochat2": (32, 124),
        "videollama_finetuned": (2, 8),
    }
    assert (found["null-hits"].grade, found["null-hits"].severity) == ("reorders", "high")
    assert found["leak-near-text"].numbers["count"] == 12
    absent = {"leak-video", "leak-title", "leak-text", "duplicate-rows", "ambiguous-queries", "twin-videos", "mojibake"}
    assert not absent & set(found)


def test_uag_oops_by_its_raw_files(real_manifest: Real, real_data: Path) -> None:
    systems, builds = real_data / "systems" / "uag-oops", benchwright.variants("uag-oops", real_data / "oops")
    found = by_id(real_manifest("uag-oops"), systems, builds=builds)
    assert numbers(found["dont-know"], "count", "only", "described") == (94, 17, 67)
    assert numbers(found["text"], "count", "same") == (32, 17)
    assert found["text"].numbers["overlap"] == pytest.approx(0.21, abs=0.005)
    shares = numbers(found["earliest"], "earliest", "median", "latest", "any")
    assert shares == pytest.approx((72.0, 80.9, 68.8, 88.9), abs=0.05)
    assert (found["earliest"].parameter, found["earliest"].alternative) == ("onset.pick", "median")
    assert (found["earliest"].grade, found["earliest"].severity) == ("reorders", "high")
    assert numbers(found["misread-names"], "count", "of") == (3, 5)
    assert found["misread-names"].parameter == "names.repair"
    assert numbers(found["characters-for-words"], "characters", "words") == pytest.approx((91.7, 18.6), abs=0.05)
    assert numbers(found["generous-row"], "value", "without") == pytest.approx((15.29, 9.75), abs=0.005)
    literal = numbers(found["literal-minus-one"], "count", "of", "value", "without")
    assert literal == pytest.approx((8, 69, 72.50, 71.99), abs=0.005)


def test_guesses_beat_the_systems_of_uag_oops(real_manifest: Real, real_data: Path) -> None:
    """An interval of the difference, and the lead in all metrics but one."""
    systems, train = real_data / "systems" / "uag-oops", real_manifest("oops-uag-instruct")
    found = by_id(real_manifest("uag-oops"), systems, against=train)
    blind = found["blind-constant"]
    assert blind.severity == "high"
    assert numbers(blind, "start", "leads", "metrics", "system") == (2.75, 10, 11, "blip2_llama3")
    ends = numbers(blind, "value", "value_low", "value_high", "best", "difference", "low", "high")
    assert ends == pytest.approx((44.62, 42.2, 47.1, 39.33, 5.3, 2.1, 8.7), abs=0.06)
    assert blind.numbers["p"] == pytest.approx(0.004, abs=0.002)
    assert [blind.numbers["by_metric"]["mIoU"][name] for name in ("value", "best")] == pytest.approx(
        (0.70, 0.27), abs=0.005
    )
    share = found["blind-share"]
    assert numbers(share, "start", "value") == pytest.approx((0.42, 44.62), abs=0.005)
    fine = share.numbers["by_metric"]["onset(<=0.25)"]
    assert [fine[name] for name in ("value", "best")] == pytest.approx((12.52, 10.32), abs=0.005)


def test_oops_uag_instruct(real_manifest: Real) -> None:
    found = by_id(real_manifest("oops-uag-instruct"), against=real_manifest("uag-oops"))
    assert numbers(found["misread-names"], "count", "of") == (9, 12)
    assert numbers(found["unapplied-rule"], "count", "of") == (1710, 3778)
    assert found["unapplied-rule"].numbers["share"] == pytest.approx(45.3, abs=0.05)
    assert found["dont-know"].numbers["only"] == 5
    assert found["onset-zero"].numbers["count"] == 106


def test_uag_ssbd(real_manifest: Real, real_data: Path) -> None:
    found = by_id(real_manifest("uag-ssbd"), real_data / "predictions" / "uag-ssbd")
    assert numbers(found["ambiguous-queries"], "count", "groups", "of") == (60, 20, 104)
    assert numbers(found["ambiguous-queries"], "largest", "name") == (7, "v_ArmFlapping_08")
    assert found["few-queries"].numbers["distinct"] == 6
    assert found["coarse-times"].numbers["step"] == 1
    assert numbers(found["category-name"], "count", "of", "column") == (6, 104, "category")
    assert numbers(found["blind-constant"], "value", "best") == pytest.approx((23.08, 15.38), abs=0.005)


def test_uag_funqa(real_manifest: Real, real_data: Path) -> None:
    found = by_id(real_manifest("uag-funqa"), real_data / "predictions" / "uag-funqa")
    assert numbers(found["clusters"], "groups", "largest", "name") == (143, 6, "H_H_258")
    assert found["few-queries"].numbers["distinct"] == 1
    assert found["whole-video"].numbers["count"] == 68
    constant = found["constant-system"].numbers["systems"]["videochat2"]
    assert (constant["count"], constant["of"]) == (169, 172)
    assert constant["values"]["onset(<=1)"] == pytest.approx((50.00, 50.00), abs=0.005)
    assert constant["values"]["onset(<=0.25)"] == pytest.approx((31.98, 31.98), abs=0.005)
    assert found["blind-constant"].numbers["value"] == pytest.approx(68.60, abs=0.005)
    assert numbers(found["nominal-frame-rate"], "rate", "count") == (30, 172)


def test_charades_sta(real_manifest: Real) -> None:
    manifest = real_manifest("charades-sta")
    found = by_id(alone(manifest, "test"), against=alone(manifest, "train"))
    assert numbers(found["reannotated"], "count", "of", "disjoint", "among") == (194, 1000, 49, 438)
    assert set(found["reannotated"].rows[:49]) >= {"test/00257", "test/00261", "test/00303"}
    blind = found["blind-constant"].numbers
    assert blind["at"] == [0, 0.45]
    values = [blind["by_metric"][f"R1(iou>={least})"][name] for least in (0.5, 0.7) for name in ("value", "best")]
    assert values == pytest.approx((27.7, 7.7, 11.9, 1.7), abs=0.06)
    assert numbers(found["repeated-moments"], "count", "groups", "of", "distinct") == (1989, 847, 3720, 2578)
    assert found["leak-text"].numbers["count"] == 1573
    assert found["outside-video"].numbers["count"] == 228
    whole = by_id(manifest)
    assert whole["leak-text"].numbers["count"] == 1573
    assert "leak-video" not in whole
    train = by_id(alone(manifest, "train"))
    assert train["outside-video"].numbers["count"] == 734
    assert train["duplicate-rows"].numbers["groups"] == 1


def test_jrdb_par(real_manifest: Real) -> None:
    found = by_id(real_manifest("jrdb-par"))
    assert found["constant-scenes"].numbers["by_split"]["test"] == {"frames": 411, "sequences": 7, "sets": 6}
    assert found["absent-classes"].numbers["count"] == 6
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
    recall = found["recall-over-predicted"].numbers["values"]["pairs of nearest neighbours"]
    assert recall["R_p"] == pytest.approx((18.74, 31.05), abs=0.005)
    assert recall["F_p"] == pytest.approx((19.65, 25.54), abs=0.005)
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
