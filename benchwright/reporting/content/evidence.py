"""Which rows of the row table a finding is of: its evidence names rows, pairs of them, things in them, or sequences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.checks.finding import Findings
from benchwright.reporting.frames.outlines import evenly

CONTAINERS = ("sequence", "video")
MOST = 300
"""Rows of a finding that a page must have."""


def evidence_of(findings: Findings, table: pa.Table) -> dict[str, tuple[str, ...]]:
    """By the id of a finding, the sample ids of the rows that it is of, in its order; none where it is of labels.

    A row may be named as itself, as `A | B`, as `SAMPLE: person 3` or `SYSTEM: SAMPLE`; a sequence or video, alone or
    as `SEQUENCE: person 3`, stands for its rows.
    """
    samples = table["sample_id"].to_pylist()
    names = set(samples)
    inside: dict[str, list[str]] = {}
    for column in CONTAINERS:
        if column in table.column_names:
            for container, sample in zip(table[column].to_pylist(), samples, strict=True):
                inside.setdefault(str(container), []).append(sample)
    return {
        each.id: tuple(dict.fromkeys(name for text in each.rows for name in _meant(text, names, inside)))
        for each in findings.findings
    }


def wanted(findings: Findings, table: pa.Table) -> NDArray[np.int64]:
    """Places of the rows that findings are of, `MOST` of each, evenly chosen; those of findings with few rows first."""
    place = {sample: at for at, sample in enumerate(table["sample_id"].to_pylist())}
    by_size = sorted(evidence_of(findings, table).values(), key=len)
    names = dict.fromkeys(each[at] for each in by_size for at in evenly(len(each), MOST))
    return np.array([place[name] for name in names], np.int64)


def _meant(text: str, names: set[str], inside: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if text in names:
        yield text
        return
    head, _, tail = text.partition(": ")
    parts = [part for part in (*text.split(" | "), head, tail) if part in names]
    yield from parts or inside.get(text) or inside.get(head) or ()
