"""The inventory of videos: what was measured on the media, as an optional source of any benchmark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from builders.engine.sources import Sources
from builders.raw.inventory import VIDEO_EXTENSION, read_inventory


def from_inventory(sources: Sources, videos: pd.Series[str], measure: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One measure of the inventory for each video, NaN where the inventory does not have it.

    Raises:
        UsageError: there is no inventory.
        InputError: it is not an inventory.
    """
    inventory = sources.read("inventory", read_inventory).set_index("video")[measure]
    names = videos.str.replace(VIDEO_EXTENSION, "", regex=True)
    return inventory.reindex(names).to_numpy(dtype=np.float64, na_value=np.nan)
