"""Checks of boxes: twins, boxes that cannot be, areas and coordinates that are not what they seem."""

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
MOST = 500
MANY = 0.5


def images_of(context: Context, mask: pd.Series[bool] | NDArray[np.bool_], **numbers: object) -> Evidence | None:
    """The images of the boxes where a mask holds."""
    found = where(context.boxes, mask, **numbers)
    return found and Evidence(found.numbers, list(dict.fromkeys(found.rows)))


def twin_pairs(boxes: pd.DataFrame, least: float) -> tuple[Integers, Integers]:
    """Places of pairs of boxes of one image (`row`) and `label` whose IoU is above `least`; each of shape (pairs,).

    The left sides of two such boxes differ by less than 1 - `least` of the width of the one further left, so that from
    left to right only the next few can be twins of a box; where boxes lie in heaps, the next `MOST` are looked at.
    """
    sides = boxes[SIDES].to_numpy(float).T
    labels, names = pd.factorize(boxes["label"])
    values = np.unique(sides[0])
    group = (boxes["row"].to_numpy(np.int64) * (len(names) + 1) + labels) * (len(values) + 1)
    key = group + np.searchsorted(values, sides[0])
    order = np.argsort(key, kind="stable")
    reach = group + np.searchsorted(values, sides[0] + (1 - least) * sides[2], side="right")
    place = np.arange(len(order))
    count = np.clip(np.searchsorted(key[order], reach[order]) - place - 1, 0, MOST)
    first = np.repeat(place, count)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    one, other = order[first], order[second]
    near = overlaps(sides[:, one], sides[:, other]) > least
    return one[near], other[near]


@check(
    "twin-boxes",
    "truth",
    "boxes",
    "{count:,} {count:pair of boxes are|pairs of boxes are} near twins",
    "{count:,} {count:pair|pairs} of boxes of one image and label {count:overlaps|overlap} by more than {least} of "
    "their union, {same:,} of {count:,} {same:is|are} the same box twice ({of:,} boxes in all).",
)
def twin_boxes(context: Context, *, least: float = 0.9) -> Evidence | None:
    """IoU above `least`."""
    boxes = context.boxes
    one, other = twin_pairs(boxes, least)
    same = int((boxes[SIDES].to_numpy()[one] == boxes[SIDES].to_numpy()[other]).all(axis=1).sum())
    numbers = {"count": len(one), "of": len(boxes), "least": least, "same": same}
    return Evidence(numbers, boxes["sample_id"].iloc[one].unique().tolist()) if len(one) else None


@check(
    "boxes-of-two-labels",
    "truth",
    "boxes",
    "{count:,} {count:pair|pairs} of boxes are the same but for their label",
    "{count:,} {count:pair|pairs} of boxes of one image and different labels {count:overlaps|overlap} by more than "
    "{least} of their union: {labels}.",
)
def boxes_of_two_labels(context: Context, *, least: float = 0.95) -> Evidence | None:
    """IoU above `least`, another label."""
    boxes = context.boxes
    one, other = twin_pairs(boxes.assign(label=""), least)
    labels = boxes["label"].to_numpy().astype(str)
    apart = labels[one] != labels[other]
    pairs = pd.Series(
        [" and ".join(sorted(pair)) for pair in zip(labels[one[apart]], labels[other[apart]], strict=True)]
    )
    told = ", ".join(f"{pair} ({count:,})" for pair, count in pairs.value_counts()[:5].items())
    numbers = {"count": int(apart.sum()), "of": len(boxes), "least": least, "labels": told}
    return Evidence(numbers, boxes["sample_id"].iloc[one[apart]].unique().tolist()) if apart.any() else None


@check(
    "outside-image",
    "truth",
    "boxes",
    "{count:,} {count:box reaches beyond its image, or is|boxes reach beyond their image, or are} empty",
    "{count:,} of {of:,} boxes {count:has no area, or reaches|have no area, or reach} more than {slack} px beyond the "
    "image.",
)
def outside_image(context: Context, *, slack: float = 1) -> Evidence | None:
    """Beyond a side of the image where its size is known."""
    boxes = context.boxes
    beyond = (boxes["x"] < -slack) | (boxes["y"] < -slack) | (boxes["width"] <= 0) | (boxes["height"] <= 0)
    for start, size, whole in (("x", "width", "image_width"), ("y", "height", "image_height")):
        beyond |= boxes[start] + boxes[size] > boxes[whole].astype(float) + slack
    return images_of(context, beyond, slack=slack)


@check(
    "odd-shapes",
    "truth",
    "boxes",
    "{count:,} {count:box is|boxes are} more than {times} times as long as wide",
    "{count:,} of {of:,} boxes {count:has|have} one side more than {times} times the other.",
)
def odd_shapes(context: Context, *, times: float = 10) -> Evidence | None:
    """Ratio of the sides."""
    width, height = context.boxes["width"], context.boxes["height"]
    return images_of(context, (width > times * height) | (height > times * width), times=times)


