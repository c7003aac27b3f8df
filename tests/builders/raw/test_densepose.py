from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask

from builders.raw import coco
from builders.raw.densepose import DensePoseTables, read_densepose
from builders.raw.run_lengths import decode, totals
from schemas.errors import InputError

IMAGE = {"id": 5, "file_name": "5.jpg", "width": 640, "height": 480}
BOTTOM: list[Any] = [[]] * 13


def run_lengths(height: int = 256, width: int = 256) -> dict[str, Any]:
    """A mask whose last row is foreground."""
    pixels = np.zeros((height, width), np.uint8, order="F")
    pixels[-1] = 1
    return {"counts": mask.encode(pixels)["counts"].decode(), "size": [height, width]}


def person(number: int = 7, **fields: Any) -> dict[str, Any]:
    return {"id": number, "image_id": 5, "category_id": 1, "bbox": [1, 2, 30, 40], "area": 9.5, "iscrowd": 0} | fields


def document(*annotations: Any) -> dict[str, Any]:
    return {"images": [IMAGE], "annotations": annotations, "categories": [{"id": 1, "name": "person"}]}


@pytest.fixture
def read(json_file):
    """Read a document of these annotations."""

    def call(*annotations: Any) -> DensePoseTables:
        return read_densepose(json_file(document(*annotations)))

    return call


@pytest.fixture
def problems(read, refused):
    """The problems of a document of these annotations."""
    return lambda *annotations: refused(lambda: read(*annotations))


def test_the_training_sample(samples: Path) -> None:
    path = samples / "densepose" / "densepose_coco_2014_train.json"
    tables = read_densepose(path)
    objects = tables.instances.objects
    assert objects["key"].tolist() == [41001, 41002, 41003, 41004, 41005, 900100800103, 41006, 41007]
    assert objects["has_masks"].tolist() == [True, True, True, False, True, False, True, True]
    assert np.bincount(tables.masks.row).tolist() == [14, 7, 14, 0, 2, 0, 0, 14]
    assert tables.masks.part[:15].tolist() == [*range(1, 15), *tables.masks.part[14:15]]
    assert set(totals(tables.masks.runs).tolist()) == {256 * 256}
    assert tables.instances.findings == {}
    instances = coco.read_instances(path)
    assert objects.drop(columns="has_masks").equals(instances.objects)
    assert tables.instances.images.equals(instances.images)


def test_minival_repeats_ids_and_writes_one_as_a_float(samples: Path) -> None:
    tables = read_densepose(samples / "densepose" / "densepose_coco_2014_valminusminival.json").instances
    assert tables.objects["key"].tolist() == [51001, 51001, 908400810202]
    assert tables.findings == {"ids written as floats": 1, "annotation ids given more than once": 1}


def test_the_files_for_surface_embeddings_have_masks_without_parts(samples: Path) -> None:
    tables = read_densepose(samples / "densepose" / "densepose_minival2014_cse.json")
    assert tables.instances.objects["has_masks"].tolist() == [True, True, False]
    assert len(tables.masks.row) == 0
    assert tables.instances.findings == {
        "objects with one mask of the foreground instead of 14 parts": 1,
        "objects with an empty list instead of 14 parts": 1,
    }


def test_masks_keep_their_object_and_part(read) -> None:
    given = run_lengths()
    tables = read(person(), person(8, dp_masks=[[], given, None, *[[]] * 10, given]))
    assert (tables.masks.row.tolist(), tables.masks.part.tolist()) == ([1, 1], [2, 14])
    assert tables.masks.runs.counts.tolist() == decode([given["counts"]] * 2).counts.tolist()
    assert tables.instances.objects["has_masks"].tolist() == [False, True]


def test_masks_follow_their_object_where_others_are_left_out(read) -> None:
    left_out = person(1, image_id=99, dp_masks=[run_lengths(), *BOTTOM])
    tables = read(left_out, person(2), person(3, dp_masks=[run_lengths(), *BOTTOM]))
    assert tables.instances.objects["key"].tolist() == [2, 3]
    assert tables.instances.objects["has_masks"].tolist() == [False, True]
    assert tables.masks.row.tolist() == [1]


def test_no_objects(read) -> None:
    objects = read().instances.objects
    assert (len(objects), objects["has_masks"].dtype) == (0, np.bool_)


