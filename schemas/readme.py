"""The README of a manifest: front matter for `datasets`, a summary for people."""

from __future__ import annotations

import msgspec

from schemas.identity import Identity


def readme(identity: Identity, title: str, licence: str) -> str:
    """Markdown with a `configs` entry that maps every split with rows, and the ledger as a configuration of its own."""
    rows = "".join(f"| {name} | {split.rows:,} | `{split.digest}` |\n" for name, split in identity.splits.items())
    rules = "".join(
        f"| {c.order} | {c.rule} | {c.level} | {c.rows_in:,} | {c.dropped:,} | {c.changed:,} |\n"
        for c in identity.counts
    )
    parameters = "".join(
        f"- `{name}` = `{value}`{' (not the default)' if name in identity.changed_parameters else ''}\n"
        for name, value in identity.parameters.items()
    )
    sources = "".join(f"- `{source.file}`: SHA-256 `{source.sha256}`\n" for source in identity.sources.values())
    return f"""\
---
pretty_name: {msgspec.json.encode(title).decode()}
configs:
- config_name: default
  default: true
  data_files:
{_data_files(identity)}- config_name: ledger
  data_files:
  - split: ledger
    path: ledger.parquet
---
# {title}

Built by benchwright {identity.tool_version}, recipe `{identity.name}` version {identity.recipe_version}
({identity.version_reason}). Content digest `{identity.content_digest}`.

Licence of the annotations: {licence}

| split | rows | content digest |
|---|---|---|
{rows}
| order | rule | level | rows in | dropped | changed |
|---|---|---|---|---|---|
{rules}
Parameters:

{parameters or "- none"}
Sources:

{sources}"""


def _data_files(identity: Identity) -> str:
    # `datasets` cannot load a split without rows, and one such split would bar the way to all others.
    filled = [name for name, split in identity.splits.items() if split.rows] or list(identity.splits)
    return "".join(f"  - split: {name}\n    path: data/{name}-*.parquet\n" for name in filled)
