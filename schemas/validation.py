"""Check a manifest against its own identity and against common sense; findings with severities."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec
import pyarrow.compute as pc

from schemas.box_doubts import DOUBTS
from schemas.conformity import refuse_other_rows
from schemas.digest import manifest_digest, split_digest
from schemas.errors import BenchwrightError, InputError
from schemas.manifest import Manifest, footer_identity, open_manifest
from schemas.manifest_folder import IDENTITY_FILE, LEDGER_FILE, README_FILE, split_file
from schemas.notices import Notice
from schemas.value_findings import value_findings

__all__ = ["Notice", "validate"]

_error, _warning = partial(Notice, "error"), partial(Notice, "warning")


def validate(manifest: Manifest) -> list[Notice]:
    """All findings: unreadable files, digests, row counts, keys, accounting; values that make no sense."""
    seen: set[str] = set()
    findings = [finding for split in manifest.splits for finding in _split_findings(manifest, split, seen)]
    for level, size in manifest.identity.levels.items():
        dropped = sum(count.dropped for count in manifest.identity.counts if count.level == level)
        if size.candidates != size.kept + dropped:
            message = f"{size.candidates:,} candidates are not {size.kept:,} kept and {dropped:,} dropped"
            findings.append(_error("accounting", level, message))
    # What the build saw was compared with more: polygons, all objects of the source.
    warnings = manifest.identity.warnings
    told = {warning.check for warning in warnings if warning.check in DOUBTS and not warning.place.startswith("rule ")}
    findings = [*(found for found in findings if found.check not in told), *warnings]
    if manifest.has_ledger:
        findings += [*_folder_findings(manifest), *_ledger_findings(manifest)]
    return findings


def manifests_below(folder: Path) -> list[Path]:
    """The manifests in a folder that is none itself, at any depth; links and hidden folders are not followed."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        if IDENTITY_FILE in files:
            found.append(Path(place))
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
    return [] if found == [folder] else found


def validate_all(paths: Sequence[Path], step: Callable[[str], None] = lambda _: None) -> dict[Path, list[Notice]]:
    """All findings of several manifests; one that cannot be opened is a finding, too.

    Args:
        paths: their folders.
        step: called with the path of each before it is checked.
    """
    found = {}
    for path in paths:
        step(str(path))
        try:
            found[path] = validate(open_manifest(path))
        except BenchwrightError as failure:
            found[path] = [_error("readable", IDENTITY_FILE, str(failure))]
    return found


def _split_findings(manifest: Manifest, split: str, seen: set[str]) -> Iterator[Notice]:
    """What is wrong with a split; `seen` are the sample ids of the splits before it, and gets its own."""
    try:
        table = manifest.stored_rows(split)
    except InputError as failure:
        yield _error("readable", split, str(failure))
        return
    built = manifest.identity.splits[split]
    if table.num_rows != built.rows:
        yield _error("rows", split, f"{table.num_rows:,} rows, the identity says {built.rows:,}")
    try:
        digest = split_digest(table)
        changed = f"content digest {digest[:12]}, the identity says {built.digest[:12]}"
    except BenchwrightError as failure:
        digest, changed = "", str(failure)
    if digest != built.digest:
        yield _error("digest", split, changed)
    try:
        footer = footer_identity(table, manifest.path / split_file(split))
        if msgspec.structs.replace(footer, splits=manifest.identity.splits) != manifest.identity:
            yield _error("identity", split, f"the footer's identity is not that of {IDENTITY_FILE}")
    except InputError as failure:
        yield _warning("identity", split, str(failure))
    if digest != built.digest:
        return  # the rows, perhaps even the columns, are not those that were written
    try:
        refuse_other_rows(table, split, str(manifest.path / split_file(split)))
    except InputError as failure:
        yield _error("schema", split, str(failure))
        return
    keys = Counter(table["sample_id"].to_pylist())
    repeated = sorted(key for key, count in keys.items() if count > 1 or key in seen)
    seen.update(keys)
    if repeated:
        yield _error("unique", split, f"{len(repeated):,} sample ids occur twice, such as {repeated[0]!r}")
    if not table.num_rows:
        yield _warning("empty", split, "the split has no rows")
    yield from value_findings(split, table, manifest.card)


def _folder_findings(manifest: Manifest) -> Iterator[Notice]:
    identity = manifest.identity
    digest = manifest_digest({name: split.digest for name, split in identity.splits.items()})
    if digest != identity.content_digest:
        yield _error("digest", IDENTITY_FILE, "the manifest's digest is not that of its splits")
    rows, root = sum(split.rows for split in identity.splits.values()), next(iter(identity.levels.values()))
    if rows != root.kept:
        yield _error("accounting", IDENTITY_FILE, f"{root.kept:,} rows were kept, the splits hold {rows:,}")
    if manifest.path.is_dir() and not (manifest.path / README_FILE).is_file():
        yield _warning("readable", README_FILE, "is missing: `datasets` reads the names of the splits there")


def _ledger_findings(manifest: Manifest) -> Iterator[Notice]:
    try:
        ledger = manifest.stored_ledger()
    except InputError as failure:
        yield _error("readable", LEDGER_FILE, str(failure))
        return
    if split_digest(ledger) != manifest.identity.ledger_digest:
        yield _error("digest", LEDGER_FILE, "the ledger is not the one that the build wrote")
    drops = ledger.filter(pc.equal(ledger["action"], "dropped")).group_by(["level", "order"])
    entries = {
        (row["level"], row["order"]): row["count_all"] for row in drops.aggregate([([], "count_all")]).to_pylist()
    }
    for count in manifest.identity.counts:
        found = entries.get((count.level, count.order), 0)
        if found != count.dropped:
            message = f"rule {count.rule!r} dropped {count.dropped:,} rows, the ledger has {found:,}"
            yield _error("accounting", LEDGER_FILE, message)
