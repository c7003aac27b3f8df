"""Instruction data to the files of a trainer: media are looked at before, then the rows pass once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.exporters.media_files import Found, Missing, looked_for
from benchwright.exporters.training.conversation import Conversation, conversations
from benchwright.exporters.training.escapes import escaped
from benchwright.exporters.training.target import Summary, Target
from schemas.errors import UsageError
from schemas.exchange import new_folder
from schemas.manifest import Manifest
from schemas.paths import real_path
from scorers.task import Progress, silent


@dataclass(frozen=True)
class Export:
    """What was written, and what was not.

    Attributes:
        summary: of the rows.
        dropped: rows that were left out, by reason.
        rows: conversations that were written.
        escaped: rows with `<video>` or the like in a text, which is written as `&lt;video>`.
        opened: whether each of the media was opened; false where they are only known to be there, null where nobody
            looked.
        missing: media that are not there, though their rows were kept.
        empty_splits: that were left out, as no loader reads a file without rows.
    """

    summary: Summary
    dropped: Mapping[str, int]
    rows: int
    escaped: int
    opened: bool | None
    missing: int
    empty_splits: tuple[str, ...]


@dataclass
class _Tally:
    """What is counted while rows pass."""

    dropped: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    escaped: int = 0
    media: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    longest: float = 0.0
    characters: int = 0


def write_training(
    manifest: Manifest,
    target: Target,
    out: Path,
    media: Path | None = None,
    missing: Missing = "refuse",
    split: str | None = None,
    readme: Callable[[Export], str] = lambda _: "",
    progress: Progress = silent,
) -> Export:
    """Write a folder that a trainer loads.

    Where the rows of a trainer hold paths below the export, its folder `media` is a link to the media.

    Args:
        manifest: instruction data.
        target: the trainer.
        out: the folder, new; it appears whole or not at all.
        media: folder of the videos or images.
        missing: what becomes of rows whose media are missing or do not open.
        split: one split; None for all.
        readme: text of the export's README, from what was written.
        progress: of looking at media, and of rows.

    Raises:
        UsageError: several kinds of media, no row left, or media not named and not to be kept.
        InputError: media that are missing, that lead out of their folder, or of which there are two.
    """
    tables = _tables(manifest, split)
    kind = _kind(tables, target)
    found = looked_for(_names(tables), manifest.identity.name, media, missing, progress)
    tally = _Tally()
    files: dict[str, str] = {}
    rows: dict[str, int] = {}
    with new_folder(out) as draft, progress("rows", sum(map(len, tables.values()))) as step:
        for name, table in tables.items():
            fit = _fit(table, target, found, missing, tally, step)
            write = target.shards or partial(_write, target)
            if written := write(fit, draft, name, media):
                files[name] = next(iter(written))
                rows |= written
        if not rows:
            reasons = "; ".join(f"{count:,} {reason}" for reason, count in tally.dropped.items())
            raise UsageError(f"no row is left to write: {reasons or 'there is none'}")
        size = (len(tally.media), tally.longest, tally.characters)
        summary = Summary(manifest.identity.name, kind, files, rows, *size)
        opened = None if found is None else found.opened
        empty = tuple(name for name in tables if name not in files)
        export = Export(summary, tally.dropped, tally.rows, tally.escaped, opened, len(tally.missing), empty)
        for name, content in target.files(summary).items():
            (draft / name).write_bytes(content)
        if media is not None and target.below:
            (draft / target.below).symlink_to(real_path(media), target_is_directory=True)
        (draft / "README.md").write_text(readme(export), encoding="utf-8")
    return export


def _tables(manifest: Manifest, split: str | None) -> dict[str, pa.Table]:
    names = manifest.splits if split is None else [manifest.chosen_split(split)]
    manifest.table(split)  # refuses one that has no splits at all
    return {name: manifest.table(name) for name in names}


def _kind(tables: Mapping[str, pa.Table], target: Target) -> str:
    kinds = {kind for table in tables.values() for kind in pc.unique(table["media_kind"]).to_pylist()}
    if len(kinds) > 1:
        raise UsageError("rows of videos and rows of images are of two exports: make instruction data of each")
    kind = next(iter(kinds), "video")
    if kind not in target.kinds:
        raise UsageError(f"{target.version} loads {' and '.join(sorted(target.kinds))} rows, these are of {kind}s")
    return str(kind)


def _names(tables: Mapping[str, pa.Table]) -> list[str]:
    named: list[str] = pc.unique(pa.chunked_array([pc.unique(table["media"]) for table in tables.values()])).to_pylist()
    return named


def _fit(
    table: pa.Table,
    target: Target,
    found: Found | None,
    missing: Missing,
    tally: _Tally,
    step: Callable[[str], None],
) -> Iterator[Conversation]:
    """The conversations that the trainer can be told, with the paths and the texts that it is told."""
    # A key that only some rows have would be a column of two types.
    with_span = table["span"].null_count == 0
    for each in conversations(table):
        step(each.id)
        file = each.media if found is None else found.files.get(each.media)
        if file is None and missing == "drop":
            tally.dropped["media missing or broken"] += 1
            continue
        if found is None or file is None:
            tally.missing.add(each.media)
        path = file or each.media
        placed = each._replace(media=f"{target.below}/{path}" if target.below else path)
        lack = target.lacks(placed)
        if lack is not None:
            tally.dropped[lack] += 1
            continue
        safe = escaped(placed)
        tally.rows += 1
        tally.escaped += safe is not placed
        tally.media.add(path)
        tally.longest = max(tally.longest, each.duration or 0.0)
        tally.characters = max(tally.characters, sum(len(turn.text) for turn in each.turns))
        yield safe if with_span else safe._replace(span=None)


def _write(target: Target, rows: Iterator[Conversation], folder: Path, split: str, _: Path | None) -> Mapping[str, int]:
    """Write each row to each of the files of a split; the rows by file. Of no row, no file is left."""
    encode = msgspec.json.Encoder().encode
    names = [f"{split}{end}{target.suffix}" for end in target.records]
    count = 0
    with ExitStack() as stack:
        handles = [stack.enter_context((folder / name).open("wb")) for name in names]
        outputs = list(zip(handles, target.records.values(), strict=True))
        for count, each in enumerate(rows, 1):
            for handle, record in outputs:
                handle.write(b"" if target.lines else b"[\n" if count == 1 else b",\n")
                handle.write(encode(record(each)))
                handle.write(b"\n" if target.lines else b"")
        for handle in handles:
            handle.write(b"" if target.lines else b"\n]\n")
    if not count:
        for name in names:
            (folder / name).unlink()
    return dict.fromkeys(names, count) if count else {}
