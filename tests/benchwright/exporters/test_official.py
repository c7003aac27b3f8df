"""The authors' own files: from a default manifest, the bytes that they published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.exporters import export
from benchwright.exporters.official import official
from schemas.cards import card_named
from schemas.errors import UsageError


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
        identity, splits, chosen_split = manifest.identity, manifest.splits, manifest.chosen_split

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
    with pytest.raises(UsageError, match=r"holds a file that no export to official wrote: new/a\.json"):
        export(manifest, "official", tmp_path, force=True)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="is a folder; expected the path of a file to write"):
        export(manifest, "official", tmp_path / "empty")
    (tmp_path / "empty").rmdir()
    with pytest.raises(UsageError, match=r"a\.json is there already; --force replaces it"):
        export(manifest, "official", tmp_path / "new" / "a.json")
    export(manifest, "official", tmp_path / "new" / "a.json", force=True)
    with pytest.raises(UsageError, match="cannot write"):
        export(manifest, "official", tmp_path / "new" / "a.json" / "b.json")
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "a.json"]
