"""Which image a detection means: by id as number or text, by file or stem, whatever tools make of these."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import Problem
from scorers.detection.boxes import SIDES, detections_from
from scorers.detection.images import ImageSet
from scorers.detection.matching import named_exactly
from scorers.names import DISREGARDED

Refused = Callable[..., tuple[Problem, ...]]
REASON = "dropped by rule size"


@pytest.fixture
def images() -> ImageSet:
    """Three images as of COCO, the number of the third is not that of its file; two that were dropped."""
    files = ["COCO_val2014_000000000042.jpg", "000000000043.jpg", "val/Hof_44.jpg"]
    table = pa.table({"sample_id": ["42", "43", "7"], "image_id": [42, 43, 7], "file_name": files})
    return ImageSet(table, ["person"], dropped={"700": REASON, "701": REASON})


def detections(**names: Any) -> pa.Table:
    count = len(next(iter(names.values())))
    return pa.table({**names, **{name: [*map(float, range(count))] for name in (*SIDES, "score")}})


SAME = {
    "42": ["42", "000042", "000000000042", "42.0", "COCO_val2014_000000000042.jpg", "COCO_val2014_000000000042"],
    "43": ["43", "000000000043.jpg", "000000000043", "val2017/000000000043.jpg", r"D:\coco\val2017\000000000043.JPG"],
    "7": ["7", "07", "Hof_44.jpg", "hof_44", "val/hof_44.png", "https://host.org/val/Hof_44.jpg?size=640", "HOF%5F44"],
}


@pytest.mark.parametrize("key", ["image_id", "sample_id", "file_name"])
@pytest.mark.parametrize(("sample", "name"), [(sample, name) for sample, names in SAME.items() for name in names])
def test_images_are_named_in_many_ways(images: ImageSet, key: str, sample: str, name: str) -> None:
    given = detections(**{key: [name, name]})
    found = named_exactly(given, images, "f").table
    assert found is given or found["sample_id"].to_pylist() == [sample] * 2
    rows = detections_from(found.append_column("category", pa.array(["person"] * 2)), images.images, ["person"], "f")
    assert rows.image.tolist() == [["7", "42", "43"].index(sample)] * 2


def test_ids_of_numbers_stay_as_they_are(images: ImageSet) -> None:
    for ids in ([42, 7], [42.0, 7.0], ["42", "7"]):
        table = detections(image_id=ids)
        assert named_exactly(table, images, "f") == (table, {}, [])


def test_what_is_not_exact_is_counted_and_told(images: ImageSet) -> None:
    table = detections(
        image_id=["42", "000043", "hof_44", "hof_44", "val/Hof_44.jpg", "COCO_val2014_000000000700.jpg", "yard_701"]
    )
    found = named_exactly(table, images, "f")
    assert found.table["sample_id"].to_pylist() == ["42", "43", "7", "7", "7"]
    assert found.table["score"].to_pylist() == [0, 1, 2, 3, 4]
    assert found.counts == {"similar_names": 3}
    assert found.warnings == [
        f"3 detections are matched by names that differ in {DISREGARDED} ('000043' as '43', 'hof_44' as '7')",
        f"2 detections are on images {REASON} ('700', '701') and are left out",
    ]


def test_images_that_nobody_has_are_refused(images: ImageSet, refused: Refused) -> None:
    for names in (["42", "44"], ["42.jpg", "hof_4"], ["42", None], ["COCO_val2014_000000000044.jpg"]):
        (problem,) = refused(named_exactly, detections(sample_id=names), images, "runs/a.json")
        assert (problem.file, problem.field) == ("runs/a.json", "sample_id")
        assert "1 unknown image (" in problem.found
        assert problem.expected == "images of the manifest, such as '42', file 'COCO_val2014_000000000042.jpg'"


def test_a_name_that_fits_several_images_is_refused(refused: Refused) -> None:
    table = pa.table({"sample_id": ["a/1", "b/1"], "image_id": [5, 5], "file_name": ["a/x.jpg", "b/X.png"]})
    images = ImageSet(table, ["person"])
    for name in ("x", "1", "X.png", "5"):
        (problem,) = refused(named_exactly, detections(image_id=[name, "a/x.jpg"]), images, "f")
        assert problem.found == f"1 names that fit several images ({name!r})"


def test_two_names_of_different_images_are_refused(images: ImageSet, refused: Refused) -> None:
    (problem,) = refused(named_exactly, detections(image_id=[42, 700], sample_id=["42", "043"]), images, "f")
    assert problem.found == "image_id 700 and sample_id '043'"


def test_results_by_stem_or_padded_number_score_as_by_id(sample_manifest, scored, results_of, tmp_path) -> None:
    manifest = sample_manifest("coco-person")
    results, path = results_of(manifest), tmp_path / "found.json"
    files = dict(zip(*manifest.table("val2014", ["image_id", "file_name"]).to_pydict().values(), strict=True))
    scores = []
    for named in (int, str, "{:012d}".format, files.get, lambda image: files[image].removesuffix(".jpg")):
        path.write_text(json.dumps([result | {"image_id": named(result["image_id"])} for result in results]))
        scores.append({name: value.value for name, value in scored(manifest, path).metrics.items()})
    assert all(score == scores[0] for score in scores)
