"""What every reader must do with a source that is not there, not a file, or garbage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.raw import charades_sta, funqa, inventory, oops, ssbd, voc
from builders.raw.jrdb_par_sheets import read_sheets
from schemas.errors import InputError

JSON_READERS = [
    oops.read_transition_times,
    oops.read_heldout_times,
    oops.read_descriptions,
    oops.read_name_list,
    funqa.read_records,
]
TEXT_READERS = [oops.read_names, charades_sta.read_queries, charades_sta.read_reannotations]
READERS = [*JSON_READERS, *TEXT_READERS, charades_sta.read_durations, inventory.read_inventory]

every_reader = pytest.mark.parametrize("read", READERS, ids=lambda read: f"{read.__module__}.{read.__name__}")
Reader = Callable[[Path], Any]

SAMPLES: list[tuple[Reader, str]] = [
    (oops.read_transition_times, "oops/transition_times.json"),
    (oops.read_heldout_times, "oops/heldout_transition_times.json"),
    (oops.read_descriptions, "oops/svos/val.json"),
    (oops.read_name_list, "oops/single_scene_val.json"),
    (oops.read_names, "oops/train_filtered.txt"),
    (funqa.read_records, "funqa/funqa_test.json"),
    (charades_sta.read_queries, "charades_sta/charades_sta_train.txt"),
    (charades_sta.read_durations, "charades_sta/charades.json"),
    (lambda path: ssbd.read_annotations(path.parent), "ssbd/Annotations/v_ArmFlapping_23.xml"),
]
FRAGMENTS = [
    b"null",
    b"1e999",
    b"NaN",
    b"-1",
    b'"',
    b"{}",
    b"[",
    b"\xff",
    b"\0",
    b"\r",
    b"\n\n",
    b"<",
    b"&x;",
    b"\\ud83d",
    b"##",
]


@every_reader
def test_a_missing_file(tmp_path: Path, refused, read: Reader) -> None:
    (problem,) = refused(read, tmp_path / "none")
    assert (problem.file, problem.found) == (str(tmp_path / "none"), "no such file or directory")


@every_reader
def test_a_directory(tmp_path: Path, refused, read: Reader) -> None:
    (problem,) = refused(read, tmp_path)
    assert (problem.found, problem.expected) == ("a directory", "a file")


@every_reader
def test_an_empty_file(tmp_path: Path, refused, read: Reader) -> None:
    path = tmp_path / "empty"
    path.touch()
    (problem,) = refused(read, path)
    assert problem.found == "an empty file"


@every_reader
def test_two_gigabytes_of_garbage(tmp_path: Path, refused, read: Reader) -> None:
    path = tmp_path / "garbage"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)
    (problem,) = refused(read, path)
    assert problem.found == "2,147,483,648 bytes"


@every_reader
def test_binary_noise(tmp_path: Path, refused, read: Reader) -> None:
    path = tmp_path / "noise"
    path.write_bytes(bytes(range(255, -1, -1)) * 50)
    (problem,) = refused(read, path)
    assert problem.file == str(path)


@every_reader
def test_utf16(tmp_path: Path, refused, read: Reader) -> None:
    path = tmp_path / "utf16"
    path.write_text('{"a": 1}\n', encoding="utf-16")
    (problem,) = refused(read, path)
    assert problem.file == str(path)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (oops.read_transition_times, '{"a clip": {"t": [1.0, 2.'),
        (oops.read_heldout_times, '{"a clip": {"t": [1.0]'),
        (oops.read_descriptions, '{"a clip": [{"goal": "A man'),
        (oops.read_name_list, '["a clip", "another'),
        (funqa.read_records, '[{"instruction": "Why?",'),
        (charades_sta.read_durations, '{"AAAAA": {"duration": 1'),
    ],
)
def test_truncated_json(text_file, refused, read: Reader, text: str) -> None:
    (problem,) = refused(read, text_file(text))
    assert (problem.record, problem.found) == (f"byte {len(text)}", "the end of the file")


def test_ssbd_wants_a_folder_of_xml_files(samples: Path, tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path, samples / "ssbd" / "Annotations" / "v_Spinning_07.xml"):
        with pytest.raises(InputError, match=str(folder)):
            ssbd.read_annotations(folder)


@pytest.mark.parametrize(
    ("read", "suffix"),
    [(ssbd.read_annotations, ".xml"), (lambda folder: voc.read_devkit(folder, "all"), ".xml"), (read_sheets, ".xlsx")],
    ids=["ssbd", "voc", "sheets"],
)
def test_a_file_whose_name_is_no_utf8(tmp_path: Path, refused, read: Reader, suffix: str) -> None:
    (tmp_path / f"v_\udcff{suffix}").write_text("x")
    (problem,) = refused(read, tmp_path)
    assert (problem.file, problem.field) == (f"{tmp_path}/v_\\xff{suffix}", "file name")


@settings(max_examples=300, deadline=None)
@given(
    sample=st.sampled_from(SAMPLES),
    place=st.floats(0, 1),
    n_removed=st.integers(0, 12),
    inserted=st.sampled_from([b"", *FRAGMENTS]) | st.binary(max_size=4),
)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    tmp_path_factory, sample: tuple[Reader, str], place: float, n_removed: int, inserted: bytes
) -> None:
    read, name = sample
    content = (Path(__file__).parents[2] / "samples" / name).read_bytes()
    start = int(place * len(content))
    path = tmp_path_factory.mktemp("damaged") / Path(name).name
    path.write_bytes(content[:start] + inserted + content[start + n_removed :])
    n_rows, problems = 0, ()
    try:
        n_rows = len(read(path))
    except InputError as error:
        problems = error.problems
    assert n_rows or problems
    assert all(problem.file == str(path) and problem.found and problem.expected for problem in problems)
