"""voc-person: images of a VOC devkit without small persons; on the sample and on 100 real files of VOC2012."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.detection.candidates import CASE_MISMATCH
from builders.engine.build import build
from builders.engine.registry import find_recipe
from builders.engine.run import Build
from schemas.errors import InputError, UsageError
from schemas.input.files import digest_of

BuildOf = Callable[..., Build]

NAME = "voc-person"


def rows_of(build: Build) -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for table in build.splits.values() for row in table.to_pylist()}


def told(build: Build, rule: str) -> dict[str, tuple[str, dict[str, float]]]:
    """Reason and values of every image that a rule dropped or changed."""
    return {
        entry["key"]: (entry["reason"], {value["name"]: value["value"] for value in entry["values"]})
        for entry in build.ledger.to_pylist()
        if entry["rule"] == rule and entry["level"] == "image"
    }


def xml_of(*boxes: tuple[int, int, int, int]) -> str:
    """An annotation of persons, by xmin, ymin, xmax, ymax."""
    names = ("xmin", "ymin", "xmax", "ymax")
    sides = ["".join(f"<{n}>{v}</{n}>" for n, v in zip(names, box, strict=True)) for box in boxes]
    objects = "".join(f"<object><name>person</name><bndbox>{side}</bndbox></object>" for side in sides)
    return f"<annotation><size><width>500</width><height>375</height></size>{objects}</annotation>"


@pytest.fixture
def devkit(tmp_path: Path) -> Callable[..., Path]:
    """Write a devkit of files by name."""

    def write(**files: str) -> Path:
        (tmp_path / "VOC2010/Annotations").mkdir(parents=True)
        for name, content in files.items():
            (tmp_path / f"VOC2010/Annotations/{name}.xml").write_text(content)
        return tmp_path

    return write


def test_an_image_falls_with_its_first_small_person(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert list(rows_of(build)) == ["2008_000001", "2008_000002", "2008_000003", "2009_000002", "2010_000003"]
    assert told(build, "small_person") == {
        "2009_000001": ("small_person", {"person": 2, "area": 1681, "min_area": 2247}),
        "2010_000002": ("small_person", {"person": 1, "area": 51, "min_area": 2247}),
    }
    assert list(told(build, "person_present")) == ["2010_000001", "2010_000004"]


def test_a_row_is_an_image_and_its_persons(build_of: BuildOf) -> None:
    row = rows_of(build_of(NAME))["2008_000003"]
    assert row == {
        "sample_id": "2008_000003",
        "split": "trainval",
        "image_id": 3,
        "file_name": "2008_000003.jpg",
        "width": 500,
        "height": 375,
        "objects": [
            {
                "category": "person",
                "x": 83.0,
                "y": 60.0,
                "width": 136.0,
                "height": 241.0,
                "area": 32776.0,
                "area_source": "box",
                "crowd": False,
                "difficult": False,
                "ignored": False,
                "category_id": None,
                "annotation_id": None,
            }
        ],
    }


def test_both_ends_of_a_box_are_inside(build_of: BuildOf, devkit: Callable[..., Path]) -> None:
    # 48 * 47 = 2,256 stays and 47 * 47 = 2,209 falls; by `max - min` the former would have 2,162.
    folder = devkit(a1=xml_of((11, 21, 58, 67)), a2=xml_of((11, 21, 57, 67)))
    rows = rows_of(build_of(NAME, folder, source__split="all"))
    assert list(rows) == ["a1"]
    assert [rows["a1"]["objects"][0][side] for side in ("x", "y", "width", "height", "area")] == [10, 20, 48, 47, 2256]


def test_difficult_persons_count_and_flags_that_are_missing_are_null(build_of: BuildOf) -> None:
    flags = [item["difficult"] for row in rows_of(build_of(NAME)).values() for item in row["objects"]]
    assert flags == [False, False, False, None, None, False]
    small = build_of(NAME, small_person__on_small="off")
    assert [item["difficult"] for item in rows_of(small)["2010_000002"]["objects"]] == [True, True]


@pytest.mark.parametrize(
    ("split", "candidates", "kept"),
    [("trainval", 9, 5), ("person_trainval", 9, 5), ("train", 5, 3), ("val", 4, 2), ("all", 10, 6)],
)
def test_splits_are_lists_or_every_file(build_of: BuildOf, split: str, candidates: int, kept: int) -> None:
    build = build_of(NAME, source__split=split)
    assert (build.identity.levels["image"].candidates, build.identity.levels["image"].kept) == (candidates, kept)
    assert list(build.splits) == [split]


def test_a_list_that_is_not_there_is_an_error_that_names_the_others(build_of: BuildOf) -> None:
    with pytest.raises(InputError, match=r"Main/trainvall.txt: found no such list, expected train, trainval, val"):
        build_of(NAME, source__split="trainvall")


def test_without_lists_every_file_can_still_be_taken(build_of: BuildOf, own_samples: Path) -> None:
    shutil.rmtree(own_samples / "voc/VOCdevkit/VOC2010/ImageSets")
    assert len(rows_of(build_of(NAME, own_samples, source__split="all"))) == 6
    with pytest.raises(UsageError, match=r"source 'split_list' not found: .*trainval.txt"):
        build_of(NAME, own_samples)


def test_the_list_is_a_source_like_the_files(samples: Path, tmp_path: Path) -> None:
    listed = build(find_recipe(NAME), samples, tmp_path / "listed").identity.sources
    every = build(find_recipe(NAME), samples, tmp_path / "all", settings={"source.split": "all"}).identity.sources
    assert (listed["annotations"].file, listed["split_list"].file) == ("Annotations", "trainval.txt")
    assert list(every) == ["annotations"]


def test_ids_as_published_are_years_that_images_share(build_of: BuildOf, reasons) -> None:
    build = build_of(NAME, voc__image_id="first_digits_as_published")
    assert [row["image_id"] for row in rows_of(build).values()] == [2008, 2008, 2008, 2009, 2010]
    assert reasons(build)["voc", "changed", "first_digits"] == 9
    assert told(build, "voc")["2010_000003"] == ("first_digits", {"image_id": 2010})


def test_an_id_of_its_own_is_no_slip_to_be_noted(build_of: BuildOf, devkit: Callable[..., Path]) -> None:
    large = xml_of((1, 1, 100, 100))
    folder = devkit(a_1=large, b_1=large, c_77_2=large)
    settings = {"source__split": "all", "voc__image_id": "first_digits_as_published"}
    build = build_of(NAME, folder, **settings)
    assert {name: row["image_id"] for name, row in rows_of(build).items()} == {
        "a_1": 1,
        "b_1": 1,
        "c_77_2": 77,
    }
    assert list(told(build, "voc")) == ["a_1", "b_1"]


def test_names_without_a_number_or_with_one_beyond_64_bits_are_refused(
    build_of: BuildOf, devkit: Callable[..., Path]
) -> None:
    large = xml_of((1, 1, 100, 100))
    folder = devkit(frame_12345678901234567890123=large, nothing=large, a_0000000000000000000000007=large)
    assert len(rows_of(build_of(NAME, folder, source__split="all"))) == 3
    with pytest.raises(InputError) as failure:
        build_of(NAME, folder, source__split="all", voc__image_id="first_digits_as_published")
    assert [(Path(problem.file).stem, problem.field) for problem in failure.value.problems] == [
        ("frame_12345678901234567890123", "first number in the name"),
        ("nothing", "first number in the name"),
    ]


def test_voc_has_no_masks(build_of: BuildOf) -> None:
    with pytest.raises(UsageError) as failure:
        build_of(NAME, small_person__area="mask")
    assert str(failure.value) == "small_person.area=mask: the source has no masks; expected annotation or box"


def test_the_area_is_that_of_the_box_whichever_is_asked_for(build_of: BuildOf) -> None:
    assert build_of(NAME, small_person__area="box").splits == build_of(NAME).splits


def test_other_alternatives(build_of: BuildOf) -> None:
    assert rows_of(build_of(NAME, category__keep="all"))["2008_000001"]["objects"][1]["category"] == "dog"
    alone = rows_of(build_of(NAME, small_person__on_small="drop_person"))
    assert len(alone["2009_000001"]["objects"]) == 1
    assert "2010_000002" not in alone
    ignored = rows_of(build_of(NAME, small_person__on_small="ignore"))
    assert [item["ignored"] for item in ignored["2009_000001"]["objects"]] == [False, True]
    assert len(rows_of(build_of(NAME, person_present__required=False))) == 7


def test_oddities_are_counted(build_of: BuildOf) -> None:
    assert (
        build_of(NAME).identity.findings["boxes that begin at pixel 0 (the format counts from 1, so x or y is -1)"] == 1
    )
    assert build_of(NAME).identity.findings["objects with body parts (not read)"] == 1


def test_a_rebuild_is_the_same_to_the_last_byte(samples: Path, tmp_path: Path) -> None:
    folders = [build(find_recipe(NAME), samples, tmp_path / name).path for name in ("one", "two")]
    one, two = ({path.name: path.read_bytes() for path in sorted(f.rglob("*.*"))} for f in folders)
    assert one == two
    assert "trainval-00000-of-00001.parquet" in one


@pytest.mark.real_data
def test_100_real_files(build_of: BuildOf, real_data: Path) -> None:
    build = build_of(NAME, given={"annotations": real_data / "voc/Annotations"}, source__split="all")
    assert (build.identity.levels["image"].candidates, build.identity.levels["objects"].candidates) == (100, 273)
    persons = build_of(
        NAME,
        given={"annotations": real_data / "voc/Annotations"},
        source__split="all",
        small_person__on_small="off",
    )
    assert persons.identity.levels["objects"].kept == 91
    assert build.identity.levels["image"].kept < persons.identity.levels["image"].kept
    small = {row["sample_id"] for row in rows_of(persons).values() if any(i["area"] < 2247 for i in row["objects"])}
    assert set(rows_of(build)) == set(rows_of(persons)) - small


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A development kit of two years, with lists of the same name."""
    for year, names in (("VOC2007", ("000001", "000002")), ("VOC2012", ("2008_000001", "2009_000002"))):
        folder = tmp_path / "VOCdevkit" / year
        (folder / "Annotations").mkdir(parents=True)
        (folder / "ImageSets/Main").mkdir(parents=True)
        for name in names:
            (folder / f"Annotations/{name}.xml").write_text(xml_of((1, 1, 100, 100)))
        (folder / "ImageSets/Main/val.txt").write_text(f"{names[0]}\n")
    return tmp_path