@pytest.mark.parametrize(
    ("masks", "field", "found", "expected"),
    [
        ([run_lengths(255), *BOTTOM], "dp_masks[0].size", "[255, 256]", "[256, 256]"),
        ([*BOTTOM, run_lengths(256, 255)], "dp_masks[13].size", "[256, 255]", "[256, 256]"),
        (BOTTOM, "dp_masks", "13 masks", "14, empty where a part is not visible"),
        ([run_lengths(255) | {"size": [256, 256]}, *BOTTOM], "dp_masks[0].counts", None,
         "run lengths: 65,536 pixels, here 65,280"),
        ([{"counts": "4P", "size": [256, 256]}, *BOTTOM], "dp_masks[0].counts", "'4P'",
         "run lengths: a last character between '0' and 'O'"),
        ([[], {"counts": [65536], "size": [256, 256]}, *BOTTOM[1:]], "dp_masks[1].counts", "[65536]", "text"),
        ([[1], *BOTTOM], "dp_masks[0]", "[1]", "a list of length <= 0"),
        ([{"counts": "4"}, *BOTTOM], "dp_masks[0].size", "nothing", "a value"),
        (None, "dp_masks", "null", "an object or a list"),
        ("x", "dp_masks", "'x'", "an object or a list"),
    ],
)  # fmt: skip
def test_bad_masks(problems, masks: Any, field: str, found: str | None, expected: str) -> None:
    (problem,) = problems(person(1), person(dp_masks=masks))
    assert (problem.record, problem.field, problem.expected) == ("annotation 7", field, expected)
    assert found is None or problem.found == found


def test_all_problems_come_together(problems) -> None:
    found = problems(
        person(1, dp_masks=[run_lengths(255), *BOTTOM]),
        person(2, bbox=[1, 2, -3, 4]),
        person(3, dp_masks=[{"counts": "?", "size": [256, 256]}, *BOTTOM]),
        person(4, dp_masks=[[]] * 15),
        person(5, category_id=3),
    )
    assert [(problem.record, problem.field) for problem in found] == [
        ("annotation 2", "bbox[2]"), ("annotation 5", "category_id"), ("annotation 4", "dp_masks"),
        ("annotation 1", "dp_masks[0].size"), ("annotation 3", "dp_masks[0].counts"),
    ]  # fmt: skip


@pytest.mark.parametrize("read_path", [coco.read_instances, read_densepose])
@pytest.mark.parametrize(
    ("content", "place", "found"),
    [
        (None, "", "no such file or directory"),
        (b"", "", "an empty file"),
        (b"[]", "", "a list"),
        ("{}".encode("utf-16"), "byte 0", "a byte order mark of UTF-16"),
        (b'{"images": [], "annotations": [], "categories": [], "info": "\xe9"}', "byte 61", "b'\\xe9'"),
        (b'{"images": [], "annotations": [], "categories": []} 1', "byte 52", "'1'"),
    ],
)
def test_what_is_no_instances_file(
    tmp_path: Path, refused, read_path, content: bytes | None, place: str, found: str
) -> None:
    path = tmp_path / "source.json"
    if content is not None:
        path.write_bytes(content)
    (problem,) = refused(read_path, path)
    assert (problem.file, problem.record, problem.found) == (str(path), place, found)


def test_a_truncated_file_names_the_byte(tmp_path: Path, refused) -> None:
    text = json.dumps(document(person(dp_masks=[run_lengths(), *BOTTOM])))
    path = tmp_path / "cut.json"
    path.write_text(text[: text.index("counts") + 20])
    (problem,) = refused(read_densepose, path)
    assert (problem.record, problem.found) == (f"byte {path.stat().st_size}", "the end of the file")


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(["densepose/densepose_coco_2014_train.json", "coco/annotations/instances_val2014.json"]),
    place=st.floats(0, 1),
    n_removed=st.integers(0, 12),
    inserted=st.sampled_from(
        [b"", b"null", b"NaN", b"-1", b'"', b"{}", b"[", b"]", b"\xff", b"\0", b"1e999", b"\\ud83d"]
    ),
)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    tmp_path_factory, name: str, place: float, n_removed: int, inserted: bytes
) -> None:
    content = (Path(__file__).parents[2] / "samples" / name).read_bytes()
    start = int(place * len(content))
    path = tmp_path_factory.mktemp("damaged") / "a.json"
    path.write_bytes(content[:start] + inserted + content[start + n_removed :])
    for read in (lambda path: read_densepose(path).instances, coco.read_instances):
        n_objects, problems = 0, ()
        try:
            n_objects = len(read(path).objects)
        except InputError as error:
            problems = error.problems
        assert n_objects or problems
        assert all(problem.file == str(path) and problem.found and problem.expected for problem in problems)
