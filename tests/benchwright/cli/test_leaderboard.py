"""Several runs through `score`: a leaderboard on the screen, for papers and for machines; on rows that runs share."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import benchwright
from schemas.manifest import Manifest

Manifests = Callable[..., Manifest]
Refused = Callable[..., str]
Run = Callable[..., Any]
Write = Callable[..., Path]


@pytest.fixture
def oops(sample_manifest: Manifests) -> Manifest:
    return sample_manifest("uag-oops")


@pytest.fixture
def folder(oops: Manifest, write: Write, tmp_path: Path) -> Path:
    """Three runs; of the last the second half of the rows is missing."""
    (tmp_path / "runs").mkdir()
    for name, by, rows in (("late", 2, None), ("exact", 0, None), ("half", 0, 6)):
        write(oops, by, f"runs/{name}.json", rows)
    return tmp_path / "runs"


def test_a_folder_of_runs_is_a_leaderboard(oops: Manifest, folder: Path, run: Run) -> None:
    code, out, err = run("score", oops.path, folder, "--metric", "mIoU", "--metric", "mTD")
    assert code == 0
    ranked = [line.split() for line in out.partition("all metrics")[0].splitlines() if line[:1].isdigit()]
    assert [line[0] for line in ranked] == ["1", "2", "3"]
    assert ranked[0][-5:-4] != ["half"]
    for said in ("*1.0000", "(random)", "12 of 12", "6 of 12", "rows scored", f"{folder}: a folder of 3 runs"):
        assert said in out
    assert "3 runs by mIoU n=12 | data:uag-oops/test" in out
    assert "warning: half: 6 of 12 rows have no prediction" in err


def test_machines_get_what_python_gets(oops: Manifest, folder: Path, run: Run) -> None:
    options: Any = {"metrics": ["mIoU"], "resamples": 50}
    arguments = ("--metric", "mIoU", "--resamples", 50)
    given = run("score", oops.path, folder, *arguments, "--json").json
    board = benchwright.leaderboard(oops, folder, **options)
    assert [row["name"] for row in given["rows"]] == [row.name for row in board.rows]
    assert given == run("score", oops.path, folder, *arguments, "--format", "json").json
    for name, text in (("markdown", board.to_markdown()), ("latex", board.to_latex()), ("csv", board.to_csv())):
        assert run("score", oops.path, folder, *arguments, "--format", name).out == text
    named = {"a": folder / "late.json", "b": folder / "exact.json"}
    pairs = [f"{name}={path}" for name, path in named.items()]
    rows = list(csv.DictReader(io.StringIO(run("score", oops.path, *pairs, *arguments, "--format", "csv").out)))
    assert {row["run"] for row in rows if row["kind"] == "run"} == {"a", "b"}
    assert benchwright.leaderboard(oops, named, **options) == benchwright.leaderboard(oops, pairs, **options)


def test_one_run_prints_as_before_and_may_be_a_table_for_a_paper(oops: Manifest, folder: Path, run: Run) -> None:
    path = folder / "late.json"
    alone = run("score", oops.path, path, "--resamples", 20)
    assert alone.out.startswith(f"{path}, protocol paper\nmetric")
    assert "metrics" in run("score", oops.path, f"mine={path}", "--json", "--resamples", 20).json
    assert "& mine &" in run("score", oops.path, f"mine={path}", "--format", "latex", "--resamples", 20).out


def test_a_plot_is_beside_what_is_printed(oops: Manifest, folder: Path, run: Run, refused: Refused) -> None:
    pytest.importorskip("matplotlib")
    out = folder.parent / "runs.svg"
    assert run("score", oops.path, folder, "--plot", out, "--resamples", 20, "--json").json["primary"] == "R1(iou>=0.3)"
    assert out.read_text().startswith("<?xml")
    assert "expected a name that ends in .svg" in refused("score", oops.path, folder, "--plot", folder / "late.json")


def test_results_of_each_row_say_of_which_run(oops: Manifest, folder: Path, run: Run) -> None:
    out = folder.parent / "rows.parquet"
    assert run("score", oops.path, folder, "--rows", out, "--resamples", 0).code == 0
    table = pq.ParquetFile(out).read()
    assert table["run"].value_counts().to_pylist() == [{"values": n, "counts": 12} for n in ("exact", "half", "late")]
    assert table.column_names[:3] == ["run", "sample_id", "video"]


def test_the_manifest_is_read_once_for_all_runs(oops: Manifest, folder: Path, run: Run, opens: Any) -> None:
    with opens(oops.path, folder) as opened:
        assert run("score", oops.path, folder, "--resamples", 20).code == 0
    assert set(opened.values()) == {1}, opened
    assert len([path for path in opened if path.is_relative_to(folder)]) >= 3


def test_bad_runs_and_names_are_told(oops: Manifest, folder: Path, refused: Refused) -> None:
    (folder / "broken.json").write_text("{")
    (folder / "empty.csv").write_text("")
    said = refused("score", oops.path, folder)
    assert said.startswith("2 of 5 runs cannot be read")
    assert "broken:" in said
    assert "empty:" in said
    twice = refused("score", oops.path, folder / "late.json", folder / "late.json")
    assert "two runs are named late" in twice
    assert "NAME=PATH" in twice
    assert "unknown format 'coco'" in (said := refused("score", oops.path, folder, "--format", "coco"))
    assert "--input-format names the format of predictions" in said
    assert "give one of the two" in refused("score", oops.path, folder, "--format", "csv", "--json")
    assert "expected the path of predictions" in refused("score", oops.path, "")


# Rows that runs share.


def test_common_rows_are_those_that_every_run_answered(oops: Manifest, folder: Path, run: Run) -> None:
    arguments = ("--metric", "mIoU", "--resamples", 50, "--json", "--on", "common")
    board = run("score", oops.path, folder, *arguments).json
    values = {row["name"]: row["metrics"]["mIoU"]["value"] for row in board["rows"]}
    assert (values["exact"], values["half"]) == (1, 1)
    assert "on:common(6/12)" in board["signature"]
    assert board["scored_rows"] == 6
    assert [row["counts"] for row in board["rows"] if row["kind"] == "run"] == [
        {"rows": 6, "scored": 6, "left_out": 6}
    ] * 3
    (late,) = (row for row in board["rows"] if row["name"] == "late")
    said = "6 of 12 rows are scored: those that every run answered (rows with a start and an end)"
    assert said in late["warnings"]
    assert said in board["warnings"]
    first = benchwright.score(oops, folder / "half.json", on="common", resamples=0)
    assert "n=6/6 |" in first.signature
    compared = run("compare", oops.path, folder / "late.json", folder / "half.json", "--on", "common")
    assert "on common(6/12)" in " ".join(compared.out.split())


def test_baselines_on_some_rows_are_those_of_all_rows_there(oops: Manifest, folder: Path) -> None:
    import numpy as np

    from scorers.temporal.scorer import SCORER

    truth = SCORER.truth(oops, "test", {})
    whole = SCORER.baselines(truth)["random"]
    rows = np.arange(12) < 6
    expected = SCORER.evaluate(*SCORER.only(truth, whole, rows), SCORER.metrics((), truth, "paper"), "paper")
    found = benchwright.score(oops, folder / "half.json", on="common", resamples=0).baselines["random"]
    assert found == {str(metric): value for metric, value in expected.values.items()}


def test_rows_that_another_manifest_has_too(
    sample_manifest: Manifests, oops: Manifest, folder: Path, run: Run, refused: Refused
) -> None:
    other = sample_manifest(
        "uag-oops", agreement__max_notfound=1, single_scene__by="skip", valid_span__on_invalid="drop"
    )
    shared = set(other.table()["sample_id"].to_pylist()) & set(oops.table()["sample_id"].to_pylist())
    found = run("score", oops.path, folder / "exact.json", "--on", other.path, "--json").json
    assert f"on:uag-oops@{other.identity.content_digest[:12]}({len(shared)}/12)" in found["signature"]
    assert found["counts"]["rows"] == len(shared)
    by_name = benchwright.score(oops, folder / "exact.json", on=other)
    assert by_name.signature == found["signature"]
    strangers = sample_manifest("uag-ssbd")
    assert "none of the 12 rows is among those" in refused("score", oops.path, folder, "--on", strangers.path)
    assert "--on" in refused("score", oops.path, folder, "--on", "")
    assert "expected the folder of a manifest" in refused("score", oops.path, folder, "--on", folder)


def test_common_images_are_those_with_detections(sample_manifest: Manifests, tmp_path: Path, run: Run) -> None:
    manifest = sample_manifest("coco-person")
    images = manifest.table().to_pylist()
    for name, kept in (("all", images), ("few", images[:2])):
        results = [
            {
                "image_id": row["image_id"],
                "category_id": 1,
                "bbox": [box[side] for side in ("x", "y", "width", "height")],
            }
            | {"score": 0.9}
            for row in kept
            for box in row["objects"]
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(results))
    board = run(
        "score", manifest.path, tmp_path, "--json", "--on", "common", "--metric", "mAP50", "--resamples", 20
    ).json
    values = [row["metrics"]["mAP50"]["value"] for row in board["rows"]]
    assert values[0] == values[1] == 1
    answered = sum(1 for row in images[:2] if row["objects"])
    assert f"on:common({answered}/{len(images)})" in board["signature"]


def test_common_key_frames_and_folders_of_runs(sample_manifest: Manifests, tmp_path: Path, run: Run) -> None:
    manifest = sample_manifest("jrdb-par")
    for name in ("alone", "nearest"):
        assert run("baseline", manifest.path, name, "--out", tmp_path / "runs" / name).code == 0
    board = run("score", manifest.path, tmp_path / "runs", "--json", "--resamples", 20).json
    assert {row["name"] for row in board["rows"] if row["kind"] == "run"} == {"alone", "nearest"}
    whole = {row["name"]: row["metrics"] for row in board["rows"] if row["kind"] == "run"}
    same = run("score", manifest.path, tmp_path / "runs", "--json", "--resamples", 20, "--on", "common").json
    assert {row["name"]: row["metrics"] for row in same["rows"] if row["kind"] == "run"} == whole
    assert "on:common(3/3)" in same["signature"]
