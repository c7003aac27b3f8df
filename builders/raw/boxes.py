"""Data anomalies of images and boxes that every format of box annotations can have: counted, never errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from schemas.notices import Counted


def box_anomalies(
    images: pd.DataFrame, objects: pd.DataFrame, name: str, *, least: float, tolerance: float
) -> dict[str, int]:
    """Counts of images without objects or size, and of boxes that leave their image.

    Args:
        images: `width`, `height` (Int64 pixels, null where unknown).
        objects: `parent` (position in `images`), `x`, `y`, `width`, `height` (pixels).
        name: the column of `images` that names one.
        least: the least `x` and `y` of a box that begins within its image.
        tolerance: pixels by which a box may pass the other two edges.
    """
    sizes = images[["width", "height"]].astype("Float64").to_numpy(np.float64, na_value=np.nan)
    x, y, width, height = objects[["x", "y", "width", "height"]].to_numpy().T
    over_right, over_bottom = (np.stack([x + width, y + height]) - sizes[objects["parent"]].T) > tolerance
    image, box = image_names(images, name), object_names(images, objects, name)
    beyond = (np.minimum(x, y) < least) | over_right | over_bottom
    return {
        "images without objects": Counted.where(~np.isin(np.arange(len(images)), objects["parent"]), image),
        "images without width or height": Counted.where(np.isnan(sizes).any(axis=1), image),
        "boxes beyond their image": Counted.where(beyond, box),
    }


def image_names(images: pd.DataFrame, name: str) -> Callable[[int], str]:
    """From the position of an image to what it is called, by a column."""
    return lambda row: str(images[name].iloc[row])


def object_names(images: pd.DataFrame, objects: pd.DataFrame, name: str) -> Callable[[int], str]:
    """From the position of an object to what it is called: its key, and its image by a column of `images`."""
    return lambda row: f"{objects['key'].iloc[row]} of {images[name].iloc[objects['parent'].iloc[row]]}"
