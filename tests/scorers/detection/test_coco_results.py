"""COCO results, good and bad, and numbers and names of classes however they are written."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.detection.tables import COLUMNS
from tests.scorers.detection.conftest import BOX, FOUND, HEADER, File, ProblemOf, Read, boxes, flat

NUMBERS = {1: "person", 84: "leg"}


def test_coco_results_by_number_or_by_name(file: File, read: Read) -> None:
    results = [FOUND, FOUND | {"category_id": "upper_leg"}, FOUND | {"category_id": 84, "segmentation": []}]
    assert [row[:2] for row in boxes(read, file("found.json", results))] == [
        (7, "person"),
        (7, "upper_leg"),
        (7, "leg"),
    ]
    assert boxes(read, file("found.json", [FOUND])) == [(7, *BOX)]


def test_numbers_of_categories_are_those_given(file: File, read: Read) -> None:
    path = file("found.json", [FOUND | {"category_id": number} for number in (0, 1, 2)])
    zero, one = ({base + place: label for place, label in enumerate(["person", "upper_leg", "leg"])} for base in (0, 1))
    read_with = [[row["category"] for row in read(path, numbers=numbers)] for numbers in (zero, one)]
    assert read_with == [["person", "upper_leg", "leg"], ["category_id 0", "person", "upper_leg"]]


def test_unknown_categories_keep_what_the_file_calls_them(file: File, read: Read) -> None:
    path = file("found.json", [FOUND | {"category_id": 2}, FOUND | {"category_id": "Person"}, FOUND])
    assert [row["category"] for row in read(path)] == ["category_id 2", "Person", "person"]


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_numbers_count_however_they_are_written(file: File, suffix: str, read: Read) -> None:
    written: dict[str, Any] = {
        "json": [FOUND | {"image_id": 7.0, "category_id": "1.0", "bbox": ["10.5", 20.0, "30", 40.25], "score": "0.5"}],
        "csv": HEADER + "7.0,person,10.5,20.0,30,40.25,.5\n",
        "parquet": flat(image_id=[7.0], x=["10.5"], score=["0.5"]),
    }
    (row,) = read(file(f"found.{suffix}", written[suffix]))
    key = row.pop("sample_id" if "sample_id" in row else "image_id")
    assert int(key) == 7
    assert [row] == pa.table(flat()).drop_columns("image_id").to_pylist()


@pytest.mark.parametrize("category", [84, 84.0, "84", "84.0", "leg"])
def test_a_class_is_known_by_number_text_of_the_number_or_name(file: File, category: object, read: Read) -> None:
    for source in (file("found.json", [FOUND | {"category_id": category}]), flat(category=[category])):
        (row,) = read(source)
        assert row["category"] == "leg"


def test_a_class_whose_name_is_a_number_is_known_by_name(file: File, read: Read) -> None:
    (row,) = read(file("digits.json", [FOUND | {"category_id": "1"}]), labels=["0", "1"], numbers={1: "0", 2: "1"})
    assert row["category"] == "1"


def test_ids_of_images_may_be_names(file: File, read: Read) -> None:
    path = file("found.json", [FOUND | {"image_id": "2008_000001"}, FOUND])
    assert [row["sample_id"] for row in read(path)] == ["2008_000001", "7"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"score": None}, "score: found null, expected a number"),
        ({"score": "half"}, "score: found 'half', expected a number"),
        ({"bbox": [1, 2, 3]}, "bbox: found [1, 2, 3], expected a list of length 4"),
        ({"bbox": [1, 2, 3, 4, 5]}, "bbox: found [1, 2, 3, 4, 5], expected a list of length 4"),
        ({"bbox": [1, 2, "NaN", 4]}, "bbox[2]: found 'NaN', expected a number"),
        ({"bbox": [1, 2, 3e200, 4]}, "detection 1: width: found 3e+200 (1 such boxes), expected a number of pixels"),
        ({"bbox": [1, 2, -3, 4]}, "detection 1: width: found -3 (1 such boxes), expected 0 or more"),
        ({"bbox": [1, 2, 3, -0.5]}, "detection 1: height: found -0.5 (1 such boxes), expected 0 or more"),
        ({"image_id": 7.5}, "image_id: found 7.5, expected a whole number or text"),
        ({"image_id": 2**63}, "image_id: found 9223372036854775808, expected a whole number"),
        ({"category_id": 2**70}, "category_id: found 1180591620717411303424, expected a whole number"),
        ({"category_id": [1]}, "category_id: found [1], expected a whole number or text"),
    ],
)
def test_fields_of_coco_results_that_do_not_fit_are_named(
    file: File, changes: dict[str, Any], said: str, problem_of: ProblemOf
) -> None:
    said = said if said.startswith("detection") else f"result 1: {said}"
    assert problem_of(file("found.json", [FOUND | changes])).startswith(said)


@pytest.mark.parametrize("lacking", FOUND)
def test_fields_of_coco_results_that_are_missing_are_named(file: File, lacking: str, problem_of: ProblemOf) -> None:
    result = {name: value for name, value in FOUND.items() if name != lacking}
    assert problem_of(file("found.json", [FOUND, result])).startswith(f"result 2: {lacking}: found nothing, expected ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b'[{"image_id": 7, "category_id": 1, "bbox": [1, 2,',
            "byte 49: found the end of the file",
        ),
        (b"", "found an empty file"),
        (b'{"annotations": []}', "found an object, expected a list"),
        (b'[{"image_id": 7, "note": "\xff"}]', "byte 26: found b'\\xff', expected UTF-8 text"),
        (
            b'[{"image_id": 7}, {"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "score": NaN}]',
            "byte 83: score: found NaN, expected a finite number",
        ),
        (
            b'[{"image_id": 7, "category_id": 1, "bbox": [1, 2, -Infinity, 4], "score": 1}]',
            "byte 51: bbox: found Infinity, expected a finite number",
        ),
        (
            b'[{"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 1e999], "score": 1}]',
            "result 1: bbox[3]: found ",
        ),
        (b"[7]", "result 1: found 7, expected an object"),
        (b'[{"image_id": "\xff"}]', "byte 15: found "),
        (b"\xff\xfe[\0]\0", "byte 0: found a byte order mark"),
        (b"[" * 100_000, "found endless nesting"),
        (b"image_id,score\n", "byte 0: found 'image_id,score"),
    ],
)
def test_what_is_no_array_of_results_is_refused(file: File, content: bytes, said: str, problem_of: ProblemOf) -> None:
    assert said in problem_of(file("found.json", content))


NUMBER = st.floats(0, 1e6, allow_nan=False, width=32)
RESULTS = st.lists(
    st.builds(
        lambda image, category, box, score: {"image_id": image, "category_id": category, "bbox": box, "score": score},
        st.integers(-(2**63), 2**63 - 1),
        st.sampled_from([1, 84]),
        st.lists(NUMBER, min_size=4, max_size=4),
        NUMBER,
    ),
    max_size=5,
)


@settings(deadline=None, max_examples=50)
@given(results=RESULTS)
def test_coco_results_and_the_same_as_parquet_read_alike(
    tmp_path_factory: Any, results: list[dict[str, Any]], read: Read
) -> None:
    folder = tmp_path_factory.mktemp("alike")
    (folder / "found.json").write_text(json.dumps(results))
    columns: dict[str, Any] = {"image_id": pa.array([r["image_id"] for r in results], pa.int64())}
    columns["category"] = pa.array([NUMBERS[r["category_id"]] for r in results], pa.string())
    for place, side in enumerate(COLUMNS[1:5]):
        columns[side] = pa.array([r["bbox"][place] for r in results], pa.float64())
    columns["score"] = pa.array([r["score"] for r in results], pa.float64())
    pq.write_table(pa.table(columns), folder / "found.parquet")
    assert read(folder / "found.json") == read(folder / "found.parquet") == read(results)
