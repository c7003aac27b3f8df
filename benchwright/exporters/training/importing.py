"""Instruction data of others, from the files that trainers load, so that they can be audited, split and exported."""

from __future__ import annotations

import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from benchwright.exporters.training import TRAINERS, target_named
from benchwright.exporters.training.conversation import Conversation
from benchwright.exporters.training.escapes import unescaped
from benchwright.exporters.training.target import Record, Target
from schemas.errors import MOST_PROBLEMS, InputError, Problem, counted, shown, unknown_name
from schemas.identity import Identity, Level, SourceIdentity, Split
from schemas.input.documents import Document, read_document
from schemas.input.files import digest_of, recorded_digests
from schemas.input.problems import raise_any
from schemas.instruction import INSTRUCTION, INSTRUCTION_SCHEMA, broken_turns
from schemas.ledger import LEDGER
from schemas.manifest import Manifest, manifest_in_memory, open_manifest
from schemas.manifest_folder import IDENTITY_FILE
from schemas.notices import Notice

_SHARD = re.compile(r"-\d{6}$")
_LONGEST_ROW = 100_000_000
_NOT_SO = (KeyError, TypeError, ValueError, IndexError, AttributeError)


def shape_of(record: Record) -> str | None:
    """Which trainer's file a record is of, None where it is of none; of those that have the same records, one.

    >>> shape_of({"messages": [{"role": "user", "content": "<video>When?"}], "videos": ["a.mp4"]})
    'llama-factory'
    """
    if isinstance(said := record.get("messages"), list) and said:
        blocks = isinstance(said[0], dict) and isinstance(said[0].get("content"), list)
        return "chat" if blocks else "llama-factory" if {"videos", "images"} & set(record) else "webdataset"
    if "QA" in record:
        return "timechat" if "source" in record else "videochat2"
    if not isinstance(said := record.get("conversations"), list):
        return None
    if "meta" in record:
        return "vtimellm"
    if {"src", "tgt", "task"} & set(record):
        return "et-instruct"
    if isinstance(record.get("video", record.get("image")), list):
        return "videollama3"
    first = next((each.get("value") for each in said if isinstance(each, dict) and each.get("from") == "human"), "")
    return "llava" if "video" in record and str(first).startswith("<image>") else "videollama2"


def open_conversations(path: Path, of: str | None = None) -> Manifest:
    """A manifest of any kind, or files of a trainer as one: those of `of`, or of the trainer that they look like.

    Raises:
        InputError: neither.
    """
    folder = path.is_dir() and not (path / IDENTITY_FILE).exists()
    file = path.is_file() and path.name != IDENTITY_FILE and path.suffix != ".parquet"
    return read_training(path, of) if of is not None or folder or file else open_manifest(path)


@recorded_digests()  # those of the identity are of what was read
def read_training(path: Path, of: str | None = None, name: str | None = None) -> Manifest:
    """A file that a trainer loads, or the folder of an export, as a manifest of instruction data in memory.

    Args:
        path: a JSON or JSON Lines file or a shard, which becomes the split of its name; or a folder with such files.
            Signs that no name of a split has become `_`.
        of: the trainer, one of `TRAINERS`; what the first record looks like unless it is given.
        name: of the manifest; that of the file or folder unless it is given.

    Raises:
        InputError: a file that cannot be read, records that are not of that trainer, turns in disorder.
        UsageError: an unknown trainer.
    """
    if of is not None and of not in TRAINERS:
        raise unknown_name("trainer", of, list(TRAINERS))
    documents = {split: _document(files) for split, files in _files(path, of).items()}
    first: Document = next(iter(documents.values()))
    if of is None:
        of = shape_of(first.first) if isinstance(first.first, dict) else None
    if of is None:
        known = f"a record of {', '.join(TRAINERS)}"
        raise InputError(Problem(first.file, first.label(0), "", shown(first.first), known))
    target = target_named(of)
    notices = [
        Notice("warning", "renamed", split, f"the split of {Path(each.file).name} is called {split}")
        for split, each in documents.items()
        if not Path(each.file).stem.startswith(split)
    ]
    tables = {split: _table(each, split, target, notices) for split, each in documents.items()}
    _refuse_repeated(tables)
    return manifest_in_memory(
        _identity(_manifest_named(name or path.stem), of, documents, tables, notices), tables, LEDGER.empty_table()
    )


def _files(path: Path, of: str | None) -> Mapping[str, list[Path]]:
    """By split, its file, or its shards."""
    if not path.is_dir():
        return {_split_named(_SHARD.sub("", path.stem)): [path]}
    asked = [target_named(each) for each in ([of] if of else TRAINERS)]
    seconds = tuple(end for each in asked for end in list(each.records)[1:])
    firsts = tuple(next(iter(each.records)) for each in asked)
    found: dict[str, list[Path]] = {}
    for file in sorted(each for suffix in ("json", "jsonl", "tar") for each in path.glob(f"*.{suffix}")):
        if file.name != "dataset_info.json" and not file.stem.endswith(seconds or ("\0",)):
            end = max((each for each in firsts if file.stem.endswith(each)), key=len, default="")
            split = _split_named(_SHARD.sub("", file.stem.removesuffix(end)))
            if split in found and file.suffix != ".tar":
                both = f"{found[split][0].name} and {file.name}"
                raise InputError(Problem(str(path), "", "", both, "one file a split", "name one of them"))
            found.setdefault(split, []).append(file)
    if not found:
        expected = "files that a trainer loads, or the folder of a manifest"
        raise InputError(Problem(str(path), "", "", "no JSON, JSON Lines or tar file", expected))
    return found


