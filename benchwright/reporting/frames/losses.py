"""Who is left out: what each rule drops of each level, for which reasons, from the identity and the ledger."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.explanation import sentences
from schemas.manifest import Manifest


class Reason(NamedTuple):
    """Why rows of a level are dropped.

    Attributes:
        level, rule, code: as in the ledger.
        dropped: how many for this reason.
        example: key of the first of them, and why, in a sentence.
    """

    level: str
    rule: str
    code: str
    dropped: int
    example: str


class Step(NamedTuple):
    """A rule and a level: rows before it, and how many of them it drops, those with their parent among them."""

    rule: str
    rows_in: int
    dropped: int


def steps(manifest: Manifest) -> dict[str, list[Step]]:
    """By level, the rules that drop rows of it, in their order."""
    counts = manifest.identity.counts
    return {
        level: [Step(c.rule, c.rows_in, c.dropped) for c in counts if c.level == level and c.dropped]
        for level in manifest.identity.levels
    }


def reasons(manifest: Manifest) -> list[Reason]:
    """All reasons for which rows are dropped, in the order of the rules, by falling number; none without a ledger."""
    if not manifest.has_ledger:
        return []
    ledger = manifest.ledger()
    ledger = ledger.filter(pc.equal(ledger["action"], "dropped"))
    ledger = ledger.append_column("place", pa.array(np.arange(ledger.num_rows)))
    keys = ["order", "level", "rule", "reason"]
    groups = ledger.select([*keys, "place"]).group_by(keys, use_threads=False)
    found = groups.aggregate([("place", "min"), ("place", "count")])
    found = found.sort_by([("order", "ascending"), ("level", "ascending"), ("place_count", "descending")])
    firsts = ledger.take(found["place_min"])
    names = [key if child is None else f"{child} of {key}" for key, child in _keys(firsts)]
    examples = [f"{name}: {why}" for name, why in zip(names, sentences(manifest, firsts), strict=True)]
    columns = (found[name].to_pylist() for name in ("level", "rule", "reason", "place_count"))
    return [Reason(*each) for each in zip(*columns, examples, strict=True)]


def _keys(ledger: pa.Table) -> list[tuple[str, str | None]]:
    return list(zip(ledger["key"].to_pylist(), ledger["child_key"].to_pylist(), strict=True))


def by_row(manifest: Manifest, level: str) -> dict[str, int]:
    """How many things of a level each row lost, those without losses left out; none without a ledger."""
    if not manifest.has_ledger:
        return {}
    ledger = manifest.ledger()
    ledger = ledger.filter(pc.and_(pc.equal(ledger["action"], "dropped"), pc.equal(ledger["level"], level)))
    counts = ledger["key"].value_counts()
    return {each["values"]: each["counts"] for each in counts.to_pylist()}
