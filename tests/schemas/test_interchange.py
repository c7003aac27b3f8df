"""Manifests read by pandas and by Hugging Face `datasets` as they are, whatever the splits are called."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pyarrow as pa
import pytest

from schemas.cards import Card, LabelList
from schemas.columns import column, table_schema
from schemas.manifest_folder import split_file

Write = Callable[..., Path]
Rows = Callable[[str, int], pa.Table]

CARD = Card("invented", "Invented", "a task", "nobody", "none", "free", "one row a cat", ["test"], [])
BOX = column("box", pa.list_(pa.float64()), "x, y, width, height", unit="px")
OBJECT = pa.struct([column("category", pa.string(), "what it is"), BOX])
IMAGES = table_schema(
    "images",
    1,
    [
        column("sample_id", pa.string(), "name"),
        column("split", pa.string(), "split"),
        column("objects", pa.list_(pa.field("item", OBJECT, nullable=False)), "what is in the image"),
    ],
)


def images(split: str, size: int) -> pa.Table:
    """Images with 0, 1, 2, ... objects."""
    rows = [
        {
            "sample_id": f"{split} {number}",
            "split": split,
            "objects": [{"category": "cat", "box": [0.0, float(n), 1.0, 2.0]} for n in range(number)],
        }
        for number in range(size)
    ]
    return pa.Table.from_pylist(rows, schema=IMAGES)


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The real library, offline, its caches in a temporary folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hugging-face")))
        for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
            patch.setenv(name, "1")
        library = importlib.import_module("datasets")
        library.disable_progress_bars()
        yield library


@pytest.mark.parametrize("split", ["test", "trainval", "val2014"])
def test_datasets_loads_a_split_of_any_name(
    datasets: Any, write: Write, rows: Rows, tmp_path: Path, split: str
) -> None:
    folder = write(tmp_path / "invented", {split: rows(split, 3)})
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {name: part.num_rows for name, part in loaded.items()} == {split: 3}
    assert loaded[split].to_list() == rows(split, 3).to_pylist()


def test_datasets_loads_nested_objects_of_several_splits_despite_an_empty_one(
    datasets: Any, write: Write, tmp_path: Path
) -> None:
    splits = {name: images(name, size) for name, size in (("trainval", 4), ("test", 0), ("val2014", 1))}
    folder = write(tmp_path / "invented", splits)
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["trainval", "val2014"]
    for name, part in loaded.items():
        assert part.to_list() == splits[name].to_pylist()
        assert part.column_names == IMAGES.names


def test_datasets_loads_the_ledger_as_a_configuration_of_its_own(datasets: Any, write: Write, tmp_path: Path) -> None:
    folder = write(tmp_path / "invented", dropped=2)
    ledger = datasets.load_dataset(str(folder), "ledger", split="ledger", cache_dir=str(tmp_path / "cache"))
    assert ledger["key"][:] == ["lost/0", "lost/1"]
    assert datasets.get_dataset_config_names(str(folder)) == ["default", "ledger"]


def test_a_ledger_without_rows_is_no_configuration(datasets: Any, write: Write, tmp_path: Path) -> None:
    """The library refuses to load a split without rows ("corresponds to no data")."""
    folder = write(tmp_path / "invented", dropped=0)
    assert datasets.get_dataset_config_names(str(folder)) == ["default"]
    assert datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))["test"].num_rows == 3


def test_a_manifest_without_any_row_gives_no_rows_and_never_its_ledger(
    datasets: Any, write: Write, tmp_path: Path
) -> None:
    folder = write(tmp_path / "invented", {"test": images("test", 0)}, dropped=2)
    assert list(datasets.load_dataset(str(folder), split="test", streaming=True)) == []
    with pytest.raises(ValueError, match="no data"):
        datasets.load_dataset(str(folder), split="test", cache_dir=str(tmp_path / "cache"))


def test_ids_of_classes_have_their_names_and_stay_ids(datasets: Any, write: Write, tmp_path: Path) -> None:
    card = msgspec.structs.replace(CARD, label_lists=[LabelList("kinds", ["cat", "dog"], "here", columns=["kinds.id"])])
    kind = pa.struct([column("id", pa.int64(), "id of the kind")])
    schema = table_schema(
        "kinds",
        1,
        [
            column("sample_id", str, "name"),
            column("split", str, "split"),
            column("kinds", pa.list_(pa.field("item", kind, False)), "kinds"),
        ],
    )

    def loaded(*ids: int) -> Any:
        rows = [{"sample_id": "a", "split": "test", "kinds": [{"id": number} for number in ids]}]
        folder = write(tmp_path / str(ids), {"test": pa.Table.from_pylist(rows, schema=schema)}, card=card)
        return datasets.load_dataset(str(folder), split="test", cache_dir=str(tmp_path / "cache"))

    named = loaded(1, 2)
    assert named[0]["kinds"] == [{"id": 1}, {"id": 2}]
    assert named.features["kinds"].feature["id"].int2str([1, 2]) == ["cat", "dog"]
    assert loaded(3).features["kinds"].feature["id"].dtype == "int64", "an id without a name makes no class label"


def test_pandas_reads_the_data_folder(write: Write, rows: Rows, tmp_path: Path) -> None:
    splits = {"train": rows("train", 3), "test": rows("test", 2)}
    frame = pd.read_parquet(write(tmp_path / "a", splits) / "data")
    assert set(frame["sample_id"]) == {"train/0", "train/1", "train/2", "test/0", "test/1"}
    assert frame["start_s"].dtype == "float64"


@pytest.mark.parametrize("size", [0, 3])
def test_pandas_reads_nested_objects_and_an_empty_split(write: Write, tmp_path: Path, size: int) -> None:
    folder = write(tmp_path / "a", {"val2014": images("val2014", size)})
    frame = pd.read_parquet(folder / split_file("val2014"))
    assert frame["objects"].map(len).tolist() == list(range(size))
    assert list(frame) == IMAGES.names


def test_the_readme_names_title_licence_counts_and_digests(write: Write, rows: Rows, tmp_path: Path) -> None:
    text = (write(tmp_path / "a", {"test": rows("test", 1_234)}, dropped=5) / "README.md").read_text(encoding="utf-8")
    assert "pretty_name: 'Invented: a test'" in text
    assert "Licence of the annotations: none." in text
    assert "| test | 1,234 | " in text
    assert "| 1 | enough | clip | 1,239 | 5 | 0 |  |" in text
    assert "- `enough.limit` = `2`\n" in text
