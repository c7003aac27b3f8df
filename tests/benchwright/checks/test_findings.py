"""Findings of invented rows, each with its fault, and without it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchwright
from benchwright.checks import registry
from benchwright.checks.context import folded
from benchwright.checks.finding import Check, Evidence, Finding, check
from benchwright.checks.fitting import start_at
from benchwright.checks.near import near_texts
from benchwright.checks.spans import duplicate_rows, near_duplicate_spans, repeated_moments
from benchwright.checks.texts import ambiguous_queries, dont_know, few_queries
from benchwright.checks.times import coarse_times, long_spans, outside_video, short_span, whole_video
from schemas.manifest import Manifest

COLUMNS = ["video", "description", "start_s", "end_s", "duration_s"]


class Given:
    """Rows that checks look at, in place of a manifest."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.variants = frame, None


def spans(*rows: tuple[Any, ...]) -> Any:
    frame = pd.DataFrame(rows, columns=COLUMNS)
    names = [f"row {number}" for number in range(len(frame))]
    return Given(frame.assign(sample_id=names, split="test", text=frame["description"].map(folded)))


SOUND = spans(*[(f"v{n}", f"query {n}", 2.13 + n, 6.37 + n, 40.0) for n in range(12)])


@pytest.mark.parametrize(
    ("made", "faulty", "rows"),
    [
        (
            duplicate_rows,
            spans(("a", "He is.", 1, 5, 9), ("a", "he is", 1, 5, 9), ("b", "he is", 1, 5, 9)),
            [0, 1],
        ),
        (repeated_moments, spans(("a", "x", 1, 5, 9), ("a", "y", 1, 5, 9), ("a", "y", 2, 5, 9)), [0, 1]),
        (ambiguous_queries, spans(("a", "x", 1, 5, 9), ("a", "X!", 6, 8, 9), ("b", "x", 6, 8, 9)), [0, 1]),
        (few_queries, spans(*[(str(n), "x", 1, 5, 9) for n in range(5)]), [0, 1, 2, 3, 4]),
        (outside_video, spans(("a", "x", -0.1, 5, 9), ("b", "x", 1, 10.1, 9), ("c", "x", 1, 10, 9)), [0, 1]),
        (whole_video, spans(("a", "x", 0.9, 8.1, 9), ("b", "x", 1, 9, 9)), [0]),
        (short_span, spans(("a", "x", 1, 1.9, 9), ("b", "x", 1, 2, 9)), [0]),
        (long_spans, spans(*[(str(n), "x", 0, 5 + n / 10, 99) for n in range(9)], ("z", "x", 0, 90, 99)), [9]),
        (coarse_times, spans(("a", "x", 1, 5.5, 9), ("b", "y", 3, 5.5, 9)), [0, 1]),
        (dont_know, spans(("a", "Don't knowDon't know", 1, 5, 9), ("b", "He falls", 1, 5, 9)), [0]),
    ],
    ids=lambda each: each.id if isinstance(each, Check) else "",
)
def test_rows_with_the_fault_are_named_and_sound_ones_are_not(made: Check, faulty: Any, rows: list[int]) -> None:
    evidence = made.run(faulty)
    assert evidence is not None
    assert list(evidence.rows) == [f"row {row}" for row in rows]
    assert evidence.numbers["count"] == len(rows)
    assert made.run(SOUND) is None
    assert "{" not in made.finding(evidence).statement


def test_moments_that_nearly_coincide() -> None:
    found = near_duplicate_spans.run(spans(("a", "x", 0, 10, 20), ("a", "y", 0.5, 10, 20), ("a", "z", 1, 10, 20)))
    assert found is not None
    assert list(found.rows) == ["row 0 | row 1", "row 1 | row 2"]  # 9.5/10 and 9/9.5; 9/10 is not above 0.9
    assert near_duplicate_spans.run(SOUND) is None


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join), max_size=8), st.floats(0.3, 1))
def test_near_texts_are_those_of_all_pairs(texts: list[str], least: float) -> None:
    bags = {text: set(text.split()) - {"a", "s", "t"} for text in texts}
    naive = {
        x
        for x, bag in bags.items()
        for y, other in bags.items()
        if x != y and min(len(bag), len(other)) >= 1 and len(bag & other) >= least * len(bag | other)
    }
    found = near_texts(texts, texts, least, fewest=1)
    assert set(found) == naive
    assert all(text != other and other in texts for text, other in found.items())