def test_two_data_sets_are_for_the_user_to_choose_in_one_error(build_of: BuildOf, kit: Path) -> None:
    with pytest.raises(UsageError) as failure:
        build_of(NAME, kit, source__split="val")
    annotations, listed = str(failure.value).split("\n")
    assert annotations.startswith("source 'annotations' is ambiguous: ")
    assert listed.startswith("source 'split_list' is ambiguous: ")
    with pytest.raises(UsageError) as failure:
        build_of(NAME, kit, source__split="all")
    assert str(failure.value) == annotations


@pytest.mark.parametrize("place", ["", "/Annotations"])
@pytest.mark.parametrize("year", ["VOC2007", "VOC2012"])
def test_a_data_set_that_was_named_is_read_with_its_own_list(
    build_of: BuildOf, kit: Path, tmp_path: Path, year: str, place: str
) -> None:
    folder = kit / "VOCdevkit" / year
    rows = rows_of(build_of(NAME, kit, {"annotations": Path(f"{folder}{place}")}, source__split="val"))
    assert list(rows) == (folder / "ImageSets/Main/val.txt").read_text().split()
    given = {"annotations": Path(f"{folder}{place}"), "split_list": folder / "ImageSets/Main/val.txt"}
    assert rows_of(build_of(NAME, kit, given, source__split="val")) == rows
    one = build(find_recipe(NAME), kit, tmp_path / "one", settings={"source.split": "val"}, given=given).identity
    assert (one.sources["annotations"].file, one.sources["split_list"].file) == ("Annotations", "val.txt")
    assert one.sources["annotations"].sha256 == digest_of(folder / "Annotations")


