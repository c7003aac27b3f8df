"""The truth of a temporal manifest's split: the spans to be found, and what else scoring and baselines look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.arrays import floats, integers, one_array
from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest
from scorers.declarations import OptionError
from scorers.temporal.spans import Floats, TrueSpans

ANNOTATORS = 5
TRUTHS = ("start", "any", *(f"annotator:{number}" for number in range(1, ANNOTATORS + 1)))

_COLUMNS = ("sample_id", "start_s", "end_s", "duration_s")


@dataclass(frozen=True, eq=False)
class Truth:
    """The rows to score.

    Attributes:
        manifest: where they are.
        table: the rows of a split, all columns.
        spans: what is to be found.
        split: name of the split.
        left_out: sample ids of the split's other rows, which this truth leaves out on purpose.
    """

    manifest: Manifest
    table: pa.Table
    spans: TrueSpans
    split: str = ""
    left_out: pa.Array | None = None

    def __len__(self) -> int:
        return len(self.table)

    def only(self, rows: NDArray[np.bool_]) -> Truth:
        """Some of the rows, a mask of shape (rows,)."""
        return replace(self, table=self.table.filter(pa.array(rows)), spans=self.spans.only(rows))

    @cached_property
    def names(self) -> pa.Array:
        """The sample id of each row."""
        return self.column("sample_id")

    @cached_property
    def videos(self) -> pa.Array:
        """The video of each row."""
        return self.column("video")

    @cached_property
    def duration(self) -> Floats:
        """Seconds of each row's video, NaN where unknown."""
        return floats(self.table["duration_s"])

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """The video of each row as a number 0, 1, ... in order of first appearance."""
        return integers(self.videos.dictionary_encode().indices)

    def column(self, name: str) -> pa.Array:
        """A column.

        Raises:
            UsageError: the manifest has none of that name.
        """
        if name not in self.table.column_names:
            raise UsageError(f"{self.manifest.identity.name} has no column {name}")
        return one_array(self.table[name])


def read_truth(manifest: Manifest, split: str | None = None, truth: str = "start") -> Truth:
    """The rows to score.

    Args:
        manifest: a temporal manifest.
        split: one split; its only one, or `test`, when None.
        truth: `start`: the benchmark's own spans. `any`: any annotated onset counts for onset accuracy (with a column
            `onsets_s`); or the best met of the five re-annotators' spans counts (with a column `reannotated`, its rows
            alone). `annotator:1` to `annotator:5`: the spans of one re-annotator.

    Raises:
        UsageError: not a temporal manifest, no such split, times that are not finite, no annotated onsets, nothing
            re-annotated.
        InputError: the rows were changed after the build.
    """
    if truth not in TRUTHS:
        raise unknown_name("truth", truth, TRUTHS)
    split = manifest.chosen_split(split)
    table = manifest.table(split)
    if not set(_COLUMNS) <= set(table.column_names):
        raise UsageError(
            f"{manifest.path}: not a benchmark of temporal localisation (no columns {' and '.join(_COLUMNS[1:])})"
        )
    start, end, onsets = floats(table["start_s"]), floats(table["end_s"]), None
    if not (np.isfinite(start).all() and np.isfinite(end).all()):
        raise UsageError(f"{manifest.path}: a start or end is missing or infinite, expected numbers only")
    if truth != "start" and "reannotated" in table.column_names:
        return _reannotated(manifest, table, truth, split)
    if truth != "start":
        if truth != "any" or "onsets_s" not in table.column_names:
            raise OptionError("truth", f"={truth!r}: {manifest.identity.name} has no other annotations")
        onsets = _padded(one_array(table["onsets_s"]))
    return Truth(manifest, table, TrueSpans(start, end, onsets), split)


def reannotated_spans(lists: pa.Array) -> list[tuple[Floats, Floats]]:
    """Start and end that each of five people gave, from the column `reannotated`; NaN in rows that nobody was asked.

    Raises:
        UsageError: nothing was re-annotated, or not by five people.
    """
    asked = np.asarray(lists.is_valid())
    records = lists.flatten()
    if not asked.any() or len(records) != ANNOTATORS * np.count_nonzero(asked):
        raise UsageError(
            "the manifest was built without the spans of five re-annotators (sources reannotations_0 to _2)"
        )
    times = np.full((2, ANNOTATORS, len(lists)), np.nan)
    for side, name in zip(times, ("start_s", "end_s"), strict=True):
        side[:, asked] = floats(records.field(name)).reshape(-1, ANNOTATORS).T
    return list(zip(*times, strict=True))


def _reannotated(manifest: Manifest, table: pa.Table, truth: str, split: str) -> Truth:
    lists = one_array(table["reannotated"])
    asked = lists.is_valid()
    people = [TrueSpans(*times) for times in reannotated_spans(lists.filter(asked))]
    spans = people[int(truth[-1]) - 1] if truth != "any" else replace(people[0], others=tuple(people[1:]))
    left_out = one_array(table["sample_id"]).filter(lists.is_null())
    return Truth(manifest, table.filter(asked), spans, split, left_out)


def _padded(lists: pa.ListArray) -> Floats:
    """Lists of numbers as one array (rows, longest), NaN where a row has fewer."""
    lengths = np.diff(integers(lists.offsets))
    filled = np.full((len(lists), int(lengths.max(initial=1))), np.nan)
    filled[np.arange(filled.shape[1]) < lengths[:, None]] = floats(lists.flatten())
    return filled
