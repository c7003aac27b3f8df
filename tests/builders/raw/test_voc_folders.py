"""Where the files of a VOC data set are found: at the place given and below it, never above or beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from builders.raw.voc import read_devkit
from builders.raw.voc_folders import annotated_files, annotations_at, listed_files, own_list

XML = "<annotation/>"


def make(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(XML)
    return folder


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Two data sets side by side, and one without lists whose files are not numbered."""
    return make(
        tmp_path,
        "kit/VOC2007/Annotations/000001.xml",
        "kit/VOC2007/ImageSets/Main/val.txt",
        "kit/VOC2012/Annotations/2008_000001.xml",
        "kit/VOC2012/ImageSets/Main/val.txt",
        "custom/Annotations/img_1.xml",
        "flat/img_1.xml",
    )


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("kit/VOC2012", "kit/VOC2012/Annotations"),
        ("kit/VOC2012/Annotations", "kit/VOC2012/Annotations"),
        ("kit/VOC2012/Annotations/2008_000001.xml", "kit/VOC2012/Annotations/2008_000001.xml"),
        ("custom", "custom/Annotations"),
        ("custom/Annotations", "custom/Annotations"),
        ("flat", "flat"),
        ("flat/img_1.xml", "flat/img_1.xml"),
    ],
)
def test_the_place_given_is_the_place_read(kit: Path, place: str, found: str) -> None:
    assert annotations_at(kit / place) == kit / found
    (file,) = annotated_files(annotations_at(kit / place))
    assert file.is_relative_to(kit / place)


@pytest.mark.parametrize("place", ["custom", "custom/Annotations", "flat"])
def test_the_place_may_be_the_working_directory(kit: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.chdir(kit / place)
    assert annotations_at(Path()).resolve() == annotations_at(kit / place).resolve()
    assert own_list(annotations_at(Path()), "val") is None


def test_a_single_data_set_may_lie_two_levels_below(kit: Path) -> None:
    shutil.rmtree(kit / "kit/VOC2007")
    make(kit / "kit", "__MACOSX/VOC2012/Annotations/._2008_000001.xml")
    assert annotations_at(kit / "kit") == kit / "kit/VOC2012/Annotations"


def test_several_data_sets_below_are_named(kit: Path, refused) -> None:
    (problem,) = refused(annotations_at, kit / "kit")
    assert problem.found == "several data sets: VOC2007, VOC2012"


def test_files_that_editors_and_archivers_left_make_no_folder_of_annotations(tmp_path: Path, refused) -> None:
    make(tmp_path, "._img_1.xml", "img_1.xml~")
    (problem,) = refused(annotations_at, tmp_path)
    assert problem.found == "no folder `Annotations`"


def test_lists_are_those_of_the_data_set_alone(kit: Path) -> None:
    lists = kit / "kit/VOC2012/ImageSets/Main"
    assert own_list(kit / "kit/VOC2012/Annotations", "val") == lists / "val.txt"
    assert own_list(kit / "kit/VOC2012/Annotations", "train") == lists / "train.txt"
    assert own_list(kit / "custom/Annotations", "val") is None
    make(kit, "ImageSets/Main/val.txt")
    assert own_list(kit / "flat", "val") is None
    assert own_list(kit / "kit/VOC2012/Annotations/2008_000001.xml", "val") is None


def test_images_of_another_data_set_are_named(kit: Path, refused) -> None:
    listed, place = kit / "kit/VOC2007/ImageSets/Main/val.txt", kit / "kit/VOC2012/Annotations"
    listed.write_text("000001\n000002 -1\n2008_000001\n")
    problems = refused(listed_files, listed, place, annotated_files(place))
    assert [(problem.file, problem.record, problem.found) for problem in problems] == [
        (str(listed), "line 1", "'000001'"),
        (str(listed), "line 2", "'000002'"),
    ]
    assert {problem.expected for problem in problems} == {f"an image with an XML file in {place}"}


def test_a_list_from_anywhere_may_be_given(kit: Path) -> None:
    (kit / "mine").write_text("img_1\n")
    assert read_devkit(kit / "custom", "mine", kit / "mine").images["name"].tolist() == ["img_1"]
    assert read_devkit(kit / "flat/img_1.xml", "mine", kit / "mine").images["file"].tolist() == [
        str(kit / "flat/img_1.xml")
    ]


def test_without_lists_there_are_no_splits(kit: Path, refused) -> None:
    (problem,) = refused(read_devkit, kit / "custom", "val")
    assert (problem.file, problem.found) == (str(kit / "custom/Annotations"), "no lists of images")
    assert len(read_devkit(kit / "custom", "all").images) == 1


def test_a_given_list_that_is_not_there(kit: Path, refused) -> None:
    (problem,) = refused(read_devkit, kit / "custom", "val", kit / "none.txt")
    assert (problem.file, problem.found) == (str(kit / "none.txt"), "no such file or directory")
    (problem,) = refused(read_devkit, kit / "custom", "val", kit / "kit/VOC2012/ImageSets/Main/none.txt")
    assert (problem.found, problem.expected) == ("no such list", "val, or all")


def test_a_folder_that_may_not_be_entered_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused) -> None:
    """As root no permission bites, so the refusal is made here."""
    is_dir = Path.is_dir

    def refusing(path: Path, **options: bool) -> bool:
        if path.name == "Annotations":
            raise PermissionError(13, "Permission denied", str(path))
        return is_dir(path, **options)

    make(tmp_path, "locked/Annotations/a.xml")
    monkeypatch.setattr(Path, "is_dir", refusing)
    (problem,) = refused(read_devkit, tmp_path / "locked", "all")
    assert problem.file == str(tmp_path / "locked")
