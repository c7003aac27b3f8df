"""What happened to one clip, image or person, rule by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from builders.engine.registry import BUNDLED, find_recipe
from schemas.detection import sample_ids_of_file
from schemas.errors import UsageError, nearest, printable
from schemas.identity import Count, Identity, RuleText, Value
from schemas.manifest import Manifest

# A key such as a person's number may stand in any number of samples.
_MOST_STORIES = 20
_WITH_SAMPLE = "via=parent"
_FELL_WITH_SAMPLE = "its sample was dropped"
_IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png")


class Step(msgspec.Struct, frozen=True):
    """What one rule did to the row: passed, derived, changed, noted or dropped it, or was not reached any more."""

    order: int
    rule: str
    action: str
    sentence: str
    values: dict[str, float | None]
    parameters: dict[str, Value]
    cites: str


class Part(msgspec.Struct, frozen=True):
    """What a rule did to a thing within the row."""

    level: str
    key: str
    rule: str
    action: str
    sentence: str


class Story(msgspec.Struct, frozen=True):
    """The fate of a key: `kept` or `dropped`, every rule in order, and the row if there is one.

    Attributes:
        key: the row's, or `12 of SAMPLE`.
        level: what it is.
        fate: what became of it.
        steps: what each rule did to it.
        row: as the manifest has it, None if it was dropped.
        parts: of a sample, what it holds and rules dropped, changed or noted by themselves.
    """

    key: str
    level: str
    fate: str
    steps: list[Step]
    row: dict[str, Any] | None
    parts: list[Part] = []


def stories(manifest: Manifest, key: str, rules: Sequence[RuleText] = ()) -> list[Story]:
    """The story of each row that `key` names: a sample, by its `sample_id` or an alias, or a thing within samples.

    Args:
        manifest: the folder that a build wrote.
        key: what to look for; `12 of SAMPLE` for a thing in one sample.
        rules: what the rules say, where it is not what the manifest kept; entries of other rules show bare codes.

    Raises:
        UsageError: no row and no ledger entry has this key; the nearest keys are named. Or too many samples hold it.
    """
    table, ledger = manifest.table(), manifest.ledger()
    explainer = _Explainer(manifest.identity, {text.name: text for text in rules or _texts(manifest.identity)})
    aliases = manifest.card.aliases if manifest.card else []
    names = [name for name in dict.fromkeys(["sample_id", *aliases]) if name in table.column_names]
    samples = [row["sample_id"] for row in _matching(table, names, key)]
    at_root = pc.is_null(ledger["child_key"])
    if not samples and len(ledger.filter(pc.and_(at_root, pc.equal(ledger["key"], key)))):
        samples = [key]
    if not samples and (called := image_names(key)):
        named = pc.is_in(ledger["key"], value_set=pa.array(called))
        samples = ledger.filter(pc.and_(at_root, named))["key"].to_pylist()
    found = [explainer.sample(sample, table, ledger) for sample in dict.fromkeys(samples)]
    found += explainer.children(key, table, ledger)
    child, of, sample = key.partition(" of ")
    if not found and of:
        inside = [rows.filter(pc.equal(rows[name], sample)) for rows, name in ((table, "sample_id"), (ledger, "key"))]
        found += explainer.children(child, *inside)
    if not found:
        raise _never_seen(key, table, ledger.filter(at_root), names)
    return found


def _texts(identity: Identity) -> Sequence[RuleText]:
    """What the rules of a build say; manifests of earlier versions keep it not."""
    return identity.rules or (find_recipe(identity.name).texts if identity.name in BUNDLED else ())


class _Explainer:
    def __init__(self, identity: Identity, rules: dict[str, RuleText]) -> None:
        self._identity = identity
        self._rules = rules
        # The first level counted is the root's: children are only counted after their root.
        self._root = next(iter(identity.levels))

    def sample(self, sample: str, table: pa.Table, ledger: pa.Table) -> Story:
        entries = ledger.filter(pc.equal(ledger["key"], sample)).to_pylist()
        rows = table.filter(pc.equal(table["sample_id"], sample)).to_pylist()
        own = [entry for entry in entries if entry["child_key"] is None]
        story = self._story(sample, self._root, own, rows[0] if rows else None)
        within = [entry for entry in entries if entry["child_key"] is not None and entry["reason"] != _WITH_SAMPLE]
        return msgspec.structs.replace(story, parts=list(map(self._part, within)))

    def children(self, key: str, table: pa.Table, ledger: pa.Table) -> Iterator[Story]:
        entries: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for entry in ledger.filter(pc.equal(ledger["child_key"], key)).to_pylist():
            entries.setdefault((entry["level"], entry["key"]), []).append(entry)
        kept = _kept_children(key, table)
        places = dict.fromkeys([*entries, *kept])
        samples = list(dict.fromkeys(sample for _, sample in places))
        if len(samples) > _MOST_STORIES:
            near = ", ".join(repr(f"{key} of {sample}") for sample in samples[:3])
            raise UsageError(printable(f"{len(samples):,} samples hold {key!r}; name one of them, such as {near}"))
        causes = self._causes(ledger, samples)
        for level, sample in places:
            found = entries.get((level, sample), [])
            story = self._story(f"{key} of {sample}", level, found, kept.get((level, sample)))
            yield msgspec.structs.replace(story, steps=[_with_cause(s, causes.get(sample)) for s in story.steps])

    def _causes(self, ledger: pa.Table, samples: list[str]) -> dict[str, str]:
        """Why each of the samples was dropped, if it was."""
        dropped = pc.and_(pc.is_null(ledger["child_key"]), pc.equal(ledger["action"], "dropped"))
        entries = ledger.filter(pc.and_(dropped, pc.is_in(ledger["key"], value_set=pa.array(samples, pa.string()))))
        return {entry["key"]: self._part(entry).sentence for entry in entries.to_pylist()}

    def _story(self, key: str, level: str, entries: list[dict[str, Any]], row: dict[str, Any] | None) -> Story:
        by_order: dict[int, list[dict[str, Any]]] = {}
        for entry in entries:
            by_order.setdefault(entry["order"], []).append(entry)
        dropped_at = min((e["order"] for e in entries if e["action"] == "dropped"), default=None)
        steps = []
        for count in self._identity.counts:
            if count.level == level:
                reached = dropped_at is None or count.order <= dropped_at
                steps += (
                    [self._step(count, entry) for entry in by_order.get(count.order, [None])]
                    if reached
                    else [self._step(count, None, "not reached")]
                )
        return Story(key, level, "kept" if dropped_at is None else "dropped", steps, row)

    def _part(self, entry: dict[str, Any]) -> Part:
        values = {value["name"]: value["value"] for value in entry["values"]}
        sentence = _sentence(self._rules.get(entry["rule"]), entry["reason"], values, self._parameters(entry["rule"]))
        return Part(entry["level"], entry["child_key"], entry["rule"], entry["action"], sentence)

    def _parameters(self, rule: str) -> dict[str, Value]:
        named = ((name.partition("."), value) for name, value in self._identity.parameters.items())
        return {name: value for (owner, _, name), value in named if owner == rule}

    def _step(self, count: Count, entry: dict[str, Any] | None, action: str = "") -> Step:
        everyone = bool(count.changed) and count.changed == count.rows_in - count.dropped
        action = action or ("derived" if everyone else "passed")
        rule = self._rules.get(count.rule)
        parameters = self._parameters(count.rule)
        values = {} if entry is None else {value["name"]: value["value"] for value in entry["values"]}
        return Step(
            order=count.order,
            rule=count.rule,
            action=action if entry is None else entry["action"],
            sentence="" if entry is None else _sentence(rule, entry["reason"], values, parameters),
            values=values,
            parameters=parameters,
            cites=rule.cites if rule else "",
        )


def _kept_children(key: str, table: pa.Table) -> dict[tuple[str, str], dict[str, Any]]:
    """The records that `key` names, by level and sample: by `annotation_id`, or `person_id` for a level `persons`."""
    kept = {}
    for field in table.schema:
        column = table[field.name].combine_chunks()
        records = column.flatten() if pa.types.is_list(field.type) else None
        if records is None or not pa.types.is_struct(records.type):
            continue
        for name in ("annotation_id", f"{field.name.removesuffix('s')}_id"):
            if records.type.get_field_index(name) >= 0:
                same = pc.equal(records.field(name).cast(pa.string()), key)
                samples = table["sample_id"].take(pc.list_parent_indices(column).filter(same)).to_pylist()
                found = zip(samples, records.filter(same).to_pylist(), strict=True)
                kept.update({(field.name, sample): record for sample, record in found})
    return kept


def _with_cause(step: Step, cause: str | None) -> Step:
    """The step that fell with its sample, with the reason for which the sample fell."""
    if step.sentence != _FELL_WITH_SAMPLE or not cause:
        return step
    return msgspec.structs.replace(step, sentence=f"{step.sentence}: {cause}")


def image_names(key: str) -> list[str]:
    """Sample ids that `key` may stand for if it is the file of an image."""
    path = PurePosixPath(key)
    return sample_ids_of_file(path.stem) if path.suffix.lower() in _IMAGE_SUFFIXES else []


def _sentence(
    rule: RuleText | None, reason: str, values: Mapping[str, Value | None], parameters: Mapping[str, Value]
) -> str:
    if reason == _WITH_SAMPLE:
        return _FELL_WITH_SAMPLE
    return (rule or RuleText("", "", {})).sentence(reason, {**parameters, **values})


def _matching(table: pa.Table, names: list[str], key: str) -> list[dict[str, Any]]:
    for name in names:
        same = pc.equal(table[name].cast(pa.string()), key)
        rows: list[dict[str, Any]] = table.filter(same).select(["sample_id"]).to_pylist()
        if rows:
            return rows
    return []


def _never_seen(key: str, table: pa.Table, ledger: pa.Table, names: list[str]) -> UsageError:
    known = {str(value) for name in names for value in table[name].to_pylist()} | set(ledger["key"].to_pylist())
    near = nearest(key, known) or sorted(name for name in known if key.casefold() in name.casefold())[:3]
    guess = "; the nearest are " + ", ".join(map(repr, near)) if near else ""
    return UsageError(printable(f"no candidate is named {key!r}{guess}"))
