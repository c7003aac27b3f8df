"""`parse` and `prompts` through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.manifest import Manifest

Manifests = Callable[..., Manifest]
Refused = Callable[..., str]
Run = Callable[..., Any]


@pytest.fixture
def ssbd(sample_manifest: Manifests) -> Manifest:
    return sample_manifest("uag-ssbd")


ANSWERS = {
    "v_Spinning_07_b_01": "from 1 to 5 seconds",
    "v_Spinning_07_b_02": "I cannot see the video, sorry.",
    "unknown": "1 to 2",
}


def test_answers_are_parsed_reviewed_edited_and_scored(ssbd: Manifest, run: Run, tmp_path: Path) -> None:
    answers, out, review = tmp_path / "answers.json", tmp_path / "out.parquet", tmp_path / "out.review.csv"
    answers.write_text(json.dumps(ANSWERS), encoding="utf-8")
    code, said, err = run("parse", ssbd.path, answers, "--out", out, "--json")
    assert code == 0
    assert [line.partition(": ")[0] for line in err.splitlines()] == ["warning", "warning"]
    assert "1 prediction names no row of the manifest ('unknown')" in err
    summary = json.loads(said)
    assert summary == {
        "predictions": str(out),
        "review_file": str(review),
        "statuses": {"ok": 1, "refusal": 1},
        "patterns": summary["patterns"],
        "review": 1,
        "names": {"unknown": 1},
        "warnings": summary["warnings"],
    }
    assert len(summary["warnings"]) == 2
    assert sum(summary["patterns"].values()) == 1
    text = review.read_text(encoding="utf-8")
    review.write_text(text.replace('"v_Spinning_07_b_02",,', '"v_Spinning_07_b_02",0:40,66'), encoding="utf-8")
    edited = review.read_bytes()
    assert run("parse", ssbd.path, answers, "--out", out, "--edits", review, "--json").json["statuses"] == {
        "ok": 1,
        "edited": 1,
    }
    assert review.read_bytes() == edited
    result = run("score", ssbd.path, out, "--metric", "R1(iou>=0.7)", "--json").json
    assert result["metrics"]["R1(iou>=0.7)"]["value"] == 12.5


def test_parsing_for_people(ssbd: Manifest, run: Run, tmp_path: Path) -> None:
    answers, out = tmp_path / "answers.json", tmp_path / "out.csv"
    answers.write_text(json.dumps(ANSWERS), encoding="utf-8")
    code, said, _ = run("parse", ssbd.path, answers, "--out", out, "--review", tmp_path / "doubts.csv")
    assert code == 0
    assert "refusal" in said
    assert f"{out} written; 1 row to look at in {tmp_path / 'doubts.csv'}" in said
    assert f"--edits {tmp_path / 'doubts.csv'}" in said


def test_answers_that_cannot_be_read_are_refused_and_nothing_is_written(
    ssbd: Manifest, refused: Refused, tmp_path: Path
) -> None:
    answers, out = tmp_path / "answers.json", tmp_path / "out.csv"
    answers.write_text(json.dumps(ANSWERS), encoding="utf-8")
    for message, *options in (
        ("unknown", "--patterns", "offical"),
        ("unknown time scale 'hours'", "--time", "hours"),
        ("expected a readable file", "--edits", tmp_path / "none.csv"),
        ("unknown split", "--split", "train"),
    ):
        assert message in refused("parse", ssbd.path, answers, "--out", out, *options)
    assert "expected a name that ends in" in refused("parse", ssbd.path, answers, "--out", tmp_path / "out.txt")
    answers.write_text("{}", encoding="utf-8")
    assert "found no records" in refused("parse", ssbd.path, answers, "--out", out)
    assert [path.name for path in tmp_path.iterdir()] == ["answers.json"]


def test_prompts_are_written(ssbd: Manifest, run: Run, refused: Refused, tmp_path: Path) -> None:
    out = tmp_path / "requests.jsonl"
    code, said, err = run("prompts", ssbd.path, "--approach", "vid-llm", "--out", out, "--model", "m")
    assert (code, said, err) == (0, f"{out}: 8 requests\n", "")
    captions = tmp_path / "captions.json"
    captions.write_text(json.dumps({key: ["a", "b"] for key in ssbd.table("test")["video"].to_pylist()}))
    arguments = ("prompts", ssbd.path, "--approach", "vlm-llm", "--out", out, "--text-rep", captions)
    assert run(*arguments, "--max-tokens", 6).out == f"{out}: 8 requests, 8 text representations cut\n"
    before = out.read_bytes()
    assert "needs --text-rep" in refused("prompts", ssbd.path, "--approach", "vlm-llm", "--out", out)
    assert out.read_bytes() == before
