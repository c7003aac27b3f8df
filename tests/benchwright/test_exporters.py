"""`export --to official`: the authors' own bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.exporters import export
from benchwright.exporters.official import official
from schemas.cards import card_named
from schemas.errors import UsageError

PUBLISHED = {
    "uag-oops": "a5e92a7cbffe0f45ce8b7241433c62d8fafea7cdb289b915e0f007b160a495b1",
    "uag-ssbd": "f3b413d286c2d63cfbaf6c3d0a1b639d7f3a867a1c74ddd3e1712d40083c3996",
    "uag-funqa": "6b7b647857fa8e676a38a12d5e7bd44c7fa713e813f7e7c6d482192510e10c59",
    "oops-uag-instruct": "3fa3bec99243677eec1eb0371c73a90e5aa86090f5f39c5f0e6a6b71d9bc2e69",
    "charades-sta": "bdd1eb709a53354bd00fd33da203ac2a242dd3a627a01acf1b8b9624c3ad0a22",
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_file_byte_for_byte(run: Callable[..., Any], real_manifest, tmp_path: Path, name: str) -> None:
    ran = run("export", real_manifest(name).path, "--to", "official", "--out", tmp_path / "file.json", "--json")
    content = (tmp_path / "file.json").read_bytes()
    assert hashlib.sha256(content).hexdigest() == PUBLISHED[name] == card_named(name).results[0].sha256
    assert ran.json == {"file": str(tmp_path / "file.json"), "bytes": len(content), "sha256": PUBLISHED[name]}


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["uag-oops", "uag-ssbd", "uag-funqa", "charades-sta"])
def test_the_files_at_hand_are_the_published_ones(real_manifest, real_data: Path, name: str) -> None:
    assert official(real_manifest(name)) == (real_data / "official" / card_named(name).results[0].file).read_bytes()


def exported(manifest: Any, split: str | None = None) -> Any:
    return json.loads(official(manifest, split))


def test_the_shape_of_each_benchmark(sample_manifest) -> None:
    name, clip = next(iter(exported(sample_manifest("uag-oops")).items()))
    assert name == "Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity0"
    assert list(clip.items())[:2] == [("start_time", 2.104381), ("end_time", 6.0)]
    assert exported(sample_manifest("uag-ssbd"))[-1] == [
        "v_Spinning_18",
        {
            "id": "b_01",
            "time": "0255:0332",
            "bodypart": "body",
            "category": "spinning",
            "intensity": "low",
            "modality": "video",
            "description": "a person is spinning with low intensity",
        },
    ]
    assert list(exported(sample_manifest("uag-funqa"))[0]) == [
        *("instruction", "visual_input", "output", "task", "ID", "start_time", "end_time"),
    ]
    conversation = exported(sample_manifest("oops-uag-instruct"))[0]
    assert conversation["video"] == "Oops, Wrong Pedal - Parking Lot Fails (October 2019)1.mp4"
    assert list(conversation["QA"][0]) == ["q", "a"]
    assert exported(sample_manifest("charades-sta"))[3] == {
        "video_id": "Y6XHN",
        "start_time": 12.9,
        "end_time": 30.1,
        "description": "person cooks something on the stove.",
    }


def test_four_blanks_and_no_final_newline_but_for_charades(sample_manifest) -> None:
    assert official(sample_manifest("uag-oops")).startswith(b'{\n    "Ladder')
    assert [official(sample_manifest(name))[-1:] for name in ("uag-oops", "uag-ssbd", "charades-sta")] == [
        b"}",
        b"]",
        b"\n",
    ]


def test_the_test_split_unless_another_is_named(sample_manifest) -> None:
    manifest = sample_manifest("charades-sta")
    assert [len(exported(manifest, split)) for split in (None, "test", "train")] == [8, 8, 12]
    with pytest.raises(UsageError, match=r"unknown split 'tran'; did you mean train"):
        official(manifest, "tran")


def test_times_that_the_shape_cannot_hold_are_refused(sample_manifest) -> None:
    manifest = sample_manifest("uag-ssbd", time__digits="seconds")
    assert exported(manifest)[0][1]["time"] == "0009:0015"
    with pytest.raises(UsageError, match=r"v_Spinning_07_b_01: 0.5 s cannot be written as MMSS"):
        official(with_start(manifest, 0.5))
    with pytest.raises(UsageError, match=r"6000 s cannot be written as MMSS"):
        official(with_start(manifest, 6000.0))


def with_start(manifest: Any, start: float) -> Any:
    """The manifest with another start of its first spinning behaviour."""

    class Changed:
        identity, splits = manifest.identity, manifest.splits

        def table(self, split: str) -> Any:
            table = manifest.table(split)
            place = table["sample_id"].to_pylist().index("v_Spinning_07_b_01")
            starts = table["start_s"].to_pylist()
            starts[place] = start
            return table.set_column(table.column_names.index("start_s"), "start_s", [starts])

    return Changed()


def test_the_file_is_written_whole_or_not_at_all(sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    written = export(manifest, "official", tmp_path / "new" / "a.json")
    assert written == {"bytes": (tmp_path / "new" / "a.json").stat().st_size}
    with pytest.raises(UsageError, match=r"unknown format 'offical'; did you mean official"):
        export(manifest, "offical", tmp_path / "b.json")
    with pytest.raises(UsageError, match="is a folder; expected the path of a file to write"):
        export(manifest, "official", tmp_path)
    with pytest.raises(UsageError, match="cannot write"):
        export(manifest, "official", tmp_path / "new" / "a.json" / "b.json")
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "a.json"]


def test_the_command_says_what_it_wrote(run: Callable[..., Any], sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("charades-sta")
    ran = run("export", manifest.path, "--to", "official", "--out", tmp_path / "a.json", "--split", "train")
    digest = hashlib.sha256(official(manifest, "train")).hexdigest()
    assert ran.code == 0
    assert ran.out.endswith(f" bytes, SHA-256 {digest}\n")
