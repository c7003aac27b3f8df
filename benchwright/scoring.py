"""The one import for people who write scorers of their own; names and signatures here stay.

A scorer is a `Scorer` with a kind, the columns by which a manifest of that kind is known, and a handful of methods. An
entry point of the group `benchwright.scorers` makes `benchwright score`, `compare` and `baseline` know it:

    [project.entry-points."benchwright.scorers"]
    captions = "my_package.captions:SCORER"

Metrics that are sums over rows are `Ratio`s, whose bootstrap is one matrix product; any others are one function from
weights of the clusters to the values of all metrics.

>>> import numpy as np
>>> Ratio(np.array([True, False, True, True]), scale=100.0).value
75.0
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from schemas.arrays import booleans, floats, integers
from schemas.errors import InputError, Problem, UsageError, unknown_name
from schemas.input.documents import read_document
from schemas.input.tables import table_of
from schemas.manifest import Manifest
from scorers.declarations import Option
from scorers.options import Options
from scorers.scorer import Aligned, Evaluation, Metric, Named, Scorer
from scorers.uncertainty import Ratio

__all__ = [
    "Aligned",
    "Evaluation",
    "InputError",
    "Manifest",
    "Metric",
    "Named",
    "Option",
    "Options",
    "Problem",
    "Ratio",
    "Scorer",
    "UsageError",
    "booleans",
    "floats",
    "integers",
    "read_table",
    "table_of",
    "unknown_name",
]


def read_table(source: object) -> pa.Table:
    """Predictions as a table: of a Parquet, CSV or JSON file with one record per row, or from memory (`table_of`).

    Raises:
        InputError: a file that cannot be read, or records that are not objects of one shape.
        UsageError: see `table_of`.
    """
    if not isinstance(source, (str, Path)):
        return table_of(source)
    return read_document(Path(source)).as_table()
