"""Checks of boxes: twins, boxes that cannot be, ids used twice, labels that a split lacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, where
from schemas.box_readings import overlaps

Integers = NDArray[np.int64]
SIDES = ["x", "y", "width", "height"]


def _boxes(context: Context, mask: pd.Series[bool], **numbers: object) -> Evidence | None:
    """The images of the boxes where a mask holds."""
    found = where(context.boxes, mask, **numbers)
    return found and Evidence(found.numbers, list(dict.fromkeys(found.rows)))


def twin_pairs(boxes: pd.DataFrame, least: float) -> tuple[Integers, Integers]:
    """Places of pairs of boxes of one image (`row`) and `label` whose IoU is above `least`; each of shape (pairs,).

    The left sides of two such boxes differ by less than 1 - `least` of the width of the one further left, so that from
    left to right only the next few can be twins of a box.
    """
    sides = boxes[SIDES].to_numpy(float).T
    labels, names = pd.factorize(boxes["label"])
    values = np.unique(sides[0])
    group = (boxes["row"].to_numpy(np.int64) * (len(names) + 1) + labels) * (len(values) + 1)
    key = group + np.searchsorted(values, sides[0])
    order = np.argsort(key, kind="stable")
    reach = group + np.searchsorted(values, sides[0] + (1 - least) * sides[2], side="right")
    place = np.arange(len(order))
    count = np.maximum(np.searchsorted(key[order], reach[order]) - place - 1, 0)
    first = np.repeat(place, count)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    one, other = order[first], order[second]
    near = overlaps(sides[:, one], sides[:, other]) > least
    return one[near], other[near]


@check(
    "twin-boxes",
    "truth",
    "boxes",
    "{count:,} pairs of boxes are near twins",
    "{count:,} pairs of boxes of one image and label overlap by more than {least} of their union, {same:,} of them are "
    "the same box ({of:,} boxes).",
)
def twin_boxes(context: Context, *, least: float = 0.9) -> Evidence | None:
    """IoU above `least`."""
    boxes = context.boxes
    one, other = twin_pairs(boxes, least)
    same = int((boxes[SIDES].to_numpy()[one] == boxes[SIDES].to_numpy()[other]).all(axis=1).sum())
    numbers = {"count": len(one), "of": len(boxes), "least": least, "same": same}
    return Evidence(numbers, boxes["sample_id"].iloc[one].unique().tolist()) if len(one) else None


@check(
    "outside-image",
    "truth",
    "boxes",
    "{count:,} boxes reach beyond their image, or are empty",
    "{count:,} of {of:,} boxes have no area, or reach more than {slack} px beyond their image.",
)
def outside_image(context: Context, *, slack: float = 1) -> Evidence | None:
    """Beyond a side of the image where its size is known."""
    boxes = context.boxes
    beyond = (boxes["x"] < -slack) | (boxes["y"] < -slack) | (boxes["width"] <= 0) | (boxes["height"] <= 0)
    for start, size, whole in (("x", "width", "image_width"), ("y", "height", "image_height")):
        beyond |= boxes[start] + boxes[size] > boxes[whole].astype(float) + slack
    return _boxes(context, beyond, slack=slack)


@check(
    "odd-shapes",
    "truth",
    "boxes",
    "{count:,} boxes are more than {times} times as long as wide",
    "{count:,} of {of:,} boxes have one side more than {times} times the other.",
)
def odd_shapes(context: Context, *, times: float = 10) -> Evidence | None:
    """Ratio of the sides."""
    width, height = context.boxes["width"], context.boxes["height"]
    return _boxes(context, (width > times * height) | (height > times * width), times=times)


@check(
    "image-id-reuse",
    "sampling",
    "boxes",
    "{count:,} images share their id with another",
    "{count:,} of {of:,} images share `image_id` with another: results joined by it are mixed up.",
)
def image_id_reuse(context: Context) -> Evidence | None:
    """Same `image_id` within a split."""
    return where(context.frame, context.frame.duplicated(["split", "image_id"], keep=False))


@check(
    "annotation-id-reuse",
    "sampling",
    "boxes",
    "{count:,} boxes share their id with another",
    "{count:,} of {of:,} boxes share `annotation_id` with another of the same split.",
)
def annotation_id_reuse(context: Context) -> Evidence | None:
    """Same `annotation_id` within a split, where it is known."""
    boxes = context.boxes
    if "annotation_id" not in boxes:
        return None
    again = boxes.duplicated(["split", "annotation_id"], keep=False)
    return _boxes(context, boxes["annotation_id"].notna() & again)


@check(
    "absent-labels",
    "split",
    "boxes",
    "{count:,} of {of:,} labels are not in every split",
    "Labels that a split lacks: {names}.",
)
def absent_labels(context: Context) -> Evidence | None:
    """Labels of the other splits, or of the other manifest, that a split has no box of."""
    card = context.manifest.card
    return lacking(context, context.boxes[["split", "label"]].drop_duplicates(), card.labels if card else [])


def lacking(context: Context, pairs: pd.DataFrame, known: Sequence[str] = ()) -> Evidence | None:
    """Labels, and each split of the manifest that lacks them, from pairs of `split` and `label`; `known` are more."""
    labels = sorted({*pairs["label"], *known})
    there = set(zip(pairs["split"], pairs["label"], strict=True))
    filled = [split for split, each in context.manifest.identity.splits.items() if each.rows]
    missing = [f"{label} in {split}" for split in filled for label in labels if (split, label) not in there]
    numbers = {"count": len({each.rsplit(" in ", 1)[0] for each in missing}), "of": len(labels)}
    return Evidence({**numbers, "names": ", ".join(missing)}, missing) if missing else None
