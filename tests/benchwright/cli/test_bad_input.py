"""Bad input through the command line: exit code 2, one clear line a problem, the previous manifest intact."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from builders.engine.build import build
from builders.engine.registry import find_recipe

LADDER0 = "Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity0"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def spoilt(own_samples: Path, sample_manifest, tmp_path: Path, refused: Callable[..., str]) -> Callable[..., str]:
    """Build a benchmark from samples after a good build and a change; the message of the refusal."""

    def call(name: str, file: str, change: Callable[[Path], object]) -> str:
        out = tmp_path / "out"
        shutil.copytree(sample_manifest(name).path, out / name)
        before = tree(out)
        change(own_samples / file)
        message = refused("build", name, "--source", own_samples, "--out", out)
        assert refused("build", name, "--source", own_samples, "--out", out, "--json") == message
        assert tree(out) == before
        assert [path.name for path in out.iterdir()] == [name]
        return message.replace(f"{own_samples}{os.sep}", "")

    return call


def replaced(old: str, new: str) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def clip(**fields: Any) -> Callable[[Path], object]:
    """Other fields of the first ladder clip in a file of transition times."""

    def change(path: Path) -> None:
        times = json.loads(path.read_text(encoding="utf-8"))
        times[LADDER0] |= fields
        path.write_text(json.dumps(times), encoding="utf-8")

    return change


TIMES = "oops/transition_times.json"
FLAPPING = "ssbd/Annotations/v_ArmFlapping_16.xml"
LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
CASES = {
    "truncated JSON": (TIMES, lambda path: os.truncate(path, 5000), f"{TIMES}: byte 5000: found the end of the file"),
    "JSON that is not UTF-8": (
        TIMES,
        lambda path: path.write_bytes(path.read_bytes().replace(b"Snow", b"Sn\xffw")),
        f"{TIMES}: byte 4: found b'\\xff', expected UTF-8 text",
    ),
    "a number for a list": (TIMES, clip(t=7), f'{TIMES}: clip "{LADDER0}": t: found 7, expected a list'),
    "two times": (TIMES, clip(t=[1.0, 2.0]), f'{TIMES}: clip "{LADDER0}": t: found [1.0, 2.0], expected a list'),
    "NaN": (TIMES, clip(len=float("nan")), f"{TIMES}: byte "),
    "a wrong count": (TIMES, clip(n_notfound=2), f'clip "{LADDER0}": n_notfound: found 2, expected the number of -1'),
    "a repeated name": (
        TIMES,
        replaced("{", f'{{"{LADDER0}": {{"t": [1, 2, 3], "len": 4, "n_notfound": 0}}, '),
        f"clip: found '{LADDER0}' again, expected each once (first at entry 1)",
    ),
    "a missing file": (TIMES, Path.unlink, "source 'transition_times' not found: looked for transition_times.json or"),
    "a folder for a file": (
        TIMES,
        lambda path: (path.unlink(), path.mkdir()),
        f"{TIMES}: found a directory",
    ),
    "an empty file": (TIMES, lambda path: path.write_bytes(b""), f"{TIMES}: found an empty file"),
    "2 GB of garbage": (TIMES, lambda path: os.truncate(path, 2**31), f"{TIMES}: found 2,147,483,648 bytes"),
    "names with control characters": (
        "oops/val_filtered.txt",
        replaced("Ladder", "Lad\x1b[31mder"),
        "oops/val_filtered.txt: line 1: name: found 'Lad\\x1b[31mder",
    ),
    "an external entity": (
        FLAPPING,
        replaced("<video", '<!DOCTYPE v [<!ENTITY x SYSTEM "file:///etc/passwd">]><video'),
        f"{FLAPPING}: line 2: found <!DOCTYPE, expected plain elements only",
    ),
    "a billion laughs": (FLAPPING, replaced("<video", f"{LAUGHS}<video"), f"{FLAPPING}: line 2: found <!DOCTYPE"),
    "a time of 61 seconds": (
        FLAPPING,
        replaced("0005:0019", "99:61"),
        f"{FLAPPING}: behaviour b_01: time: found '99:61'",
    ),
    "an end before its start": (
        "charades_sta/charades_sta_test.txt",
        replaced("0.0 8.3", "8.3 0.0"),
        "charades_sta/charades_sta_test.txt: line 1: end: found 0 with start 8.3",
    ),
    "a record without its field": (
        "funqa/funqa_test.json",
        replaced('"task": "H1"', '"tusk": "H1"'),
        "funqa/funqa_test.json: record 3: task: found nothing",
    ),
}
BENCHMARKS = {"oops": "uag-oops", "ssbd": "uag-ssbd", "charades_sta": "charades-sta", "funqa": "uag-funqa"}


@pytest.mark.parametrize(("file", "change", "said"), CASES.values(), ids=CASES)
def test_a_spoilt_source_is_refused_and_nothing_is_changed(
    spoilt: Callable[..., str], file: str, change: Callable[[Path], object], said: str
) -> None:
    message = spoilt(BENCHMARKS[file.partition("/")[0]], file, change)
    assert said in message
    assert "\n" not in message


def test_all_problems_of_a_file_are_listed_up_to_twenty(spoilt: Callable[..., str]) -> None:
    def change(path: Path) -> None:
        times = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({name: clip | {"t": 0} for name, clip in times.items()}), encoding="utf-8")

    lines = spoilt("uag-oops", TIMES, change).splitlines()
    assert len(lines) == 21
    assert all(line.startswith(f'{TIMES}: clip "') for line in lines[:20])
    assert lines[20].endswith(" more problems")


def test_a_full_disk_changes_nothing(
    refused: Callable[..., str], samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(find_recipe("uag-ssbd"), samples, tmp_path)
    before = tree(tmp_path)

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    message = refused("build", "uag-ssbd", "--source", samples, "--out", tmp_path)
    assert message == f"cannot write {tmp_path / 'uag-ssbd'}: No space left on device; nothing was changed"
    assert tree(tmp_path) == before


@pytest.mark.parametrize("out", ["file/below", "/proc/none"])
def test_an_output_folder_that_cannot_be_written(
    refused: Callable[..., str], samples: Path, tmp_path: Path, out: str
) -> None:
    (tmp_path / "file").write_text("x")
    message = refused("build", "uag-ssbd", "--source", samples, "--out", tmp_path / out)
    assert message.startswith(f"cannot write {tmp_path / out}")
    assert message.endswith("; nothing was changed")


def test_files_of_others_are_not_overwritten(refused: Callable[..., str], samples: Path, tmp_path: Path) -> None:
    (tmp_path / "uag-ssbd").mkdir()
    (tmp_path / "uag-ssbd" / "thesis.tex").write_text("years")
    message = refused("build", "uag-ssbd", "--source", samples, "--out", tmp_path)
    assert "holds files but no manifest (thesis.tex); choose another --out" in message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "uag-ops", "--source", "."], "unknown benchmark 'uag-ops'; did you mean uag-oops"),
        (["show", "charade-sta"], "unknown benchmark 'charade-sta'; did you mean charades-sta"),
        (["build", "uag-oops", "--source", "no such folder"], "source folder no such folder does not exist"),
        (["build", "uag-oops", "--source", "a", "--source", "b"], "several source folders (a, b): give one"),
        (["build", "uag-oops", "--source", "tims=a.json"], "unknown source 'tims'"),
        (["build", "uag-oops", "--source", ".", "--set", "onset"], "'onset': expected NAME=VALUE"),
        (["build", "uag-oops", "--source", ".", "--set", "onset.pick=first"], "onset.pick=first: expected earliest | "),
        (["build", "uag-oops", "--source", ".", "--set", "onst.pick=mean"], "unknown rule 'onst'; did you mean onset"),
        (
            ["build", "uag-oops", "--source", ".", "--set", "onset.pik=mean"],
            "'pik'; did you mean pick? (known: pick, lift)",
        ),
        (
            ["build", "uag-oops", "--source", ".", "--set", "end.of=probed", "--set", "end.of=annotated"],
            "end.of is given twice: probed and annotated",
        ),
        (["build", "uag-oops", "--source", "."], "source 'split_list' not found: looked for val_filtered.txt below ."),
        (["build", "all", "--source", ".", "--set", "onset.pick=mean"], "`build all` takes no --set"),
        (["build", "all", "--source", ".", "--recipe", "mine.py"], "`build all` takes no --set, NAME=PATH or --recipe"),
        (["build", "mine", "--source", ".", "--recipe", "mine.py"], "mine.py: expected a Python file that defines REC"),
        (["verify", "nowhere"], "nowhere: found nothing, expected the folder of a manifest (build it first)"),
        (["why", "nowhere", "key"], "nowhere: found nothing, expected the folder of a manifest"),
        (["validate", "."], ".: found no manifest.json"),
        (["verify", "a" * 5000], "File name too long"),
        (["show", "\x1b[31m"], r"unknown benchmark '\x1b[31m'"),
        (["why", "nowhere", "\udcff"], r"argument '\udcff' is not UTF-8 text"),
    ],
)
def test_misused_verbs_say_what_exists(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refused(*arguments)


@pytest.mark.parametrize(
    "arguments", [["build", "uag-oops"], ["bild"], ["verify"], ["list", "--jason"], ["export", "x"]]
)
def test_calls_of_another_form_show_the_usage(run: Callable[..., Any], arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: ")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("verb", ["verify", "why", "show", "validate"])
def test_a_damaged_manifest_is_refused(refused: Callable[..., str], sample_manifest, tmp_path: Path, verb: str) -> None:
    folder = Path(shutil.copytree(sample_manifest("uag-ssbd").path, tmp_path / "uag-ssbd"))
    document = folder / "manifest.json"
    document.write_bytes(document.read_bytes()[:-10])
    key = ["v_Spinning_07_b_01"] * (verb == "why")
    assert f"{document}: found " in refused(verb, folder, *key)


@pytest.mark.parametrize("verb", ["verify", "why"])
def test_a_ledger_is_not_a_manifest(refused: Callable[..., str], sample_manifest, verb: str) -> None:
    key = ["v_Spinning_07_b_01"] * (verb == "why")
    assert "ledger.parquet: found rows of no split" in refused(
        verb, sample_manifest("uag-ssbd").path / "ledger.parquet", *key
    )
