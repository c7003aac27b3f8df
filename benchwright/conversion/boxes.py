"""Boxes of several sources as rows of one table, and from there to COCO, YOLO or VOC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.conversion import Converted
from benchwright.conversion.merging import Boxes, merged
from benchwright.conversion.yolo_labels import read_labels
from benchwright.exporters.coco import write_instances
from benchwright.exporters.voc import write_devkit
from benchwright.exporters.yolo import write_labels
from builders.detection.candidates import box_candidates, coco_candidates
from builders.engine.nesting import nested
from builders.engine.recipe import Candidates
from builders.engine.rules import ROOT
from builders.raw.coco import read_instances
from builders.raw.voc import read_devkit
from builders.raw.voc_folders import ALL, annotated_files, annotations_at, listed_files, own_list
from schemas.arrays import booleans, one_array
from schemas.columns import column
from schemas.detection import detection_schema
from schemas.errors import InputError, Problem, UsageError, unknown_name

SPLIT = "train"
_UNLISTED = "unlisted"
_FLAGS = ("difficult", "truncated", "occluded")
_SCHEMA = detection_schema(
    "boxes",
    1,
    [
        column("segmentation", str, "outline, JSON as the source has it", required=False),
        column("truncated", bool, "whether the object goes on beyond the image", required=False),
        column("occluded", bool, "whether something hides a part of it", required=False),
    ],
)
# What objects may have that a format has no place for.
_IN_WORDS = {"difficult": "boxes with `difficult` in `attributes`, which pycocotools does not read"}
_LOST = {"coco": _FLAGS[1:], "yolo": (*_FLAGS, "segmentation"), "voc": ("segmentation",)}


def read_boxes(path: Path, split: str | None, format: str | None, images: Path | None = None) -> Boxes:
    """Read a source.

    Args:
        path: a COCO file, or a folder of YOLO or VOC.
        split: the split that its images belong to; of a folder with splits, the one that is read. When None, those
            of the folder, else `SPLIT`.
        format: found out from the path when None.
        images: folder of the images, for YOLO.

    Raises:
        InputError: nothing is there, or it breaks its format.
    """
    format = format or _format_of(path)
    if format == "coco":
        tables = read_instances(path)
        found = coco_candidates(tables, split or SPLIT)
        outlines = [bytes(raw).decode() for raw in tables.segmentations]
        found.children["objects"]["segmentation"] = [None if text == "null" else text for text in outlines]
        return _boxes(path, found, tables.categories["name"].tolist())
    if format == "voc":
        return _read_voc(path, split)
    frames, objects, labels, notes = read_labels(path, split, SPLIT, images)
    return _boxes(path, box_candidates(frames, objects, split or SPLIT, notes), labels)


def _format_of(path: Path) -> str:
    if path.is_dir():
        xml = (path / "Annotations").is_dir() or next(path.glob("*.xml"), None)
        return "voc" if xml else "yolo"
    if not path.exists():
        raise InputError(Problem(str(path), "", "", "nothing", "a file or folder of boxes"))
    return {".xml": "voc", ".yaml": "yolo", ".yml": "yolo"}.get(path.suffix.lower(), "coco")


def _boxes(path: Path, found: Candidates, labels: Sequence[str]) -> Boxes:
    doubts = {warning.message: max(warning.count, 1) for warning in found.warnings}
    return Boxes(str(path), found.root, found.children["objects"], list(dict.fromkeys(labels)), found.findings | doubts)


def _read_voc(path: Path, split: str | None) -> Boxes:
    """The files of the split's list, all where there is none; a file's name counts, whatever its `<filename>` says."""
    annotations = annotations_at(path)
    listed = own_list(annotations, split or ALL)
    tables = read_devkit(path, split if split and listed and listed.is_file() else ALL)
    suffix = tables.images["file_name"].str.extract(r"(\.[A-Za-z]{3,4})$", expand=False).fillna(".jpg")
    frames = tables.images.assign(
        sample_id=tables.images["name"], file_name=tables.images["name"].astype(str) + suffix.astype(str)
    )
    found = box_candidates(frames, tables.objects, split or SPLIT, tables.findings)
    if split is None:
        found.root["split"] = _listed_splits(annotations, frames["name"].tolist())
    return _boxes(path, found, sorted(set(tables.objects["category"])))


def _listed_splits(annotations: Path, names: list[str]) -> list[str]:
    """The split of each image by the lists beside `Annotations`; of lists that overlap the longer one is not asked."""
    place = own_list(annotations, ALL)
    if place is None:
        return [SPLIT] * len(names)
    files = annotated_files(annotations)
    lists = {path.stem: listed_files(path, annotations, files) for path in place.parent.glob("[!._]*.txt")}
    splits: dict[str, str] = {}
    for name, listed in sorted(lists.items(), key=lambda each: (len(each[1]), each[0])):
        stems = [file.stem for file in listed]
        if "_" not in name and splits.keys().isdisjoint(stems):
            splits |= dict.fromkeys(stems, name)
    return [splits.get(name, _UNLISTED if splits else SPLIT) for name in names]


def convert_boxes(
    sources: Sequence[Boxes], to: str, out: Path, classes: Mapping[str, str], split: str | None, join: bool
) -> Converted:
    """Merge sources and write them; arguments and errors as of `convert`."""
    file = sources[0].file if len(sources) == 1 else f"{len(sources)} sources"
    notes: Counter[str] = Counter()
    for source in sources:
        before = f"{source.file}: " if len(sources) > 1 else ""
        notes.update({f"{before}{text}": int(count) for text, count in source.notes.items()})
    images, objects = merged(sources, join, notes)
    labels = _renamed(
        objects, list(dict.fromkeys(name for source in sources for name in source.labels)), classes, notes
    )
    table = nested(_SCHEMA, {ROOT: images, "objects": objects}, {}, "the sources")
    splits = table["split"].unique().to_pylist()
    if split is not None:
        if split not in splits:
            raise unknown_name("split", split, splits)
        table = table.filter(pc.equal(table["split"], split))
    if not len(table):
        raise InputError(Problem(file, "", "", "no images", "at least one"))
    written, lost = _write(table, labels, to, out, file), _lost(table, to)
    kept = ("images", "annotations", "labels", "objects")
    notes.update({_IN_WORDS.get(what, what): count for what, count in written.items() if what not in kept})
    if to == "coco" and len(splits := table["split"].unique().to_pylist()) > 1:
        notes[f"splits in one file, which has no place for their names ({', '.join(splits)})"] = len(splits)
    return Converted(
        {what: count for what, count in written.items() if what in kept} | {"classes": len(labels)},
        {text: count for text, count in {**notes, **lost}.items() if count},
    )


def _renamed(
    objects: pd.DataFrame, labels: Sequence[str], classes: Mapping[str, str], notes: Counter[str]
) -> list[str]:
    """The classes under their new names, which the objects get, too."""
    for old, new in classes.items():
        if old not in labels:
            raise unknown_name("class", old, labels)
        if not new.strip():
            raise UsageError(f"{old}={new}: expected the new name of the class")
        notes[f"boxes of {old} that are now {new}"] += int((objects["category"] == old).sum())
    objects["category"] = objects["category"].map(lambda name: classes.get(name, name))
    return list(dict.fromkeys(classes.get(name, name) for name in labels))


def _write(table: pa.Table, labels: Sequence[str], to: str, out: Path, file: str) -> dict[str, int]:
    if to == "coco":
        return write_instances(table, labels, out)
    if to == "yolo":
        return write_labels(table, labels, out, file)
    return write_devkit(table, out, file)


def _lost(table: pa.Table, to: str) -> dict[str, int]:
    """How many objects have what the target has no place for."""
    records = one_array(table["objects"]).flatten()
    counts: dict[str, int] = {}
    for name in _LOST[to]:
        values = records.field(name)
        has = booleans(values) if pa.types.is_boolean(values.type) else booleans(values.is_valid())
        what = "outlines lost" if name == "segmentation" else f"flags `{name}` lost"
        counts[f"{what}, for which {to} has no place"] = int(np.count_nonzero(has))
    if to != "coco":
        area, width, height = (records.field(side) for side in ("area", "width", "height"))
        own = pc.greater(pc.abs(pc.subtract(area, pc.multiply(width, height))), 0.01)
        counts[f"areas lost that are not those of the box, for which {to} has no place"] = int(booleans(own).sum())
    return counts
