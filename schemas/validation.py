"""Check a manifest against its own identity and against common sense; findings with severities."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from schemas.digest import manifest_digest, split_digest
from schemas.errors import BenchwrightError, InputError
from schemas.manifest import Manifest, footer_identity
from schemas.manifest_folder import IDENTITY_FILE, LEDGER_FILE, README_FILE, split_file
from schemas.value_findings import Finding as Finding
from schemas.value_findings import value_findings


def validate(manifest: Manifest) -> list[Finding]:
    """All findings: unreadable files, digests, row counts, keys, accounting; values that make no sense."""
    findings: list[Finding] = []
    seen: set[str] = set()
    readable: list[str] = []
    for split in manifest.splits:
        try:
            table = manifest.stored_rows(split)
        except InputError as failure:
            findings.append(Finding("error", "readable", split, str(failure)))
            continue
        readable.append(split)
        findings.extend(_split_findings(manifest, split, table, seen))
        seen.update(map(str, table["sample_id"].to_pylist() if "sample_id" in table.column_names else []))
    findings.extend(_identity_findings(manifest))
    if manifest.path.is_dir():
        findings.extend(_folder_findings(manifest, readable))
    return findings


def _split_findings(manifest: Manifest, split: str, table: pa.Table, seen: set[str]) -> Iterator[Finding]:
    expected = manifest.identity.splits[split]
    if table.num_rows != expected.rows:
        yield Finding("error", "rows", split, f"{table.num_rows:,} rows, the identity says {expected.rows:,}")
    try:
        digest = split_digest(table)
    except BenchwrightError as failure:
        yield Finding("error", "digest", split, str(failure))
        return
    if digest != expected.digest:
        yield Finding(
            "error", "digest", split, f"content digest {digest[:12]}, the identity says {expected.digest[:12]}"
        )
        return  # the rows, perhaps even the columns, are not those that were written
    for name in ("sample_id", "split"):
        if name not in table.column_names:
            yield Finding("error", "schema", split, f"there is no column {name!r}")
            return
    keys = table["sample_id"].to_pylist()
    repeated = sorted({key for key in keys if key in seen} | _repeats(keys))
    if repeated:
        yield Finding("error", "unique", split, f"{len(repeated):,} sample ids stand twice, such as {repeated[0]!r}")
    others = table.filter(pc.not_equal(table["split"], split)).num_rows
    if others:
        yield Finding("error", "split", split, f"{others:,} rows belong to another split")
    if not table.num_rows:
        yield Finding("warning", "empty", split, "the split has no rows")
    yield from value_findings(split, table, manifest.card)


def _repeats(keys: list[str]) -> set[str]:
    known: set[str] = set()
    return {key for key in keys if key in known or known.add(key)}  # type: ignore[func-returns-value]


def _identity_findings(manifest: Manifest) -> Iterator[Finding]:
    identity = manifest.identity
    for level, size in identity.levels.items():
        dropped = sum(count.dropped for count in identity.counts if count.level == level)
        if size.candidates != size.kept + dropped:
            message = f"{size.candidates:,} candidates are not {size.kept:,} kept and {dropped:,} dropped"
            yield Finding("error", "accounting", level, message)


def _folder_findings(manifest: Manifest, readable: list[str]) -> Iterator[Finding]:
    identity = manifest.identity
    digest = manifest_digest({name: split.digest for name, split in identity.splits.items()})
    if digest != identity.content_digest:
        yield Finding("error", "digest", IDENTITY_FILE, "the manifest's digest is not that of its splits")
    rows, root = sum(split.rows for split in identity.splits.values()), next(iter(identity.levels.values()))
    if rows != root.kept:
        yield Finding("error", "accounting", IDENTITY_FILE, f"{root.kept:,} rows were kept, the splits hold {rows:,}")
    for split in readable:
        try:
            footer = footer_identity(manifest.stored_rows(split), manifest.path / split_file(split))
        except InputError as failure:
            yield Finding("warning", "identity", split, str(failure))
            continue
        if msgspec.structs.replace(footer, splits=identity.splits) != identity:
            yield Finding("error", "identity", split, f"the footer's identity is not that of {IDENTITY_FILE}")
    if not (manifest.path / README_FILE).is_file():
        yield Finding("warning", "readable", README_FILE, "is missing: `datasets` reads the names of the splits there")
    try:
        ledger = manifest.stored_ledger()
    except InputError as failure:
        yield Finding("error", "readable", LEDGER_FILE, str(failure))
        return
    if split_digest(ledger) != identity.ledger_digest:
        yield Finding("error", "digest", LEDGER_FILE, "the ledger is not the one that the build wrote")
    yield from _ledger_findings(manifest, ledger)


def _ledger_findings(manifest: Manifest, ledger: pa.Table) -> Iterator[Finding]:
    drops = (
        ledger.filter(pc.equal(ledger["action"], "dropped")).group_by(["level", "order"]).aggregate([([], "count_all")])
    )
    found = {(row["level"], row["order"]): row["count_all"] for row in drops.to_pylist()}
    for count in manifest.identity.counts:
        entries = found.get((count.level, count.order), 0)
        if entries != count.dropped:
            message = f"rule {count.rule!r} dropped {count.dropped:,} rows, the ledger has {entries:,}"
            yield Finding("error", "accounting", LEDGER_FILE, message)
