"""Checks of the rules about boxes and persons: what else they could do, and what hangs on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from benchwright.checks.boxes import SIDES
from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence, check
from schemas.errors import counted
from schemas.identity import Value
from schemas.manifest import Manifest
from scorers.task import task_of

AS_PUBLISHED = "_as_published"
"""How values of parameters end that repeat an error of the authors' code, which the default mends."""


def _choices(context: Context) -> dict[str, tuple[Value, ...]]:
    """The alternatives of each choice of the recipe, by `RULE.PARAMETER`."""
    assert context.variants is not None
    rules = context.variants.recipe.rules
    return {f"{rule.name}.{each.name}": each.alternatives for rule in rules for each in rule.parameters}


def _images(context: Context, settings: Mapping[str, object]) -> pd.Index:
    """The candidates that other settings keep, by their number."""
    assert context.variants is not None
    return context.variants.kept({**context.manifest.identity.parameters, **settings})["root"]


@check(
    "whole-image-dropped",
    "rule",
    "boxes",
    "One small object costs its image: {kept:,} of {of:,} images {kept:is|are} left",
    "Of {of:,} images {kept:,} {kept:is|are} left, as one object below {min_area:g} px2 drops its image. If the "
    "object alone is dropped, {alone:,} {alone:is|are} left; by the area of the box {box:,}; with other least areas "
    "{by_area}.",
    needs=["source"],
)
def whole_image_dropped(context: Context, *, areas: Sequence[float] = (1024, 4096, 9216)) -> Evidence | None:
    """The rule that drops images for their small objects, beside its other settings."""
    assert context.variants is not None
    given = context.manifest.identity.parameters
    small = (name for name, value in given.items() if name.endswith(".on_small") and value == "drop_image")
    rule = next((name.rpartition(".")[0] for name in small), None)
    if rule is None:
        return None
    alone = f"drop_{rule.removeprefix('small_')}"
    every, kept = (_images(context, each) for each in ({f"{rule}.on_small": "off"}, {}))
    by_area = {area: len(_images(context, {f"{rule}.min_area": area})) for area in areas}
    numbers: dict[str, Any] = {"count": len(every) - len(kept), "of": len(every), "kept": len(kept), "areas": by_area}
    numbers |= {"alone": len(_images(context, {f"{rule}.on_small": alone})), "min_area": given[f"{rule}.min_area"]}
    numbers |= {"box": len(_images(context, {f"{rule}.area": "box"}))}
    told = ", ".join(f"{size:,} ({area:g})" for area, size in by_area.items())
    lost = context.candidates["sample_id"].loc[every.difference(kept)].tolist()
    found = Evidence({**numbers, "by_area": told}, lost, parameter=f"{rule}.on_small", alternative=alone)
    return found if lost else None


@check(
    "as-published",
    "rule",
    "boxes",
    "What the authors' code does to {count:,} {count:image or box|images or boxes} is mended here",
    "{detail}",
    needs=["source"],
)
def as_published(context: Context) -> Evidence | None:
    """Choices that repeat an error of the authors' code: images that share an id by them, boxes of another class."""
    told: list[str] = []
    rows: list[str] = []
    choice: tuple[str, Value] | None = None
    for name, value in ((name, value) for name, values in _choices(context).items() for value in values):
        if not str(value).endswith(AS_PUBLISHED) or context.manifest.identity.parameters[name] == value:
            continue
        published = Context(context.built({name: value}))
        for text, names in (_shared_ids(context, published, name), _renamed(context, published)):
            if names:
                told.append(f"With {name}={value} {text}.")
                rows, choice = rows + names, (name, value)
    if choice is None:
        return None
    numbers = {"count": len(rows), "of": max(len(context.boxes), len(context.frame)), "detail": " ".join(told)}
    return Evidence(numbers, rows, parameter=choice[0], alternative=choice[1])


