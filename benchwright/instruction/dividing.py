"""Conversations that are there already, such as somebody else's: their splits are made anew, their turns left alone."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from benchwright.checks.context import Context, folded
from benchwright.instruction.account import (
    LEVEL,
    SPLIT,
    Request,
    accounted,
    as_source,
    changed,
    of_splitting,
    warned_leaks,
)
from benchwright.instruction.splitting import Parted, parted
from benchwright.instruction.table import image_files
from schemas.arrays import texts_of
from schemas.errors import UsageError
from schemas.identity import Count, Identity, Level
from schemas.input.columns import flat
from schemas.instruction import INSTRUCTION, INSTRUCTION_SCHEMA
from schemas.manifest import Manifest, manifest_in_memory
from schemas.manifest_folder import write_manifest

_COMMON = 0.1


def divide(manifest: Manifest, request: Request, out: Path | None = None) -> Manifest:
    """The same conversations, parted as is asked, in memory, or in the folder `out` where that is given.

    Leaks are looked for in media and in texts; a word that more than a tenth of the rows say is of their templates, and
    counts for nothing.

    Raises:
        UsageError: templates, which would have nothing to fill in; rows that leak; no row left.
    """
    if request.templates is not None:
        raise UsageError(f"{manifest.path} holds conversations already: --templates has nothing to fill in")
    table = manifest.table(request.split)
    common = _common(_words(table))
    mine = _compared(manifest, common, request.split)
    against = [_compared(each, common) for each in request.against]
    parts = parted(mine, mine.table(), request.splitting, against, request.seed)
    left = parts.reason == ""
    if not left.any():
        raise UsageError(f"{manifest.path}: no conversation is left ({'; '.join(parts.found)}); nothing was written")
    splits = {}
    for name in dict.fromkeys(parts.split[left].tolist()):
        rows = np.flatnonzero((parts.split == name) & left)
        taken = table.take(pa.array(rows))
        for column, values in (("split", parts.split), ("group", parts.group)):
            place = INSTRUCTION_SCHEMA.get_field_index(column)
            taken = taken.set_column(place, INSTRUCTION_SCHEMA.field(column), texts_of(values[rows].tolist()))
        splits[name] = taken
    keys = np.array(table["sample_id"].to_pylist(), dtype=object)
    ledger, counts, level = accounted(keys[~left].tolist(), parts.reason[~left].tolist(), int(left.sum()), [SPLIT])
    identity = _identity(manifest.identity, request, parts, counts, level)
    if out is None:
        return manifest_in_memory(identity, splits, ledger)
    return Manifest(out, write_manifest(out, identity, splits, ledger))


def _identity(source: Identity, request: Request, parts: Parted, counts: list[Count], level: Level) -> Identity:
    parameters = source.parameters | of_splitting(request, parts) | {"split.seed": request.seed}
    return msgspec.structs.replace(
        source,
        parameters=parameters,
        changed_parameters=changed(parameters, parts),
        sources=source.sources if "import.of" in source.parameters else {"manifest": as_source(source)},
        levels={LEVEL: level},
        counts=counts,
        splits={},
        rules=[SPLIT],
        warnings=[*source.warnings, *warned_leaks(request, parts)],
    )


def _compared(manifest: Manifest, common: frozenset[str], split: str | None = None) -> Manifest:
    """A manifest of any kind with what leaks are looked for in: a column `video` or `image`, the group of each row, and
    texts of which the common words were taken."""
    table, card = manifest.table(split), manifest.card
    texts: list[list[str]] = []
    if manifest.identity.schema == INSTRUCTION:
        texts = _words(table)
        kinds = table["media_kind"].unique().to_pylist()
        table = table.append_column("image" if kinds == ["image"] else "video", table["media"])
        if card is not None:
            audit = msgspec.structs.replace(card.audit, column="group", pattern="(.*)")
            card = msgspec.structs.replace(card, audit=audit)
    else:
        groups = Context(manifest).clusters[1].to_numpy(dtype=object)
        table = table.append_column("group", texts_of(groups.tolist()))
        if "video" in table.column_names:
            texts = [folded(text).split() for text in table["description"].to_pylist()]
        else:
            table = table.append_column("image", image_files(table))
    if texts:
        said = [" ".join(word for word in words if word not in common) for words in texts]
        kept = [name for name in table.column_names if name != "description"]
        table = table.select(kept).append_column("description", texts_of(said))
    table = table.select([field.name for field in table.schema if not pa.types.is_nested(field.type)])
    identity = msgspec.structs.replace(manifest.identity, card=card, splits={})
    return manifest_in_memory(identity, {"all": table}, pa.table({"level": pa.array([], pa.string())}))


def _words(table: pa.Table) -> list[list[str]]:
    """The words of each conversation, without numbers."""
    turns, row = flat(table["turns"])
    said: list[list[str]] = [[] for _ in range(len(table))]
    for place, text in zip(row.tolist(), turns.field("text").to_pylist(), strict=True):
        said[place] += (word for word in folded(text).split() if not re.fullmatch(r"[\d_]+", word))
    return said


def _common(texts: list[list[str]]) -> frozenset[str]:
    """The words that more than a tenth of the texts have."""
    counts = Counter(word for words in texts for word in set(words))
    return frozenset(word for word, count in counts.items() if count > max(1, _COMMON * len(texts)))
