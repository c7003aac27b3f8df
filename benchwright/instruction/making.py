"""From a manifest to one of conversations: rows parted, templates filled in, what was dropped accounted for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa

from benchwright.instruction.asks import SPAN_TASKS, Ask
from benchwright.instruction.box_asks import BOX_TASKS, asks_of_activities
from benchwright.instruction.conversing import Conversations, converse
from benchwright.instruction.draws import pick, words_of
from benchwright.instruction.splitting import Parted, Splitting, parted
from benchwright.instruction.table import conversations_table
from benchwright.instruction.templates import Templates, chosen_templates
from builders.engine.ledger import LEDGER
from schemas.cards import AuditCard, Card
from schemas.errors import UsageError
from schemas.exchange import refuse_filled
from schemas.identity import Count, Identity, Level, RuleText, SourceIdentity, Value, written
from schemas.instruction import INSTRUCTION, INSTRUCTION_SCHEMA
from schemas.manifest import Manifest, manifest_in_memory
from schemas.manifest_folder import refuse_foreign_files, write_manifest
from schemas.notices import Notice
from schemas.publication import Publication
from scorers.registry import scorer_of

LEVEL = "conversation"
DEFAULTS = {"spans": "paper", "boxes": "boxes", "activities": "activities"}
_RULES = (
    RuleText(
        "split",
        "--validation, --group-by, --against",
        {
            "leak_video": "its video or image is on the other side",
            "leak_title": "what its video was cut from is on the other side",
            "leak_text": "its query stands on the other side word for word",
            "leak_near_text": "a query that shares most of its words is on the other side",
        },
        gives="in split {split}, with all of {group}",
    ),
    RuleText("draw", "--templates: share", {"not_drawn": "its task is for a share of the rows only"}),
    RuleText(
        "ask",
        "--templates: wrong spans, choices, boxes",
        {
            "no_span": "its span is not one: a time is not known or below 0, or it ends before it starts",
            "no_room": "its video is of unknown length, or has no room for a wrong span",
            "no_others": "there are too few other texts of other videos in its split",
            "unsure": "its boxes hold a crowd, or are ignored or difficult: not one thing each",
            "outside": "a box reaches beyond its image",
            "no_label": "it has no label, or one without a name",
            "no_member": "a member of its group is not among the persons of the frame",
        },
    ),
    RuleText(
        "fill",
        "--templates: questions and answers",
        {
            "no_value": "a column that its template names has no value",
            "beyond": "a time or a box reaches beyond the video or image that it is stated as a share of",
        },
        gives="by template {template}",
    ),
)


class Request(NamedTuple):
    """What is wanted.

    Attributes:
        templates: a file, a bundled name, or None for the default of the manifest's kind.
        split: of the source, all when None.
        seed: of all choices.
        splitting: how the rows are parted.
        against: benchmarks that no row may come from.
        force: whether a manifest that is there already is replaced.
    """

    templates: str | Path | None = None
    split: str | None = None
    seed: int = 0
    splitting: Splitting = Splitting()
    against: Sequence[Manifest] = ()
    force: bool = False


def instruct(
    manifest: Manifest, request: Request, out: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> Manifest:
    """The conversations of a manifest, in memory, or in the folder `out` where that is given.

    Raises:
        UsageError: a manifest of another kind, unknown names, rows that leak, no row left, a folder of other files.
        InputError: templates that cannot be read or do not fit, answers that cannot be read back.
    """
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
    provenance = _provenance(manifest)
    splits = conversations_table(table, parts.split, parts.group, made, provenance)
    if not any(len(each) for each in splits.values()):
        reasons = pd.Series(np.concatenate([parts.reason, *(each.reason for each in made.values())])).value_counts()
        why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if reason)
        raise UsageError(f"{manifest.path}: no conversation is left ({why or 'no rows'}); nothing was written")
    splits = {split: each for split, each in splits.items() if len(each)}
    ledger, counts, level = _account(table, parts, made, asks, templates)
    identity = _identity(name, manifest, request, templates, parts, made, counts, level)
    if out is None:
        return manifest_in_memory(identity, splits, ledger)
    return Manifest(out, write_manifest(out, identity, splits, ledger))


def _refuse(out: Path, request: Request, manifest: Manifest) -> None:
    """Refuse a folder that is read, that holds what no build wrote, or that is a manifest and not to be replaced."""
    for read in (manifest, *request.against):
        if out.resolve() == read.path.resolve():
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


def _account(
    table: pa.Table, parts: Parted, made: dict[str, Conversations], asks: dict[str, Ask], templates: Templates
) -> tuple[pa.Table, list[Count], Level]:
    """The ledger, what each rule did, and how many candidates there were and are left."""
    lost = np.flatnonzero(parts.reason != "")
    keys: list[str] = []
    reasons: list[str] = []
    if len(lost):
        own = table.take(pa.array(lost))
        sources = own["sample_id"].to_pylist()
        for task, variants in templates.by_task.items():
            asked = asks[task](own, variants[0], words_of(sources, 0))
            keys += [f"{sources[row]}#{key}" for row, key in zip(asked.rows.tolist(), asked.keys, strict=True)]
            reasons += parts.reason[lost][asked.rows].tolist()
    for each in made.values():
        dropped = each.reason != ""
        keys += each.ids[dropped].tolist()
        reasons += each.reason[dropped].tolist()
    order = {reason: place for place, rule in enumerate(_RULES, 1) for reason in rule.reasons}
    entries = pd.DataFrame({"key": keys, "reason": reasons}, dtype=object)
    entries["order"] = entries["reason"].map(order).astype(np.int16)
    entries = entries.sort_values("order", kind="stable")
    left = sum(int((each.reason == "").sum()) for each in made.values())
    candidates = left + len(entries)
    counts, rows_in = [], candidates
    for place, rule in enumerate(_RULES, 1):
        dropped_here = int((entries["order"] == place).sum())
        counts.append(Count(LEVEL, rule.name, place, rows_in, dropped_here, 0, 0, 0))
        rows_in -= dropped_here
    size = len(entries)
    columns = {
        "level": [LEVEL] * size,
        "key": entries["key"].tolist(),
        "child_key": [None] * size,
        "rule": [_RULES[place - 1].name for place in entries["order"].tolist()],
        "order": entries["order"].tolist(),
        "action": ["dropped"] * size,
        "reason": entries["reason"].tolist(),
        "values": [[]] * size,
    }
    return pa.table(columns, schema=LEDGER), counts, Level(candidates, left)


def _provenance(manifest: Manifest) -> dict[str, str]:
    identity = manifest.identity
    changed = [f"{name}={written(identity.parameters[name])}" for name in identity.changed_parameters]
    return {"benchmark": identity.name, "parameters": "; ".join(changed), "digest": identity.content_digest}


def _identity(
    name: str,
    manifest: Manifest,
    request: Request,
    templates: Templates,
    parts: Parted,
    made: dict[str, Conversations],
    counts: list[Count],
    level: Level,
) -> Identity:
    source, how = manifest.identity, request.splitting
    parameters: dict[str, Value] = {
        "split.validation": how.validation,
        "split.group_by": how.group_by or parts.what,
        "split.stratify": how.stratify,
        "split.leaks": how.leaks,
        "split.against": ", ".join(f"{each.identity.name} {each.identity.content_digest}" for each in request.against),
        "draw.seed": request.seed,
        "fill.templates": templates.source.file,
    }
    defaults: dict[str, Value] = {"split.validation": 0.0, "split.leaks": "refuse", "draw.seed": 0}
    defaults |= dict.fromkeys(("split.stratify", "split.against"), "")
    changed = [each for each, value in parameters.items() if value != defaults.get(each, value)]
    losses = np.concatenate([each.loss[each.reason == ""] for each in made.values()] or [np.zeros(0)])
    losses = losses[~np.isnan(losses)]
    aggregates: dict[str, float | None] = {
        "read_back": float(len(losses)),
        "loss_max": float(losses.max()) if len(losses) else None,
        "loss_median": float(np.median(losses)) if len(losses) else None,
    }
    file = f"{source.name}: {source.content_digest[:12]}"
    return Identity(
        name=name,
        schema=INSTRUCTION,
        schema_version=int(INSTRUCTION_SCHEMA.metadata[b"schema_version"]),
        recipe_version=1,
        version_reason="first version",
        parameters=parameters,
        changed_parameters=changed,
        sources={"manifest": SourceIdentity(file, source.content_digest), "templates": templates.source},
        levels={LEVEL: level},
        counts=counts,
        findings={},
        aggregates=aggregates,
        splits={},
        content_digest="",
        tool_version=version("benchwright"),
        rules=list(_RULES),
        warnings=[Notice("warning", "leak", "rule split", each) for each in parts.found if how.leaks == "keep"],
        card=_card(name, manifest),
    )


def _card(name: str, manifest: Manifest) -> Card:
    """The card of the conversations: the source's licence, citation and clusters; nothing is claimed of them."""
    known = manifest.card
    benchmark = manifest.identity.name
    published = known.publication if known else Publication()
    tasks = ["video-text-to-text" if "video" in manifest.column_names else "image-text-to-text"]
    tags = [*published.tags, *(tag for tag in ("instruction-tuning",) if tag not in published.tags)]
    return Card(
        name=name,
        title=f"{known.title if known else benchmark}: conversations",
        task="instruction tuning",
        citation=known.citation if known else "",
        licence=known.licence if known else "not stated",
        access=f"made from a manifest of {benchmark}",
        rows="one row per conversation",
        splits=[],
        sources=[],
        aliases=["source_id"],
        publication=msgspec.structs.replace(published, task_categories=tasks, tags=tags),
        audit=AuditCard(clusters=known.audit.clusters if known else "", column="group"),
    )
