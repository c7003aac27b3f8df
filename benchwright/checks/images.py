"""Checks of images: ids and names used twice, the same image again, labels that a split lacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.checks.boxes import SIDES, images_of
from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where
from schemas.errors import first_few

MOST = 10  # labels in a sentence
_CENTS = 100  # boxes are printed with two decimals


def contents(boxes: pd.DataFrame, images: int) -> NDArray[np.uint64]:
    """A number for what each image holds, its size and boxes in any order, the same for the same; shape (images,).

    It is 0 where that says nothing: of images without a box but the whole image.
    """
    numbers = boxes[[*SIDES, "image_width", "image_height"]].astype(float)
    cents = (numbers * _CENTS).round()
    whole = (numbers["width"] >= 0.99 * numbers["image_width"]) & (numbers["height"] >= 0.99 * numbers["image_height"])
    found = np.zeros(images, np.uint64)
    np.add.at(found, boxes["row"].to_numpy(), pd.util.hash_pandas_object(cents, index=False).to_numpy(np.uint64))
    told = np.bincount(boxes["row"], ~whole, images) > 0
    return np.where(told, found, np.uint64(0))


def _keys(context: Context) -> pd.DataFrame:
    """Of each image `file_name` and `content`, null where they say nothing."""
    frame = context.frame
    content = pd.Series(contents(context.boxes, len(frame)), frame.index)
    return frame[["split"]].assign(file_name=frame["file_name"].replace("", None), content=content.where(content > 0))


@check(
    "image-id-reuse",
    "sampling",
    "boxes",
    "{count:,} {count:image shares its|images share their} id with another",
    "{count:,} of {of:,} images {count:shares|share} `image_id` with another of the same split, there are "
    "{distinct:,} in all: results joined by it are mixed up.",
)
def image_id_reuse(context: Context) -> Evidence | None:
    """Same `image_id` within a split."""
    ids = context.frame[["split", "image_id"]]
    return where(context.frame, ids.duplicated(keep=False), distinct=len(ids.drop_duplicates()))


@check(
    "annotation-id-reuse",
    "sampling",
    "boxes",
    "{count:,} {count:box shares its|boxes share their} id with another",
    "{count:,} of {of:,} boxes {count:shares|share} `annotation_id` with another of the same split.",
)
def annotation_id_reuse(context: Context) -> Evidence | None:
    """Same `annotation_id` within a split, where it is known."""
    boxes = context.boxes
    if "annotation_id" not in boxes:
        return None
    again = boxes.duplicated(["split", "annotation_id"], keep=False)
    return images_of(context, boxes["annotation_id"].notna() & again)


@check(
    "file-name-reuse",
    "sampling",
    "boxes",
    "{count:,} {count:image shares its|images share their} file with another",
    "{count:,} of {of:,} images {count:has|have} the file name of another of the same split: each is scored by itself.",
)
def file_name_reuse(context: Context) -> Evidence | None:
    """Same `file_name` within a split, where it is known."""
    keys = _keys(context)
    return where(context.frame, keys["file_name"].notna() & keys.duplicated(["split", "file_name"], keep=False))


@check(
    "repeated-images",
    "sampling",
    "boxes",
    "{count:,} {count:image holds|images hold} just what another holds",
    "{count:,} of {of:,} images {count:has|have} size and boxes of another of the same split, to a hundredth of a "
    "pixel: likely the same image under another name.",
)
def repeated_images(context: Context) -> Evidence | None:
    """Same size and boxes, one of them not the whole image, within a split."""
    keys = _keys(context)
    return where(context.frame, keys["content"].notna() & keys.duplicated(["split", "content"], keep=False))


@check(
    "images-in-splits",
    "split",
    "boxes",
    "{count:,} {count:image is|images are} in several splits",
    "{count:,} of {of:,} images {count:is|are} in another split, too: {names:,} by file name, {contents:,} by size "
    "and boxes.",
)
def images_in_splits(context: Context) -> Evidence | None:
    """Same `file_name`, or same size and boxes, in another split."""
    keys = _keys(context)
    name, content = (keys.groupby(key)["split"].transform("nunique") > 1 for key in ("file_name", "content"))
    return where(context.frame, name | content, names=int(name.sum()), contents=int(content.sum()))


@check(
    "leak-image",
    "split",
    "boxes",
    "{count:,} {count:image is one|images are those} of {other}",
    "{count:,} of {of:,} images {count:is|are} in {other}, too: {names:,} by file name, {contents:,} by size and "
    "boxes.",
    needs=["against"],
)
def leak_image(context: Context) -> Evidence | None:
    """Same `file_name`, or same size and boxes, as of the other manifest."""
    assert context.beside is not None
    keys, others = _keys(context), _keys(context.beside)
    name, content = (keys[key].notna() & keys[key].isin(others[key].dropna()) for key in ("file_name", "content"))
    numbers = {"names": int(name.sum()), "contents": int(content.sum()), "other": context.beside.manifest.identity.name}
    return where(context.frame, name | content, **numbers)


@check(
    "crowded-images",
    "sampling",
    "boxes",
    "{count:,} {count:image has|images have} more boxes of a class than detections count",
    "{count:,} of {of:,} images {count:has|have} more than {most} boxes of one class, where COCO's AP counts {most} "
    "detections.",
)
def crowded_images(context: Context, *, most: int = 100) -> Evidence | None:
    """More than `most` boxes of one label."""
    counts = context.boxes.groupby(["row", "label"], sort=False).size()
    crowded = np.unique(counts.index[counts > most].get_level_values("row"))
    return where(context.frame, np.isin(np.arange(len(context.frame)), crowded), most=most)


@check(
    "absent-labels",
    "split",
    "boxes",
    "{count:,} of {of:,} labels {count:is|are} not in every split",
    "Of {of:,} labels {names}.",
)
def absent_labels(context: Context) -> Evidence | None:
    """Labels of the card, of the other splits, or of the other manifest that a split has no box of."""
    card = context.manifest.card
    others = [] if context.beside is None else context.beside.boxes["label"].unique().tolist()
    known = [*(card.labels if card else []), *others]
    return lacking(context, context.boxes[["split", "label"]].drop_duplicates(), known)


def lacking(context: Context, pairs: pd.DataFrame, known: Sequence[str] = ()) -> Evidence | None:
    """Labels, and each split of the manifest that lacks them, from pairs of `split` and `label`; `known` are more."""
    labels = sorted({*pairs["label"], *known})
    there = set(zip(pairs["split"], pairs["label"], strict=True))
    filled = [split for split, each in context.manifest.identity.splits.items() if each.rows]
    by_split = {split: [label for label in labels if (split, label) not in there] for split in filled}
    told = [f"{split} lacks {first_few(lacks[:MOST], len(lacks))}" for split, lacks in by_split.items() if lacks]
    numbers = {"count": len({label for lacks in by_split.values() for label in lacks}), "of": len(labels)}
    rows = [f"{label} in {split}" for split, lacks in by_split.items() for label in lacks]
    return Evidence({**numbers, "by_split": by_split, "names": "; ".join(told)}, rows) if rows else None


RARE = (
    "{count:,} {count:label occurs|labels occur} fewer than {fewest} times in a split",
    "{count:,} of {of:,} labels in a split {count:has|have} fewer than {fewest} examples; scores say little: {names}.",
)


@check("rare-labels", "split", "boxes", *RARE)
def rare_labels(context: Context, *, fewest: int = 10, usual: int = 100) -> Evidence | None:
    """Labels that occur, but fewer than `fewest` times, in splits where `usual` is that of a label, on average."""
    return scarce(context.boxes[["split", "label"]], fewest, usual)


def scarce(pairs: pd.DataFrame, fewest: int, usual: int) -> Evidence | None:
    """Labels with fewer than `fewest` examples in splits that have `usual` of a label, on average; from examples."""
    counts = pairs.groupby(["split", "label"]).size().rename("size").reset_index()
    rare = counts[(counts["size"] < fewest) & (counts.groupby("split")["size"].transform("mean") >= usual)]
    rows = zip(rare["split"], rare["label"], rare["size"], strict=True)
    found = [f"{label} in {split} ({count:,})" for split, label, count in rows]
    by_split = rare.groupby("split").size().to_dict()
    numbers = {"count": len(found), "of": len(counts), "fewest": fewest, "by_split": by_split}
    return Evidence({**numbers, "names": ", ".join(found)}, found) if found else None
