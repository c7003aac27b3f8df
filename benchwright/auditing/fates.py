"""What would have become of one row if something about its benchmark had been chosen otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchwright.auditing.alternatives import Alternative, of_lifting, of_settings
from benchwright.explanation import stories
from benchwright.story import Change, Fate, Story
from builders.engine.recipe import Recipe
from builders.engine.sources import MissingSourceError
from builders.engine.variants import Variants, variants_of
from schemas.cards import Kind
from schemas.errors import BenchwrightError, UsageError
from schemas.manifest import Manifest
from scorers.task import Progress, silent

Record = Mapping[str, Any]


def with_alternatives(
    manifest: Manifest,
    told: Sequence[Story],
    recipe: Recipe,
    source: Path,
    given: Mapping[str, Path] | None = None,
    progress: Progress = silent,
) -> list[Story]:
    """The same stories, each with what every alternative would have made of the row.

    Args:
        manifest: that they are about; its own settings are what alternatives are alternatives to.
        told: stories of its rows.
        recipe: of the manifest.
        source: folder of the raw files.
        given: paths of single sources that are not below it.
        progress: of the builds.

    Raises:
        UsageError: the sources give other rows.
        BenchwrightError: the benchmark cannot be built from them.
    """
    identity = manifest.identity
    variants = variants_of(manifest, recipe, source, given)
    dropped = {count.rule for count in identity.counts if count.dropped}
    others = of_settings(recipe, {}, identity.parameters)
    others += of_lifting([rule.name for rule in recipe.rules if rule.name in dropped])
    found: list[list[Fate]] = [[] for _ in told]
    with progress("alternatives", len(others)) as step:
        for each in others:
            step(each.key)
            fates = _fates(variants, {**identity.parameters, **each.settings}, each, told)
            for fate, several in zip(fates, found, strict=True):
                several.append(fate)
    return [replace(story, alternatives=several) for story, several in zip(told, found, strict=True)]


def _fates(
    variants: Variants, settings: Mapping[str, Any], alternative: Alternative, told: Sequence[Story]
) -> list[Fate]:
    """What one alternative makes of each story."""
    key, kind = alternative.key, alternative.kind
    try:
        manifest = variants.build(settings)
    except MissingSourceError as failure:
        return [Fate(key, kind, "not judged", "", f"needs {failure.source}")] * len(told)
    except BenchwrightError as failure:
        return [Fate(key, kind, "not judged", "", str(failure).partition("\n")[0])] * len(told)
    return [_fate(key, kind, story, manifest) for story in told]


def _fate(key: str, kind: Kind, story: Story, manifest: Manifest) -> Fate:
    """What another build makes of a row, beside what this one does."""
    try:
        other = next(each for each in stories(manifest, story.key) if each.level == story.level)
    except (UsageError, StopIteration):
        return Fate(key, kind, "absent", "", "not among the candidates")
    if other.row is None:
        rule, reason = _cause(other)
        if story.row is None and rule == _cause(story)[0]:
            return Fate(key, kind, "same", rule, "")
        return Fate(key, kind, "dropped", rule, f"dropped by {rule}: {reason}")
    if story.row is None:
        return Fate(key, kind, "kept", "", "kept")
    changes = [
        change
        for name in dict.fromkeys([*story.row, *other.row])
        if (change := _change(name, story.row.get(name), other.row.get(name)))
    ]
    said = "; ".join(
        change.said or f"{change.column} becomes {_text(change.after)}, is {_text(change.before)}" for change in changes
    )
    return Fate(key, kind, "changed" if changes else "same", "", said, changes)


def _cause(story: Story) -> tuple[str, str]:
    """The rule that drops a row, and why."""
    step = next((step for step in story.steps if step.action == "dropped"), None)
    return (step.rule, step.sentence) if step else ("", "it is not there")


def _change(name: str, before: Any, after: Any) -> Change | None:
    """How a column changes; of a list of records how many of them do."""
    if before == after:
        return None
    if not (_are_records(before) and _are_records(after)):
        return Change(name, before, after)
    named = [[_ids(record, name) for record in records] for records in (before, after)]
    if any(len(set(ids)) < len(ids) or not all(ids) for ids in named):
        named = [list(map(repr, records)) for records in (before, after)]
    sides = [dict(zip(ids, records, strict=True)) for ids, records in zip(named, (before, after), strict=True)]
    counts = {
        "more": len(sides[1].keys() - sides[0].keys()),
        "fewer": len(sides[0].keys() - sides[1].keys()),
        "changed": sum(sides[0][key] != sides[1][key] for key in sides[0].keys() & sides[1].keys()),
    }
    said = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "in another order"
    return Change(name, len(before), len(after), f"{name}: {said}, {len(after):,} in all")


def _ids(record: Record, column: str) -> str:
    """The id of a record, empty where it has none."""
    ids = (record.get(name) for name in ("annotation_id", f"{column.removesuffix('s')}_id"))
    return next((str(each) for each in ids if each is not None), "")


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return repr(value)
    return f"{value:.10g}" if isinstance(value, float) else "nothing" if value is None else str(value)
