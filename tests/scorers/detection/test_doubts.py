"""Detections that cannot be meant so are scored as they are and told; right ones raise no doubt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchwright
from schemas.box_readings import READINGS, VOC, XYWH, Reading, numbers_of
from schemas.manifest import Manifest

SETTINGS = {
    "source.split": "site",
    "category.keep": "all",
    "small_person.on_small": "off",
    "person_present.required": False,
}
SIZES = np.array([[640.0], [480.0]])
BASE = 0.9603960396039605
Score = Callable[..., tuple[float, list[str]]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    cases = Path(__file__).parents[2] / "cases" / "sources"
    return benchwright.build("coco-person", cases, tmp_path_factory.mktemp("site"), settings=SETTINGS)


@pytest.fixture
def score(site: Manifest) -> Score:
    """mAP50 of detections, and the warnings."""

    def call(source: object, **options: Any) -> tuple[float, list[str]]:
        found = benchwright.score(site, source, resamples=0, metrics=["mAP50"], **options)
        return found.metrics["mAP50"].value or 0.0, list(found.warnings)

    return call


@pytest.fixture
def base(cases: Path) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads((cases / "coco-results" / "base.json").read_text())
    return results


@pytest.mark.parametrize("name", ["base.json", "cat-str.json", "imgid-float.json", "jsonl.jsonl"])
def test_other_spellings_of_the_same_results_score_the_same(score: Score, cases: Path, name: str) -> None:
    assert score(cases / "coco-results" / name) == (pytest.approx(BASE), [])


def test_stems_of_files_score_the_same(score: Score, cases: Path) -> None:
    value, (warning,) = score(cases / "coco-results" / "imgid-stem.json")
    assert value == pytest.approx(BASE)
    assert warning.startswith("12 detections are matched by names that differ")


def test_corners_are_scored_as_they_are_and_said_to_look_like_corners(score: Score, cases: Path) -> None:
    value, (warning,) = score(cases / "coco-results" / "xyxy.json")
    assert value < 0.1
    assert warning == (
        "the boxes look like corners [x1, y1, x2, y2], not [x, y, width, height]: read so, the mean IoU of the 12"
        " surest with true boxes is 0.77 instead of 0.32, and mAP50 is 0.9604; they are scored as they are, so convert"
        " them"
    )


@pytest.mark.parametrize("reading", [each for each in READINGS if each != XYWH], ids=str)
def test_every_other_reading_is_recognised(score: Score, base: list[dict[str, Any]], reading: Reading) -> None:
    for result in base:
        result["bbox"] = numbers_of(np.array([result["bbox"]]).T, SIZES, reading).ravel().tolist()
    value, (warning,) = score(base)
    assert value < 0.2
    assert f"look like {reading}, not" in warning
    assert "mAP50 is 0.9604" in warning


def test_a_confidence_behind_the_class_of_yolo_is_told(score: Score, cases: Path, tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("names: {0: person, 1: bicycle, 2: dog}\n")
    for file in (cases / "yolo-text" / "conf-second").glob("*.txt"):
        (tmp_path / file.name).write_text(file.read_text())
    value, (warning,) = score(tmp_path)
    right, _ = score(cases / "yolo-text" / "with-yaml")
    assert value < 0.1 < right
    assert "look like `class confidence x_center y_center width height`, the confidence second" in warning
    assert f"mAP50 is {right:.4f}" in warning


def voc_files(folder: Path, results: list[dict[str, Any]], corners: Callable[..., list[float]]) -> Path:
    for result in results:
        name = {1: "person", 2: "bicycle", 18: "dog"}[result["category_id"]]
        numbers = " ".join(map(str, corners(*result["bbox"])))
        with (folder / f"comp4_det_site_{name}.txt").open("a") as file:
            file.write(f"{result['image_id']} {result['score']} {numbers}\n")
    return folder


def test_what_vocs_lines_hold_instead_of_corners_from_one_is_told(
    score: Score, base: list[dict[str, Any]], tmp_path: Path
) -> None:
    for name, reading, wanted in (
        ("right", VOC, []),
        (
            "fractions",
            Reading("xyxy", "fractions"),
            ["look like corners [x1, y1, x2, y2] in fractions of the image"],
        ),
        ("y", Reading("yxyx"), ["look like corners [y1, x1, y2, x2], not corners [xmin, ymin, xmax, ymax] of pixels"]),
    ):

        def written(*box: float, reading: Reading = reading) -> list[float]:
            return numbers_of(np.array([box]).T, SIZES, reading).ravel().tolist()  # type: ignore[no-any-return]

        (tmp_path / name).mkdir()
        value, warnings = score(voc_files(tmp_path / name, base, written))
        assert (value > 0.9, len(warnings)) == (not wanted, len(wanted))
        assert all(part in warning for part, warning in zip(wanted, warnings, strict=True))


def test_a_reading_is_recognised_below_much_that_finds_nothing(score: Score, base: list[dict[str, Any]]) -> None:
    random = np.random.default_rng(0)
    centres = [
        result | {"bbox": numbers_of(np.array([result["bbox"]]).T, SIZES, Reading("cxcywh")).ravel().tolist()}
        for result in base
    ]
    clutter = [
        result | {"bbox": [*random.uniform(0, 300, 2), *random.uniform(20, 200, 2)], "score": random.uniform(0, 0.2)}
        for result in base
        for _ in range(100)
    ]
    assert score([*base, *clutter])[1] == []
    assert ["look like centres [x_center" in warning for warning in score([*centres, *clutter])[1]] == [True]


def test_a_metric_without_a_value_is_told_so(site: Manifest, cases: Path) -> None:
    found = benchwright.score(site, cases / "coco-results" / "xyxy.json", resamples=0, metrics=["APsmall"])
    assert "APsmall is without a value; they are scored" in found.warnings[0]


def test_a_single_box_that_a_detector_did_not_clip_is_no_doubt(score: Score, base: list[dict[str, Any]]) -> None:
    assert score([base[0] | {"bbox": [-90, 20, 200, 220]}])[1] == []


def test_names_of_data_yaml_are_used_unless_classes_are_named(score: Score, cases: Path, tmp_path: Path) -> None:
    folder = cases / "yolo-text" / "with-yaml"
    right, warnings = score(folder)
    assert (right, warnings) == (pytest.approx(0.8349834983), [])
    others = tmp_path / "others.txt"
    others.write_text("dog\nbicycle\nperson\n")
    value, (warning,) = score(folder, classes=others)
    assert value < right
    for said in (
        "person on boxes of dog (1 of 1)",
        "dog on boxes of person (",
        "perhaps classes are numbered otherwise",
    ):
        assert said in warning
    assert "--classes" in warning
    assert score(folder, classes=folder / "data.yaml") == (right, [])


@pytest.mark.parametrize("base_number", [0, 1])
def test_classes_numbered_otherwise_are_told(score: Score, base: list[dict[str, Any]], base_number: int) -> None:
    numbers = {1: base_number, 2: base_number + 1, 18: base_number + 2}
    results = [result | {"category_id": numbers[result["category_id"]]} for result in base]
    _, warnings = score(results)
    assert ("perhaps classes are numbered otherwise" in " ".join(warnings)) == (base_number == 0)
    assert "--category-base" in " ".join(warnings)


def test_classes_that_are_exchanged_are_told_though_a_box_or_two_are_hit_by_chance(
    score: Score, base: list[dict[str, Any]]
) -> None:
    exchanged = [result | {"category_id": {1: 2, 2: 1}.get(result["category_id"], 18)} for result in base * 20]
    (warning,) = score([*exchanged, base[0]])[1]
    assert "bicycle on boxes of person (" in warning
    assert warning.index("bicycle on") < warning.index("person on")  # the most frequent first


def test_modes_tiny_boxes_and_other_sizes_are_told(score: Score, base: list[dict[str, Any]]) -> None:
    _, (warning,) = score([base[0] | {"bbox_mode": 0}, *(result | {"bbox_mode": 1} for result in base[1:])])
    assert warning.startswith("1 detection has the bbox_mode XYXY_ABS")
    _, (warning,) = score([base[0] | {"bbox": [5, 5, 0.5, 9]}, *base[1:]])
    assert warning.startswith("1 of 12 detections are under a pixel")
    _, warnings = score([result | {"bbox": [3 * side for side in result["bbox"]]} for result in base])
    assert "of another size" in warnings[0]


def test_boxes_of_resized_images_are_told(score: Score, base: list[dict[str, Any]]) -> None:
    def scored(scale: tuple[float, float], margin: tuple[float, float] = (0, 0)) -> list[str]:
        numbers = [np.array(each["bbox"]) * [*scale, *scale] + [*margin, 0, 0] for each in base]
        return score([{**each, "bbox": box.tolist()} for each, box in zip(base, numbers, strict=True)])[1]

    (stretched,) = scored((416 / 640, 416 / 480))
    assert stretched.startswith("the boxes look like those of images stretched to 416 x 416 px, not [x, y, width")
    (padded,) = scored((0.5, 0.5), (0, 40))
    assert "scaled to 320 px on the longer side and padded" in padded
    assert "mAP50 is 0.9604" in padded
    (shorter,) = scored((800 / 480, 800 / 480))
    assert "scaled to 800 px on the shorter side" in shorter


def test_the_table_of_a_frame_may_say_the_mode(score: Score, base: list[dict[str, Any]]) -> None:
    columns: dict[str, Any] = {"image_id": [11.0], "category": ["person"], "score": ["0.5"], "bbox_mode": ["XYXY_ABS"]}
    columns |= {name: [str(side)] for name, side in zip(("x", "y", "width", "height"), base[0]["bbox"], strict=True)}
    _, (warning,) = score(columns)
    assert "bbox_mode XYXY_ABS" in warning


def test_doubts_of_the_build_are_repeated_beside_the_score(cases: Path, tmp_path: Path, base: object) -> None:
    manifest = benchwright.build("coco-person", cases / "boxes-as-corners", tmp_path, settings=SETTINGS)
    found = benchwright.score(manifest, base, resamples=0)
    assert any(warning.startswith("the build warned of the truth: 6 of 9 boxes") for warning in found.warnings)


def test_poor_detections_are_not_taken_for_others(score: Score, base: list[dict[str, Any]]) -> None:
    for seed in range(40):
        random = np.random.default_rng(seed)
        spread = random.choice([5, 40, 120])
        found = []
        for result in base:
            box = np.abs(np.array(result["bbox"]) + random.normal(0, spread, 4)) + 1
            found.append(result | {"bbox": box.tolist(), "category_id": int(random.choice([1, 2, 18]))})
        _, warnings = score(found[: random.integers(1, 13)])
        assert not any("look like" in warning for warning in warnings), (seed, warnings)


def test_sure_detections_alone_are_looked_at(score: Score, base: list[dict[str, Any]]) -> None:
    random = np.random.default_rng(0)
    noise = [
        base[0] | {"bbox": [*random.uniform(0, 400, 2), *random.uniform(1, 80, 2)], "score": random.uniform(0, 0.1)}
        for _ in range(3000)
    ]
    many = [result | {"score": 0.5 + number / 10**6} for number, result in enumerate(base * 90)]
    assert score([*noise, *many])[1] == []


def test_nothing_found_and_nothing_to_be_found_raise_no_doubt(score: Score, base: list[dict[str, Any]]) -> None:
    assert score([])[1] == ["there are no detections"]
    assert score([base[-1] | {"image_id": 14}])[1] == []


@pytest.mark.real_data
def test_real_results_raise_no_doubt(real_data: Path, tmp_path: Path) -> None:
    settings = SETTINGS | {"source.split": "val2014"}
    file = real_data / "coco" / "instances_val2014_100.json"
    sources = {"instances": file}
    manifest = benchwright.build("coco-person", real_data, tmp_path, settings=settings, sources=sources)
    found = benchwright.score(manifest, file.with_name("instances_val2014_fakebbox100_results.json"), resamples=0)
    assert [warning for warning in found.warnings if "unknown classes" not in warning] == []
