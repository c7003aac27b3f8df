"""What a written manifest holds, for those who describe it: the README and Croissant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa

from schemas.cards import Card
from schemas.features import class_names
from schemas.identity import Identity
from schemas.publication import Publication

DEFAULT, LEDGER, MEDIA = "default", "ledger", "media"
FOLDER = "path/of/this/folder"
"""What the README's example loads, until it is uploaded."""


class Part(NamedTuple):
    """One Parquet file: its path below the folder, the rows, size in bytes and SHA-256."""

    path: str
    table: pa.Table
    size: int
    sha256: str


@dataclass(frozen=True)
class Contents:
    """A manifest as it was written.

    Attributes:
        identity: with rows and digests.
        card: None where nothing is known of the benchmark.
        splits: the file of each split, in the card's order.
        ledger: the account of the build.
        findings: sentences on what users should know of the rows.
        media: where videos or images are below the folder, the file that says so of each row of a split.
    """

    identity: Identity
    card: Card | None
    splits: Mapping[str, Part]
    ledger: Part
    findings: Sequence[str] = ()
    media: Mapping[str, Part] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.card.title if self.card else self.identity.name

    @property
    def publication(self) -> Publication:
        return self.card.publication if self.card else Publication()

    @cached_property
    def configs(self) -> dict[str, dict[str, Part]]:
        """By configuration and split, the files that hold rows: `datasets` cannot load others, and they would bar it.

        Where no split has rows, all are named, so that nobody gets the ledger in the place of rows.
        """
        filled = _filled(self.splits) or dict(self.splits)
        ledger, media = _filled({LEDGER: self.ledger}), _filled(self.media)
        return {DEFAULT: filled} | ({LEDGER: ledger} if ledger else {}) | ({MEDIA: media} if media else {})

    @cached_property
    def classes(self) -> dict[str, list[str]]:
        """Names of classes by the path of the column with their ids; see `class_names`."""
        return class_names(self.card, [part.table for part in self.splits.values()])


def _filled(parts: Mapping[str, Part]) -> dict[str, Part]:
    return {name: part for name, part in parts.items() if part.table.num_rows}