def test_the_fitted_start_is_near_most_others() -> None:
    rows = pd.DataFrame({"start_s": [0.0, 3.0, 4.0, 5.0, 9.0], "duration_s": 10.0})
    assert start_at(rows, 1).fitted(rows) == 4
    clusters = pd.Series(["a", "b", "b", "b", "c"])
    assert start_at(rows, 1).left_out(rows, clusters).T.tolist() == [[4, 0, 0, 0, 4]]


def by_id(found: Any) -> dict[str, Finding]:
    return {each.id: each for each in found.findings}


def test_a_guess_that_beats_the_best_system_is_high(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("uag-oops")
    rows = manifest.to_pandas()[["sample_id", "start_s", "end_s"]]
    late = rows.assign(start_s=500.0, end_s=501.0)
    found = by_id(benchwright.findings(manifest, {"late": late}, against=manifest))
    assert found["blind-constant"].severity == "high"
    assert found["blind-constant"].numbers["best"] == 0
    assert found["constant-system"].numbers["count"] == found["beyond-clip"].numbers["count"] == len(rows)
    assert found["leak-text"].numbers["count"] == found["leak-video"].numbers["count"] == len(rows)
    assert "blind-constant" not in by_id(benchwright.findings(manifest, {"exact": rows}, against=manifest))


@pytest.mark.parametrize("name", ["charades-sta", "uag-funqa", "coco-person", "voc-person", "jrdb-par"])
def test_no_check_fails_on_the_samples(sample_manifest: Callable[..., Manifest], name: str) -> None:
    manifest = sample_manifest(name)
    found = benchwright.findings(manifest, against=manifest)
    assert found.failures == []
    assert by_id(found)["leak-video"].numbers["count"] == sum(found.rows.values())


@check("always-fails", "truth", "any", "t", "s")
def always_fails(context: Any) -> Evidence | None:
    raise KeyError("nothing")


@check("exits", "truth", "any", "t", "s")
def exits(context: Any) -> Evidence | None:
    raise SystemExit(3)


@check("counts-nothing", "truth", "any", "{seen} seen", "s")
def counts_nothing(context: Any) -> Evidence | None:
    return Evidence({"seen": 3}, ["one"])


@check("own", "truth", "any", "{count} of a check of one's own", "s")
def own(context: Any) -> Evidence | None:
    return Evidence({"count": 1, "of": 1000}, ["one"])


def test_checks_of_others_join_and_one_that_raises_bars_none(
    monkeypatch: pytest.MonkeyPatch, sample_manifest: Callable[..., Manifest], run: Callable[..., Any]
) -> None:
    values = {"own": f"{__name__}:own", "fails": f"{__name__}:always_fails", "text": "builtins:len"}
    values |= {"exits": f"{__name__}:exits", "counts-nothing": f"{__name__}:counts_nothing"}
    points = [EntryPoint(name, value, registry.GROUP) for name, value in values.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == registry.GROUP else [])
    manifest = sample_manifest("uag-ssbd")
    found = benchwright.findings(manifest)
    assert (by_id(found)["own"].severity, by_id(found)["own"].title) == ("low", "1 of a check of one's own")
    assert by_id(found)["counts-nothing"].title == "3 seen"
    assert {each.id: each.error for each in found.failures} == {
        "always-fails": "KeyError: 'nothing'",
        "exits": "SystemExit: 3",
        "text (builtins:len)": "TypeError: found builtin_function_or_method, expected a function with @check",
    }
    ran = run("findings", manifest.path)
    assert ran.code == 0
    assert "check always-fails failed: KeyError: 'nothing'" in ran.err
    assert run("findings", manifest.path, "--strict").code == 1


def test_the_verb(
    run: Callable[..., Any], samples: Path, tmp_path: Path, sample_manifest: Callable[..., Manifest]
) -> None:
    out = tmp_path / "rows.csv"
    ran = run("findings", "uag-ssbd", "--source", samples, "--out", out)
    assert ran.code == 0, ran.err
    assert "coarse-times: " in ran.out
    assert "not checked, needs --against: leak-video" in ran.out
    assert out.read_text().splitlines()[0] == '"finding","severity","row"'
    assert '"id":' in run("findings", sample_manifest("uag-ssbd").path, "--json").out.replace(" ", "")
    assert "expected" in run("findings", tmp_path).err
    assert "uag-ssbd is a benchmark: --source names its raw files" in run("findings", "uag-ssbd").err
    boxes, spans = (sample_manifest(name).path for name in ("coco-person", "uag-ssbd"))
    assert "is a manifest of boxes" in run("findings", spans, "--against", boxes).err
