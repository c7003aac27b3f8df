"""A split without rows: every verb says so and gives nulls, none fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest

from schemas.digest import manifest_digest, split_digest
from schemas.identity import Identity, Split
from schemas.manifest import Manifest
from schemas.manifest_folder import split_file


@pytest.fixture
def emptied(sample_manifest: Callable[..., Manifest], tmp_path: Path) -> Callable[[str], Path]:
    """The manifest of a benchmark as a build gives it whose rules drop every row."""

    def call(name: str) -> Path:
        manifest = sample_manifest(name)
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True)
        identity: Identity = manifest.identity
        splits = {}
        for split in manifest.splits:
            table = manifest.table(split).slice(0, 0)
            splits[split] = Split(0, split_digest(table))
            pq.write_table(table, folder / split_file(split))
        digest = manifest_digest({split: found.digest for split, found in splits.items()})
        identity = msgspec.structs.replace(identity, splits=splits, content_digest=digest)
        (folder / "manifest.json").write_bytes(msgspec.json.encode(identity))
        (folder / "ledger.parquet").write_bytes((manifest.path / "ledger.parquet").read_bytes())
        return folder

    return call


SPANS = [{"sample_id": "a", "start_s": 1.0, "end_s": 2.0}]
BOXES = [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 30, 40], "score": 0.5}]


@pytest.mark.parametrize(
    ("name", "verb", "options"),
    [
        ("uag-oops", "score", []),
        ("uag-oops", "score", ["--protocol", "strict", "--rows", "{out}.csv"]),
        ("uag-oops", "compare", ["{given}"]),
        ("uag-oops", "parse", ["--out", "{out}.parquet"]),
        ("coco-person", "score", []),
        ("coco-person", "score", ["--engine", "pycocotools"]),
        ("coco-person", "compare", ["{given}"]),
        ("jrdb-par", "score", []),
        ("coco-person", "thresholds", []),
        ("coco-person", "monitor", []),
    ],
)
def test_predictions_get_null_values(run, emptied, tmp_path: Path, name: str, verb: str, options: list[str]) -> None:
    manifest, given = emptied(name), tmp_path / "given.json"
    answers = {"a": "from 1 s to 3 s"}
    given.write_text(json.dumps(answers if verb == "parse" else SPANS if name == "uag-oops" else BOXES))
    filled = [option.format(given=given, out=tmp_path / "out") for option in options]
    done = run(verb, manifest, given, *filled, "--json")
    assert done.code == 0, done.err
    assert "has no rows" in done.err + json.dumps(done.json)
    if verb in ("score", "monitor", "compare"):
        values = [row.get("value", row.get("a")) for row in done.json["metrics"].values()]
        assert values == [None] * len(values)
        assert values
    assert run(verb, manifest, given, *filled).code == 0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("uag-oops", ["export", "{manifest}", "--to", "official", "--out", "{out}.json"]),
        ("coco-person", ["export", "{manifest}", "--to", "coco", "--out", "{out}.json"]),
        ("coco-person", ["export", "{manifest}", "--to", "yolo", "--out", "{out}"]),
        ("jrdb-par", ["export", "{manifest}", "--to", "official", "--out", "{out}"]),
        ("uag-oops", ["baseline", "{manifest}", "random", "--out", "{out}.json"]),
        ("uag-oops", ["baseline", "{manifest}", "predict-all", "--out", "{out}.json"]),
        ("jrdb-par", ["baseline", "{manifest}", "alone", "--out", "{out}"]),
        ("uag-oops", ["baseline", "{manifest}", "human", "--out", "{out}.json"]),
        ("uag-oops", ["prompts", "{manifest}", "--approach", "vid-llm", "--out", "{out}.jsonl"]),
        ("uag-oops", ["validate", "{manifest}"]),
    ],
)
def test_what_is_written_is_empty(run, emptied, tmp_path: Path, name: str, arguments: list[str]) -> None:
    manifest = emptied(name)
    done = run(*(argument.format(manifest=manifest, out=tmp_path / "out") for argument in arguments))
    assert "has no rows" in done.out + done.err
    assert done.code == (1 if arguments[0] == "validate" else 0), done.err  # the counts are those of the full build


@pytest.mark.parametrize("name", ["uag-oops", "coco-person", "jrdb-par"])
@pytest.mark.parametrize("verb", ["show", "verify"])
def test_no_verb_fails(run, emptied, name: str, verb: str) -> None:
    assert run(verb, emptied(name)).code in (0, 1)
