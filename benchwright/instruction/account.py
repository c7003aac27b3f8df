"""What a manifest of conversations says of itself: what was asked for, the ledger, identity and card."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa

from benchwright.instruction.asks import Ask
from benchwright.instruction.conversing import Conversations
from benchwright.instruction.draws import words_of
from benchwright.instruction.splitting import VALIDATION, Parted, Splitting
from benchwright.instruction.templates import Templates
from schemas.cards import AuditCard, Card
from schemas.identity import Count, Identity, Level, RuleText, SourceIdentity, Value, written
from schemas.instruction import INSTRUCTION, INSTRUCTION_SCHEMA
from schemas.ledger import LEDGER
from schemas.manifest import Manifest
from schemas.notices import Notice
from schemas.publication import Publication

LEVEL = "conversation"
SPLIT = RuleText(
    "split",
    "--validation, --group-by, --against",
    {
        "leak_video": "its video or image is on the other side",
        "leak_title": "what its video was cut from is on the other side",
        "leak_text": "its query stands on the other side word for word",
        "leak_near_text": "a query that shares most of its words is on the other side",
    },
    gives="in split {split}, with all of {group}",
)
_RULES = (
    SPLIT,
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
            "blurred": "rounding moves its wrong span into the true one",
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


def account(
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
    left = sum(int((each.reason == "").sum()) for each in made.values())
    return accounted(keys, reasons, left, _RULES)


def accounted(
    keys: list[str], reasons: list[str], left: int, rules: Sequence[RuleText]
) -> tuple[pa.Table, list[Count], Level]:
    """The ledger of conversations that were dropped for reasons of these rules, and what each rule did."""
    order = {reason: place for place, rule in enumerate(rules, 1) for reason in rule.reasons}
    entries = pd.DataFrame({"key": keys, "reason": reasons}, dtype=object)
    entries["order"] = entries["reason"].map(order).astype(np.int16)
    entries = entries.sort_values("order", kind="stable")
    candidates = left + len(entries)
    counts, rows_in = [], candidates
    for place, rule in enumerate(rules, 1):
        dropped_here = int((entries["order"] == place).sum())
        counts.append(Count(LEVEL, rule.name, place, rows_in, dropped_here, 0, 0, 0))
        rows_in -= dropped_here
    size = len(entries)
    columns = {
        "level": [LEVEL] * size,
        "key": entries["key"].tolist(),
        "child_key": [None] * size,
        "rule": [rules[place - 1].name for place in entries["order"].tolist()],
        "order": entries["order"].tolist(),
        "action": ["dropped"] * size,
        "reason": entries["reason"].tolist(),
        "values": [[]] * size,
    }
    return pa.table(columns, schema=LEDGER), counts, Level(candidates, left)


def provenance(manifest: Manifest) -> dict[str, str]:
    identity = manifest.identity
    changed = [f"{name}={written(identity.parameters[name])}" for name in identity.changed_parameters]
    return {"benchmark": identity.name, "parameters": "; ".join(changed), "digest": identity.content_digest}


def of_splitting(request: Request, parts: Parted) -> dict[str, Value]:
    """The parameters of the rule `split`."""
    how = request.splitting
    return {
        "split.of": request.split or "",
        "split.validation": how.validation,
        "split.group_by": how.group_by or parts.what,
        "split.stratify": how.stratify,
        "split.leaks": how.leaks,
        "split.against": ", ".join(f"{each.identity.name} {each.identity.content_digest}" for each in request.against),
    }


def changed(parameters: dict[str, Value], parts: Parted) -> list[str]:
    """Names of the parameters that are not the defaults."""
    defaults: dict[str, Value] = {"split.validation": 0.0, "split.leaks": "refuse", "draw.seed": 0, "split.seed": 0}
    defaults |= dict.fromkeys(("split.of", "split.stratify", "split.against"), "") | {"split.group_by": parts.what}
    return [each for each, value in parameters.items() if value != defaults.get(each, value)]


def warned_leaks(request: Request, parts: Parted) -> list[Notice]:
    """Warnings of what leaks and was kept; or of a validation that has lost more than half of its rows to leaks."""
    kept = parts.found if request.splitting.leaks == "keep" else []
    found = [Notice("warning", "leak", "rule split", each) for each in kept]
    drawn = parts.split == VALIDATION
    left = int((drawn & (parts.reason == "")).sum())
    if request.splitting.validation and left < drawn.sum() / 2:
        said = f"leaks leave {left:,} of {drawn.sum():,} rows in validation: {'; '.join(parts.found)}"
        found.append(Notice("warning", "few", "rule split", said))
    return found


def as_source(identity: Identity) -> SourceIdentity:
    """A manifest as the source of another."""
    return SourceIdentity(f"{identity.name}: {identity.content_digest[:12]}", identity.content_digest)


def identity_of(
    name: str,
    manifest: Manifest,
    request: Request,
    templates: Templates,
    parts: Parted,
    made: dict[str, Conversations],
    counts: list[Count],
    level: Level,
) -> Identity:
    source = manifest.identity
    parameters = of_splitting(request, parts)
    parameters |= {"draw.seed": request.seed, "fill.templates": templates.source.file}
    losses = np.concatenate([each.loss[each.reason == ""] for each in made.values()] or [np.zeros(0)])
    losses = losses[~np.isnan(losses)]
    aggregates: dict[str, float | None] = {
        "empty": float(sum(int((each.empty & (each.reason == "")).sum()) for each in made.values())),
        "read_back": float(len(losses)),
        "loss_max": float(losses.max()) if len(losses) else None,
        "loss_median": float(np.median(losses)) if len(losses) else None,
    }
    return Identity(
        name=name,
        schema=INSTRUCTION,
        schema_version=int(INSTRUCTION_SCHEMA.metadata[b"schema_version"]),
        recipe_version=1,
        version_reason="first version",
        parameters=parameters,
        changed_parameters=changed(parameters, parts),
        sources={"manifest": as_source(source), "templates": templates.source},
        levels={LEVEL: level},
        counts=counts,
        findings={},
        aggregates=aggregates,
        splits={},
        content_digest="",
        tool_version=version("benchwright"),
        rules=list(_RULES),
        warnings=warned_leaks(request, parts),
        card=_card(name, manifest),
    )


def _card(name: str, manifest: Manifest) -> Card:
    """The card of the conversations: the source's licence, citation and clusters; nothing is claimed of them."""
    known = manifest.card
    benchmark = manifest.identity.name
    published = known.publication if known else Publication()
    tasks = ["video-text-to-text" if "video" in manifest.column_names else "image-text-to-text"]
    tags = [*published.tags, *(tag for tag in ("instruction-tuning",) if tag not in published.tags)]
    written = "The conversations were filled in from templates with values of its rows: no model wrote any of them."
    collection = f"{published.collection} {written}".strip()
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
        publication=msgspec.structs.replace(published, task_categories=tasks, tags=tags, collection=collection),
        audit=AuditCard(clusters=known.audit.clusters if known else "", column="group"),
    )
