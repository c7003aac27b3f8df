"""Splits: shares, groups that stay whole, strata, and leaks that are refused, dropped or kept."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import benchwright
from schemas.errors import UsageError
from schemas.validation import validate

BY_TAPE = {"group_by": r"video:(.*) \d+$", "validation": 0.25}


def rows_of(manifest: Any, split: str | None = None) -> list[dict[str, Any]]:
    return manifest.table(split).to_pylist()


def test_groups_stay_whole_and_the_share_is_met(manifest_of) -> None:
    made = benchwright.instruct(manifest_of(), **BY_TAPE)
    groups = {split: {row["group"] for row in rows_of(made, split)} for split in made.splits}
    assert {split: len(rows_of(made, split)) for split in groups} == {"train": 32, "validation": 8}
    assert not groups["train"] & groups["validation"]
    assert groups["validation"] < {f"Tape {number}" for number in range(10)}
    assert validate(made) == []
    again, other = (benchwright.instruct(manifest_of(), **BY_TAPE, seed=seed) for seed in (0, 5))
    assert again.identity.content_digest == made.identity.content_digest
    assert {row["group"] for row in rows_of(other, "validation")} != groups["validation"]


def test_the_card_says_what_stays_together(manifest_of) -> None:
    audit = {"clusters": "tapes", "column": "video", "pattern": r"(.*) \d+$"}
    made = benchwright.instruct(manifest_of(**audit), validation=0.25)
    assert {row["group"] for row in rows_of(made)} == {f"Tape {number}" for number in range(10)}
    assert made.identity.parameters["split.group_by"] == "tapes"
    with pytest.raises(UsageError, match=r"comes? from a source of train"):
        benchwright.instruct(manifest_of(**audit), validation=0.25, group_by="video")


def test_strata_have_the_same_shares(manifest_of, spans) -> None:
    rows = [{**row, "duration_s": 20.0 if number < 32 else 30.0} for number, row in enumerate(spans(64, 1))]
    made = benchwright.instruct(manifest_of(rows), validation=0.25, stratify="duration_s")
    assert Counter(row["duration_s"] for row in rows_of(made, "validation")) == {20.0: 8, 30.0: 8}


def test_only_train_is_divided(manifest_of, spans) -> None:
    rows = [{**row, "split": "train" if number < 30 else "test"} for number, row in enumerate(spans())]
    made = benchwright.instruct(manifest_of(rows), validation=0.2)
    assert {split: len(rows_of(made, split)) for split in made.splits} == {"train": 24, "validation": 6, "test": 10}
    alone = benchwright.instruct(manifest_of(rows), validation=0.2, split="test")
    assert {split: len(rows_of(alone, split)) for split in alone.splits} == {"train": 8, "validation": 2}


def leaking(spans: Any) -> list[dict[str, Any]]:
    """Rows of which two of each six share a text, or nearly."""
    rows = spans(12, 1)
    for number in range(6, 12):
        rows[number]["description"] = rows[number - 6]["description"] + (" again" if number % 2 else "")
    return rows


def test_rows_whose_text_is_on_both_sides_are_refused_dropped_or_kept(manifest_of, spans) -> None:
    manifest = manifest_of(leaking(spans))
    with pytest.raises(UsageError) as caught:
        benchwright.instruct(manifest, validation=0.5)
    assert "validation would leak: " in str(caught.value)
    assert "--leaks drop leaves just these rows out" in str(caught.value)
    dropped = benchwright.instruct(manifest, validation=0.5, leaks="drop")
    texts = [{row["turns"][0]["text"] for row in rows_of(dropped, split)} for split in dropped.splits]
    assert not texts[0] & texts[1]
    ledger = dropped.ledger().to_pylist()
    assert {row["reason"] for row in ledger} <= {"leak_text", "leak_near_text"}
    assert len(ledger) + sum(map(len, map(rows_of, [dropped]))) == 12
    assert validate(dropped) == []
    kept = benchwright.instruct(manifest, validation=0.5, leaks="keep")
    assert len(rows_of(kept)) == 12
    assert {warning.check for warning in kept.identity.warnings} == {"leak"}


def test_a_validation_that_leaks_leave_few_rows_of_is_told(manifest_of, spans) -> None:
    rows = spans(12, 1)
    for number in range(1, 12):
        rows[number]["description"] = rows[0]["description"]
    made = benchwright.instruct(manifest_of(rows + spans(16, 1)[12:]), validation=0.5, leaks="drop", seed=1)
    (warning,) = made.identity.warnings
    assert warning.check == "few"
    assert warning.message.startswith(f"leaks leave {len(rows_of(made, 'validation'))} of 8 rows in validation: ")


def test_rows_of_a_benchmark_are_refused_or_dropped(manifest_of, spans) -> None:
    rows, others = spans(8, 1), spans(8, 1)[:2]
    others[1] |= {"video": "another", "sample_id": "another"}
    benchmark = manifest_of([{**row, "split": "test"} for row in others], name="benchmark")
    with pytest.raises(UsageError, match=r"1 of 8 rows are of a video or an image of benchmark \(such as 'Tape 0 0'\)"):
        benchwright.instruct(manifest_of(rows), against=[benchmark])
    made = benchwright.instruct(manifest_of(rows), against=[benchmark], leaks="drop", templates="spans")
    reasons = Counter((row["reason"], row["key"].partition("#")[0]) for row in made.ledger().to_pylist())
    assert reasons == {("leak_video", "Tape 0 0"): 4, ("leak_text", "Tape 1 0"): 4}
    assert benchmark.identity.content_digest in made.identity.parameters["split.against"]
    lent = {other for row in rows_of(made) for other in row["others"]}
    assert lent
    assert not lent & {"Tape 0 0", "Tape 1 0"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"validation": 1.0}, "expected a share of the rows"),
        ({"validation": -0.1}, "expected a share of the rows"),
        ({"validation": float("nan")}, "expected a share of the rows"),
        ({"group_by": "vido"}, r"--group-by: unknown column 'vido'; did you mean video\?"),
        ({"group_by": "video:("}, r"pattern '\('"),
        ({"group_by": "video:abc"}, "expected a group"),
        ({"stratify": "video"}, "--stratify is for --validation"),
        ({"validation": 0.1, "stratify": "x"}, "--stratify: unknown column 'x'"),
        ({"validation": 0.1, "group_by": "split"}, "all rows share one of the values of split"),
        ({"leaks": "allow"}, "unknown way with leaks 'allow'"),
        ({"templates": "span"}, r"no such file; did you mean spans\?"),
        ({"split": "tran"}, r"unknown split 'tran'; did you mean train\?"),
    ],
)
def test_options_that_make_no_sense(manifest_of, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        benchwright.instruct(manifest_of(), **options)


def test_a_split_validation_is_not_made_twice(manifest_of, spans) -> None:
    rows = [{**row, "split": ("train", "validation")[number % 2]} for number, row in enumerate(spans(8, 1))]
    with pytest.raises(UsageError, match="has a split validation already"):
        benchwright.instruct(manifest_of(rows), validation=0.5)
