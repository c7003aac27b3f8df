"""What happened to one clip, image or person, rule by rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace

from benchwright.reporting.address import row_address
from benchwright.story import Part, Step, Story
from builders.engine.registry import BUNDLED, find_recipe
from schemas.detection import sample_ids_of_file
from schemas.errors import UsageError, nearest, printable
from schemas.identity import Count, Identity, RuleText, Value
from schemas.manifest import Manifest

# A key such as a person's number may stand in any number of samples.
_MOST_STORIES = 20
_WITH_SAMPLE = "via=parent"
_IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png")
Entry = dict[str, Any]


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
    explainer = _Explainer(manifest.identity, rules or _texts(manifest.identity))
    aliases = manifest.card.aliases if manifest.card else []
    names = [name for name in dict.fromkeys(["sample_id", *aliases]) if name in table.column_names]
    roots = ledger.filter(pc.is_null(ledger["child_key"]))
    rows = (table.filter(pc.equal(table[name].cast(pa.string()), key)) for name in names)
    samples: list[str] = next((found["sample_id"].to_pylist() for found in rows if found.num_rows), [])
    samples = samples or _among(roots, [key])["key"].to_pylist() or _among(roots, _image_names(key))["key"].to_pylist()
    found = [explainer.sample(sample, table, ledger) for sample in dict.fromkeys(samples)]
    found += explainer.children(key, table, ledger)
    child, of, sample = key.partition(" of ")
    if not found and of:
        found += explainer.children(child, table.filter(pc.equal(table["sample_id"], sample)), _among(ledger, [sample]))
    if not found:
        raise _unknown_key(key, {str(value) for name in names for value in table[name].to_pylist()}, roots)
    return found


def on_page(told: Sequence[Story], manifest: Manifest, page: str) -> list[Story]:
    """The same stories with the address of each sample's row on the page of a report; errors as of `row_address`."""
    root = next(iter(manifest.identity.levels))
    samples = [story.key if story.level == root else story.key.partition(" of ")[2] for story in told]
    return [replace(story, page=row_address(page, sample)) for story, sample in zip(told, samples, strict=True)]


def sentences(manifest: Manifest, entries: pa.Table) -> list[str]:
    """Why each entry of a ledger is there."""
    explainer = _Explainer(manifest.identity, _texts(manifest.identity))
    return [explainer.sentence(entry) for entry in entries.to_pylist()]


def _texts(identity: Identity) -> Sequence[RuleText]:
    """What the rules of a build say; manifests of earlier versions do not keep it."""
    return identity.rules or (find_recipe(identity.name).texts if identity.name in BUNDLED else ())


