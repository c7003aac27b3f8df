"""Croissant: read and iterated by its own library, with true digests and nothing that it complains of."""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import msgspec
import pyarrow as pa
import pytest

from benchwright.exporters.croissant import contents_of
from schemas.cards import Card
from schemas.columns import column, table_schema
from schemas.contents import Contents
from schemas.croissant import Version, croissant
from schemas.manifest import open_manifest
from schemas.publication import Publication

Write = Callable[..., Path]
TOLD = Publication(
    licence="cc-by-4.0",
    url="https://example.org/cats",
    year=2026,
    languages=["en"],
    tags=["cats"],
    collection="invented",
    personal="cats",
    biases=["one"],
    limitations=["two"],
    uses=["three"],
)
CARD = Card("invented", "Invented", "a task", "nobody", "CC", "free", "one row a cat", ["a"], [], publication=TOLD)
OBJECT = pa.struct(
    [
        column("kind", str, "what it is"),
        column("side", float, "its side", unit="px", required=False),
        column("ids", list[int], "ids"),
        column("deep", pa.list_(pa.struct([column("id", int, "id")])), "records of records"),
    ]
)
SCHEMA = table_schema(
    "invented",
    1,
    [
        column("sample_id", str, "name"),
        column("split", str, "split"),
        column("count", int, "how many", required=False),
        column("times", pa.list_(pa.float64()), "times", unit="s"),
        column("seen", bool, "whether it was seen"),
        column("objects", pa.list_(pa.field("item", OBJECT, False)), "things"),
    ],
)


def cats(split: str, size: int) -> pa.Table:
    thing = {"kind": "ünï", "side": None, "ids": [1, 2], "deep": [{"id": 7}]}
    row = {"split": split, "count": 3, "times": [0.1, 2.0], "seen": True, "objects": [thing, {**thing, "side": 2.5}]}
    return pa.Table.from_pylist([{"sample_id": f"{split}/{n}", **row} for n in range(size)], schema=SCHEMA)


@pytest.fixture
def folder(write: Write, tmp_path: Path) -> Path:
    splits = {"train": cats("train", 3), "val2014": cats("val2014", 2), "none": cats("none", 0)}
    return write(tmp_path / "invented", splits, dropped=2, card=CARD)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setenv("CROISSANT_CACHE", str(tmp_path / "cache"))
    return importlib.import_module("mlcroissant")


def contents(folder: Path) -> Contents:
    return replace(contents_of(open_manifest(folder)), card=CARD)


@pytest.mark.filterwarnings("ignore")  # of the packages that the library stands on
@pytest.mark.parametrize("version", get_args(Version))
def test_the_library_reads_every_record_and_complains_of_nothing(
    library: Any, folder: Path, version: Version, caplog: pytest.LogCaptureFixture
) -> None:
    path = folder / "croissant.json"
    path.write_bytes(croissant(contents(folder), version))
    with caplog.at_level(logging.WARNING):
        read = library.Dataset(str(path))
        records = {each.uuid: list(read.records(each.uuid)) for each in read.metadata.record_sets}
        train = list(read.records("default", filters={"default/split": "train"}))
    assert [record.getMessage() for record in caplog.records] == []
    assert not read.metadata.ctx.issues.errors
    assert not read.metadata.ctx.issues.warnings
    assert {name: len(rows) for name, rows in records.items()} == {"splits": 3, "default": 5, "ledger": 2}
    assert [row["default/sample_id"] for row in train] == [b"train/0", b"train/1", b"train/2"]
    assert train[0] == {
        "default/sample_id": b"train/0",
        "default/split": b"train",
        "default/count": 3,
        "default/times": [0.1, 2.0],
        "default/seen": True,
        "default/objects": [
            {"default/objects/kind": "ünï".encode(), "default/objects/side": side, "default/objects/ids": [1, 2]}
            for side in (None, 2.5)
        ],
    }
    assert f"http://mlcommons.org/croissant/{version}" in read.metadata.conforms_to
    assert read.metadata.data_collection == "invented"
    found = (read.metadata.personal_sensitive_information, read.metadata.data_biases, read.metadata.data_limitations)
    assert (*found, read.metadata.data_use_cases) == (["cats"], ["one"], ["two"], ["three"])


def test_files_have_their_true_digests_and_sizes(folder: Path) -> None:
    document = json.loads((folder / "croissant.json").read_bytes())
    files = {each["contentUrl"]: each for each in document["distribution"] if each["@type"] == "cr:FileObject"}
    assert set(files) == {
        *(f"data/{split}-00000-of-00001.parquet" for split in ("train", "val2014", "none")),
        "ledger.parquet",
    }
    for name, each in files.items():
        content = (folder / name).read_bytes()
        assert (each["sha256"], each["contentSize"]) == (hashlib.sha256(content).hexdigest(), f"{len(content)} B")


def test_what_cannot_be_said_is_told_in_the_description(folder: Path) -> None:
    document = json.loads((folder / "croissant.json").read_bytes())
    rows = next(each for each in document["recordSet"] if each["@id"] == "default")
    things = next(each for each in rows["field"] if each["@id"] == "default/objects")
    assert "Its deep are records of records: only in the Parquet files." in things["description"]
    assert next(each for each in rows["field"] if each["name"] == "default/times")["description"] == "times (s)."


def test_a_manifest_without_a_card_has_a_document_too(write: Write, tmp_path: Path) -> None:
    document = json.loads((write(tmp_path / "a", card=None) / "croissant.json").read_bytes())
    assert document["name"] == "invented"
    assert {"license", "citeAs", "datePublished"}.isdisjoint(document)


def test_the_licence_is_named_by_its_address_or_in_words(write: Write, tmp_path: Path) -> None:
    for licence, written in (("cc-by-nc-sa-4.0", "https://spdx.org/licenses/CC-BY-NC-SA-4.0"), ("other", "CC")):
        card = msgspec.structs.replace(CARD, publication=msgspec.structs.replace(TOLD, licence=licence))
        document = json.loads((write(tmp_path / licence, card=card) / "croissant.json").read_bytes())
        assert document["license"] == written
