"""UAG-SSBD: one row per behaviour, on the samples and on the real files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from builders.engine.run import Build
from builders.uag_ssbd import MISSING_VIDEOS
from schemas.errors import InputError, UsageError

BuildOf = Callable[..., Build]

NAME = "uag-ssbd"


def rows_of(build: Build) -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for row in build.splits["test"].to_pylist()}


def test_the_samples_fall_rule_by_rule(build_of: BuildOf, passed, reasons) -> None:
    build = build_of(NAME)
    assert passed(build) == [("availability", 8), ("time", 8), ("description", 8)]
    assert reasons(build) == {("availability", "dropped", "missing_as_published"): 5}
    assert build.identity.findings == {"videos whose `count` differs from their behaviours": 1}


def test_rows_stand_by_file_name_then_in_document_order(build_of: BuildOf) -> None:
    rows = rows_of(build_of(NAME, availability__by="all"))
    assert len(rows) == 13
    assert list(rows) == sorted(rows)
    assert list(rows)[3:7] == [f"v_ArmFlapping_{rest}" for rest in ("16_b_01", "23_b_01", "23_b_02", "23_b_03")]


def test_a_row_is_a_behaviour_of_its_own_category(build_of: BuildOf) -> None:
    assert rows_of(build_of(NAME))["v_HeadBanging_19_b_02"] == {
        "sample_id": "v_HeadBanging_19_b_02",
        "split": "test",
        "video": "v_HeadBanging_19",
        "description": "a person is armflapping with low intensity",
        "start_s": 100.0,
        "end_s": 128.0,
        "duration_s": 128.0,
        "behaviour_id": "b_02",
        "bodypart": "hand",
        "category": "armflapping",
        "intensity": "low",
        "modality": "video",
    }


def test_times_are_minutes_and_seconds_however_they_are_written(build_of: BuildOf) -> None:
    rows = rows_of(build_of(NAME))
    spans = {name: (rows[name]["start_s"], rows[name]["end_s"]) for name in rows}
    assert spans["v_ArmFlapping_01_b_01"] == (9.0, 15.0)
    assert spans["v_Spinning_07_b_02"] == (40.0, 66.0)
    assert spans["v_Spinning_18_b_01"] == (175.0, 212.0)


def test_times_may_be_read_as_seconds_which_shows_why_they_are_not(build_of: BuildOf, reasons) -> None:
    build = build_of(NAME, time__digits="seconds")
    row = rows_of(build)["v_HeadBanging_19_b_02"]
    assert (row["start_s"], row["end_s"]) == (140.0, 208.0)
    assert reasons(build)["time", "changed", "beyond_duration"] == 3


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("as_published", "a person is spinning with high intensity"),
        ("as_printed", "A person is spinning with high intensity"),
        ("as_prompted", "A person is spinning with high intensity."),
    ],
)
def test_the_description_has_three_forms(build_of: BuildOf, form: str, text: str) -> None:
    assert rows_of(build_of(NAME, description__form=form))["v_Spinning_07_b_01"]["description"] == text


def test_availability_may_come_from_an_inventory(build_of: BuildOf, inventory, reasons) -> None:
    videos = ["v_ArmFlapping_06.mp4", "v_ArmFlapping_01", "v_Spinning_07", "v_Spinning_18"]
    given = inventory(video=videos, available=[True, False, True, None])
    build = build_of(NAME, given={"inventory": given}, availability__by="inventory")
    assert list(rows_of(build)) == ["v_ArmFlapping_06_b_01", "v_Spinning_07_b_01", "v_Spinning_07_b_02"]
    assert reasons(build) == {
        ("availability", "dropped", "not_available"): 2,
        ("availability", "dropped", "not_in_inventory"): 8,
    }


def test_without_an_inventory_there_is_nothing_to_look_into(build_of: BuildOf) -> None:
    with pytest.raises(UsageError, match="source 'inventory' not found"):
        build_of(NAME, availability__by="inventory")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0005:0019", "0005:0161", "v_ArmFlapping_16.xml: behaviour b_01: time: found '0005:0161'"),
        ("0005:0019", "0019:0005", "expected an end after the start"),
        ("0005:0019", "99:61", "expected MMSS with seconds below 60"),
        ("<?xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><?xml', "found <!DOCTYPE"),
        ("</video>", "", "expected well-formed XML"),
    ],
)
def test_broken_xml_is_an_input_error_that_names_the_place(
    build_of: BuildOf, own_samples: Path, old: str, new: str, said: str
) -> None:
    path = own_samples / "ssbd/Annotations/v_ArmFlapping_16.xml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        build_of(NAME, own_samples)
    assert said in str(caught.value)


@pytest.mark.real_data
def test_the_real_files_give_the_published_rows(build_of: BuildOf, real_data: Path, reasons) -> None:
    build = build_of(NAME, real_data)
    assert (build.identity.levels["behaviour"].candidates, build.identity.levels["behaviour"].kept) == (133, 104)
    rows = rows_of(build).values()
    videos = {row["video"] for row in rows}
    assert len(videos) == 58
    assert len(MISSING_VIDEOS) == 17
    assert videos.isdisjoint(MISSING_VIDEOS)
    assert round(sum(row["end_s"] - row["start_s"] for row in rows) / 104, 2) == 17.93
    kinds = [row["video"].split("_")[1] for row in rows]
    assert [kinds.count(kind) for kind in ("ArmFlapping", "HeadBanging", "Spinning")] == [49, 28, 27]


@pytest.mark.real_data
def test_all_real_videos(build_of: BuildOf, real_data: Path) -> None:
    build = build_of(NAME, real_data, availability__by="all")
    rows = rows_of(build).values()
    categories = [row["category"] for row in rows]
    assert [categories.count(name) for name in ("armflapping", "headbanging", "spinning")] == [61, 34, 38]
    assert len({row["video"] for row in rows}) == 75
    assert build.identity.findings == {"videos whose `count` differs from their behaviours": 1}
    assert build.identity.aggregates["videos"] == 75
    assert round(build.identity.aggregates["mean duration"] or 0, 2) == 86.53
