"""The one import for people who write scorers of their own; names and signatures here stay.

A scorer is a `Scorer` with a kind, the columns by which a manifest of that kind is known, and a handful of methods. An
entry point of the group `benchwright.scorers` makes `benchwright score`, `compare` and `baseline` know it:

    [project.entry-points."benchwright.scorers"]
    captions = "my_package.captions:SCORER"

`metrics`, `read` and `evaluate` must be written; a metric that says `higher_is_better` is shown with its direction, and
`words` are explained below the tables that show them. What they give is checked; a mistake becomes a message with file,
line, class and method.

With `names`, `answered` and `only` its runs can be scored on some rows alone (`--on common`) and be audited, where
`alternatives` and `kinds` say what else a score could be; with `is_run` a folder can be one of its runs, and not a
folder of runs.

Metrics that are sums over rows are `Ratio`s, whose bootstrap is one matrix product:

>>> import numpy as np
>>> Ratio(np.array([True, False, True, True]), scale=100.0).value
75.0

Intervals of a metric that has an attribute `bounds`, say (0.0, 100.0), stay within them.

Any others are one function for all metrics of the run. It gets one weight per cluster, shape (clusters,): how often the
cluster was drawn (0, 1, 2, ...; all together as many as there are clusters, but of few clusters one is left out at a
time). It gives one number per metric in the order of `metrics`, shape (metrics,), NaN where a metric is undefined.
`numbered_clusters` says which rows a weight is for; without one of your own each row is its own cluster, so that
weights are of rows:

>>> errors, clusters = np.array([3.0, 4.0, 0.0]), np.array([0, 0, 1])
>>> def statistics(weights):
...     rows = weights[clusters]  # shape (rows,)
...     return [float(np.sqrt(rows @ errors**2 / rows.sum())), float(np.max(errors[rows > 0], initial=0.0))]
>>> statistics(np.array([2.0, 0.0]))  # the first cluster twice, the second not at all
[3.5355339059327378, 4.0]

`Evaluation(values, lambda: statistics)` takes it; the values themselves are those of `statistics(np.ones(clusters))`.
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
from scorers.metric import Metric, Named
from scorers.options import Options
from scorers.resampling import Ratio
from scorers.scorer import Aligned, Evaluation, Scorer

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
