"""Files of trainers as instruction data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.exporters import export
from benchwright.exporters.training import TRAINERS
from benchwright.exporters.training.importing import read_training, shape_of
from schemas.errors import InputError, UsageError
from tests.benchwright.exporters.training.conftest import Make

# Those whose records are the same as another's.
TWINS = {"ms-swift": "llama-factory", "qwen-finetune": "videollama2"}


def data(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (*folder.glob("*.json*"), *folder.glob("*.tar"))}


@pytest.mark.parametrize("name", TRAINERS)
def test_export_import_export_gives_the_same_bytes(instruction: Make, media: Path, tmp_path: Path, name: str) -> None:
    export(instruction(), name, tmp_path / "a", media=media)
    imported = read_training(tmp_path / "a", name, "invented-instruct")
    export(imported, name, tmp_path / "b", media=media)
    assert data(tmp_path / "a") == data(tmp_path / "b")
    assert imported.identity.splits.keys() <= {"train", "validation"}


@pytest.mark.parametrize("name", TRAINERS)
def test_a_record_tells_whose_it_is(instruction: Make, media: Path, tmp_path: Path, name: str) -> None:
    export(instruction(), name, tmp_path / "a", media=media)
    found = read_training(tmp_path / "a", name=None)
    assert found.identity.parameters["import.of"] == TWINS.get(name, name)


def test_texts_are_as_they_were(instruction: Make, media: Path, tmp_path: Path) -> None:
    made = instruction()
    export(made, "ms-swift", tmp_path / "a", media=media)
    imported = read_training(tmp_path / "a")

    def texts(manifest: Any) -> list[list[str]]:
        return [[turn["text"] for turn in row["turns"]] for row in manifest.table("train").to_pylist()]

    assert texts(imported) == texts(made)


def written(path: Path, *records: Any) -> Path:
    path.write_text(json.dumps(list(records)))
    return path


GOOD = {"video": "a.mp4", "QA": [{"q": "When?", "a": "At 2 s."}]}


def test_the_file_of_a_benchmark_that_has_no_names(tmp_path: Path) -> None:
    found = read_training(written(tmp_path / "train.json", GOOD, GOOD))
    assert found.table("train")["sample_id"].to_pylist() == ["train-000000", "train-000001"]


def test_repeated_names_are_counted(tmp_path: Path) -> None:
    said = [{"from": "human", "value": "<video>\nWhen?"}, {"from": "gpt", "value": "Now."}]
    found = read_training(written(tmp_path / "t.json", *[{"id": "a", "video": "a.mp4", "conversations": said}] * 2))
    assert found.table("t")["sample_id"].to_pylist() == ["a", "a (2)"]
    assert "1 row" in found.identity.warnings[0].message


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"video": "a.mp4"}, "video"),
        (3, "3"),
        ({"video": "a.mp4", "QA": [{"q": "When?"}]}, "no 'a'"),
        ({"QA": [{"q": "When?", "a": "Now"}]}, "no 'video'"),
        ({"video": "a.mp4", "QA": []}, ""),
        ({"video": 3, "QA": [{"q": "When?", "a": "Now"}]}, ""),
        ({"video": "a.mp4", "QA": [{"q": "  ", "a": "Now"}]}, "turns without a word"),
    ],
)
def test_other_records_are_refused(tmp_path: Path, record: Any, found: str) -> None:
    with pytest.raises(InputError) as failure:
        read_training(written(tmp_path / "a.json", record))
    assert found in str(failure.value)
    assert "a.json" in str(failure.value)


def test_a_file_of_another_trainer(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "<video>When?"}, {"role": "assistant", "content": "Now."}]
    file = written(tmp_path / "a.json", {"messages": said, "videos": ["a.mp4"]})
    with pytest.raises(InputError, match="found what looks like a record of llama-factory, expected a record of trans"):
        read_training(file, "chat")


def test_unknown_trainers_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="llava"):
        read_training(written(tmp_path / "a.json", GOOD), "lava")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no JSON"):
        read_training(tmp_path / "empty")


def test_a_lone_message_is_of_no_trainer() -> None:
    assert shape_of({"text": "a"}) is None
