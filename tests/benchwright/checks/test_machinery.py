"""What findings are made of: thresholds, grades, candidates, and JSON that can be read back."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

import benchwright
from benchwright.checks.finding import Check, Evidence, Finding, read_findings
from benchwright.checks.registry import MODULES, all_checks
from benchwright.checks.run import statements
from benchwright.checks.sources import source_findings
from benchwright.cli.finding import _show
from schemas.errors import BenchwrightError
from schemas.manifest import Manifest

Made = Callable[..., Manifest]


def by_id(found: Any) -> dict[str, Finding]:
    return {each.id: each for each in found.findings}


def test_every_check_has_an_id_of_its_own() -> None:
    modules = [import_module(f"benchwright.checks.{name}") for name in MODULES]
    checks = {id(each): each for module in modules for each in vars(module).values() if isinstance(each, Check)}
    assert len(checks) == len(all_checks()[0])


def test_thresholds_are_set_by_check_and_name(sample_manifest: Made, run: Callable[..., Any]) -> None:
    manifest = sample_manifest("uag-ssbd")
    assert "short-span" not in by_id(benchwright.findings(manifest, thresholds={"short-span.seconds": 0.001}))
    found = by_id(benchwright.findings(manifest, thresholds={"short-span.seconds": "500"}))["short-span"]
    assert (found.numbers["seconds"], found.numbers["count"]) == (500, found.numbers["of"])
    assert "shorter than 500 s" in run("findings", manifest.path, "--set", "short-span.seconds=500").out
    found = by_id(benchwright.findings(manifest, thresholds={"coarse-times.steps": "7,5", "coarse-times.share": 0.0}))
    assert found["coarse-times"].numbers["step"] == 7


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"short-spam.seconds": 1}, "short-span"),
        ({"short-span.second": 1}, "seconds"),
        ({"short-span.seconds": "long"}, "short-span.seconds='long': expected a number, 0 or more"),
        ({"short-span.seconds": -1}, "expected a number, 0 or more"),
        ({"coarse-times.steps": ""}, "expected numbers, 0 or more"),
        ({"short-span": 1}, "expected CHECK.THRESHOLD=VALUE"),
    ],
)
def test_thresholds_that_are_none_are_refused(sample_manifest: Made, given: dict[str, Any], told: str) -> None:
    with pytest.raises(BenchwrightError, match=re.escape(told)):
        benchwright.findings(sample_manifest("uag-ssbd"), thresholds=given)


def test_findings_are_read_back_as_they_were(sample_manifest: Made, run: Callable[..., Any], tmp_path: Path) -> None:
    manifest = sample_manifest("uag-ssbd")
    file = tmp_path / "findings.json"
    file.write_text(run("findings", manifest.path, "--json").out)
    assert read_findings(file) == benchwright.findings(manifest)
    file.write_text('{"benchmark": "uag-ssbd"}')
    with pytest.raises(BenchwrightError, match="expected what `findings --json` prints"):
        read_findings(file)


def test_what_a_build_remarked_is_a_finding(sample_manifest: Made) -> None:
    found = by_id(benchwright.findings(sample_manifest("uag-ssbd")))
    remarked = found["source-videos-whose-count"]
    assert (remarked.kind, remarked.numbers["count"], remarked.source) == ("source", 1, "raw files")
    assert len(remarked.rows) == 1


def test_a_finding_takes_the_grade_of_its_alternative(
    sample_manifest: Made, samples: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    """Without an audit it is judged here, to the same grade."""
    manifest = sample_manifest("uag-oops")
    rows = manifest.to_pandas()[["sample_id", "start_s", "end_s"]]
    systems = tmp_path / "systems"
    systems.mkdir()
    for name, later in (("silent", None), ("late", 4.0), ("early", 1.0)):
        rows.assign(start_s=rows["start_s"] + (later or 0), end_s=rows["end_s"] + (later or 0)).iloc[
            :: 2 if later is None else 1
        ].to_parquet(systems / f"{name}.parquet")
    file = tmp_path / "audit.json"
    ran = run("audit", "uag-oops", "--source", samples, "--predictions", systems, "--out", file)
    assert ran.code == 0, ran.err
    graded = by_id(benchwright.findings(manifest, systems, audit=file))
    assert graded["null-hits"].grade is not None
    builds = benchwright.variants("uag-oops", samples)
    assert graded["null-hits"] == by_id(benchwright.findings(manifest, systems))["null-hits"]
    assert graded["misread-names"] == by_id(benchwright.findings(manifest, systems, builds=builds))["misread-names"]
    with pytest.raises(BenchwrightError, match=r"the audit is of uag-oops, .* a manifest of uag-ssbd"):
        benchwright.findings(sample_manifest("uag-ssbd"), audit=file)


def test_a_choice_is_called_as_an_audit_calls_it() -> None:
    assert Evidence({}, [], parameter="names.repair", alternative=True).key == "names.repair=true"
    assert Evidence({}, [], parameter="single_scene.lift", alternative=True).key == "lift single_scene"
    assert Evidence({}, []).key is None


def test_the_raw_files_must_be_those_of_the_manifest(
    sample_manifest: Made, samples: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    median = sample_manifest("uag-oops", onset__pick="median")
    assert run("findings", median.path, "--source", samples).code == 0
    other = Path(shutil.copytree(median.path, tmp_path / "other"))
    text = (other / "manifest.json").read_text()
    (other / "manifest.json").write_text(re.sub(r'("onset.pick": *)"median"', r'\1"latest"', text))
    assert "gives other rows than" in run("findings", other, "--source", samples).err


def test_hostile_names_are_shown_as_text_and_no_more_than_twenty(
    sample_manifest: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    found = benchwright.findings(sample_manifest("uag-ssbd"))
    hostile = msgspec.structs.replace(found.findings[0], rows=["\x1b[31m[red]x"], numbers={"count": 1, "of": 9})
    _show(msgspec.structs.replace(found, findings=[hostile] * 25))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert out.count("Such as ") == 20
    assert "[red]x" in out
    assert "and 5 findings more, all of --json: " in out


def test_remarks_of_builds_have_short_ids_of_their_own(sample_manifest: Made) -> None:
    identity = sample_manifest("uag-ssbd").identity
    remarks = {"boxes that begin at pixel 0 (or 1)": 2, "boxes that begin at pixel 7": 1, "\u6ca1\u6709": 3, "!": 1}
    found = source_findings(msgspec.structs.replace(identity, findings=remarks))
    assert [each.id for each in found] == [
        "source-boxes-that-begin",
        "source-boxes-that-begin-2",
        "source-\u6ca1\u6709",
        "source-remark",
    ]


def test_what_a_paper_prints_is_held_against_its_own_rows_alone(sample_manifest: Made) -> None:
    found = benchwright.findings(sample_manifest("uag-oops"))
    silent = {"claims", "characters-for-words", "generous-row"}
    assert {found.not_checked[each] for each in silent} == {"needs the rows that the paper counts"}
    assert not silent & set(by_id(found))


def test_front_pages_get_what_the_build_remarked_once_and_with_names(sample_manifest: Made) -> None:
    manifest = sample_manifest("densepose-person")
    assert manifest.identity.findings
    told = statements(manifest)
    assert told
    assert not [each for each in told if each.startswith("source-")]
