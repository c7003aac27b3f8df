"""The verb `report`: what it reads, what it refuses, what it writes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import benchwright
from benchwright.checks.run import findings
from benchwright.reporting.report import target_of
from builders.engine.registry import recipe_names
from schemas.errors import UsageError


def test_a_page_of_rows_alone(run, sample_manifest, tmp_path: Path) -> None:
    manifest, out = sample_manifest("uag-ssbd"), tmp_path / "ssbd.html"
    code, said, err = run("report", manifest.path, "--out", out)
    assert (code, said, err) == (0, f"-> {out}\n", "")
    assert manifest.identity.content_digest in out.read_text("utf-8")


def test_finished_audits_and_findings_are_read(run, sample_manifest, write, samples: Path, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    runs = ("--predictions", f"one={write(manifest)}")
    out, audit, found = tmp_path / "report.html", tmp_path / "audit.json", tmp_path / "findings.json"
    run("audit", "uag-oops", "--source", samples, *runs, "--resamples", 20, "--out", audit)
    found.write_text(run("findings", manifest.path, *runs, "--json").out)
    given = ("--audit", audit, "--findings", found, "--out", out)
    assert run("report", manifest.path, *runs, *given).code == 0
    page = out.read_text("utf-8")
    assert run("report", "uag-oops", "--source", samples, *runs, *given, "--force").code == 0
    assert out.read_text("utf-8") == page
    other = ("--predictions", f"two={write(manifest)}")
    assert "systems one, the predictions are of two" in run("report", manifest.path, *other, *given, "--force").err


def test_a_manifest_of_other_settings_is_audited_with_them(run, refused, samples: Path, tmp_path: Path) -> None:
    assert run("build", "uag-oops", "--source", samples, "--set", "onset.pick=median", "--out", tmp_path).code == 0
    out = tmp_path / "report.html"
    call = ("report", tmp_path / "uag-oops", "--out", out)
    assert run("audit", "uag-oops", "--source", samples, "--out", tmp_path / "audit.json").code == 0
    assert "audit its sources with --set onset.pick=median" in refused(*call, "--audit", tmp_path / "audit.json")
    code, _, err = run(*call, "--source", samples)
    assert (code, err) == (0, "")
    page = out.read_text("utf-8")
    assert "onset.pick=earliest" in page
    assert "<code>onset.pick=median</code>" not in page


def test_what_is_there_stays_unless_forced(run, refused, sample_manifest, tmp_path: Path) -> None:
    manifest, out = sample_manifest("uag-ssbd"), tmp_path / "ssbd.md"
    out.write_text("mine")
    call = ("report", manifest.path, "--out", out)
    assert refused(*call) == f"{out} is there already; --force replaces it"
    assert out.read_text() == "mine"
    assert run(*call, "--force").code == 0
    assert out.read_text("utf-8").startswith("# ")
    (tmp_path / "new-svg").mkdir()
    assert "new-svg is there already" in refused("report", manifest.path, "--out", tmp_path / "new.md")


def test_wrong_files_are_named(refused, sample_manifest, tmp_path: Path, samples: Path) -> None:
    manifest, wrong = sample_manifest("uag-ssbd"), tmp_path / "wrong.json"
    call = ("report", manifest.path, "--out", tmp_path / "out.html")
    wrong.write_text("[1, 2]")
    assert "expected what `audit --out` writes" in refused(*call, "--audit", wrong)
    assert "expected what `findings --json` prints" in refused(*call, "--findings", wrong)
    of_other = findings(sample_manifest("uag-oops"))
    wrong.write_bytes(msgspec.json.encode(msgspec.structs.replace(of_other, benchmark="uag-ssbd")))
    assert "another build of uag-ssbd" in refused(*call, "--findings", wrong)
    assert "no such folder" in refused(*call, "--media", tmp_path / "none")
    assert "--source names its raw files" in refused("report", "uag-ssbd", "--out", tmp_path / "out.html")
    assert not (tmp_path / "out.html").exists()


def test_formats_by_suffix(tmp_path: Path) -> None:
    found = {name: target_of(tmp_path / name).format for name in ("a.html", "a.md", "a.tex", "a", "a.b")}
    assert list(found.values()) == ["html", "markdown", "latex", "html", "html"]
    with pytest.raises(UsageError, match="named like latex, but the report is to be html"):
        target_of(tmp_path / "a.tex", "html")
    with pytest.raises(UsageError, match="no report is a PDF file"):
        target_of(tmp_path / "a.pdf")
    with pytest.raises(UsageError, match=r"unknown format 'markdwn'; did you mean markdown"):
        target_of(tmp_path / "a", "markdwn")


def test_fifty_systems(sample_manifest, write, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    runs = {f"system {number}": write(manifest, name=f"{number}.json") for number in range(50)}
    assert "system 49" in benchwright.report(manifest, tmp_path / "many.html", runs).read_text("utf-8")


@pytest.mark.parametrize("name", recipe_names())
def test_every_benchmark_has_pages(sample_manifest, tmp_path: Path, name: str) -> None:
    for suffix in (".html", ".md"):
        out = benchwright.report(sample_manifest(name), tmp_path / f"report{suffix}")
        assert out.stat().st_size > 300
