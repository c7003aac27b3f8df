"""The schema that all benchmarks of temporal localisation share: a query, and the span of a video that answers it."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from schemas.columns import column, table_schema


def temporal_schema(name: str, version: int, extra: Sequence[pa.Field] = ()) -> pa.Schema:
    """The shared columns, then a benchmark's own."""
    shared = [
        column("sample_id", pa.string(), "name of the row, unique in the benchmark and stable between builds"),
        column("split", pa.string(), "split of the benchmark"),
        column("video", pa.string(), "name of the video as its data set gives it"),
        column("description", pa.string(), "the query: what happens in the span"),
        column("start_s", pa.float64(), "start of the span", unit="s"),
        column("end_s", pa.float64(), "end of the span", unit="s"),
        column("duration_s", pa.float64(), "length of the video, null where it is not known", unit="s", required=False),
    ]
    return table_schema(name, version, [*shared, *extra])
