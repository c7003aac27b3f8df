"""UAG-OOPS: rule by rule on the samples, number by number on the real files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.engine.run import Build
from schemas.errors import InputError, UsageError

BuildOf = Callable[..., Build]

NAME = "uag-oops"
LADDER0 = "Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity0"
LADDER4 = "Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity4"
LADDER12 = "Ladder Lessons - Best Slips of the Week (March 2021) _ SlipCity12"
SNOW3 = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity3"
DAD5 = "Dad's Workshop Disasters - Don't Try This (June 2019)5"
DAD11 = "Dad's Workshop Disasters - Don't Try This (June 2019)11"
NOBODY3 = "Nobody’s Perfect - Kitchen Mishaps (April 2022) _ SlipCity3"
SKATE3 = "Skate Park Surprises  (Ep. 4)3"
SKATE17 = "Skate Park Surprises  (Ep. 4)17"


def rows_of(build: Build) -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for row in build.splits["test"].to_pylist()}


def test_the_samples_fall_rule_by_rule(build_of: BuildOf, passed, reasons) -> None:
    build = build_of(NAME)
    assert passed(build) == [
        ("names", 24),
        ("labelled", 24),
        ("agreement", 18),
        ("described", 15),
        ("single_scene", 12),
        ("description", 12),
        ("onset", 12),
        ("end", 12),
        ("valid_span", 12),
    ]
    assert reasons(build) == {
        ("names", "noted", "misread_key"): 3,
        ("agreement", "dropped", "no_failure_seen"): 6,
        ("described", "dropped", "misread_key"): 2,
        ("described", "dropped", "no_description"): 1,
        ("single_scene", "dropped", "several_scenes"): 3,
    }


def test_a_row_holds_all_onsets_and_the_held_out_one(build_of: BuildOf) -> None:
    assert rows_of(build_of(NAME))[LADDER0] == {
        "sample_id": LADDER0,
        "split": "test",
        "video": LADDER0,
        "description": "A man wants to clean the gutters from a ladder."
        " The ladder slides sideways and he drops into a hedge.",
        "start_s": 2.104381,
        "end_s": 6.0,
        "duration_s": 6.0,
        "onsets_s": [2.104381, 2.31674, 2.590112],
        "n_notfound": 0,
        "heldout_onset_s": 2.25091,
        "heldout_saw_failure": True,
    }


def test_the_held_out_annotator_may_have_seen_nothing_or_not_been_asked(build_of: BuildOf, own_samples: Path) -> None:
    row = rows_of(build_of(NAME))[LADDER4]
    assert (row["heldout_onset_s"], row["heldout_saw_failure"]) == (None, False)
    (own_samples / "oops/heldout_transition_times.json").unlink()
    rows = rows_of(build_of(NAME, own_samples)).values()
    assert {(row["heldout_onset_s"], row["heldout_saw_failure"]) for row in rows} == {(None, None)}
    assert len(rows) == 12


def test_rows_stand_in_the_order_of_the_split_list(build_of: BuildOf, samples: Path) -> None:
    names = (samples / "oops/val_filtered.txt").read_text(encoding="utf-8").splitlines()
    rows = rows_of(build_of(NAME))
    assert list(rows) == [name for name in names if name in rows]


def test_fewer_annotators_may_agree_and_onsets_are_of_those_who_saw_one(build_of: BuildOf, reasons) -> None:
    build = build_of(NAME, agreement__max_notfound=1, single_scene__by="skip")
    row = rows_of(build)[LADDER12]
    assert (row["n_notfound"], row["onsets_s"], row["start_s"]) == (1, [4.110392, 4.287766], 4.110392)
    assert reasons(build)["agreement", "dropped", "no_failure_seen"] == 3
    everyone = build_of(NAME, agreement__max_notfound=2, single_scene__by="skip")
    assert reasons(everyone)["agreement", "dropped", "no_failure_seen"] == 2


@pytest.mark.parametrize(
    ("pick", "start"), [("earliest", 2.25), ("median", 2.461104), ("mean", 7.219303 / 3), ("latest", 2.508199)]
)
def test_the_onset_is_any_statistic_of_the_onsets(build_of: BuildOf, pick: str, start: float) -> None:
    assert math.isclose(rows_of(build_of(NAME, onset__pick=pick))[DAD5]["start_s"], start)


@pytest.mark.parametrize(("use", "start"), [("first", "Don't know The"), ("first_known", "A man drills"), ("both", "")])
def test_the_description_is_the_first_the_first_known_or_both(build_of: BuildOf, use: str, start: str) -> None:
    text = rows_of(build_of(NAME, description__use=use))[DAD5]["description"]
    assert text.startswith(start)
    assert ("A man drills" in text and "Don't know" in text) == (use == "both")


def test_a_clip_that_nobody_knew_falls_where_a_known_description_is_asked_for(build_of: BuildOf, reasons) -> None:
    build = build_of(NAME, description__use="first_known")
    assert reasons(build)["description", "dropped", "dont_know"] == 1
    assert SKATE17 not in rows_of(build)


def test_repaired_names_find_descriptions_but_nobody_counted_their_scenes(build_of: BuildOf, passed, reasons) -> None:
    build = build_of(NAME, names__repair=True)
    assert dict(passed(build))["described"] == 17
    assert dict(passed(build))["single_scene"] == 12
    assert reasons(build)["names", "changed", "repaired_key"] == 3
    assert reasons(build)["single_scene", "dropped", "scene_count_unknown"] == 2
    assert NOBODY3 in rows_of(build_of(NAME, names__repair=True, single_scene__by="skip"))


def test_an_exact_key_is_never_replaced_by_a_repaired_one(build_of: BuildOf, own_samples: Path) -> None:
    path = own_samples / "oops/svos/val.json"
    descriptions = json.loads(path.read_text(encoding="utf-8"))
    descriptions[NOBODY3] = [{"goal": "exact", "wentwrong": "key"}] * 2
    path.write_text(json.dumps(descriptions), encoding="utf-8")
    for repair in (False, True):
        build = build_of(NAME, own_samples, names__repair=repair, single_scene__by="skip")
        assert rows_of(build)[NOBODY3]["description"] == "exact key"


def test_scenes_may_be_counted_by_an_inventory(build_of: BuildOf, inventory, reasons) -> None:
    given = inventory(video=[f"{LADDER0}.mp4", DAD11, LADDER4], n_scenes=[1, 3, None])
    build = build_of(NAME, given={"inventory": given}, single_scene__by="inventory")
    assert list(rows_of(build)) == [LADDER0]
    assert reasons(build)["single_scene", "dropped", "several_scenes"] == 1
    assert reasons(build)["single_scene", "dropped", "scene_count_unknown"] == 13
    entries = [entry for entry in build.ledger.to_pylist() if entry["key"] == DAD11]
    assert entries[0]["values"] == [{"name": "n_scenes", "value": 3.0}]


def test_the_end_may_be_probed_and_is_needed(build_of: BuildOf, inventory, reasons) -> None:
    given = inventory(video=[LADDER0, LADDER4], duration_s=[5.75, None])
    build = build_of(NAME, given={"inventory": given}, end__of="probed")
    row = rows_of(build)[LADDER0]
    assert (row["end_s"], row["duration_s"]) == (5.75, 5.75)
    assert reasons(build)["valid_span", "dropped", "time_unknown"] == 11


@pytest.mark.parametrize(
    ("on_invalid", "action", "start"), [("keep", "noted", 7.7531), ("clip", "changed", 7.75), ("drop", "dropped", None)]
)
def test_spans_that_start_at_their_end(build_of: BuildOf, reasons, on_invalid: str, action: str, start) -> None:
    build = build_of(NAME, onset__pick="latest", valid_span__on_invalid=on_invalid)
    assert reasons(build)["valid_span", action, "starts_at_end"] == 2
    rows = rows_of(build)
    assert (SNOW3 in rows, SKATE3 in rows) == (start is not None, start is not None)
    assert start is None or rows[SNOW3]["start_s"] == start
    entry = next(e for e in build.ledger.to_pylist() if e["rule"] == "valid_span" and e["key"] == SNOW3)
    assert entry["values"] == [{"name": "start_s", "value": 7.7531}, {"name": "end_s", "value": 7.75}]


@pytest.mark.parametrize("key", ["single_scene__by", "end__of"])
def test_an_inventory_that_is_not_there_is_a_usage_error(build_of: BuildOf, key: str) -> None:
    with pytest.raises(UsageError, match="source 'inventory' not found"):
        build_of(NAME, **{key: "inventory" if key.startswith("single") else "probed"})


def test_a_name_that_stands_twice_in_the_split_list_is_an_input_error(build_of: BuildOf, own_samples: Path) -> None:
    path = own_samples / "oops/val_filtered.txt"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{LADDER0}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"val_filtered.txt: line 25: name: found .* again, expected each once"):
        build_of(NAME, own_samples)


@pytest.mark.parametrize(
    ("file", "content"), [("transition_times.json", "{}"), ("svos/val.json", "{}"), ("single_scene_val.json", "[]")]
)
@pytest.mark.parametrize("use", ["first", "first_known", "both"])
def test_a_source_without_clips_leaves_no_rows(
    build_of: BuildOf, own_samples: Path, file: str, content: str, use: str
) -> None:
    (own_samples / "oops" / file).write_text(content)
    build = build_of(NAME, own_samples, description__use=use)
    assert (build.identity.levels["clip"].candidates, build.splits["test"].num_rows) == (24, 0)


@pytest.mark.real_data
def test_the_real_files_fall_as_the_paper_says(build_of: BuildOf, real_data: Path, passed, reasons) -> None:
    build = build_of(NAME, real_data)
    assert [rows for _, rows in passed(build)] == [4711, 4711, 2906, 2903, 1589, 1589, 1589, 1589, 1589]
    assert reasons(build) == {
        ("names", "noted", "misread_key"): 5,
        ("agreement", "dropped", "no_failure_seen"): 1805,
        ("described", "dropped", "misread_key"): 3,
        ("single_scene", "dropped", "several_scenes"): 1314,
    }
    rows = rows_of(build).values()
    assert sum(row["start_s"] == 0 for row in rows) == 56
    assert sum(row["heldout_saw_failure"] is False for row in rows) == 69
    assert sum("Don't know" in row["description"] for row in rows) == 94


@pytest.mark.real_data
def test_repaired_names_of_the_real_files(build_of: BuildOf, real_data: Path, passed, reasons) -> None:
    build = build_of(NAME, real_data, names__repair=True)
    assert [dict(passed(build))[rule] for rule in ("described", "single_scene")] == [2906, 1589]
    assert reasons(build)["single_scene", "dropped", "scene_count_unknown"] == 3


@pytest.mark.real_data
def test_the_latest_onset_makes_four_spans_that_start_at_their_end(build_of: BuildOf, real_data: Path, reasons) -> None:
    build = build_of(NAME, real_data, onset__pick="latest")
    assert reasons(build)["valid_span", "noted", "starts_at_end"] == 4
    assert build.identity.levels["clip"].kept == 1589


@pytest.mark.real_data
@pytest.mark.parametrize(("max_notfound", "agreed", "described"), [(1, 3559, None), (2, 4020, 3554)])
def test_fewer_agreeing_annotators_of_the_real_files(
    build_of: BuildOf, real_data: Path, passed, max_notfound: int, agreed: int, described: int | None
) -> None:
    left = dict(passed(build_of(NAME, real_data, agreement__max_notfound=max_notfound)))
    assert left["agreement"] == agreed
    assert described in (None, left["described"])