def _document(files: Sequence[Path]) -> Document:
    """What a file holds, or the shards of a split together."""
    if files[0].suffix != ".tar":
        return read_document(files[0])
    pieces = [piece for file in files for piece in _in_shard(file)]
    if not pieces:
        raise InputError(Problem(str(files[0]), "", "", "no .json in it", "a shard of WebDataset"))
    return Document(str(files[0]), None, pieces)


def _in_shard(file: Path) -> Iterator[msgspec.Raw]:
    """The JSON of each row of a shard."""
    try:
        with tarfile.open(file, "r:") as tar:
            for entry in tar:
                content = tar.extractfile(entry) if entry.name.endswith(".json") and entry.isfile() else None
                if content is not None:
                    if entry.size > _LONGEST_ROW:
                        found, expected = f"{entry.size:,} bytes", f"{_LONGEST_ROW:,} at most"
                        raise InputError(Problem(str(file), shown(entry.name), "", found, expected))
                    yield msgspec.Raw(content.read())
    except (tarfile.TarError, OSError, EOFError) as failure:
        raise InputError(Problem(str(file), "", "", str(failure), "a shard of WebDataset")) from None


def _manifest_named(stem: str) -> str:
    """The name of a file or folder as that of a manifest.

    >>> _manifest_named("my data (1)"), _manifest_named("...")
    ('my-data-1', 'conversations')
    """
    return re.sub(r"[^\w.-]+", "-", stem).strip("-._") or "conversations"


def _split_named(stem: str) -> str:
    """The name of a file as that of a split, which is letters, digits and underscores.

    >>> _split_named("my data-1.2.clean")
    'my_data_1_2_clean'
    """
    return re.sub(r"\W+", "_", stem).strip("_") or "all"


def _table(document: Document, split: str, target: Target, notices: list[Notice]) -> pa.Table:
    """The rows of a file."""
    problems: list[Problem] = []
    rows: list[Record] = []
    names: Counter[str] = Counter()
    for place, record in enumerate(document.records):
        try:
            found = target.read(record)
            name = found.id or f"{split}-{place:06d}"
            names[name] += 1
            unique = name if names[name] == 1 else f"{name} ({names[name]})"
            rows.append(_row(found, unique, split, target))
        except _NOT_SO as failure:
            said = f"no {failure}" if isinstance(failure, KeyError) else str(failure)
            looks = shape_of(record) if isinstance(record, dict) else None
            if looks is not None and target_named(looks).read is not target.read:
                said = f"what looks like a record of {looks}"
            problems.append(Problem(document.file, document.label(place), "", said, f"a record of {target.version}"))
    raise_any(problems[:MOST_PROBLEMS])
    repeated = sum(count - 1 for count in names.values())
    if repeated:
        said = f"{counted(repeated, 'rows have', '')} the name of another and got a number"
        notices.append(Notice("warning", "repeated", split, said))
    try:
        table = pa.Table.from_pylist(rows, INSTRUCTION_SCHEMA)
    except (pa.ArrowException, TypeError) as failure:
        raise InputError(Problem(document.file, "", "", str(failure), f"records of {target.version}")) from None
    for _, what, places in broken_turns(table["turns"]):
        if len(places):
            where = document.label(int(places[0]))
            raise InputError(
                Problem(document.file, where, "", f"{what} ({len(places):,})", "user and assistant in turn")
            )
    return table


def _row(found: Conversation, name: str, split: str, target: Target) -> Record:
    media = found.media.removeprefix(f"{target.below}/") if target.below else found.media
    span = None if found.span is None else dict(zip(("start_s", "end_s"), found.span, strict=True))
    turns = [
        {"role": turn.role, "text": unescaped(turn.text), "numbers": [each._asdict() for each in turn.numbers]}
        for turn in found.turns
    ]
    texts: dict[str, Any] = {"sample_id": name, "split": split, "source_id": name, "group": media, "media": media}
    texts |= {"media_kind": found.kind, "task": found.task, "template": ""}
    provenance = {"benchmark": found.source, "parameters": "", "digest": ""}
    known = {"duration_s": found.duration, "span": span, "turns": turns}
    return texts | known | {"negative": False, "others": [], "provenance": provenance}


def _refuse_repeated(tables: Mapping[str, pa.Table]) -> None:
    seen: dict[str, str] = {}
    for split, table in tables.items():
        for name in table["sample_id"].to_pylist():
            if seen.setdefault(name, split) != split:
                expected = "names that no two splits share"
                raise InputError(Problem(split, name, "bw_id", f"a row of {seen[name]}, too", expected))


def _identity(
    name: str, of: str, documents: Mapping[str, Document], tables: Mapping[str, pa.Table], notices: Iterable[Notice]
) -> Identity:
    rows = sum(map(len, tables.values()))
    sources = {
        split: SourceIdentity(Path(each.file).name, digest_of(Path(each.file))) for split, each in documents.items()
    }
    return Identity(
        name=name,
        schema=INSTRUCTION,
        schema_version=int(INSTRUCTION_SCHEMA.metadata[b"schema_version"]),
        recipe_version=1,
        version_reason="first version",
        parameters={"import.of": of},
        changed_parameters=[],
        sources=sources,
        levels={"conversations": Level(rows, rows)},
        counts=[],
        findings={},
        aggregates={},
        splits={split: Split(len(table), "") for split, table in tables.items()},
        content_digest="",
        tool_version=version("benchwright"),
        warnings=list(notices),
    )
