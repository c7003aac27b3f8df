"""The inventory of videos: what was measured on the media, as an optional source of any benchmark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from builders.raw.inventory import read_inventory, stem
from builders.sources import Source, Sources


def inventory_of(data_set: str) -> Source:
    """The optional source `inventory`: a Parquet file with one row a video (columns in `builders.raw.inventory`)."""
    return Source("inventory", (f"{data_set}/inventory.parquet", "inventory.parquet"), required=False)


def from_inventory(sources: Sources, videos: pd.Series[str], measure: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One measure of the inventory for each video, NaN where the inventory does not have it.

    Raises:
        UsageError: there is no inventory.
        InputError: it is no inventory.
    """
    inventory = read_inventory(sources["inventory"]).set_index("video")[measure]
    return inventory.reindex(stem(videos)).to_numpy(dtype=np.float64, na_value=np.nan)
