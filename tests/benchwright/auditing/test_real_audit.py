"""Audits of the real benchmarks with the published systems: the numbers that were found independently."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchwright
from benchwright.auditing.result import Audit, Variant

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def oops(real_data: Path) -> Audit:
    """The audit of UAG-OOPS with five systems."""
    return benchwright.audit("uag-oops", real_data / "oops", real_data / "systems" / "uag-oops")


def of(found: Audit, key: str) -> Variant:
    return next(each for each in found.variants if each.key == key)


def test_the_size_of_uag_oops_hangs_on_the_list_of_scenes(oops: Audit) -> None:
    assert {tuple(each.rules): each.rows for each in oops.overlaps} == {
        (): 1589,
        ("single_scene",): 1314,
        ("agreement", "described", "single_scene"): 1154,
        ("agreement", "single_scene"): 651,
        ("described", "single_scene"): 3,
    }
    masked = {(each.key, each.by): (each.alone, each.together) for each in oops.masked}
    assert masked == {
        ("names.repair=true", "single_scene.by=skip"): (1314, 3),
        ("agreement.max_notfound=1", "single_scene.by=skip"): (1314, 651),
        ("agreement.max_notfound=2", "single_scene.by=skip"): (1314, 651),
        ("lift described", "single_scene.by=skip"): (1314, 3),
    }
    assert [of(oops, key).gained for key in ("names.repair=true", "agreement.max_notfound=1")] == [0, 0]


def test_published_systems_print_as_published(oops: Audit) -> None:
    assert {name: each.published.system for each in oops.published for name in each.equal} == {
        "videochat2": "VideoChat2",
        "video_chatgpt": "Video-ChatGPT",
        "videollama": "VideoLLaMA",
        "blip2_llama3": "BLIP2-LlaMA3",
        "videollama_finetuned": "VideoLlaMA 7B (Fine-tuned)",
    }


def test_what_reorders_uag_oops(oops: Audit) -> None:
    graded = {each.key: each.grade for each in oops.variants}
    assert "decides" not in graded.values()
    assert {key for key, grade in graded.items() if grade == "reorders"} == {
        *("onset.pick=median", "onset.pick=latest", "null=miss", "cap=none", "protocol=strict")
    }
    assert {key for key, grade in graded.items() if grade == "noise"} == {
        "onset.pick=mean",
        "description.use=first_known",
    }
    for key in ("names.repair=true", "agreement.max_notfound=2", "description.use=both", "valid_span.on_invalid=clip"):
        assert graded[key] == "none"
    reasons = {each.key: each.reason for each in oops.not_judged}
    assert reasons["single_scene.by=skip"] == "1,314 of its 2,903 rows are new and not in all prediction files"


@pytest.mark.parametrize(
    ("key", "metric", "interval"),
    [
        ("onset.pick=median", "R1(td<=5)", (0.4, 1.0)),
        ("onset.pick=latest", "R1(td<=5)", (0.4, 0.8)),
        ("null=miss", "R1(td<=5)", None),
        ("cap=none", "mTD", None),
    ],
)
def test_tau_is_below_what_resampling_does(oops: Audit, key: str, metric: str, interval) -> None:
    tau = of(oops, key).effects[metric].tau
    assert tau is not None
    assert (tau.value, tau.floor) == (pytest.approx(0.6), pytest.approx(0.8))
    if interval:
        assert (tau.interval.low, tau.interval.high) == (pytest.approx(interval[0]), pytest.approx(interval[1]))


def test_parts_of_the_fine_tuned_model(oops: Audit) -> None:
    assert oops.default.effects["R1(td<=5)"].systems["videollama_finetuned"].score == pytest.approx(22.84, abs=0.005)
    for key, lost, changed in (
        ("description.use=first_known", -0.44, 0.0),
        ("onset.pick=median", 0.0, -1.45),
        ("null=miss", 0.0, -0.13),
    ):
        parts = of(oops, key).effects["R1(td<=5)"].systems["videollama_finetuned"].parts
        assert parts is not None
        assert (parts.lost, parts.changed, parts.gained) == pytest.approx((lost, changed, 0.0), abs=0.005)


def test_onsets_explain_most_of_the_scores(oops: Audit) -> None:
    assert oops.factorial is not None
    shares = oops.factorial.explained
    assert [round(shares["R1(td<=5)"][name], 2) for name in ("onset.pick", "null")] == [0.91, 0.08]
    assert [round(shares["mTD"][name], 2) for name in ("onset.pick", "cap", "null")] == [0.5, 0.4, 0.1]
    assert round(shares["onset(<=1)"]["truth"], 2) == 0.7


def test_intervals_over_compilations_are_wider(oops: Audit, real_manifest, real_data: Path) -> None:
    assert oops.clusters is not None
    assert (oops.clusters.name, oops.clusters.count) == ("compilations", 93)
    metric = "R1(td<=5)"
    system = real_data / "systems" / "uag-oops" / "videochat2.json"
    by_clip = benchwright.score(real_manifest("uag-oops"), system, metrics=[metric]).metrics[metric]
    over = oops.default.effects[metric].systems["videochat2"].interval
    assert by_clip.value == oops.default.effects[metric].systems["videochat2"].score
    assert (over.high - over.low) / (by_clip.high - by_clip.low) == pytest.approx(1.7, abs=0.1)


def test_writing_less_for_at_most_takes_most_hits_of_the_best_system(real_data: Path) -> None:
    found = benchwright.audit("uag-ssbd", real_data / "ssbd", real_data / "predictions" / "uag-ssbd")
    effect = of(found, "compare=exclusive").effects["onset(<=1)"]
    scores = found.default.effects["onset(<=1)"].systems["videollama"].score, effect.systems["videollama"].score
    assert scores == pytest.approx((15.38, 2.88), abs=0.005)
    assert of(found, "null=miss").effects["mTD"].grade == "noise"


def test_clips_of_funqa_are_drawn_by_source_video(real_data: Path) -> None:
    found = benchwright.audit("uag-funqa", real_data / "funqa", real_data / "predictions" / "uag-funqa")
    assert found.clusters is not None
    assert (found.clusters.name, found.clusters.count) == ("source videos", 143)


def test_images_that_each_choice_about_small_persons_keeps(real_data: Path) -> None:
    source = {"instances": real_data / "coco" / "instances_val2014_100.json"}
    grid = {"small_person.min_area": [1024, 4096, 9216]}
    found = benchwright.audit("coco-person", real_data / "coco", sources=source, grid=grid)
    assert found.default.rows == 30
    rows = {each.key: each.rows for each in found.variants}
    assert {key: rows[f"small_person.{key}"] for key in ("on_small=drop_person", "area=box", "on_small=off")} == {
        "on_small=drop_person": 48,
        "area=box": 33,
        "on_small=off": 55,
    }
    assert [rows[f"small_person.min_area={area:.1f}"] for area in (1024, 4096, 9216)] == [36, 29, 18]
    assert {f"small_person.{name}" for name in ("area=mask", "count_crowds=false", "on_small=ignore")} <= set(rows)


def test_years_as_ids_of_images_change_every_image_of_voc(real_data: Path) -> None:
    found = benchwright.audit("voc-person", real_data / "voc", settings={"source.split": "all"})
    assert found.default.rows == 31
    year = of(found, "voc.image_id=first_digits_as_published")
    assert (year.kind, year.rows, year.changed) == ("repair", 31, 31)
    assert {each.key for each in found.variants} >= {"small_person.area=box", "small_person.min_area=1024.0"}
    assert {each.key for each in found.not_judged} == {"small_person.area=mask"}


def test_how_much_wider_intervals_over_compilations_are(oops: Audit, real_manifest, real_data: Path) -> None:
    wider = []
    for name in oops.systems:
        system = real_data / "systems" / "uag-oops" / f"{name}.json"
        metrics = [each for each in oops.metrics if each != "mTD"]
        by_clip = benchwright.score(real_manifest("uag-oops"), system, metrics=metrics).metrics
        for metric in metrics:
            over = oops.default.effects[metric].systems[name].interval
            wider.append((over.high - over.low) / (by_clip[metric].high - by_clip[metric].low))
    assert (min(wider), max(wider)) == pytest.approx((0.83, 1.75), abs=0.1)
