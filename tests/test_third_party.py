"""An installed package adds a benchmark and a scorer of its own: every verb works on it, from another process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

PACKAGE = Path(__file__).parent / "third_party" / "captions.py"
POINTS = """
[benchwright.recipes]
our-captions = captions:RECIPE
[benchwright.scorers]
captions = captions:SCORER
"""
CAPTIONS = [("a", "1.jpg", "A dog"), ("b", "1.jpg", "a dog runs"), ("c", "2.jpg", "two cats")]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the package as pip would install it, and the raw file of its benchmark."""
    shutil.copy(PACKAGE, tmp_path)
    information = tmp_path / "captions-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: captions\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(POINTS)
    rows = [{"id": name, "image": image, "text": text} for name, image, text in CAPTIONS]
    (tmp_path / "captions.json").write_text(json.dumps(rows))
    return tmp_path


@pytest.fixture
def call(site: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    paths = os.pathsep.join([str(site), str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "benchwright", *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": paths}
        return subprocess.run(command, capture_output=True, text=True, cwd=site, env=environment, check=False)

    return run


def test_a_package_brings_a_benchmark_and_its_scorer(call, site: Path) -> None:
    assert "our-captions" in call("list", "--json").stdout
    built = call("build", "our-captions", "--source", site)
    assert built.returncode == 0, built.stderr
    predictions = site / "predictions.json"
    predictions.write_text(
        json.dumps([{"sample_id": "a", "caption": "a dog"}, {"sample_id": "c", "caption": "two cats"}])
    )
    options = ("--rows", "rows.csv", "--engine", "by hand")
    scored = call("score", "manifests/our-captions", predictions, "--json", *options)
    assert scored.returncode == 0, scored.stderr
    assert (site / "rows.csv").read_text().split() == ['"sample_id","equal"', '"a",false', '"b",false', '"c",true']
    score = json.loads(scored.stdout)
    assert score["notes"] == ["by hand agrees"]
    assert score["metrics"]["equal"]["value"] == pytest.approx(100 / 3)
    assert score["counts"] == {"rows": 3, "scored": 2}
    assert score["baselines"] == {"first": {"equal": pytest.approx(100 / 3)}}
    assert [difference["values"] for difference in score["differences"]] == [
        {"as written": pytest.approx(100 / 3), "any case": pytest.approx(200 / 3)}
    ]
    assert "data:our-captions/test" in score["signature"]
    compared = call("compare", "manifests/our-captions", predictions, predictions, "--json", "--resamples", 20)
    assert compared.returncode == 0, compared.stderr
    assert json.loads(compared.stdout)["metrics"]["equal"]["p_value"] == 1
    assert (
        "for spans; this manifest holds captions"
        in call("score", "manifests/our-captions", predictions, "--truth", "any").stderr
    )


def test_a_failure_in_their_scorer_names_their_file_and_line(call, site: Path) -> None:
    source = (site / "captions.py").read_text()
    broken = source.replace("change = str.casefold if", "change = str.casefld if")
    (site / "captions.py").write_text(broken)
    line = next(number for number, text in enumerate(broken.split("\n"), 1) if "casefld" in text)
    call("build", "our-captions", "--source", site)
    (site / "p.json").write_text(json.dumps([{"sample_id": "a", "caption": "a dog"}]))
    ran = call("score", "manifests/our-captions", "p.json")
    assert ran.returncode == 2
    assert f"captions.py, line {line}, scorer captions: AttributeError" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Traceback" in call("--traceback", "score", "manifests/our-captions", "p.json").stderr


def test_an_entry_point_that_fails_is_named(call, site: Path) -> None:
    call("build", "our-captions", "--source", site)
    (site / "captions-1.0.dist-info" / "entry_points.txt").write_text(
        "[benchwright.scorers]\ncaptions = captions:NONE\n"
    )
    (site / "p.json").write_text(json.dumps([{"sample_id": "a", "caption": "a dog"}]))
    ran = call("score", "manifests/our-captions", "p.json")
    assert (ran.returncode, "entry point 'captions'" in ran.stderr) == (2, True)


def test_what_a_scorer_says_of_its_protocols_is_what_an_audit_calls_them(call, site: Path) -> None:
    predictions = site / "predictions.json"
    predictions.write_text(json.dumps([{"sample_id": "a", "caption": "a dog"}]))
    audited = call("audit", "our-captions", "--source", site, "--predictions", predictions, "--json")
    assert audited.returncode == 0, audited.stderr
    assert [each["kind"] for each in json.loads(audited.stdout)["variants"] if each["scoring"]] == ["repair"]
