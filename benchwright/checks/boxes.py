"""Checks of boxes: twins, boxes that cannot be, ids used twice, labels that a split lacks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check, register, where


def _boxes(context: Context, mask: pd.Series[bool], **numbers: object) -> Evidence | None:
    """The images of the boxes where a mask holds."""
    found = where(context.boxes, mask, **numbers)
    return found and Evidence(found.numbers, list(dict.fromkeys(found.rows)))


def twins(context: Context, least: float) -> Evidence | None:
    """Pairs of boxes of one image and label whose IoU is above `least`."""
    boxes = context.boxes.assign(box=np.arange(len(context.boxes)))
    boxes = boxes[["sample_id", "label", "box", "x", "y", "width", "height"]].sort_values("x", kind="stable")
    found: list[str] = []
    for sample, each in boxes.groupby("sample_id", sort=False):
        x, y, width, height = each[["x", "y", "width", "height"]].to_numpy(float).T
        labels = each["label"].to_numpy()
        for at in range(len(x) - 1):
            after = slice(at + 1, int(np.searchsorted(x, x[at] + width[at])))
            inner_x = np.minimum(x[at] + width[at], x[after] + width[after]) - x[after]
            inner_y = np.minimum(y[at] + height[at], y[after] + height[after]) - np.maximum(y[at], y[after])
            inner = np.maximum(inner_x, 0) * np.maximum(inner_y, 0)
            union = width[at] * height[at] + width[after] * height[after] - inner
            found += [str(sample)] * int(((inner > least * union) & (labels[after] == labels[at])).sum())
    numbers = {"count": len(found), "of": len(boxes), "least": least}
    return Evidence(numbers, list(dict.fromkeys(found))) if found else None


STATEMENT = "{count:,} pairs of boxes of one image and label overlap by more than {least} of the union ({of:,} boxes)."
TITLE = "{count:,} pairs of boxes are near twins"


@check("twin-boxes", "truth", "boxes", TITLE, STATEMENT)
def twin_boxes(context: Context, *, least: float = 0.9) -> Evidence | None:
    """IoU above `least`."""
    return twins(context, least)


@check("twin-persons", "truth", "activities", TITLE, STATEMENT)
def twin_persons(context: Context, *, least: float = 0.9) -> Evidence | None:
    """IoU above `least`."""
    return twins(context, least)


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
    return lacking(context, context.boxes[["split", "label"]].drop_duplicates())


def lacking(context: Context, pairs: pd.DataFrame) -> Evidence | None:
    """Labels, and each split of the manifest that lacks them, from pairs of `split` and `label`."""
    labels = sorted(pairs["label"].unique().tolist())
    missing = [
        f"{label} in {split}"
        for split in context.manifest.splits
        for label in labels
        if not ((pairs["split"] == split) & (pairs["label"] == label)).any()
    ]
    numbers = {"count": len(missing), "of": len(labels), "names": ", ".join(map(str, missing))}
    return Evidence(numbers, missing) if missing else None


register(twin_boxes, twin_persons, outside_image, odd_shapes, image_id_reuse, annotation_id_reuse, absent_labels)
