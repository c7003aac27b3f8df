"""What a manifest says of itself: stored in the footer of each of its Parquet files and in `manifest.json`."""

from __future__ import annotations

import msgspec

FOOTER_KEY = b"benchwright"
FORMAT = 2
# Names of splits become names of files; `datasets` allows no others.
SPLIT_NAME = r"\w+(\.\w+)*"

Value = bool | int | float | str


class SourceIdentity(msgspec.Struct, frozen=True):
    """A source as it was read: file name and SHA-256 of its bytes."""

    file: str
    sha256: str


class Count(msgspec.Struct, frozen=True):
    """What one rule did at one level. `dropped` includes `with_parent`, the rows that fell with their parent."""

    level: str
    rule: str
    order: int
    rows_in: int
    dropped: int
    with_parent: int
    changed: int
    noted: int


class Level(msgspec.Struct, frozen=True):
    """Rows of one level before the first rule and after the last."""

    candidates: int
    kept: int


class Split(msgspec.Struct, frozen=True):
    """One split: its rows and the content digest of its table."""

    rows: int
    digest: str


class Identity(msgspec.Struct, frozen=True):
    """Everything needed to say what a manifest is, and to build it again."""

    name: str
    schema: str
    schema_version: int
    recipe_version: int
    version_reason: str
    parameters: dict[str, Value]
    changed_parameters: list[str]
    sources: dict[str, SourceIdentity]
    levels: dict[str, Level]
    counts: list[Count]
    findings: dict[str, int]
    aggregates: dict[str, float | None]
    splits: dict[str, Split]
    content_digest: str
    tool_version: str
    ledger_digest: str = ""
    format: int = FORMAT

    def to_json(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"
