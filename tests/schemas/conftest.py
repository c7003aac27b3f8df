"""What the tests of the ground floor share: small invented manifests, and random tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from schemas.cards import Card
from schemas.identity import Count, Identity, Level
from schemas.ledger import LEDGER
from schemas.manifest_folder import write_manifest
from schemas.temporal import temporal_schema

CARD = Card(
    name="invented",
    title="Invented: a test",
    task="find the cat",
    citation="Nobody, 2026",
    licence="none",
    access="free",
    rows="one row a cat",
    splits=["test"],
    sources=[],
)
SCHEMA = temporal_schema("invented", 1)

LEAVES = [
    *(pa.bool_(), pa.int8(), pa.uint8(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()),
    *(pa.string(), pa.binary()),
]


def rows_of(split: str, size: int) -> pa.Table:
    """Rows `split/0`, `split/1`, ... of the schema that temporal benchmarks share."""
    names = [f"{split}/{number}" for number in range(size)]
    columns = {
        "sample_id": names,
        "split": [split] * size,
        "video": [f"video {number}" for number in range(size)],
        "description": ["a cat falls off a shelf"] * size,
        "start_s": [float(number) for number in range(size)],
        "end_s": [number + 0.5 for number in range(size)],
        "duration_s": [None] * size,
    }
    return pa.table(columns, schema=SCHEMA)


def identity_of(splits: Mapping[str, pa.Table], dropped: int) -> Identity:
    """The identity of an invented build of one rule, without digests."""
    kept = sum(table.num_rows for table in splits.values())
    return Identity(
        name="invented",
        schema="invented",
        schema_version=1,
        recipe_version=1,
        version_reason="first version",
        parameters={"enough.limit": 2},
        changed_parameters=[],
        sources={},
        levels={"clip": Level(kept + dropped, kept)},
        counts=[Count("clip", "enough", 1, kept + dropped, dropped, 0, 0, 0)],
        findings={},
        aggregates={},
        splits={},
        content_digest="",
        tool_version="0",
    )


@pytest.fixture
def write() -> Callable[..., Path]:
    """Write a manifest of the given splits, and a ledger of `dropped` rows, to a folder; returns the folder."""

    def call(
        folder: Path,
        splits: Mapping[str, pa.Table] | None = None,
        dropped: int = 0,
        card: Card | None = CARD,
        findings: Sequence[str] = (),
    ) -> Path:
        splits = {"test": rows_of("test", 3)} if splits is None else splits
        entry = {"level": "clip", "rule": "enough", "order": 1, "action": "dropped", "reason": "few", "values": []}
        entries = [entry | {"key": f"lost/{number}"} for number in range(dropped)]
        ledger = pa.Table.from_pylist(entries, schema=LEDGER)
        write_manifest(folder, identity_of(splits, dropped), splits, ledger, card, findings)
        return folder

    return call


@pytest.fixture
def rows() -> Callable[[str, int], pa.Table]:
    """Invented rows: a split's name and how many."""
    return rows_of


@pytest.fixture
def entries() -> Callable[[Path], list[str]]:
    """Names of what is in a folder, hidden ones too."""
    return lambda folder: sorted(path.name for path in folder.iterdir())


# Random tables: any nesting of lists and records over any of the leaf types, nulls where they are allowed.


def leaf_values(kind: pa.DataType, tame: bool) -> st.SearchStrategy[Any]:
    """Values of a leaf type; tame ones survive pandas, which has no null beside NaN and no null integers."""
    if pa.types.is_boolean(kind):
        return st.booleans()
    if pa.types.is_floating(kind):
        return st.floats(width=kind.bit_width, allow_nan=not tame)
    if pa.types.is_string(kind):
        return st.text(st.characters(codec="utf-8"), max_size=5)
    if pa.types.is_binary(kind):
        return st.binary(max_size=5)
    low, width = (0, kind.bit_width) if pa.types.is_unsigned_integer(kind) else (None, kind.bit_width - 1)
    top = 2 ** min(width, 53 if tame else 64) - 1
    return st.integers(-top if low is None else low, top)


@st.composite
def fields(draw: st.DrawFn, name: str, depth: int, tame: bool) -> tuple[pa.Field, st.SearchStrategy[Any]]:
    """A field of some type and a strategy of its values."""
    shape = draw(st.sampled_from(["leaf", "list", "record"] if depth else ["leaf"]))
    if shape == "list":
        item, values = draw(fields("item", depth - 1, tame))
        kind, values = pa.list_(item), st.lists(values, max_size=3)
    elif shape == "record":
        parts = [draw(fields(inner, depth - 1, tame)) for inner in ("x", "y")]
        kind = pa.struct([part for part, _ in parts])
        values = st.fixed_dictionaries({part.name: inner for part, inner in parts})
    else:
        kind = draw(st.sampled_from(LEAVES))
        values = leaf_values(kind, tame)
    nullable = draw(st.booleans())
    return pa.field(name, kind, nullable), st.none() | values if nullable else values


@st.composite
def random_tables(draw: st.DrawFn, tame: bool = False) -> tuple[pa.Table, list[list[Any]]]:
    """A table of one to three columns, and its values by column."""
    size = draw(st.integers(0, 6))
    made = [draw(fields(name, 2, tame)) for name in draw(st.sampled_from(["a", "ab", "abc"]))]
    columns = [draw(st.lists(values, min_size=size, max_size=size)) for _, values in made]
    schema = pa.schema([field for field, _ in made])
    return pa.table([pa.array(v, f.type) for f, v in zip(schema, columns, strict=True)], schema=schema), columns


@pytest.fixture(scope="session")
def tables() -> Callable[..., st.SearchStrategy[tuple[pa.Table, list[list[Any]]]]]:
    """Random tables, each with its values by column: any nesting of lists and records, nulls where allowed."""
    return random_tables
