"""The ledger as people ask for it, from Python and the command line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import benchwright
from benchwright.entries import flat
from schemas.errors import UsageError


def test_entries_are_those_of_the_ledger_with_a_sentence(sample_manifest) -> None:
    manifest = sample_manifest("uag-oops")
    assert benchwright.ledger(manifest).drop_columns("why").equals(manifest.ledger())
    of_rule = benchwright.ledger(manifest, rule="described")
    assert Counter(of_rule["reason"].to_pylist()) == {"misread_key": 2, "no_description": 1}
    assert of_rule["why"].to_pylist()[0] == "nobody described it"
    dropped = {c.rule: c.dropped for c in manifest.identity.counts if c.dropped}
    assert Counter(benchwright.ledger(manifest, action="dropped")["rule"].to_pylist()) == dropped
    assert len(benchwright.ledger(manifest, reason="misread_key", action="noted")) == 3
    assert len(benchwright.ledger(manifest, reason="misread_key", rule="agreement")) == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rule": "agrement"}, "unknown rule 'agrement'; did you mean agreement?"),
        ({"reason": "no_failure"}, "unknown reason 'no_failure'; did you mean no_failure_seen"),
        ({"action": "drop"}, "unknown action 'drop'; did you mean dropped? (known: dropped, changed, noted)"),
        ({"rule": 3}, "rule=3: expected a name"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(sample_manifest, asked: dict, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        benchwright.ledger(sample_manifest("uag-oops"), **asked)
    assert said in str(refused.value)


def test_the_verb_shows_counts_and_rows(run, sample_manifest) -> None:
    folder = sample_manifest("densepose-person").path
    shown = run("ledger", folder, "--action", "dropped").out
    assert "\n36 rows\n" in shown
    assert "900100800103 of 800103" in shown
    assert "person 900100800103 is a crowd, without masks" in shown
    assert "the ledger has no such rows" in run("ledger", folder, "--action", "noted").out


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_rows_are_written(run, sample_manifest, tmp_path: Path, suffix: str) -> None:
    manifest, out = sample_manifest("coco-person"), tmp_path / f"rows.{suffix}"
    assert run("ledger", manifest.path, "--rule", "small_person", "--out", out).out == f"{out}: 7 rows\n"
    expected = benchwright.ledger(manifest, rule="small_person")
    if suffix == "parquet":
        assert pq.read_table(out).equals(expected)
    elif suffix == "csv":
        table = csv.read_csv(out)
        assert table["values"][0].as_py() == "person=183023; area=2246.34; min_area=2247"
        assert table["why"].to_pylist() == expected["why"].to_pylist()
    assert run("ledger", manifest.path, "--rule", "small_person", "--json").json == flat(expected).to_pylist()


def test_a_number_that_is_not_there_is_blank() -> None:
    values = pa.array([[{"name": "n", "value": None}, {"name": "least", "value": 0.1}], []])
    assert flat(pa.table({"values": values}))["values"].to_pylist() == ["n=; least=0.1", ""]