@check(
    "whole-image-boxes",
    "truth",
    "boxes",
    "{count:,} {count:box is|boxes are} the whole image",
    "{count:,} of {of:,} boxes {count:covers its|cover their} image up to {margin:.0%} of each side: who looks at "
    "nothing finds {count:it|them}.",
)
def whole_image_boxes(context: Context, *, margin: float = 0.01) -> Evidence | None:
    """Width and height of at least 1 - `margin` of the image's, where its size is known."""
    boxes, least = context.boxes, 1 - margin
    whole = (boxes["width"] >= least * boxes["image_width"].astype(float)) & (
        boxes["height"] >= least * boxes["image_height"].astype(float)
    )
    return images_of(context, whole, margin=margin)


@check(
    "tiny-boxes",
    "truth",
    "boxes",
    "{count:,} {count:box is|boxes are} less than {pixels} px wide or high",
    "{count:,} of {of:,} boxes {count:has|have} a side of less than {pixels} px: a shift by a pixel or two makes a "
    "miss of the answer.",
)
def tiny_boxes(context: Context, *, pixels: float = 3) -> Evidence | None:
    """A side above 0 and below `pixels`."""
    side = context.boxes[["width", "height"]].min(axis=1)
    return images_of(context, (side > 0) & (side < pixels), pixels=pixels)


@check(
    "crowds",
    "truth",
    "boxes",
    "{count:,} {count:box is a crowd|boxes are crowds}",
    "{count:,} of {of:,} boxes {count:is a region|are regions} of many: no answer has to find {count:it|them}, and "
    "what lies in {count:it|them} is not counted.",
    columns=["objects"],
)
def crowds(context: Context) -> Evidence | None:
    """Said to be a crowd."""
    boxes = context.boxes
    return images_of(context, boxes["crowd"].astype(bool)) if "crowd" in boxes else None


@check(
    "impossible-area",
    "truth",
    "boxes",
    "{count:,} {count:area does not fit into its box|areas do not fit into their boxes}",
    "{count:,} of {of:,} areas {count:is|are} not above 0, or more than {times} times width x height of the box.",
)
def impossible_area(context: Context, *, times: float = 1.05) -> Evidence | None:
    """The area of the annotation, where there is one, beyond that of the box, a square pixel allowed."""
    boxes = context.boxes
    if "area" not in boxes:
        return None
    size, area = boxes["width"] * boxes["height"], boxes["area"].astype(float)
    return images_of(context, (size > 0) & ((area <= 0) | (area > times * size + 1)), times=times)


@check(
    "area-not-of-box",
    "truth",
    "boxes",
    "{count:,} {count:area is|areas are} not width x height of the box",
    "{count:,} of {of:,} areas {count:differs|differ} from width x height by more than {share:.0%} (median "
    "{median:.2f} of it), and {moved:,} {moved:box is|boxes are} of another size at {limits} px2: whoever filters "
    "must say which area.",
)
def area_not_of_box(
    context: Context, *, share: float = 0.05, limits: Sequence[float] = (1024, 2247, 9216)
) -> Evidence | None:
    """The area of the annotation against that of the box, where at least `MANY` of them are the same.

    Areas of masks are never those of boxes; what that does to who filters by them `whole_image_dropped` says.
    """
    boxes = context.boxes
    if "area" not in boxes:
        return None
    size, area = (boxes["width"] * boxes["height"]).to_numpy(float), boxes["area"].to_numpy(float)
    other = np.abs(area - size) > share * size
    if other.sum() > MANY * len(other):
        return None
    moved = other & (np.searchsorted(limits, area, side="right") != np.searchsorted(limits, size, side="right"))
    ratio = area[other & (size > 0)] / size[other & (size > 0)]
    numbers = {"median": float(np.median(ratio)) if len(ratio) else 0.0, "moved": int(moved.sum())}
    return images_of(context, other, share=share, limits=", ".join(f"{each:g}" for each in limits), **numbers)


@check(
    "mixed-rounding",
    "truth",
    "boxes",
    "{count:,} {count:box is|boxes are} in whole pixels, the others are not",
    "{count:,} of {of:,} boxes {count:has|have} whole pixels alone ({labels}), the others fractions: perhaps they "
    "were cut off.",
)
def mixed_rounding(context: Context, *, share: float = 0.02) -> Evidence | None:
    """All four numbers whole, in at least `share` of the boxes, and in as many not."""
    whole = (context.boxes[SIDES].to_numpy(float) % 1 == 0).all(axis=1)
    if not len(whole) or not share <= whole.mean() <= 1 - share:
        return None
    labels = ", ".join(map(str, context.boxes["label"][whole].value_counts().index[:5]))
    return images_of(context, whole, labels=labels)