def _shared_ids(context: Context, published: Context, name: str) -> tuple[str, list[str]]:
    """Images that share ids, among the candidates and among those that are kept."""
    assert context.variants is not None
    settings = published.manifest.identity.parameters
    every = context.variants.rows(name.partition(".")[0], settings).get("image_id", pd.Series(dtype=float))
    kept = published.frame[published.frame["image_id"].duplicated(keep=False)]
    shared = every[every.duplicated(keep=False)]
    ids = counted(shared.nunique(), "ids")
    text = f"{len(shared):,} images of {len(every):,} share {ids}, {len(kept):,} of them are kept"
    return text, kept["sample_id"].tolist()


def _renamed(context: Context, published: Context) -> tuple[str, list[str]]:
    keys = ["sample_id", "annotation_id", *SIDES]
    both = context.boxes.merge(published.boxes, on=keys, suffixes=("", "_published"))
    other = both[both["label"] != both["label_published"]]
    pairs = other["label"] + " are called " + other["label_published"]
    text = ", ".join(f"{size:,} boxes of {pair}" for pair, size in pairs.value_counts().items())
    return text, other["sample_id"].tolist()


@check(
    "left-out-persons",
    "rule",
    "activities",
    "{count:,} {count:person in a frame is|persons in frames are} left out, {share:.0f} % of all",
    "{count:,} of {of:,} persons in frames {count:is|are} dropped by {rule} ({detail}): neither trained on nor "
    "scored.{effect}",
    needs=["ledger"],
)
def left_out_persons(context: Context, *, least: float = 0.01) -> Evidence | None:
    """Persons that the ledger drops for themselves, and where raw files are at hand what guesses reach with them."""
    ledger, level = context.ledger, context.manifest.identity.levels.get("persons")
    dropped = ledger.filter(pc.and_(pc.equal(ledger["level"], "persons"), pc.equal(ledger["action"], "dropped")))
    frame = dropped.filter(pc.not_equal(dropped["reason"], "via=parent")).to_pandas()
    if level is None or len(frame) < least * level.candidates or frame.empty:
        return None
    rule, reasons = frame["rule"].mode()[0], frame["reason"].value_counts()
    names = (frame["key"] + ": person " + frame["child_key"]).tolist()
    detail = ", ".join(f"{count:,} {str(reason).replace('_', ' ')}" for reason, count in reasons.items())
    numbers: dict[str, Any] = {
        "count": len(frame),
        "of": level.candidates,
        "share": 100 * len(frame) / level.candidates,
        "rule": rule,
    }
    numbers |= {"reasons": reasons.to_dict(), "detail": detail, "effect": ""}
    if context.variants is None:
        return Evidence(numbers, names)
    return _with_them(context, rule, Evidence(numbers, names))


def _with_them(context: Context, rule: str, found: Evidence) -> Evidence:
    """The same with what guesses reach if another choice of the rule keeps those who lack least."""
    guesses = _guesses(context.manifest)
    for name, values in _choices(context).items():
        others = [each for each in values if each != context.manifest.identity.parameters[name]]
        if name.startswith(f"{rule}.") and others:
            there = _guesses(context.built({name: others[0]}))
            told = ", ".join(f"{metric} {guesses[metric]:.2f} -> {there[metric]:.2f}" for metric in guesses)
            effect = f" With {name}={others[0]} guesses of nearest neighbours change: {told}."
            numbers = {**found.numbers, "effect": effect, "guesses": guesses, "guesses_with": there}
            return Evidence(numbers, found.rows, parameter=name, alternative=others[0])
    return found


def _guesses(manifest: Manifest) -> dict[str, float]:
    """What `nearest` reaches in the last split."""
    evaluation = task_of(manifest, {"split": manifest.splits[-1], "metrics": ["F_i", "F_p", "F_g"]}).baselines()[
        "nearest"
    ]
    return {str(metric): value for metric, value in evaluation.values.items()}
