"""Evidence leads to rows, however a finding names them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from benchwright.checks.finding import Finding, Findings
from benchwright.reporting.content.evidence import evidence_of, wanted

TABLE = pa.table({"sample_id": ["a/1", "a/2", "b: c/1"], "sequence": ["a", "a", "b: c"]})


def findings(**rows: list[str]) -> Findings:
    texts: Any = {"kind": "truth", "severity": "low", "title": "", "statement": "", "numbers": {}}
    found = [Finding(id=name, rows=each, **texts) for name, each in rows.items()]
    return Findings(benchmark="invented", rows={}, checks=1, findings=found, failures=[], not_checked={})


def of(*rows: str) -> tuple[str, ...]:
    return evidence_of(findings(odd=list(rows)), TABLE)["odd"]


def test_rows_pairs_and_things_in_rows_lead_to_rows() -> None:
    assert of("a/2", "a/1 | a/2", "b: c/1") == ("a/2", "a/1", "b: c/1")
    assert of("a/1: person 3", "some system: a/2") == ("a/1", "a/2")


def test_a_sequence_leads_to_its_rows_once() -> None:
    assert of("a: person 1", "a: person 2") == ("a/1", "a/2")
    assert of("b: c") == ("b: c/1",)


def test_what_is_no_row_leads_nowhere() -> None:
    assert of("running in test", "a/9", "") == ()


def test_rows_of_small_findings_are_wanted_first() -> None:
    assert wanted(findings(many=["a"], few=["b: c/1"]), TABLE).tolist() == [2, 0, 1]
    assert wanted(findings(), TABLE).tolist() == []
