"""Manifests forged with right digests, opened by every verb: none may end in a traceback, or write beside its output.

    python benchmarks/forgeries.py MANIFESTS --count 2000 --seed 1

MANIFESTS is a folder of built manifests of all kinds (`benchwright build NAME --out MANIFESTS`, and `instruct`). Each
forgery changes rows, ledger or identity of one of them, anew, writes the digests of what it made, and is given to one
verb. Printed are the exit codes, and what went wrong: exceptions, files outside of the output, runs over 20 s.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.cli.main import main as command_line
from benchwright.exporters import FORMATS
from schemas.errors import BenchwrightError
from schemas.identity import FOOTER_KEY
from schemas.manifest import Manifest, open_manifest
from schemas.manifest_folder import IDENTITY_FILE, LEDGER_FILE, split_file, with_digests

SLOW = 20.0  # s
UNFORESEEN = 3  # exit code of what nobody thought of
REPOSITORY = Path(__file__).resolve().parent.parent

TYPES = [
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())),
    *(pa.int8(), pa.int32(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.null()),
    *(pa.timestamp("us"), pa.duration("s"), pa.date32(), pa.decimal128(20, 3)),
    *(pa.list_(pa.string()), pa.list_(pa.float64()), pa.large_list(pa.int64()), pa.list_(pa.int64(), 2)),
    *(pa.struct([pa.field("id", pa.int64())]), pa.list_(pa.struct([("start_s", pa.float64())]))),
    *(pa.list_(pa.list_(pa.float64())), pa.map_(pa.string(), pa.int64())),
]
TEXTS = [
    "",
    " ",
    "../../up/new",
    "/tmp/absolute",
    "a\nb: 1",
    "\0",
    "x" * 3000,
    "=HYPERLINK(1)",
    "\u202ert",
    "test",
    "0",
]
NUMBERS = [0, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 7, 1e308, -1e-320, float("inf"), float("-inf"), float("nan")]
OTHER_VALUES: list[Any] = [None, *TEXTS, *NUMBERS, True, [], {}, [None], {"a": 1}, {"": ""}, ["x", 1]]

Rows = list[dict[str, Any]]


def drawn(kind: pa.DataType, draw: random.Random, depth: int = 0) -> Any:
    """A value of a type, often an odd one."""
    if draw.random() < 0.15:
        return None
    if pa.types.is_struct(kind):
        return {kind.field(i).name: drawn(kind.field(i).type, draw, depth + 1) for i in range(kind.num_fields)}
    if pa.types.is_map(kind):
        return [("a", 1)]
    if pa.types.is_fixed_size_list(kind):
        return [drawn(kind.value_type, draw, depth + 1) for _ in range(kind.list_size)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [drawn(kind.value_type, draw, depth + 1) for _ in range(draw.randrange(3))]
    values: list[Any] = [*TEXTS, *(text.encode() for text in TEXTS), *NUMBERS, True, False]
    draw.shuffle(values)
    for value in values:
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            pa.array([value], kind)
            return value
    return None


def retyped(kind: pa.DataType, draw: random.Random) -> pa.DataType:
    """Another type: of the whole, or of something within a list or record."""
    if draw.random() < 0.7:
        if pa.types.is_list(kind):
            inside = kind.value_field
            return pa.list_(pa.field(inside.name, retyped(inside.type, draw), draw.random() < 0.5 or inside.nullable))
        if pa.types.is_struct(kind):
            fields = [kind.field(place) for place in range(kind.num_fields)]
            return pa.struct(changed_fields(fields, draw))
    return draw.choice(TYPES)


def changed_fields(fields: list[pa.Field], draw: random.Random) -> list[pa.Field]:
    """The fields with one retyped, dropped, renamed, doubled, made nullable, or moved."""
    fields, place = list(fields), draw.randrange(len(fields))
    field, how = fields[place], draw.randrange(6)
    if how == 0:
        fields[place] = pa.field(field.name, retyped(field.type, draw), field.nullable, field.metadata)
    elif how == 1 and len(fields) > 1:
        del fields[place]
    elif how == 2:
        fields[place] = pa.field(draw.choice([*TEXTS, "objects", "start_s", "turns"]), field.type, field.nullable)
    elif how == 3:
        fields.insert(draw.randrange(len(fields)), pa.field(field.name, draw.choice([field.type, *TYPES])))
    elif how == 4:
        fields[place] = field.with_nullable(not field.nullable)
    else:
        draw.shuffle(fields)
    return fields


def forged_table(table: pa.Table, draw: random.Random) -> pa.Table:
    """A table of another schema, of other values, or both; as many rows, or fewer."""
    schema = table.schema
    if draw.random() < 0.7:
        schema = pa.schema(changed_fields(list(schema), draw), schema.metadata)
    rows: Rows = table.to_pylist()[: draw.choice([None, None, None, 0, 1])]
    wild = draw.choice([0.0, 0.0, 0.02, 0.3])
    arrays = []
    for field in schema:
        values = [drawn(field.type, draw) if draw.random() < wild else row.get(field.name) for row in rows]
        arrays.append(fitting(values, field, draw))
    return pa.Table.from_arrays(arrays, schema=schema)


def fitting(values: Sequence[Any], field: pa.Field, draw: random.Random) -> pa.Array:
    """The values as an array of the field's type; those that do not fit, or all, are drawn."""
    with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array(values, field.type)
    for _ in range(3):
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            return pa.array([drawn(field.type, draw) for _ in values], field.type)
    return pa.nulls(len(values), field.type)


