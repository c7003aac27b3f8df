"""`convert` between COCO, YOLO and VOC: boxes come back, what cannot be said is counted, bad input is refused."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import pytest
import supervision as sv
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from pycocotools.coco import COCO

from benchwright import conversion, convert
from benchwright.conversion.boxes import read_boxes
from schemas.errors import InputError, UsageError

Box = tuple[str, float, float, float, float]
WIDTH, HEIGHT = 640, 480


def coco(
    path: Path,
    images: dict[str, Sequence[Box]],
    classes: Sequence[str] = ("cat", "dog"),
    first: int = 1,
    **annotation: Any,
) -> Path:
    """An instances file of these images, all of one size, with sparse ids of categories."""
    numbers = {name: 7 * place + 3 for place, name in enumerate(classes)}
    items = [(image, box) for image, boxes in enumerate(images.values(), first) for box in boxes]
    document = {
        "images": [
            {"id": place, "file_name": name, "width": WIDTH, "height": HEIGHT}
            for place, name in enumerate(images, first)
        ],
        "annotations": [
            {"id": place, "image_id": image, "category_id": numbers[name], "bbox": box, "area": box[2] * box[3]}
            | {"iscrowd": 0}
            | annotation
            for place, (image, (name, *box)) in enumerate(items, 1)
        ],
        "categories": [{"id": number, "name": name} for name, number in numbers.items()],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def pictures(folder: Path, names: Sequence[str], size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        Image.new("L", size).save(folder / name)


def boxes_of(path: Path, images: Path | None = None) -> dict[tuple[str, str], list[Box]]:
    """By split and stem of an image, its boxes."""
    read = read_boxes(path, None, None, images)
    found: dict[tuple[str, str], list[Box]] = {
        (split, Path(name).stem): [] for split, name in zip(read.images["split"], read.images["file_name"], strict=True)
    }
    keys = list(found)
    for parent, *box in read.objects[["parent", "category", "x", "y", "width", "height"]].itertuples(index=False):
        found[keys[parent]].append(tuple(box))
    return found


def close(one: dict[Any, list[Box]], other: dict[Any, list[Box]]) -> bool:
    """Whether boxes agree to a millionth of a pixel."""
    assert one.keys() == other.keys()
    for key, boxes in one.items():
        assert [box[0] for box in boxes] == [box[0] for box in other[key]]
        assert [box[1:] for box in boxes] == [pytest.approx(box[1:], abs=1e-6) for box in other[key]]
    return True


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=6)
STEMS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6).map(str.casefold)


@st.composite
def data(draw: st.DrawFn) -> tuple[dict[str, list[Box]], list[str]]:
    """Images with boxes that lie in them and are at least a pixel wide; and the classes."""
    classes = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    images = {}
    for stem in draw(st.lists(STEMS, min_size=1, max_size=3, unique=True)):
        boxes = []
        for _ in range(draw(st.integers(0, 3))):
            x, y = draw(st.integers(0, 300)) / 2, draw(st.integers(0, 300)) / 2
            sides = draw(st.integers(2, 300)) / 2, draw(st.integers(2, 300)) / 2
            boxes.append((draw(st.sampled_from(classes)), x, y, *sides))
        images[f"{stem}.png"] = boxes
    return images, classes


@settings(max_examples=40)
@given(data())
def test_boxes_come_back_from_every_format(invented: tuple[dict[str, list[Box]], list[str]]) -> None:
    images, classes = invented
    with TemporaryDirectory() as folder:
        start = coco(Path(folder) / "a.json", images, classes)
        pictures(Path(folder) / "pictures", list(images))
        truth = {("train", Path(name).stem): boxes for name, boxes in images.items()}
        yolo, voc, back = (Path(folder) / name for name in ("yolo", "voc", "back.json"))
        convert(start, "yolo", yolo)
        assert close(boxes_of(yolo, Path(folder) / "pictures"), truth)
        convert(yolo, "voc", voc, images=Path(folder) / "pictures")
        assert close(boxes_of(voc), truth)
        convert(voc, "coco", back)
        assert close(boxes_of(back), truth)
        assert {name for boxes in truth.values() for name, *_ in boxes} <= set(classes)
        assert [each["id"] for each in json.loads(back.read_bytes())["annotations"]] == list(
            range(1, sum(map(len, images.values())) + 1)
        )


IMAGES = {"a one.png": [("cat", 10.0, 20.0, 30.0, 40.0)], "bé.png": [("dog", 0.0, 0.0, 5.0, 5.0), ("cat", 1, 2, 3, 4)]}


def test_other_tools_read_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = coco(tmp_path / "a.json", IMAGES)
    pictures(tmp_path / "images" / "train", list(IMAGES))
    folder = str(tmp_path / "images" / "train")
    expected = {
        Path(name).stem: [(x, y, x + width, y + height) for _, x, y, width, height in boxes]
        for name, boxes in IMAGES.items()
    }

    def corners(dataset: Any) -> dict[str, list[Any]]:
        return {
            Path(path).stem: [pytest.approx(corner, abs=1e-3) for corner in found.xyxy.tolist()]
            for path, _, found in dataset
        }

    convert(start, "coco", tmp_path / "b.json")
    read = COCO(str(tmp_path / "b.json"))
    assert (len(read.imgs), len(read.anns), min(read.anns), min(read.cats)) == (2, 3, 1, 1)
    convert(start, "voc", tmp_path / "voc")
    voc = sv.DetectionDataset.from_pascal_voc(folder, str(tmp_path / "voc" / "Annotations"))
    assert (corners(voc), voc.classes) == (expected, ["cat", "dog"])
    convert(start, "yolo", tmp_path / "yolo")
    labels, names = tmp_path / "yolo" / "labels" / "train", tmp_path / "yolo" / "data.yaml"
    yolo = sv.DetectionDataset.from_yolo(folder, str(labels), str(names))
    assert (corners(yolo), yolo.classes) == (expected, ["cat", "dog"])


def test_classes_get_new_names_and_may_become_one(tmp_path: Path) -> None:
    start = coco(tmp_path / "a.json", IMAGES)
    done = convert(start, "coco", tmp_path / "b.json", classes={"dog": "cat"})
    document = json.loads((tmp_path / "b.json").read_bytes())
    assert [each["name"] for each in document["categories"]] == ["cat"]
    assert {each["category_id"] for each in document["annotations"]} == {1}
    assert done.notes == {"boxes of dog that are now cat": 1}
    with pytest.raises(UsageError, match=r"unknown class 'dgo'; did you mean dog\?"):
        convert(start, "coco", tmp_path / "c.json", classes={"dgo": "cat"})


def test_each_source_and_the_output_are_a_step_of_progress(tmp_path: Path) -> None:
    one = coco(tmp_path / "a.json", {"a.jpg": [("cat", 1, 2, 3, 4)]})
    other = coco(tmp_path / "b.json", {"b.jpg": [("cat", 1, 2, 3, 4)]})
    steps: list[str] = []
    conversion.convert([one, other], "voc", tmp_path / "voc", progress=steps.append)
    assert steps == ["a.json", "b.json", "voc"]


def test_sources_of_all_formats_are_merged(tmp_path: Path) -> None:
    one = coco(tmp_path / "a.json", {"a.png": [("cat", 1, 2, 3, 4)]}, ["cat"])
    convert(coco(tmp_path / "b.json", {"b.png": [("dog", 1, 2, 3, 4)]}, ["dog"]), "voc", tmp_path / "voc")
    convert(coco(tmp_path / "c.json", {"c.png": [("cow", 1, 2, 3, 4)]}, ["cow"]), "yolo", tmp_path / "yolo")
    pictures(tmp_path / "yolo" / "images" / "train", ["c.png"])
    sources = [f"train={one}", f"val={tmp_path / 'voc'}", tmp_path / "yolo"]
    done = convert(sources, "coco", tmp_path / "all.json")
    document = json.loads((tmp_path / "all.json").read_bytes())
    assert [each["file_name"] for each in document["images"]] == ["a.png", "b.png", "c.png"]
    assert [each["id"] for each in document["images"]] == [each["id"] for each in document["annotations"]] == [1, 2, 3]
    assert [each["name"] for each in document["categories"]] == ["cat", "dog", "cow"]
    assert done.written == {"images": 3, "annotations": 3, "classes": 3}
    assert done.notes["images numbered anew, as sources share numbers"] == 3
    assert done.notes["splits in one file, which has no place for their names (train, val)"] == 2
    assert convert(sources, "coco", tmp_path / "val.json", split="val").written["images"] == 1


def test_images_of_one_name_are_joined_on_demand_alone(tmp_path: Path) -> None:
    one = coco(tmp_path / "a.json", {"a.png": [("cat", 1, 2, 3, 4)], "b.png": []}, ["cat"])
    other = coco(tmp_path / "b.json", {"c.png": [], "a.png": [("dog", 5, 6, 7, 8)]}, ["dog"])
    with pytest.raises(InputError, match=r"'a.png': found also in .*a.json \(1 such images\).*--join"):
        convert([one, other], "coco", tmp_path / "all.json")
    done = convert([one, other], "coco", tmp_path / "all.json", join=True)
    assert done.notes["images in several sources, joined"] == 1
    found = boxes_of(tmp_path / "all.json")
    assert found[("train", "a")] == [("cat", 1, 2, 3, 4), ("dog", 5, 6, 7, 8)]
    assert list(found) == [("train", "a"), ("train", "b"), ("train", "c")]
    text = other.read_text().replace(f'"height": {HEIGHT}', '"height": 481')
    other.write_text(text)
    with pytest.raises(InputError, match="with another size"):
        convert([one, other], "coco", tmp_path / "d.json", join=True)
    assert not (tmp_path / "d.json").exists()


def test_what_a_target_cannot_express_is_counted(tmp_path: Path) -> None:
    outline = {"segmentation": [[1.0, 2.0, 10.0, 2.0, 10.0, 20.0]], "area": 81.0}
    start = coco(tmp_path / "a.json", {"a.png": [("cat", 1, 2, 9, 18), ("dog", 1, 2, 9.5, 18)]}, **outline)
    assert convert(start, "coco", tmp_path / "b.json").notes == {}
    kept = json.loads((tmp_path / "b.json").read_bytes())["annotations"][0]
    assert (kept["segmentation"], kept["area"]) == (outline["segmentation"], 81.0)
    no_place = "for which {} has no place"
    assert convert(start, "yolo", tmp_path / "yolo").notes == {
        f"outlines lost, {no_place.format('yolo')}": 2,
        f"areas lost that are not those of the box, {no_place.format('yolo')}": 2,
    }
    assert convert(start, "voc", tmp_path / "voc").notes == {
        "boxes with decimals, which some readers round": 1,
        f"outlines lost, {no_place.format('voc')}": 2,
        f"areas lost that are not those of the box, {no_place.format('voc')}": 2,
    }
    thin = coco(tmp_path / "thin.json", {"a.png": [("cat", 1, 2, 0.5, 9)]})
    assert convert(thin, "voc", tmp_path / "thin").notes["boxes narrower than a pixel left out"] == 1
    crowd = coco(tmp_path / "c.json", {"a.png": [("cat", 1, 2, 3, 4)]}, iscrowd=1)
    assert convert(crowd, "voc", tmp_path / "crowd").notes == {"crowds and ignored boxes written as difficult": 1}
    assert convert(crowd, "yolo", tmp_path / "none").notes == {"crowds and ignored boxes left out": 1}
    back = convert(tmp_path / "crowd", "coco", tmp_path / "d.json")
    assert back.notes == {"boxes with `difficult` in `attributes`, which pycocotools does not read": 1}
    assert json.loads((tmp_path / "d.json").read_bytes())["annotations"][0]["attributes"]["difficult"] is True


def test_splits_and_flags_of_voc_come_back(tmp_path: Path) -> None:
    one = coco(tmp_path / "a.json", {"a 1.png": [("cat", 1, 2, 3, 4)]})
    other = coco(tmp_path / "b.json", {"b.png": [("dog", 1, 2, 3, 4)]}, first=9)
    convert([f"train={one}", f"val={other}"], "voc", tmp_path / "voc")
    path = tmp_path / "voc" / "Annotations" / "b.xml"
    tree = ElementTree.parse(path)
    for name in ("truncated", "occluded"):
        ElementTree.SubElement(tree.getroot().find("object"), name).text = "1"  # type: ignore[arg-type]
    tree.write(path)
    convert(tmp_path / "voc", "voc", tmp_path / "again")
    assert list(boxes_of(tmp_path / "again")) == [("train", "a 1"), ("val", "b")]
    written = ElementTree.parse(tmp_path / "again" / "Annotations" / "b.xml").getroot().find("object")
    assert written is not None
    assert [written.findtext(name) for name in ("truncated", "difficult", "occluded")] == ["1", "0", "1"]
    assert list(boxes_of(tmp_path / "again")) == list(boxes_of(tmp_path / "voc"))
    assert (tmp_path / "voc/ImageSets/Main/train.txt").read_text() == "a 1 1\n", "or readers took the 1 for a flag"


@pytest.mark.parametrize("layout", ["labels/{}", "{}/labels", "labels", "."])
def test_yolo_is_found_however_it_is_laid_out(tmp_path: Path, layout: str) -> None:
    labels = tmp_path / "yolo" / layout.format("valid")
    images = Path(str(labels).replace("labels", "images"))
    labels.mkdir(parents=True)
    (tmp_path / "yolo" / "data.yaml").write_text("train: ../train/images\nnames: [cat]\n")
    (labels / "a.txt").write_text("0 0.5 0.5 0.5 0.5\n")
    pictures(images, ["a.png", "empty.png"])
    done = convert(tmp_path / "yolo", "coco", tmp_path / "a.json")
    assert done.notes == {"images without a file of labels (no boxes)": 1}
    split = "valid" if "{}" in layout else "train"
    assert boxes_of(tmp_path / "yolo") == {(split, "a"): [("cat", 160, 120, 320, 240)], (split, "empty"): []}
    done = convert(tmp_path / "yolo" / "data.yaml", "coco", tmp_path / "b.json")
    assert done.written == {"images": 2, "annotations": 1, "classes": 1}


def test_sizes_are_those_of_images_as_they_are_looked_at(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    (tmp_path / "labels").mkdir()
    (tmp_path / "images").mkdir()
    (tmp_path / "classes.txt").write_text("cat\n")
    (tmp_path / "labels" / "a.txt").write_text("0 0.5 0.5 1 1\n")
    Image.new("L", (40, 30)).save(tmp_path / "images" / "a.jpg", exif=exif)
    assert boxes_of(tmp_path) == {("train", "a"): [("cat", 0, 0, 30, 40)]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 0.5 0.5 0.1 0.1 0.9", "expected class x_center y_center width height, finite numbers"),
        ("0 0.1 0.1 0.2 0.2 0.3 0.3", "expected class x_center y_center width height, finite numbers"),
        ("2 0.5 0.5 0.1 0.1", "expected a class from 0 to 1, and a box relative to the image"),
        ("0 320 240 64 48", "expected a class from 0 to 1, and a box relative to the image"),
        ("0 0.5 0.5 -0.1 0.1", "expected a class from 0 to 1, and a box relative to the image"),
        ("0 0.5 nan 0.1 0.1", "finite numbers"),
        ("cat 0.5 0.5 0.1 0.1", "finite numbers"),
    ],
)
def test_lines_that_are_no_labels_are_refused_by_file_and_line(tmp_path: Path, line: str, said: str) -> None:
    pictures(tmp_path / "images", ["a.png"])
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "a.txt").write_text(f"0 0.5 0.5 0.1 0.1\n{line}\n")
    (tmp_path / "classes.txt").write_text("cat\ndog\n")
    with pytest.raises(InputError, match=r"a\.txt: line 2: found") as refused:
        convert(tmp_path, "coco", tmp_path.parent / "out.json")
    assert said in str(refused.value)


def test_labels_without_an_image_or_names_or_a_whole_image_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "yolo"
    (folder / "labels").mkdir(parents=True)
    (folder / "labels" / "a.txt").write_text("")
    with pytest.raises(InputError, match="no names of classes"):
        convert(folder, "coco", tmp_path / "out.json")
    (folder / "classes.txt").write_text("cat\n")
    with pytest.raises(InputError, match=r"a\.txt: found no image, expected an image of this name in"):
        convert(folder, "coco", tmp_path / "out.json")
    (folder / "images").mkdir()
    (folder / "images" / "a.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match="an image that Pillow can open"):
        convert(folder, "coco", tmp_path / "out.json")
    pictures(folder / "images", ["a.png", "a.bmp"])
    with pytest.raises(InputError, match=r"the same stem as a\.bmp"):
        convert(folder, "coco", tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


HOSTILE = ["../../a.png", "..", "a\n.png", "/etc/passwd", "a\u202eb.png", "..\\a.png", ".png", "a" * 300]


@pytest.mark.parametrize("to", ["yolo", "voc"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_of_images_stay_in_the_folder_or_are_refused(tmp_path: Path, to: str, name: str) -> None:
    start = coco(tmp_path / "in" / "a.json", {name: [("cat", 1, 2, 3, 4)]})
    before = sorted(tmp_path.rglob("*"))
    with contextlib.suppress(InputError):
        convert(start, to, tmp_path / "deep" / "out")
    outside = [path for path in sorted(tmp_path.rglob("*")) if path not in before and "deep" not in path.parts]
    assert outside == []


@pytest.mark.parametrize("to", ["coco", "yolo", "voc"])
@pytest.mark.parametrize("name", ["<!DOCTYPE x>&amp;", "a: b # c", "no", "null", "{a}", "'\"", "猫", "1.0"])
def test_hostile_names_of_classes_come_back_as_they_are(tmp_path: Path, to: str, name: str) -> None:
    start = coco(tmp_path / "a.json", {"a.png": [(name, 1, 2, 3, 4)]}, [name])
    pictures(tmp_path / "images", ["a.png"])
    convert(start, to, tmp_path / "out")
    assert boxes_of(tmp_path / "out", tmp_path / "images")[("train", "a")][0][0] == name


def test_names_of_classes_that_a_target_cannot_hold_are_refused(tmp_path: Path) -> None:
    start = coco(tmp_path / "a.json", {"a.png": [("a\nb", 1, 2, 3, 4)]}, ["a\nb"])
    with pytest.raises(InputError, match="a name that XML can hold, on one line"):
        convert(start, "voc", tmp_path / "voc")
    convert(start, "yolo", tmp_path / "yolo")
    assert yaml.safe_load((tmp_path / "yolo" / "data.yaml").read_text())["names"] == {0: "a\nb"}


def test_splits_that_are_no_names_are_refused(tmp_path: Path) -> None:
    start = coco(tmp_path / "a.json", IMAGES)
    with pytest.raises(UsageError, match="expected SPLIT=PATH"):
        convert(f"../x={start}", "yolo", tmp_path / "out")
    with pytest.raises(UsageError, match="unknown split 'val'"):
        convert(start, "yolo", tmp_path / "out", split="val")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["coco", "yolo", "voc"])
def test_an_output_that_is_there_is_replaced_by_force_alone(tmp_path: Path, to: str) -> None:
    start, out = coco(tmp_path / "a.json", IMAGES), tmp_path / "out"
    convert(start, to, out)
    before = [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    with pytest.raises(UsageError, match="is there already; --force replaces it"):
        convert(start, to, out)
    convert(start, to, out, force=True)
    assert [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()] == before
    with pytest.raises(UsageError, match="is read, or holds what is read"):
        convert(start, to, tmp_path, force=True)


@pytest.mark.parametrize("to", ["yolo", "voc"])
def test_a_folder_with_files_of_others_is_never_replaced(tmp_path: Path, to: str) -> None:
    start, out = coco(tmp_path / "a.json", IMAGES), tmp_path / "out"
    convert(start, to, out)
    pictures(out / "images" / "train", ["a one.png"])
    with pytest.raises(UsageError, match=r"holds a file that no export to \w+ wrote: images/train/a one\.png"):
        convert(start, to, out, force=True)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="is a file"):
        convert(start, to, tmp_path / "file", force=True)


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    start = coco(tmp_path / "in" / "a.json", {"x/a.png": [], "y/a.png": []})
    with pytest.raises(InputError, match="another name than that of other images"):
        convert(start, "voc", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_the_verb_tells_what_it_did(run: Callable[..., Any], refused: Callable[..., str], tmp_path: Path) -> None:
    start = coco(tmp_path / "a.json", IMAGES)
    ran = run("convert", start, "--to", "voc", "--out", tmp_path / "voc", "--map", "dog=cat")
    assert ran.code == 0
    assert ran.out == f"{tmp_path / 'voc'}: 2 images, 3 objects, 1 class\n"
    assert ran.err == "note: boxes of dog that are now cat: 1\n"
    ran = run("convert", tmp_path / "voc", "--to", "coco", "--out", tmp_path / "b.json", "--json")
    assert ran.json["annotations"] == 3
    assert "unknown format 'cocoa'; did you mean coco" in refused("convert", start, "--to", "cocoa", "--out", "x")
    assert "unknown format to convert to yolo from" in refused(
        "convert", start, "--to", "yolo", "--out", "x", "--input-format", "table"
    )
    assert "found nothing" in refused("convert", tmp_path / "none.json", "--to", "yolo", "--out", tmp_path / "x")
