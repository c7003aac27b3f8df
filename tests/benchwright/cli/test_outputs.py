"""No verb writes over what it reads, nor into a manifest, whatever links lead there, by any option for an output."""

from __future__ import annotations

import inspect
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import app

OUTPUTS = ("out", "rows", "plot", "review")

# Verb and option -> the call without that option, where names in capitals are inputs of the fixture; and the input that
# is named as the output.
CASES: dict[tuple[str, str], tuple[list[str], str]] = {
    ("ledger", "out"): (["SPANS"], "SPANS/ledger.parquet"),
    ("diff", "rows"): (["OFFICIAL.json", "SPANS"], "OFFICIAL.json"),
    ("audit", "out"): (["uag-ssbd", "--source", "SAMPLES", "--predictions", "RUNS", "--force"], "RUNS/a.json"),
    ("findings", "out"): (["SPANS", "--predictions", "RUNS"], "RUNS/a.json"),
    ("report", "out"): (["SPANS", "--predictions", "RUNS", "--force"], "RUNS/a.json"),
    ("instruct", "out"): (["SPANS", "--templates", "spans", "--force"], "SPANS"),
    ("export", "out"): (["SPANS", "--to", "official"], "SPANS/manifest.json"),
    ("convert", "out"): (["SPANS.json", "--to", "ual-bench", "--force"], "SPANS.json"),
    ("score", "rows"): (["SPANS", "RUNS"], "RUNS/a.json"),
    ("score", "plot"): (["SPANS", "RUNS", "PLOT.svg"], "PLOT.svg"),
    ("baseline", "out"): (["SPANS", "random"], "SPANS/ledger.parquet"),
    ("thresholds", "out"): (["BOXES", "BOXES.json"], "BOXES.json"),
    ("parse", "out"): (["SPANS", "ANSWERS.json"], "ANSWERS.json"),
    ("parse", "review"): (["SPANS", "ANSWERS.json", "--out", "OUT.csv"], "ANSWERS.json"),
    ("prompts", "out"): (["SPANS", "--approach", "vlm-llm", "--text-rep", "TEXTS.json"], "TEXTS.json"),
    ("build", "out"): (["uag-ssbd", "--source", "SAMPLES"], "SPANS"),
}


@pytest.fixture
def inputs(sample_manifest, samples: Path, tmp_path: Path) -> dict[str, Path]:
    """What verbs read, by its name in `CASES`."""
    spans, boxes = (sample_manifest(name) for name in ("uag-ssbd", "coco-person"))
    rows = spans.table().to_pylist()
    predicted = [{name: row[name] for name in ("sample_id", "start_s", "end_s")} for row in rows]
    found = [
        {"image_id": row["image_id"], "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}
        for row in boxes.table().to_pylist()
    ]
    files: dict[str, Any] = {
        "SPANS.json": predicted,
        "PLOT.svg": predicted,
        "RUNS/a.json": predicted,
        "BOXES.json": found,
        "ANSWERS.json": {row["sample_id"]: "from 1 s to 2 s" for row in rows},
        "TEXTS.json": {row["sample_id"]: ["a room"] for row in rows},
    }
    (tmp_path / "RUNS").mkdir()
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    for name, manifest in (("SPANS", spans), ("BOXES", boxes)):
        shutil.copytree(manifest.path, tmp_path / name)
    (tmp_path / "SAMPLES").symlink_to(samples)
    return {name: tmp_path / name for name in (*files, "SPANS", "BOXES", "SAMPLES", "RUNS", "OUT.csv", "OFFICIAL.json")}


def test_every_option_that_names_an_output_is_tried() -> None:
    found = {
        (command.name or command.callback.__name__, name)
        for command in app.registered_commands
        if command.callback is not None
        for name in inspect.signature(command.callback).parameters
        if name in OUTPUTS
    }
    assert found == set(CASES)


@pytest.mark.parametrize("linked", [False, True], ids=["itself", "a link"])
@pytest.mark.parametrize(("verb", "option"), CASES)
def test_what_was_read_is_never_written_over(
    run, inputs: dict[str, Path], tmp_path: Path, verb: str, option: str, linked: bool
) -> None:
    arguments, over = CASES[verb, option]
    run("export", inputs["SPANS"], "--to", "official", "--out", inputs["OFFICIAL.json"])
    target = tmp_path / over
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    out = target
    if linked:
        out = tmp_path / f"link{target.suffix}"
        out.symlink_to(target)
    ran = run(verb, *(inputs.get(each, each) for each in arguments), f"--{option}", out)
    assert ran.code == 2
    assert any(said in ran.err for said in ("is read", "was read", "inside the manifest"))
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != out}
    assert {path: content for path, content in before.items() if path != out} == after
    assert target.is_dir() or target.read_bytes() == before[target]