def forged_document(document: Any, draw: random.Random, depth: int = 0) -> Any:
    """A JSON document with something in it replaced, dropped or added; mostly of the right type."""
    if isinstance(document, dict) and document and (depth < 4 and draw.random() < 0.9):
        key = draw.choice(list(document))
        how = draw.random()
        if how < 0.1:
            return {other: value for other, value in document.items() if other != key}
        if how < 0.2:
            return {(draw.choice(TEXTS) if other == key else other): value for other, value in document.items()}
        return document | {key: forged_document(document[key], draw, depth + 1)}
    if isinstance(document, list) and document and depth < 4 and draw.random() < 0.8:
        place = draw.randrange(len(document))
        return [forged_document(each, draw, depth + 1) if i == place else each for i, each in enumerate(document)]
    alike = [value for value in OTHER_VALUES if isinstance(value, type(document))]
    return draw.choice(alike or OTHER_VALUES) if draw.random() < 0.8 else draw.choice(OTHER_VALUES)


def forged(manifest: Manifest, out: Path, draw: random.Random) -> bool:
    """Forge a manifest; False where it came to something that Arrow or Parquet cannot hold."""
    try:
        forge(manifest, out, draw)
    except (pa.ArrowException, OSError, ValueError, TypeError):
        return False
    return True


def forge(manifest: Manifest, out: Path, draw: random.Random) -> None:
    """Write a changed copy of a manifest, whose digests are those of what is written."""
    splits = {name: manifest.stored_rows(name) for name in manifest.splits}
    ledger, identity = manifest.stored_ledger(), manifest.identity
    what = draw.choice(["rows", "rows", "rows", "identity", "identity", "ledger", "all"])
    if what in ("rows", "all"):
        name = draw.choice(list(splits))
        splits[name] = forged_table(splits[name], draw)
    if what in ("ledger", "all"):
        ledger = forged_table(ledger, draw)
    with contextlib.suppress(BenchwrightError, KeyError, ValueError, pa.ArrowException):
        identity = with_digests(identity, splits, ledger)
    document = json.loads(msgspec.json.encode(identity))
    if what in ("identity", "all"):
        document = forged_document(document, draw)
    text = json.dumps(document).encode()
    (out / "data").mkdir(parents=True)
    for name, table in splits.items():
        metadata = {key: value for key, value in (table.schema.metadata or {}).items() if key != b"huggingface"}
        pq.write_table(table.replace_schema_metadata(metadata | {FOOTER_KEY: text}), out / split_file(name))
    pq.write_table(ledger, out / LEDGER_FILE)
    (out / IDENTITY_FILE).write_bytes(text)


def commands(honest: Manifest, forged: Path, inputs: Path, out: Path) -> list[list[object]]:
    """A call of each verb that reads a manifest, with inputs that suit the honest one."""
    split = "test" if "test" in honest.splits else honest.splits[0]
    given, key = inputs / honest.path.name, honest.stored_rows(split)["sample_id"][0].as_py()
    some: list[list[object]] = [
        *(["verify", forged], ["why", forged, key], ["ledger", forged], ["ledger", forged, "--out", out / "l.csv"]),
        *(["validate", forged], ["diff", honest.path, forged], ["diff", forged, honest.path, "--rows", out / "d.csv"]),
        *(["findings", forged, "--out", out / "f.csv"], ["report", forged, "--out", out / "page.html"]),
        *(["report", forged, "--out", out / "page.md"], ["report", forged, "--out", out / "page.tex"]),
        *(["instruct", forged, "--out", out / "talk"], ["findings", forged, "--against", honest.path]),
        *(["instruct", forged, "--out", out / "talk", "--templates", "spans"], ["push", forged, "a/b", "--dry-run"]),
        *(["export", forged, "--to", to, "--out", out / "x"] for to in FORMATS),
        *(["findings", forged, "--predictions", given], ["report", forged, "--predictions", given, "--out", out / "r"]),
        *(["score", forged, given, "--rows", out / "r.csv"], ["score", forged, given, "--on", honest.path]),
        *(["score", honest.path, given, "--on", forged], ["compare", forged, given, given, "--resamples", "20"]),
        *(["score", forged, given, "--protocol", name, "--resamples", "20"] for name in ("strict", "voc2007")),
        *(["baseline", forged, kind, "--out", out / "b.json"] for kind in ("random", "human", "nearest")),
        *(["monitor", forged, given], ["thresholds", forged, given, "--out", out / "t.json"]),
        ["parse", forged, inputs / "answers.json", "--out", out / "p.csv"],
        *(["prompts", forged, "--approach", way, "--out", out / "q"] for way in ("vid-llm", "frame-caption")),
    ]
    return some


