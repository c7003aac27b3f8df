"""Data anomalies of images and boxes that every format of box annotations can have: counted, never errors."""

from __future__ import annotations

import numpy as np
import pandas as pd


def box_anomalies(images: pd.DataFrame, objects: pd.DataFrame, *, least: float, tolerance: float) -> dict[str, int]:
    """Counts of images without objects or size, and of boxes that leave their image.

    Args:
        images: `width`, `height` (Int64 pixels, null where unknown).
        objects: `parent` (position in `images`), `x`, `y`, `width`, `height` (pixels).
        least: the least `x` and `y` of a box that begins within its image.
        tolerance: pixels by which a box may pass the other two edges.
    """
    sizes = images[["width", "height"]].astype("Float64").to_numpy(np.float64, na_value=np.nan)
    x, y, width, height = objects[["x", "y", "width", "height"]].to_numpy().T
    over_right, over_bottom = (np.stack([x + width, y + height]) - sizes[objects["parent"]].T) > tolerance
    return {
        "images without objects": len(images) - objects["parent"].nunique(),
        "images without width or height": int(np.isnan(sizes).any(axis=1).sum()),
        "boxes beyond their image": int(((np.minimum(x, y) < least) | over_right | over_bottom).sum()),
    }