def test_the_list_that_was_named_is_the_one_read(build_of: BuildOf, kit: Path) -> None:
    folder = kit / "VOCdevkit/VOC2012"
    (kit / "my_own").write_text("2009_000002\n")
    given = {"annotations": folder, "split_list": kit / "my_own"}
    build = build_of(NAME, kit, given, source__split="val")
    assert list(rows_of(build)) == ["2009_000002"]
    assert build.identity.findings == {"source files not named after the split val (my_own)": 1}
    given["split_list"] = kit / "VOCdevkit/VOC2007/ImageSets/Main/val.txt"
    with pytest.raises(InputError, match=r"VOC2007/ImageSets/Main/val.txt: line 1: found '000001', expected .*VOC2012"):
        build_of(NAME, kit, given, source__split="val")


def test_files_of_any_name_are_found_and_those_of_ssbd_are_not_meant(
    build_of: BuildOf, samples: Path, tmp_path: Path
) -> None:
    shutil.copytree(samples / "ssbd", tmp_path / "ssbd")
    (tmp_path / "ssbd/Annotations/._v_Spinning_07.xml").write_text("from an archiver")
    with pytest.raises(UsageError, match="source 'annotations' not found"):
        build_of(NAME, tmp_path, source__split="all")
    for name in ("img_1", "video_1", "Frame 1"):
        (tmp_path / "custom/Annotations").mkdir(parents=True)
        (tmp_path / f"custom/Annotations/{name}.xml").write_text(xml_of((1, 1, 100, 100)))
        assert list(rows_of(build_of(NAME, tmp_path, source__split="all"))) == [name]
        assert build_of("uag-ssbd", tmp_path).identity.levels["behaviour"].candidates == 13
        shutil.rmtree(tmp_path / "custom")


