"""The verb `instruct`: what it prints, what it refuses, and what other verbs make of its result."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from benchwright.exporters.training import TRAINERS


@pytest.fixture
def oops(sample_manifest):
    return sample_manifest("oops-uag-instruct").path


def test_what_it_says(run, oops, tmp_path) -> None:
    code, out, err = run("instruct", oops, "--templates", "spans", "--out", tmp_path / "made")
    assert code == 0, err
    assert "answers read back to what they state; rounding moved times by at most 0.0" in out
    assert "groups = compilations" in out
    assert "localise-1:q" in out
    ran = run("instruct", oops, "--templates", "spans", "--out", tmp_path / "other", "--json")
    assert ran.json["path"] == str(tmp_path / "other")
    rows = pq.read_table(tmp_path / "other" / "data").num_rows
    assert sum(ran.json["templates"].values()) == rows
    assert ran.json["levels"]["conversation"]["kept"] == rows


def test_the_other_verbs(run, refused, oops, tmp_path) -> None:
    run("instruct", oops, "--out", tmp_path / "made")
    assert run("validate", tmp_path / "made").code == 0
    code, out, _ = run("show", tmp_path / "made")
    assert (code, "oops-uag-instruct-conversations" in out) == (0, True)
    name = pq.read_table(tmp_path / "made" / "data")["source_id"][0].as_py()
    code, out, _ = run("why", tmp_path / "made", name)
    assert (code, "by template localise-1:q1:a1" in out) == (0, True)
    assert "holds conversations" in refused("score", tmp_path / "made", tmp_path / "nothing.json")
    assert "holds conversations" in refused("findings", tmp_path / "made")
    assert "not a detection manifest" in refused(
        "export", tmp_path / "made", "--to", "coco", "--out", tmp_path / "x.json"
    )


def test_what_is_there_stays_unless_forced(run, refused, oops, tmp_path) -> None:
    out = tmp_path / "made"
    run("instruct", oops, "--out", out)
    before = (out / "manifest.json").read_bytes()
    assert "is there already" in refused("instruct", oops, "--out", out, "--seed", 1)
    assert (out / "manifest.json").read_bytes() == before
    assert run("instruct", oops, "--out", out, "--templates", "spans", "--force").code == 0
    assert (out / "manifest.json").read_bytes() != before
    (out / "notes.txt").write_text("mine")
    assert "holds a file that no build wrote: notes.txt" in refused("instruct", oops, "--out", out, "--force")
    assert "is read already" in refused("instruct", oops, "--out", oops, "--force")
    assert "is inside the manifest" in refused("instruct", oops, "--out", oops / "data")


def test_nothing_is_written_where_templates_are_wrong(refused, oops, tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[localise]\nquestions = ["{descripton}"]\nanswers = ["{start} {end}"]\n')
    said = refused("instruct", oops, "--templates", path, "--out", tmp_path / "made")
    assert said.endswith("(did you mean description?)")
    assert [each.name for each in tmp_path.iterdir()] == ["mine.toml"]


def test_rows_of_a_test_split_are_told(run, sample_manifest, tmp_path) -> None:
    _, _, err = run("instruct", sample_manifest("uag-oops").path, "--out", tmp_path / "made")
    assert "note: rows of the split test of uag-oops are among them" in err


@pytest.mark.parametrize("name", ["densepose-person", "coco-person", "voc-person", "jrdb-par"])
def test_boxes_and_activities(run, sample_manifest, tmp_path, name: str) -> None:
    code, out, err = run("instruct", sample_manifest(name).path, "--out", tmp_path / "made")
    assert code == 0, err
    assert "read back to what they state; rounding moved sides of boxes by at most" in out
    assert run("validate", tmp_path / "made").code == 0
    made = pa.concat_tables(pq.read_table(file) for file in sorted((tmp_path / "made" / "data").glob("*.parquet")))
    for row in made.to_pylist():
        for turn in row["turns"]:
            for number in turn["numbers"]:
                assert float(turn["text"][number["begin"] : number["end"]]) >= 0
                assert number["unit"] == "px"


@pytest.mark.parametrize("trainer", TRAINERS)
def test_what_was_exported_comes_back_the_same(run, oops, tmp_path, trainer) -> None:
    media = tmp_path / "media"
    media.mkdir()
    names = pq.read_table(oops / "data")["video"].to_pylist()
    for name in names:
        image(media / f"{name}.png")
    run("instruct", oops, "--out", tmp_path / "made")
    for source, out in (("made", "one"), ("back", "two")):
        ran = run("export", tmp_path / source, "--to", trainer, "--out", tmp_path / out, "--media", media)
        assert ran.code == 0, ran.err
        if out == "one":
            ran = run("instruct", tmp_path / "one", "--from", trainer, "--out", tmp_path / "back")
            assert ran.code == 0, ran.err
    one, two = (files(tmp_path / name) for name in ("one", "two"))
    assert one == two
    assert one


def test_files_that_are_no_conversations(run, refused, oops, tmp_path) -> None:
    other = tmp_path / "train.json"
    other.write_text('[{"text": "hello"}]')
    said = refused("instruct", other, "--out", tmp_path / "made")
    assert "train.json" in said
    assert "expected a record of llama-factory" in said
    assert "unknown trainer 'lava'" in refused("instruct", other, "--from", "lava", "--out", tmp_path / "made")
    assert "found nothing" in refused("instruct", tmp_path / "nothing", "--out", tmp_path / "made")
    assert not (tmp_path / "made").exists()


def files(folder: Path) -> dict[str, bytes]:
    """The data files of an export; dataset_info.json has the name of the folder that was read."""
    names = ("*.jsonl", "*.json", "*.tar")
    found = {path.name: path.read_bytes() for name in names for path in folder.glob(name)}
    found.pop("dataset_info.json", None)
    return found


def image(path: Path) -> None:
    Image.new("RGB", (4, 4)).save(path)


def test_a_benchmark_is_built_on_the_way_and_the_front_page_has_the_command(run, refused, oops, tmp_path) -> None:
    options = ("--templates", "spans", "--validation", "0.5", "--leaks", "drop", "--group-by", "video", "--seed", 2)
    assert run("instruct", oops, *options, "--out", tmp_path / "a").code == 0
    code, _, err = run(
        "instruct", "oops-uag-instruct", "--source", "tests/samples/oops", *options, "--out", tmp_path / "b"
    )
    assert code == 0, err
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()
    said = "benchwright instruct MANIFEST --templates spans --validation 0.5 --group-by video --leaks drop --seed 2"
    assert f"\n    {said}\n" in (tmp_path / "a" / "README.md").read_text()
    assert "--source names its raw files" in refused("instruct", "oops-uag-instruct", "--out", tmp_path / "c")
