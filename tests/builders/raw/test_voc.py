from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.raw.voc import read_devkit
from schemas.errors import InputError

SIZE = "<size><width>500</width><height>375</height><depth>3</depth></size>"
SIDES = ("xmin", "ymin", "xmax", "ymax")


def box(*sides: object) -> str:
    return "<bndbox>" + "".join(f"<{tag}>{side}</{tag}>" for tag, side in zip(SIDES, sides, strict=True)) + "</bndbox>"


def person(*sides: object, more: str = "") -> str:
    return f"<object><name>person</name>{box(*(sides or (10, 20, 30, 50)))}{more}</object>"


def document(*objects: str, size: str = SIZE, filename: str = "<filename>a.jpg</filename>") -> str:
    return f"<annotation>{filename}{size}{''.join(objects)}</annotation>"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Write a data set: names of XML files -> their text, names of lists -> theirs."""

    def write(files: dict[str, str], **lists: str) -> Path:
        for name in ("Annotations", "ImageSets/Main"):
            (tmp_path / name).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (tmp_path / "Annotations" / f"{name}.xml").write_text(text)
        for name, text in lists.items():
            (tmp_path / "ImageSets" / "Main" / f"{name}.txt").write_text(text)
        return tmp_path

    return write


@pytest.fixture
def objects(folder) -> Callable[..., pd.DataFrame]:
    """The objects of a data set of one image."""
    return lambda *objects, **fields: read_devkit(folder({"a": document(*objects, **fields)}), "all").objects


def boxes(table: pd.DataFrame) -> list[list[float]]:
    return table[["x", "y", "width", "height"]].to_numpy().tolist()


def test_the_sample(samples: Path) -> None:
    tables = read_devkit(samples / "voc", "trainval")
    images, objects = tables.images, tables.objects
    assert images["name"].tolist() == [
        "2008_000001", "2008_000002", "2008_000003", "2009_000001", "2009_000002", "2010_000001", "2010_000002",
        "2010_000003", "2010_000004",
    ]  # fmt: skip
    assert images["image_id"].tolist() == list(range(1, 10))
    assert images["file_name"].tolist()[4:] == [
        "C:\\images\\photo_0042.png", "2010_000001.jpg", "2010_000002.jpg", pd.NA, "../2010_000004.jpg",
    ]  # fmt: skip
    assert images["width"].isna().tolist() == [False] * 4 + [True, False, False, True, False]
    assert objects["parent"].tolist() == [0, 0, 1, 2, 3, 3, 3, 4, 4, 5, 6, 6, 7]
    assert objects["key"].tolist() == [1, 2, 1, 1, 1, 2, 3, 1, 2, 1, 1, 2, 1]
    assert objects["category"].value_counts().to_dict() == {"person": 10, "dog": 1, "cat": 1, "sofa": 1}
    assert tables.findings == {
        "images without objects": 1,
        "images without width or height": 2,
        "images whose <filename> names another file": 1,
        "boxes that begin at pixel 0 (the format counts from 1, so x or y is -1)": 1,
        "boxes with decimals": 1,
        "objects with body parts (not read)": 1,
    }


def test_types_do_not_depend_on_what_is_there(folder) -> None:
    expected = {
        "parent": "int64", "key": "int64", "category": "string", "x": "float64", "y": "float64", "width": "float64",
        "height": "float64", "difficult": "boolean", "truncated": "boolean", "occluded": "boolean",
    }  # fmt: skip
    for text in (document(), document(person()), document(person(), size="", filename="")):
        tables = read_devkit(folder({"a": text}), "all")
        assert tables.objects.dtypes.astype(str).to_dict() == expected
        assert tables.images[["image_id", "width", "height"]].dtypes.astype(str).tolist() == ["int64", "Int64", "Int64"]


@pytest.mark.parametrize("split", ["trainval", "person_trainval", "train"])
def test_a_list_may_have_flags(samples: Path, split: str) -> None:
    names = read_devkit(samples / "voc", split).images["name"].tolist()
    lines = (samples / f"voc/VOCdevkit/VOC2010/ImageSets/Main/{split}.txt").read_text().splitlines()
    assert names == [line[:11] for line in lines]


@pytest.mark.parametrize("line", ["b_1", "b_1  1", "b_1 -1", "b_1  0", "\tb_1\t-1\r", "b_1 \n\n"])
def test_flags_are_split_off_whatever_the_blanks(folder, line: str) -> None:
    files = dict.fromkeys(["a_1", "b_1"], document(person()))
    assert read_devkit(folder(files, some=f"{line}\na_1 1\n"), "some").images["name"].tolist() == ["b_1", "a_1"]


def test_images_are_numbered_in_the_order_of_the_list_whatever_digits_they_have(folder) -> None:
    names = ["b_1", "2008_000008", "a_1", "20250116_120544_front", "2008_000002", "no digits"]
    images = read_devkit(folder(dict.fromkeys(names, document()), some="\n".join(names)), "some").images
    assert images["image_id"].tolist() == [1, 2, 3, 4, 5, 6]
    assert images["name"].tolist() == names


def test_all_takes_every_xml_file_by_name(samples: Path) -> None:
    tables = read_devkit(samples / "voc", "all")
    assert tables.images["name"].tolist() == sorted(tables.images["name"])
    assert len(tables.images) == 10
    assert tables.findings["boxes beyond their image"] == 1


@pytest.mark.parametrize("root", ["voc", "voc/VOCdevkit", "voc/VOCdevkit/VOC2010"])
def test_the_folder_may_be_one_or_two_levels_above(samples: Path, root: str) -> None:
    assert len(read_devkit(samples / root, "val").images) == 4


def test_several_data_sets_below_are_refused(samples: Path, tmp_path: Path, refused) -> None:
    for name in ("VOC2010", "VOC2012", "__MACOSX"):
        shutil.copytree(samples / "voc" / "VOCdevkit" / "VOC2010", tmp_path / name)
    (problem,) = refused(read_devkit, tmp_path, "val")
    assert problem.found == "several data sets: VOC2010, VOC2012"
    assert len(read_devkit(tmp_path / "VOC2012", "val").images) == 4


def test_pixels_count_from_1_and_both_ends_belong_to_the_box(objects) -> None:
    table = objects(person(1, 1, 500, 375), person(10, 20, 10, 20), person(84, 61, 219, 301))
    assert boxes(table) == [[0, 0, 500, 375], [9, 19, 1, 1], [83, 60, 136, 241]]


@given(st.tuples(*[st.integers(1, 2000)] * 2), st.tuples(*[st.integers(0, 2000)] * 2))
def test_a_box_covers_its_pixels(tmp_path_factory, corner: tuple[int, int], extent: tuple[int, int]) -> None:
    folder = tmp_path_factory.mktemp("voc")
    (folder / "Annotations").mkdir()
    sides = (*corner, corner[0] + extent[0], corner[1] + extent[1])
    (folder / "Annotations" / "a.xml").write_text(document(person(*sides)))
    ((x, y, width, height),) = boxes(read_devkit(folder, "all").objects)
    assert (x + 1, y + 1, x + width, y + height) == sides


@pytest.mark.parametrize("text", ["45.70000457763672", " 45.7 ", "+45.7", "4.57e1", "45.7\n"])
def test_coordinates_may_have_decimals(folder, text: str) -> None:
    tables = read_devkit(folder({"a": document(person(10, text, 30, "281.5"))}), "all")
    assert boxes(tables.objects)[0][1] == pytest.approx(44.7)
    assert tables.findings == {"boxes with decimals": 1}


def test_children_are_found_by_name_in_any_order(objects) -> None:
    shuffled = "<bndbox><xmax>30</xmax><xmin>10</xmin><ymax>50</ymax><ymin>20</ymin></bndbox>"
    table = objects(f"<object><difficult>1</difficult>{shuffled}<name>dog</name></object>", person())
    assert boxes(table)[0] == boxes(table)[1]
    assert (table["category"][0], table["difficult"][0]) == ("dog", True)


def test_parts_actions_and_points_are_no_objects(objects) -> None:
    part = f"<part><name>head</name>{box(1, 2, 3, 4)}</part>"
    more = f"{part}<actions><jumping>1</jumping></actions><point><x>7</x><y>8</y></point>"
    table = objects(f"<object>{part}<name>person</name>{box(10, 20, 30, 50)}{more}</object>")
    assert table["category"].tolist() == ["person"]
    assert boxes(table) == [[9, 19, 21, 31]]


def test_a_part_does_not_stand_in_for_a_missing_name_or_box(objects, refused) -> None:
    part = f"<part><name>head</name>{box(1, 2, 3, 4)}</part>"
    problems = refused(objects, f"<object>{part}{box(1, 2, 3, 4)}</object>", f"<object><name>a</name>{part}</object>")
    assert [(problem.record, problem.field) for problem in problems] == [("object 1", "name"), ("object 2", "bndbox")]


@pytest.mark.parametrize("flag", ["difficult", "truncated", "occluded"])
@pytest.mark.parametrize(
    ("text", "value"),
    [("<{}>1</{}>", True), ("<{}> 0 </{}>", False), ("", None), ("<{}></{}>", None), ("<{}>Unspecified</{}>", None)],
)
def test_flags_may_be_missing(objects, flag: str, text: str, value: bool | None) -> None:
    row = objects(person(more=text.replace("{}", flag))).iloc[0]
    assert (None if pd.isna(row[flag]) else row[flag]) == value
    assert row[["difficult", "truncated", "occluded"]].isna().sum() == 2 + (value is None)


@pytest.mark.parametrize(
    ("size", "width", "height"),
    [
        (SIZE, 500, 375),
        ("<size><height>375.0</height><width> 500 </width></size>", 500, 375),
        ("<size><width>0</width><height>0</height></size>", None, None),
        ("<size><width>500</width></size>", 500, None),
        ("<size><width/><height>375</height></size>", None, 375),
        ("<size/>", None, None),
        ("", None, None),
    ],
)
def test_sizes_may_be_missing_or_zero(folder, size: str, width: int | None, height: int | None) -> None:
    row = read_devkit(folder({"a": document(size=size)}), "all").images.iloc[0]
    assert [None if pd.isna(side) else side for side in (row["width"], row["height"])] == [width, height]


@pytest.mark.parametrize(
    ("filename", "n_misnamed"),
    [("a.jpg", 0), ("a", 0), ("a.JPEG", 0), ("../x/a.png", 0), ("C:\\a.jpg", 0), ("b.jpg", 1), ("a.b.jpg", 1)],
)
def test_the_xml_files_name_counts_and_the_stated_one_is_kept(folder, filename: str, n_misnamed: int) -> None:
    tables = read_devkit(folder({"a": document(person(), filename=f"<filename>{filename}</filename>")}), "all")
    assert tables.images[["name", "file_name"]].to_numpy().tolist() == [["a", filename]]
    assert tables.findings.get("images whose <filename> names another file", 0) == n_misnamed


@pytest.mark.parametrize(
    ("sides", "finding"),
    [
        ((0, 20, 30, 50), "boxes that begin at pixel 0 (the format counts from 1, so x or y is -1)"),
        ((10, 0, 500, 375), "boxes that begin at pixel 0 (the format counts from 1, so x or y is -1)"),
        ((-4, 20, 30, 50), "boxes beyond their image"),
        ((10, 20, 501, 50), "boxes beyond their image"),
        ((10, 20, 30, 376), "boxes beyond their image"),
        ((1, 1, 500, 375), None),
    ],
)
def test_boxes_of_files_that_count_otherwise_are_findings(folder, sides: tuple[int, ...], finding: str | None) -> None:
    assert read_devkit(folder({"a": document(person(*sides))}), "all").findings == ({finding: 1} if finding else {})


@pytest.mark.parametrize(
    ("content", "field", "found"),
    [
        (person("ten", 20, 30, 50), "xmin", "'ten'"),
        (person(10, 20, "nan", 50), "xmax", "'nan'"),
        (person(10, 20, 30, "inf"), "ymax", "'inf'"),
        (person(10, "1_0", 30, 50), "ymin", "'1_0'"),
        (person(10, "١٠", 30, 50), "ymin", "'١٠'"),
        (person(10, 20, 30, "1e999"), "ymax", "'1e999'"),
        (person(10, 20, "1e30", 50), "xmax", "'1e30'"),
        (person(-2000000000, 20, 30, 50), "xmin", "'-2000000000'"),
        (person(10, 20, "", 50), "xmax", "nothing"),
        (person(31, 20, 30, 50), "bndbox", "x from 31 to 30, y from 20 to 50"),
        (person(10, 20, 30, 19.5), "bndbox", "x from 10 to 30, y from 20 to 19.5"),
        (person(more=box(1, 2, 3, 4)), "bndbox", "2 elements"),
        (person().replace("person", " "), "name", "nothing"),
        (person().replace("name>", "label>"), "name", "nothing"),
        (person().replace("bndbox>", "polygon>"), "bndbox", "nothing"),
        (person().replace("<xmin>10</xmin>", ""), "xmin", "nothing"),
        (person(more="<difficult>maybe</difficult>"), "difficult", "'maybe'"),
        (person(more="<truncated>2</truncated>"), "truncated", "'2'"),
    ],
)
def test_bad_objects(objects, refused, content: str, field: str, found: str) -> None:
    (problem,) = refused(objects, person(), content)
    assert (Path(problem.file).name, problem.record, problem.field, problem.found) == (
        "a.xml",
        "object 2",
        field,
        found,
    )


@pytest.mark.parametrize(("side", "found"), [("-1", "-1"), ("500.5", "500.5"), ("wide", "'wide'"), ("1e90", "'1e90'")])
def test_bad_sizes(objects, refused, side: str, found: str) -> None:
    (problem,) = refused(lambda: objects(size=f"<size><width>{side}</width><height>375</height></size>"))
    assert (problem.field, problem.found) == ("width", found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<!DOCTYPE annotation [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><annotation>&b;</annotation>', "<!DOCTYPE"),
        ('<!DOCTYPE annotation SYSTEM "file:///etc/passwd"><annotation/>', "<!DOCTYPE"),
        ("<annotation>\0</annotation>", "a NUL character"),
        ("<annotation><object>", "no element found"),
        ("<annotations/>", "<annotations>"),
        ("", "an empty file"),
    ],
)
def test_unsafe_and_malformed_files(folder, refused, text: str, found: str) -> None:
    (problem,) = refused(read_devkit, folder({"a": text, "b": document()}), "all")
    assert (Path(problem.file).name, problem.found) == ("a.xml", found)


def test_a_file_of_three_gigabytes_is_refused_unread(folder, refused) -> None:
    root = folder({"a": document()})
    with (root / "Annotations" / "b.xml").open("wb") as file:
        file.truncate(3 * 1024**3)
    (problem,) = refused(read_devkit, root, "all")
    assert problem.found == "3,221,225,472 bytes"


def test_the_problems_of_all_files_come_together(folder, refused) -> None:
    size = "<size><width>x</width></size>"
    files = {"b": document(person("x", 1, 2, 3), person(more="<occluded>x</occluded>"), size=size), "a": "<a/>"}
    problems = refused(read_devkit, folder(files, some="b\na\n"), "some")
    assert [(Path(problem.file).stem, problem.record, problem.field) for problem in problems] == [
        ("b", "", "width"), ("b", "object 1", "xmin"), ("b", "object 2", "occluded"), ("a", "", "root element"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "record", "found"),
    [
        ("a\nmissing 1\n", "line 2", "'missing'"),
        ("a\n\na -1\n", "line 3", "'a' again"),
        ("../a\n", "line 1", "'../a'"),
        ("a.jpg\n", "line 1", "'a.jpg'"),
        ("\n \n", "", "no image"),
    ],
)
def test_bad_lists(folder, refused, lines: str, record: str, found: str) -> None:
    root = folder({"a": document()}, some=lines)
    (problem,) = refused(read_devkit, root, "some")
    assert (problem.file, problem.record) == (str(root / "ImageSets" / "Main" / "some.txt"), record)
    assert problem.found == found


def test_an_unknown_split_says_which_there_are(samples: Path, refused) -> None:
    (problem,) = refused(read_devkit, samples / "voc", "test")
    assert (Path(problem.file).name, problem.expected) == ("test.txt", "train, trainval, val, or all")


def test_missing_folders(tmp_path: Path, refused) -> None:
    for split in ("all", "trainval"):
        (problem,) = refused(read_devkit, tmp_path / "none", split)
        assert problem.found == "no such file or directory"
        (problem,) = refused(read_devkit, tmp_path, split)
        assert problem.found == "no folder `Annotations`"
    (tmp_path / "Annotations").mkdir()
    (problem,) = refused(read_devkit, tmp_path, "all")
    assert problem.found == "no *.xml file"


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(["2008_000001", "2008_000003", "2009_000002", "2010_000003"]),
    place=st.floats(0, 1),
    n_removed=st.integers(0, 12),
    inserted=st.sampled_from(
        [b"", b"<", b">", b"&x;", b"\0", b"\xff", b"-", b"1e9", b"<object>", b"</object>", b"<!--"]
    ),
)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    tmp_path_factory, name: str, place: float, n_removed: int, inserted: bytes
) -> None:
    samples = Path(__file__).parents[2] / "samples" / "voc" / "VOCdevkit" / "VOC2010" / "Annotations"
    content = (samples / f"{name}.xml").read_bytes()
    start = int(place * len(content))
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "Annotations").mkdir()
    (folder / "Annotations" / "a.xml").write_bytes(content[:start] + inserted + content[start + n_removed :])
    n_images, problems = 0, ()
    try:
        n_images = len(read_devkit(folder, "all").images)
    except InputError as error:
        problems = error.problems
    assert n_images or problems
    assert all(Path(problem.file).name == "a.xml" and problem.found and problem.expected for problem in problems)


@pytest.mark.real_data
def test_real_annotations(real_data: Path) -> None:
    tables = read_devkit(real_data / "voc", "all")
    objects = tables.objects
    assert (len(tables.images), len(objects), (objects["category"] == "person").sum()) == (100, 273, 91)
    assert objects["difficult"].sum() == 38
    assert (objects["x"] + objects["width"] == tables.images["width"].to_numpy()[objects["parent"]]).sum() == 35
    assert objects["occluded"].isna().all()
    assert not objects[["difficult", "truncated"]].isna().any().any()
    assert tables.findings == {}


@pytest.mark.real_data
def test_a_real_file_with_parts(real_data: Path, tmp_path: Path) -> None:
    (tmp_path / "Annotations").mkdir()
    shutil.copy(real_data / "voc" / "2007_000027_with_parts.xml", tmp_path / "Annotations" / "2007_000027.xml")
    tables = read_devkit(tmp_path, "all")
    assert tables.objects["category"].tolist() == ["person"]
    assert boxes(tables.objects) == boxes(read_devkit(real_data / "voc", "all").objects.iloc[:1])
    assert tables.findings == {"objects with body parts (not read)": 1}