def test_a_single_file_may_be_given(build_of: BuildOf, samples: Path) -> None:
    file = samples / "voc/VOCdevkit/VOC2010/Annotations/2008_000003.xml"
    build = build_of(NAME, given={"annotations": file}, source__split="all")
    assert list(rows_of(build)) == ["2008_000003"]


def test_names_almost_person_are_an_error_or_a_finding(
    build_of: BuildOf, devkit: Callable[..., Path], places: Callable
) -> None:
    large = xml_of((1, 1, 100, 100), (1, 1, 90, 90))
    folder = devkit(a1=large.replace("person", "dog"), a2=large.replace("person", "Person"))
    found = places(lambda: build_of(NAME, folder, source__split="all"))
    assert found == [("a2.xml", "object 1", "name", "'Person'")]
    (folder / "VOC2010/Annotations/a3.xml").write_text(large)
    build = build_of(NAME, folder, source__split="all")
    assert (list(rows_of(build)), build.identity.findings[CASE_MISMATCH]) == (["a3"], 2)


def test_images_without_persons_are_no_error(build_of: BuildOf, devkit: Callable[..., Path]) -> None:
    folder = devkit(a1=xml_of((1, 1, 100, 100)).replace("person", "dog"), a2=xml_of())
    assert len(rows_of(build_of(NAME, folder, source__split="all"))) == 0


def test_folders_above_whose_names_are_no_utf8_are_no_obstacle(build_of: BuildOf, tmp_path: Path) -> None:
    folder = tmp_path / "data\udcff/VOC2010/Annotations"
    folder.mkdir(parents=True)
    (folder / "nothing.xml").write_text(xml_of((1, 1, 100, 100)))
    assert list(rows_of(build_of(NAME, tmp_path, source__split="all"))) == ["nothing"]
    with pytest.raises(InputError, match=r"data\\xff/VOC2010/Annotations/nothing.xml: first number"):
        build_of(NAME, tmp_path, source__split="all", voc__image_id="first_digits_as_published")
