"""`score` through the command line: JSON for machines, a table for people, one message for bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from schemas.manifest import Manifest

Manifests = Callable[..., Manifest]
Refused = Callable[..., str]
Run = Callable[..., Any]
Write = Callable[..., Path]


METRICS = [
    *("R1(iou>=0.3)", "R1(iou>=0.5)", "R1(iou>=0.7)", "mIoU", "R1(td<=0)", "R1(td<=1)", "R1(td<=3)", "R1(td<=5)"),
    *("mTD", "onset(<=1)", "onset(<=0.25)"),
]
UNITS = ["percent"] * 3 + ["fraction"] + ["percent"] * 4 + ["s"] + ["percent"] * 2


@pytest.fixture
def ssbd(sample_manifest: Manifests) -> Manifest:
    return sample_manifest("uag-ssbd")


def test_the_json_of_a_score(ssbd: Manifest, write: Write, run: Run) -> None:
    code, out, err = run("score", ssbd.path, write(ssbd, rows=6), "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert set(result) == {
        *("metrics", "counts", "protocol", "baselines", "differences", "warnings", "signature", "notes", "tables"),
    }
    assert list(result["metrics"]) == METRICS
    assert {tuple(value) for value in result["metrics"].values()} == {
        ("value", "low", "high", "unit", "higher_is_better", "method")
    }
    assert [value["unit"] for value in result["metrics"].values()] == UNITS
    for value in result["metrics"].values():
        assert value["low"] <= value["value"] <= value["high"]
    assert result["metrics"]["R1(td<=3)"]["value"] == 75
    assert result["metrics"]["onset(<=1)"]["value"] == 75
    assert result["counts"] == {"rows": 8, "scored": 6, "ok": 6, "reversed": 0, "missing": 2, "unknown": 0}
    assert result["protocol"] == "paper"
    assert {name: list(values) for name, values in result["baselines"].items()} == dict.fromkeys(
        ["random", "predict-all", "middle"], METRICS
    )
    assert [difference["metric"] for difference in result["differences"]] == ["mTD"]
    assert result["warnings"] == [
        "2 of 8 rows have no prediction ('v_Spinning_07_b_02', 'v_Spinning_18_b_01')",
        "the intervals rest on 5 videos: so few make them rough",
    ]
    assert "n=6/8 | data:uag-ssbd/test sha:" in result["signature"]
    assert "ci:korn-graubard(video)" in result["signature"]


def test_a_score_is_the_same_every_time_and_from_every_form(ssbd: Manifest, write: Write, run: Run) -> None:
    first = run("score", ssbd.path, write(ssbd), "--json").out
    assert run("score", ssbd.path, write(ssbd), "--json").out == first
    assert run("score", ssbd.path, write(ssbd, name="p.parquet"), "--json").out == first
    assert run("score", ssbd.path / "data/test-00000-of-00001.parquet", write(ssbd), "--json").out == first


def test_options_of_a_score(sample_manifest: Manifests, write: Write, run: Run) -> None:
    oops = sample_manifest("uag-oops")
    result = run(
        *("score", oops.path, write(oops, by=0.2), "--protocol", "strict", "--truth", "any", "--resamples", 50),
        *(
            "--seed",
            7,
            "--metric",
            "onset(<=0.1)",
            "--metric",
            "R@5 (IoU >= 0.90)",
            "--input-format",
            "table",
            "--json",
        ),
    ).json
    assert list(result["metrics"]) == ["onset(<=0.1)", "R5(iou>=0.9)"]
    assert result["protocol"] == "strict"
    assert "| protocol:strict | truth:any | missing:wrong(0) | ci:korn-graubard(video) |" in result["signature"]
    start = run("score", oops.path, write(oops, by=0.2), "--metric", "onset(<=0.1)", "--resamples", 0, "--json").json
    assert start["metrics"]["onset(<=0.1)"] == {
        "value": 0,
        "low": None,
        "high": None,
        "unit": "percent",
        "higher_is_better": True,
        "method": "",
    }
    assert result["metrics"]["onset(<=0.1)"]["value"] > 0
    assert "ci:none" in start["signature"]


def test_ranked_predictions_may_hit_later(ssbd: Manifest, tmp_path: Path, run: Run) -> None:
    rows = ssbd.table("test").to_pylist()
    windows = [
        {"qid": row["sample_id"], "pred_relevant_windows": [[0, 0.5], [row["start_s"], row["end_s"]]]} for row in rows
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(map(json.dumps, windows)), encoding="utf-8")
    result = run("score", ssbd.path, path, "--metric", "R1(iou>=0.5)", "--metric", "R2(iou>=0.5)", "--json").json
    assert [value["value"] for value in result["metrics"].values()] == [0, 100]


def test_a_score_for_people(ssbd: Manifest, write: Write, run: Run) -> None:
    path = write(ssbd, rows=6)
    code, out, err = run("score", ssbd.path, path, "--protocol", "strict")
    assert code == 0
    assert f"{path}, protocol strict" in out
    for heading in ("metric", "value", "95% interval", "random", "predict-all", "middle"):
        assert heading in out
    assert "missing = rows without a prediction; unknown = predictions that name no row, left out" in out
    assert "reversed = predictions that end before they start" in out
    assert "missing:wrong = a miss everywhere" in out
    assert "2 rows without a prediction" in out
    assert all(metric in out for metric in METRICS)
    assert "8 rows, 6 scored, 6 ok, 0 reversed, 2 missing, 0 unknown" in out
    assert "Where the protocols differ" in out
    assert "R1(iou>=0.3) = " in out.splitlines()[-1]
    assert err.splitlines() == [
        "warning: 2 of 8 rows have no prediction ('v_Spinning_07_b_02', 'v_Spinning_18_b_01')",
        "warning: the intervals rest on 5 videos: so few make them rough",
    ]


def test_an_undefined_value_is_null_with_a_warning_and_exit_0(ssbd: Manifest, tmp_path: Path, run: Run) -> None:
    row = ssbd.table("test").to_pylist()[0]
    touching = [{"sample_id": row["sample_id"], "start_s": row["end_s"], "end_s": row["start_s"]}]
    path = tmp_path / "p.json"
    path.write_text(json.dumps(touching), encoding="utf-8")
    code, out, err = run("score", ssbd.path, path, "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["metrics"]["mIoU"] == {
        "value": None,
        "low": None,
        "high": None,
        "unit": "fraction",
        "higher_is_better": True,
        "method": "",
    }
    assert [warning for warning in result["warnings"] if warning.startswith("mIoU has no value: the union")]
    assert {d["metric"]: d["values"] for d in result["differences"]}["mIoU"] == {"paper": None, "strict": 0}
    assert run("score", ssbd.path, path).code == 0


def test_the_rows_of_a_score_go_to_a_file(ssbd: Manifest, write: Write, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    assert run("score", ssbd.path, write(ssbd), "--rows", out, "--json").code == 0
    table = pq.ParquetFile(out).read()
    assert table.num_rows == 8
    assert table["td_s"].to_pylist() == [2] * 8


BAD = {
    "empty": ("p.json", "", "found an empty file"),
    "empty list": ("p.json", "[]", "found no records"),
    "broken off": ("p.json", '[{"sample_id": "v_Spin', "byte 22: found the end of the file"),
    "third line": ("p.jsonl", '{"sample_id": "a"}\n{"sample_id": "b"}\n{"sample_id"\n', "line 3, byte 50"),
    "NaN": ("p.json", '[{"sample_id": "a", "start_s": NaN, "end_s": 1}]', "byte 31: start_s: found NaN"),
    "negative": ("p.csv", "sample_id,start_s,end_s\nv_Spinning_07_b_01,-1,2\n", "found -1, expected a finite time"),
    "infinite": ("p.csv", "sample_id,start_s,end_s\nv_Spinning_07_b_01,1,1e999\n", "found inf, expected a finite"),
    "no time": ("p.csv", "sample_id,start_s,end_s\nv_Spinning_07_b_01,soon,2\n", "start_s: found 'soon'"),
    "columns": ("p.csv", "clip,from,to\nv_Spinning_07_b_01,1,2\n", "found only the columns clip, from, to"),
    "twice": ("p.csv", "sample_id,start_s,end_s\n" + "v_Spinning_07_b_01,1,2\n" * 2, "several predictions"),
    "another benchmark": ("p.csv", "sample_id,start_s,end_s\ntest_80,1,2\n", "0 of 8 ids match; these look like uag-f"),
    "answers": ("p.json", '{"v>>>q>>>t": "from 1 to 2"}', "`benchwright parse` first"),
    "unknown format": ("p.json", '{"v_Spinning_07_b_01": "from 1 to 2"}', "no known prediction format"),
}


@pytest.mark.parametrize(("name", "content", "message"), BAD.values(), ids=BAD)
def test_bad_predictions_are_refused_and_nothing_is_written(
    ssbd: Manifest, tmp_path: Path, refused: Refused, name: str, content: str, message: str
) -> None:
    path, rows = tmp_path / name, tmp_path / "rows.parquet"
    path.write_text(content, encoding="utf-8")
    assert message in refused("score", ssbd.path, path, "--rows", rows)
    assert message in refused("score", ssbd.path, path, "--rows", rows, "--json")
    assert message in refused("compare", ssbd.path, path, path, "--json")
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_bad_usage_is_refused(ssbd: Manifest, write: Write, refused: Refused, tmp_path: Path) -> None:
    good, nothing, folder = write(ssbd), tmp_path / "nothing", tmp_path / "folder.csv"
    folder.mkdir()
    for message, *arguments in (
        ("expected a readable file", ssbd.path, nothing),
        ("folder.csv: a folder without runs; expected files", ssbd.path, folder),
        ("expected the folder of a manifest", nothing, good),
        ("unknown protocol 'papr'; did you mean paper?", ssbd.path, good, "--protocol", "papr"),
        ("unknown split 'train'", ssbd.path, good, "--split", "train"),
        ("unknown truth 'all'", ssbd.path, good, "--truth", "all"),
        ("uag-ssbd has no other annotations", ssbd.path, good, "--truth", "any"),
        ("unknown metric 'R1(iou>0.5)'", ssbd.path, good, "--metric", "R1(iou>0.5)"),
        ("unknown prediction format 'csv'", ssbd.path, good, "--input-format", "csv"),
        ("expected a name that ends in .parquet, .csv or .json", ssbd.path, good, "--rows", tmp_path / "rows.txt"),
        ("is a folder; expected the path of a file to write", ssbd.path, good, "--rows", folder),
    ):
        assert message in refused("score", *arguments)


@pytest.mark.real_data
def test_a_published_prediction_file_is_scored_with_the_printed_numbers(
    real_data: Path, real_manifest: Manifests, run: Run
) -> None:
    manifest = real_manifest("uag-oops")
    file = real_data / "predictions/uag-oops/videochat2.json"
    result = run("score", manifest.path, file, "--resamples", 100, "--json").json
    printed = ["16.49", "5.98", "1.95", "0.12", "0.00", "1.01", "8.37", "23.10", "9.31", "10.01", "3.90"]
    assert [f"{value['value']:.2f}" for value in result["metrics"].values()] == printed
    assert result["counts"] == {"rows": 1589, "scored": 1465, "ok": 1465, "reversed": 0, "missing": 124, "unknown": 0}
    differing = {d["metric"]: f"{d['values']['strict']:.2f}" for d in result["differences"]}
    assert differing["mTD"] == "237.50"


def test_a_metric_alone_is_explained(ssbd: Manifest, write: Write, run: Run) -> None:
    assert "\nmTD = mean td; td = temporal distance, " in run("score", ssbd.path, write(ssbd), "--metric", "mTD").out
