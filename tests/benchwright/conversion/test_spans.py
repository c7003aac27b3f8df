"""`convert` between formats of predicted spans: spans come back, what cannot be said is counted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchwright
from benchwright import convert
from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest
from scorers.temporal.formats import read_predictions

Spans = dict[str, list[list[float | None]]]
SUFFIXES = {"table": "csv", "ual-bench": "json", "official": "json", "moment-detr": "jsonl", "timelens": "json"}
ONE = ("ual-bench", "official")


def spans_of(path: Path) -> Spans:
    """The windows of each row, best first; none where nothing is predicted."""
    read = read_predictions(path)
    found: Spans = {key: [] for key in read.keys.to_pylist()}
    keys = list(found)
    for entry, start, end in zip(read.entry.tolist(), read.start.tolist(), read.end.tolist(), strict=True):
        if not math.isnan(start):
            found[keys[entry]].append([start, end])
    return found


def ranked(path: Path, spans: Spans) -> Path:
    """A file as for QVHighlights that has everything: query, video, scores."""
    lines = [
        {"qid": key, "query": f"query {key}", "vid": f"video {key}"}
        | {"pred_relevant_windows": [[*window, 1 - 0.1 * rank] for rank, window in enumerate(windows)]}
        for key, windows in spans.items()
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


TIMES = st.floats(0, 500, allow_subnormal=False).map(lambda time: round(time, 3))
SPANS = st.dictionaries(
    st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=5).map(lambda text: f"k{text}"),
    st.lists(st.lists(TIMES, min_size=2, max_size=2).map(sorted), max_size=3),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60)
@given(SPANS, st.lists(st.sampled_from(["table", "moment-detr"]), max_size=3), st.sampled_from(sorted(SUFFIXES)))
def test_windows_come_back_from_every_format(spans: Spans, way: list[str], last: str) -> None:
    with TemporaryDirectory() as folder:
        path = ranked(Path(folder) / "start.jsonl", spans)
        if last == "timelens":  # which is named by query and video, that a table has not
            way = [each for each in way if each != "table"]
        for place, to in enumerate([*way, last]):
            convert(path, to, Path(folder) / f"{place}.{SUFFIXES[to]}")
            path = Path(folder) / f"{place}.{SUFFIXES[to]}"
        read = spans_of(path)
        if last == "timelens":
            read = {key.split(">>>")[1].removeprefix("query "): windows for key, windows in read.items()}
        assert read == {key: windows[:1] if last in ONE else windows for key, windows in spans.items()}


EXAMPLE: Spans = {"a": [[1.0, 2.0], [3.0, 4.5]], "b": [], "c": [[0.0, 7.25]]}


@pytest.mark.parametrize("to", sorted(SUFFIXES))
def test_scores_stay_what_they_were(sample_manifest: Callable[[str], Manifest], tmp_path: Path, to: str) -> None:
    manifest = sample_manifest("charades-sta")
    rows = manifest.table("test", ["sample_id", "description", "video", "start_s", "end_s"]).to_pylist()
    lines = [
        {"qid": row["sample_id"], "query": row["description"], "vid": row["video"]}
        | {"pred_relevant_windows": [[row["start_s"], row["end_s"] + 1.25, 0.5]]}
        for row in rows
    ]
    start = tmp_path / "start.jsonl"
    start.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    out = tmp_path / f"out.{SUFFIXES[to]}"
    convert(start, to, out)
    scored = [benchwright.score(manifest, path, split="test", resamples=0) for path in (start, out)]
    values = [{name: metric.value for name, metric in score.metrics.items()} for score in scored]
    assert values[0] == values[1]


def test_what_a_target_cannot_express_is_counted(tmp_path: Path) -> None:
    start = ranked(tmp_path / "a.jsonl", EXAMPLE)
    no_place = "for which ual-bench has no place"
    done = convert(start, "ual-bench", tmp_path / "b.json")
    assert done.written == {"rows": 3, "windows": 2}
    assert done.notes == {
        f"windows lost behind the first of their row, {no_place}": 1,
        f"rows whose queries are lost, {no_place}": 3,
        f"rows whose names of videos are lost, {no_place}": 3,
        f"rows whose scores are lost, {no_place}": 2,
    }
    assert json.loads((tmp_path / "b.json").read_bytes())["b"] == {"pred_start": None, "pred_end": None}
    done = convert(tmp_path / "b.json", "moment-detr", tmp_path / "c.jsonl")
    assert done.notes == {"scores that are 1 / rank, as the source has none": 2}
    assert done.written == {"rows": 3, "windows": 2}
    assert [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()] == [
        {"qid": "a", "pred_relevant_windows": [[1.0, 2.0, 1.0]]},
        {"qid": "b", "pred_relevant_windows": []},
        {"qid": "c", "pred_relevant_windows": [[0.0, 7.25, 1.0]]},
    ]
    done = convert(tmp_path / "b.json", "official", tmp_path / "d.json")
    assert done.notes == {"rows without start_time and end_time, which the official evaluator asks for": 3}
    with pytest.raises(
        UsageError, match="timelens names rows by video and query, which the source does not say of 'a'"
    ):
        convert(tmp_path / "b.json", "timelens", tmp_path / "e.json")
    assert not (tmp_path / "e.json").exists()


@pytest.mark.parametrize(
    ("names", "kept"), [(["7", "0"], [7, 0]), (["7", "07"], ["7", "07"]), (["7", "a"], ["7", "a"])]
)
def test_names_that_are_all_whole_numbers_are_numbers_for_moment_detr(tmp_path: Path, names, kept) -> None:
    start = ranked(tmp_path / "a.jsonl", {name: [[1.0, 2.0]] for name in names})
    convert(start, "moment-detr", tmp_path / "b.jsonl")
    assert [json.loads(line)["qid"] for line in (tmp_path / "b.jsonl").read_text().splitlines()] == kept


def test_rows_that_only_the_truth_tells_apart_keep_it(tmp_path: Path) -> None:
    records = [
        {"label": "video", "gt": [1.0, 2.0], "pred": [1.5, 2.5]},
        {"label": "video", "gt": [5.0, 6.0], "pred": [None, None]},
    ]
    (tmp_path / "a.json").write_text(json.dumps(records))
    convert(tmp_path / "a.json", "official", tmp_path / "b.json")
    convert(tmp_path / "b.json", "ual-bench", tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_bytes()) == records


def test_files_are_merged_unless_they_share_a_row(tmp_path: Path) -> None:
    one, other = ranked(tmp_path / "a.jsonl", EXAMPLE), ranked(tmp_path / "b.jsonl", {"d": [[1.0, 2.0]]})
    convert([one, other], "table", tmp_path / "all.parquet")
    assert spans_of(tmp_path / "all.parquet") == EXAMPLE | {"d": [[1.0, 2.0]]}
    with pytest.raises(InputError, match=r"'d': found also in .*b\.jsonl, expected a row of one file"):
        convert([other, ranked(tmp_path / "c.jsonl", {"d": []})], "table", tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()


def test_options_of_boxes_and_outputs_that_are_there_are_refused(
    refused: Callable[..., str], run: Callable[..., Any], tmp_path: Path
) -> None:
    start, out = ranked(tmp_path / "a.jsonl", EXAMPLE), tmp_path / "b.csv"
    assert "are of boxes" in refused("convert", start, "--to", "table", "--out", out, "--map", "a=b")
    assert "expected a name that ends in .parquet, .csv" in refused("convert", start, "--to", "table", "--out", "x.txt")
    assert "is read" in refused("convert", start, "--to", "moment-detr", "--out", start, "--force")
    assert run("convert", start, "--to", "table", "--out", out).out == f"{out}: 3 rows, 3 windows\n"
    assert "--force replaces it" in refused("convert", start, "--to", "table", "--out", out)
    assert run("convert", start, "--to", "table", "--out", out, "--force").code == 0
