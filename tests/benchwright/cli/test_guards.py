"""What must not happen by accident: scoring changed rows under the old digest, writing over what was read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.manifest_folder import split_file


@pytest.fixture
def predictions(sample_manifest, tmp_path: Path) -> Path:
    rows = sample_manifest("uag-ssbd").table().select(["sample_id", "start_s", "end_s"]).to_pylist()
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("verb", ["score", "compare", "verify"])
def test_changed_rows_do_not_bear_the_digest_of_the_build(
    refused, sample_manifest, predictions: Path, tmp_path: Path, verb: str
) -> None:
    manifest = Path(shutil.copytree(sample_manifest("uag-ssbd").path, tmp_path / "uag-ssbd"))
    path = manifest / split_file("test")
    table = pq.read_table(path)
    ends = pa.array([99.0, *table["end_s"].to_pylist()[1:]])
    changed = table.set_column(table.schema.get_field_index("end_s"), table.schema.field("end_s"), ends)
    pq.write_table(changed, path)
    files = [predictions] * {"score": 1, "compare": 2, "verify": 0}[verb]
    assert "its rows were changed after the build" in refused(verb, manifest, *files)


def test_an_output_is_never_written_over_an_input_or_another_output(
    refused, sample_manifest, predictions: Path
) -> None:
    manifest, before = sample_manifest("uag-ssbd").path, predictions.read_bytes()
    answers = predictions.with_name("answers.json")
    answers.write_text(json.dumps({"v_ArmFlapping_01_b_01": "from 3 s to 5 s"}))
    out = predictions.with_name("out.csv")
    for arguments in (
        ("score", manifest, predictions, "--rows", predictions),
        ("parse", manifest, answers, "--out", answers),
        ("parse", manifest, answers, "--out", out, "--review", out),
        ("parse", manifest, answers, "--out", out, "--review", answers),
    ):
        assert "is read or written already" in refused(*arguments)
    assert predictions.read_bytes() == before
    assert not out.exists()


def test_what_parse_writes_can_be_scored(run, sample_manifest, tmp_path: Path) -> None:
    """Times before the start of the video are not predictions; their status says why."""
    manifest = sample_manifest("uag-ssbd")
    names = manifest.table()["sample_id"].to_pylist()
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({names[0]: "start: -3 s, end: 5 s", names[1]: "from 2 s to 4 s"}))
    assert run("parse", manifest.path, answers, "--out", tmp_path / "p.csv").code == 0
    scored = run("score", manifest.path, tmp_path / "p.csv", "--json", "--resamples", 0)
    assert (scored.code, scored.json["counts"]["scored"]) == (0, 1)


def test_a_forged_ledger_is_an_error(run, refused, sample_manifest, tmp_path: Path) -> None:
    manifest = Path(shutil.copytree(sample_manifest("uag-oops").path, tmp_path / "uag-oops"))
    path = manifest / "ledger.parquet"
    ledger = pq.read_table(path)
    names = pa.array([f"made up {number}" for number in range(ledger.num_rows)])
    pq.write_table(ledger.set_column(1, ledger.schema.field("key"), names), path)
    assert "its ledger was changed after the build" in refused("why", manifest, "made up 0")
    validated = run("validate", manifest, "--json")
    assert validated.code == 1
    assert ("error", "digest", "ledger.parquet") in [(f["severity"], f["check"], f["place"]) for f in validated.json]


@pytest.mark.parametrize("verb", ["export", "verify", "why"])
def test_rows_of_another_manifest_are_refused(refused, sample_manifest, tmp_path: Path, verb: str) -> None:
    manifest = Path(shutil.copytree(sample_manifest("uag-oops").path, tmp_path / "uag-oops"))
    shutil.copy(sample_manifest("uag-ssbd").path / split_file("test"), manifest / split_file("test"))
    more = {"export": ["--to", "official", "--out", tmp_path / "x.json"], "verify": [], "why": ["a clip"]}[verb]
    assert "of another manifest" in refused(verb, manifest, *more)
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize("content", ["", "{", '{"format": 0}'])
def test_a_build_replaces_a_manifest_whose_identity_is_damaged(
    run, samples: Path, tmp_path: Path, content: str
) -> None:
    arguments = ("build", "uag-ssbd", "--source", samples, "--out", tmp_path)
    assert run(*arguments).code == 0
    (tmp_path / "uag-ssbd/manifest.json").write_text(content)
    assert run("validate", tmp_path / "uag-ssbd").code == 2
    assert run(*arguments).code == 0
    assert run("validate", tmp_path / "uag-ssbd").code == 0


def test_a_split_without_rows_is_warned_of(run, own_samples: Path, tmp_path: Path) -> None:
    """A page that says 404, saved as the list of names, is no list of clips."""
    (own_samples / "oops/val_filtered.txt").write_text("<html>404 Not Found</html>\n")
    built = run("build", "uag-oops", "--source", own_samples, "--out", tmp_path / "out")
    assert built.code == 0
    assert "split test has no rows; are these the right files" in built.err


def test_closed_and_cut_streams_are_not_failures(samples: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -m benchwright"
    for line in (f"{command} list | head -1", f"{command} list --json >&-", f"{command} show uag-oops | head -1"):
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), line


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_a_stopped_build_says_so_and_leaves_nothing(run, samples: Path, tmp_path: Path, monkeypatch, stop) -> None:
    def interrupt(*_: object) -> NoReturn:
        raise stop

    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", interrupt)
    ran = run("build", "uag-ssbd", "--source", samples, "--out", tmp_path / "out")
    code, said = (130, "stopped") if stop is KeyboardInterrupt else (2, "not enough memory")
    assert ran.code == code
    assert ran.err.startswith(f"error: {said}")
    assert not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "--to", "official", "--out", "manifest.json"],
        ["export", "--to", "official", "--out", "data/new.json"],
        ["baseline", "random", "--out", "labels.json"],
    ],
)
def test_nothing_is_written_into_a_manifest(
    refused, run, sample_manifest, tmp_path: Path, arguments: list[str]
) -> None:
    manifest = Path(shutil.copytree(sample_manifest("uag-ssbd").path, tmp_path / "uag-ssbd"))
    verb, *options, out = arguments
    message = refused(verb, manifest, *options, manifest / out)
    assert f"inside the manifest {manifest}" in message
    assert run("validate", manifest).code == 0
    assert "inside the manifest" in refused("build", "uag-ssbd", "--source", tmp_path, "--out", manifest)
