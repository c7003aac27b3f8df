"""Manifests of invented rows, for what measures speed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from schemas.identity import Identity, Level
from schemas.ledger import LEDGER
from schemas.manifest_folder import write_manifest


def write(folder: Path, table: pa.Table, schema: str = "invented", split: str = "test") -> None:
    """Write a manifest of one split."""
    identity = Identity(
        name="invented",
        schema=schema,
        schema_version=1,
        recipe_version=1,
        version_reason="first version",
        parameters={},
        changed_parameters=[],
        sources={},
        levels={"row": Level(len(table), len(table))},
        counts=[],
        findings={},
        aggregates={},
        splits={},
        content_digest="",
        tool_version="0",
    )
    write_manifest(folder, identity, {split: table}, LEDGER.empty_table())