class _Explainer:
    def __init__(self, identity: Identity, rules: Sequence[RuleText]) -> None:
        self._identity = identity
        self._rules = {text.name: text for text in rules}
        self._parameters: dict[str, dict[str, Value]] = {}
        for name, value in identity.parameters.items():
            rule, _, parameter = name.partition(".")
            self._parameters.setdefault(rule, {})[parameter] = value

    def sample(self, sample: str, table: pa.Table, ledger: pa.Table) -> Story:
        entries = _among(ledger, [sample]).to_pylist()
        rows = table.filter(pc.equal(table["sample_id"], sample)).to_pylist()
        own = [entry for entry in entries if entry["child_key"] is None]
        parts = [
            Part(entry["level"], entry["child_key"], entry["rule"], entry["action"], self.sentence(entry))
            for entry in entries
            if entry["child_key"] is not None and entry["reason"] != _WITH_SAMPLE
        ]
        # The first level counted is the root's: children are only counted after their root.
        level = next(iter(self._identity.levels))
        return self._story(sample, level, own, rows[0] if rows else None, parts)

    def children(self, key: str, table: pa.Table, ledger: pa.Table) -> Iterator[Story]:
        entries: dict[tuple[str, str], list[Entry]] = {}
        for entry in ledger.filter(pc.equal(ledger["child_key"], key)).to_pylist():
            entries.setdefault((entry["level"], entry["key"]), []).append(entry)
        kept = _kept_children(key, table)
        places = dict.fromkeys([*entries, *kept])
        samples = list(dict.fromkeys(sample for _, sample in places))
        if len(samples) > _MOST_STORIES:
            near = ", ".join(repr(f"{key} of {sample}") for sample in samples[:3])
            raise UsageError(printable(f"{len(samples):,} samples hold {key!r}; name one of them, such as {near}"))
        dropped = ledger.filter(pc.and_(pc.is_null(ledger["child_key"]), pc.equal(ledger["action"], "dropped")))
        causes = {entry["key"]: self.sentence(entry) for entry in _among(dropped, samples).to_pylist()}
        for level, sample in places:
            own, row = entries.get((level, sample), []), kept.get((level, sample))
            yield self._story(f"{key} of {sample}", level, own, row, cause=causes.get(sample, ""))

    def _story(
        self, key: str, level: str, entries: list[Entry], row: Entry | None, parts: Sequence[Part] = (), cause: str = ""
    ) -> Story:
        by_order: dict[int, list[Entry | None]] = {}
        for entry in entries:
            by_order.setdefault(entry["order"], []).append(entry)
        dropped_at = min((entry["order"] for entry in entries if entry["action"] == "dropped"), default=None)
        steps = [
            self._step(
                count, entry, cause, _row_after(count, row, entries), dropped_at is None or count.order <= dropped_at
            )
            for count in self._identity.counts
            if count.level == level
            for entry in by_order.get(count.order, [None])
        ]
        return Story(key, level, "kept" if dropped_at is None else "dropped", steps, row, list(parts))

    def _step(self, count: Count, entry: Entry | None, cause: str, row: Entry, reached: bool) -> Step:
        rule, parameters = self._rule(count.rule), self._parameters.get(count.rule, {})
        everyone = bool(count.changed) and count.changed == count.rows_in - count.dropped
        stays = reached and (entry is None or entry["action"] != "dropped")
        given = rule.given({**row, **parameters}) if stays else ""
        quiet = ("derived" if everyone or given else "passed") if reached else "not reached"
        columns = {name: row[name] for name in rule.places if name in row} if given else {}
        return Step(
            order=count.order,
            rule=count.rule,
            action=entry["action"] if entry else quiet,
            sentence="; ".join(filter(None, (self.sentence(entry, cause) if entry else "", given))),
            values=columns | (_values(entry) if entry else {}),
            parameters=parameters,
            cites=rule.cites,
        )

    def _rule(self, name: str) -> RuleText:
        return self._rules.get(name, RuleText("", "", {}))

    def sentence(self, entry: Entry, cause: str = "") -> str:
        """Why a rule did what it did; of a thing that fell with its sample, the cause of that."""
        if entry["reason"] == _WITH_SAMPLE:
            return ": ".join(filter(None, ("its sample was dropped", cause)))
        values = {**self._parameters.get(entry["rule"], {}), **_values(entry)}
        return self._rule(entry["rule"]).sentence(entry["reason"], values)


def _row_after(count: Count, row: Entry | None, entries: Sequence[Entry]) -> Entry:
    """The row as a rule left it: what later rules changed is as they found it; of a dropped one, what was compared."""
    drops = [_values(entry) for entry in entries if entry["action"] == "dropped"]
    known = dict(row) if row is not None else {name: value for values in drops for name, value in values.items()}
    for entry in sorted(entries, key=lambda entry: -int(entry["order"])):
        if entry["action"] == "changed" and entry["order"] > count.order:
            known |= {name: value for name, value in _values(entry).items() if name in known}
    return known


def _values(entry: Entry) -> dict[str, float | None]:
    return {value["name"]: value["value"] for value in entry["values"]}


def _among(ledger: pa.Table, samples: Sequence[str]) -> pa.Table:
    """The entries of some samples."""
    return ledger.filter(pc.is_in(ledger["key"], value_set=pa.array(samples, pa.string())))


def _kept_children(key: str, table: pa.Table) -> dict[tuple[str, str], dict[str, Any]]:
    """The records that `key` names, by level and sample: by `annotation_id`, or `person_id` for a level `persons`."""
    kept = {}
    for field in table.schema:
        if not (pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type)):
            continue
        column = table[field.name].combine_chunks()
        records = column.flatten()
        for name in ("annotation_id", f"{field.name.removesuffix('s')}_id"):
            if records.type.get_field_index(name) >= 0:
                same = pc.equal(records.field(name).cast(pa.string()), key)
                samples = table["sample_id"].take(pc.list_parent_indices(column).filter(same)).to_pylist()
                found = zip(samples, records.filter(same).to_pylist(), strict=True)
                kept.update({(field.name, sample): record for sample, record in found})
    return kept


def _image_names(key: str) -> list[str]:
    """Sample ids that `key` may stand for if it is the file of an image."""
    path = PurePosixPath(key)
    return sample_ids_of_file(path.stem) if path.suffix.lower() in _IMAGE_SUFFIXES else []


def _unknown_key(key: str, known: set[str], roots: pa.Table) -> UsageError:
    known |= set(roots["key"].to_pylist())
    near = nearest(key, known) or sorted(name for name in known if key.casefold() in name.casefold())[:3]
    guess = "; the nearest are " + ", ".join(map(repr, near)) if near else ""
    return UsageError(printable(f"no candidate is named {key!r}{guess}"))
