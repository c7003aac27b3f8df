"""From a manifest to one of conversations: rows parted, templates filled in, what was dropped accounted for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from benchwright.instruction.account import Request, account, identity_of, provenance
from benchwright.instruction.asks import SPAN_TASKS, Ask
from benchwright.instruction.box_asks import BOX_TASKS, asks_of_activities
from benchwright.instruction.conversing import Conversations, converse
from benchwright.instruction.dividing import divide
from benchwright.instruction.draws import pick, words_of
from benchwright.instruction.splitting import Parted, parted
from benchwright.instruction.table import conversations_table
from benchwright.instruction.templates import Templates, chosen_templates
from schemas.errors import UsageError
from schemas.exchange import refuse_filled
from schemas.instruction import INSTRUCTION
from schemas.manifest import Manifest, manifest_in_memory
from schemas.manifest_folder import refuse_foreign_files, write_manifest
from schemas.paths import real_path
from scorers.registry import scorer_of

DEFAULTS = {"spans": "paper", "boxes": "boxes", "activities": "activities"}


def instruct(
    manifest: Manifest, request: Request, out: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> Manifest:
    """The conversations of a manifest, in memory, or in the folder `out` where that is given.

    Those that a manifest of conversations holds stay as they are, and are parted anew.

    Raises:
        UsageError: a manifest of another kind, unknown names, rows that leak, no row left, a folder of other files.
        InputError: templates that cannot be read or do not fit, answers that cannot be read back.
    """
    if manifest.identity.schema == INSTRUCTION:
        if out is not None:
            _refuse(out, request, manifest)
        return divide(manifest, request, out)
    kind, asks = _asks_of(manifest)
    templates = chosen_templates(manifest, request.templates, list(asks), DEFAULTS[kind])
    name = f"{manifest.identity.name}-conversations"
    if out is not None:
        _refuse(out, request, manifest)
    table = manifest.table(request.split)
    progress("splitting")
    parts = parted(manifest, table, request.splitting, request.against, request.seed)
    made = _made(table, parts, templates, asks, request.seed, progress)
    progress("writing")
    splits = conversations_table(table, parts.split, parts.group, made, provenance(manifest))
    if not any(len(each) for each in splits.values()):
        reasons = pd.Series(np.concatenate([parts.reason, *(each.reason for each in made.values())])).value_counts()
        why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if reason)
        raise UsageError(f"{manifest.path}: no conversation is left ({why or 'no rows'}); nothing was written")
    splits = {split: each for split, each in splits.items() if len(each)}
    ledger, counts, level = account(table, parts, made, asks, templates)
    identity = identity_of(name, manifest, request, templates, parts, made, counts, level)
    if out is None:
        return manifest_in_memory(identity, splits, ledger)
    return Manifest(out, write_manifest(out, identity, splits, ledger))


def _refuse(out: Path, request: Request, manifest: Manifest) -> None:
    """Refuse a folder that is read, that holds what no build wrote, or that is a manifest and not to be replaced."""
    for read in (manifest, *request.against):
        if real_path(out) == real_path(read.path):
            raise UsageError(f"{out} is read already; name another folder to write")
    if not request.force:
        refuse_filled(out, "--force replaces a manifest")
    refuse_foreign_files(out)


def _asks_of(manifest: Manifest) -> tuple[str, dict[str, Ask]]:
    kind = scorer_of(manifest).kind
    if kind not in DEFAULTS:
        raise UsageError(f"{manifest.path} is a manifest of {kind}: conversations are about {', '.join(DEFAULTS)}")
    return kind, {"spans": SPAN_TASKS, "boxes": BOX_TASKS, "activities": asks_of_activities(manifest.card)}[kind]


def _made(
    table: pa.Table,
    parts: Parted,
    templates: Templates,
    asks: dict[str, Ask],
    seed: int,
    progress: Callable[[str], None],
) -> dict[str, Conversations]:
    """The conversations of each template and split, `rows` positions in the whole table."""
    found: dict[str, Conversations] = {}
    for split in dict.fromkeys(parts.split.tolist()):
        rows = np.flatnonzero((parts.split == split) & (parts.reason == ""))
        own = table.take(pa.array(rows))
        sources = own["sample_id"].to_pylist()
        words = words_of(sources, seed)
        for task, variants in templates.by_task.items():
            choice = pick(words, f"{task} template", [each.given.weight for each in variants])
            for number, template in enumerate(variants):
                progress(f"{split}: {template.id}")
                made = converse(template, asks[task](own, template, words), sources, words, choice == number, seed)
                made.rows = rows[made.rows]
                made.others = [rows[each].tolist() if each else each for each in made.others]
                found[f"{split} {template.id}"] = made
    return found
