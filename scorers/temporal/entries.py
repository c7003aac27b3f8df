"""The one shape that all prediction files are read into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Predictions:
    """The entries of a prediction file, each with its windows, in file order.

    Attributes:
        file: the path as the user knows it.
        form: one of `FORMS`.
        keys: name of each entry as the file has it: a sample id, or a video.
        start, end: predicted times of each window in seconds, NaN for none; the best window of an entry first.
        entry: the entry that each window belongs to, ascending.
        queries: the query of each entry, where the file repeats it.
        videos: the video of each entry, where the file gives it beside the key.
        truth: start and end of the ground truth of each entry, where the file repeats them.
        answers: free text of each entry, where the file holds answers instead of times.
    """

    file: str
    form: str
    keys: pa.Array
    start: Floats
    end: Floats
    entry: NDArray[np.int64]
    queries: list[str] | None = None
    videos: pa.Array | None = None
    truth: tuple[Floats, Floats] | None = None
    answers: list[str] | None = None