def predictions(manifest: Manifest, folder: Path) -> None:
    """Predictions that suit a manifest, beside its name; and answers in words."""
    folder.mkdir(exist_ok=True)
    path = folder / manifest.path.name
    rows: Rows = [row for split in manifest.splits for row in manifest.table(split).to_pylist()]
    found: Any = []
    if "start_s" in rows[0]:
        found = [{name: row[name] for name in ("sample_id", "start_s", "end_s")} for row in rows]
    elif "objects" in rows[0]:
        found = [
            {"image_id": row["image_id"], "category_id": item["category"], "score": 0.9, "bbox": box}
            for row in rows
            for item in row["objects"]
            for box in [[item[side] for side in ("x", "y", "width", "height")]]
        ]
    path.write_text(json.dumps(found or [{"sample_id": "x", "start_s": 1, "end_s": 2}]))
    (folder / "answers.json").write_text(json.dumps({row["sample_id"]: "from 1 s to 2 s" for row in rows}))


class Ended(NamedTuple):
    """How a call ended: exit code or name of the exception; where it was raised; seconds."""

    code: int | str
    where: str
    seconds: float


def called(arguments: Sequence[object]) -> Ended:
    """Call the command line in this process."""
    said = io.StringIO()
    before, sys.argv = sys.argv, ["benchwright", "--traceback", *map(str, arguments)]
    began, code, where = time.perf_counter(), "none", ""
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            command_line()
    except SystemExit as stop:
        code = stop.code or 0  # type: ignore[assignment]
        if code == UNFORESEEN:
            own = [line for line in said.getvalue().splitlines() if f'"{REPOSITORY}' in line]
            code, where = "unforeseen", f"{own[-1].strip()} {said.getvalue().strip().splitlines()[-1][:200]}"
    except BaseException as failure:
        own = [
            each for each in traceback.extract_tb(failure.__traceback__) if each.filename.startswith(str(REPOSITORY))
        ]
        code, where = type(failure).__name__, f"{own[-1].filename}:{own[-1].lineno} {str(failure)[:90]}"
    finally:
        sys.argv = before
    return Ended(code, where, time.perf_counter() - began)


def run(manifests: Sequence[Manifest], count: int, seed: int, show: Callable[[str], None]) -> Iterator[Ended]:
    """Forge and call, `count` times; `show` gets a line for each that went wrong."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        inputs = top / "inputs"
        for manifest in manifests:
            predictions(manifest, inputs)
        for number in range(count):
            draw = random.Random(f"{seed} {number}")
            honest, work = draw.choice(manifests), top / "work"
            (work / "out").mkdir(parents=True)
            while not forged(honest, work / "forged", draw):
                shutil.rmtree(work / "forged", ignore_errors=True)
            before = {path for path in work.rglob("*") if path.parent != work / "out"}
            arguments = draw.choice(commands(honest, work / "forged", inputs, work / "out"))
            ended = called(arguments)
            strays = {path for path in top.rglob("*") if not path.is_relative_to(work / "out")} - before
            strays -= {*inputs.rglob("*"), inputs, work, work / "out"}
            verb = " ".join(map(str, arguments)).replace(str(top), "")
            if isinstance(ended.code, str) or strays or ended.seconds > SLOW:
                show(f"{number} {honest.path.name}: {verb}: {ended} {sorted(strays)}")
                ended = ended if isinstance(ended.code, str) else ended._replace(code="strays or slow")
            shutil.rmtree(work)
            yield ended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifests", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    opened = [open_manifest(path.parent) for path in sorted(given.manifests.glob(f"*/{IDENTITY_FILE}"))]
    codes = Counter(ended.code for ended in run(opened, given.count, given.seed, print))
    print(dict(codes))
    sys.exit(any(isinstance(code, str) for code in codes))


if __name__ == "__main__":
    main()
