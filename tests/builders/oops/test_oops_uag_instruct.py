"""OOPS-UAG-Instruct: rule by rule on the samples, number by number on the real files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.engine.run import Build
from builders.oops.oops_uag_instruct import conversation
from schemas.errors import UsageError

BuildOf = Callable[..., Build]

NAME = "oops-uag-instruct"
PEDAL2 = "Oops, Wrong Pedal - Parking Lot Fails (October 2019)2"
PEDAL8 = "Oops, Wrong Pedal - Parking Lot Fails (October 2019)8"
GYM1 = "Gym Class Zeroes - Fitness Fails (November 2018)1"
GYM9 = "Gym Class Zeroes - Fitness Fails (November 2018)9"


def rows_of(build: Build) -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for row in build.splits["train"].to_pylist()}


def test_the_samples_fall_rule_by_rule(build_of: BuildOf, passed, reasons) -> None:
    build = build_of(NAME)
    assert [rows for _, rows in passed(build)] == [18, 14, 12, 6, 5, 5, 5, 5, 5, 5]
    assert reasons(build) == {
        ("names", "noted", "misread_key"): 6,
        ("labelled", "dropped", "no_transition_times"): 4,
        ("agreement", "dropped", "no_failure_seen"): 2,
        ("described", "dropped", "misread_key"): 5,
        ("described", "dropped", "no_description"): 1,
        ("description", "dropped", "dont_know"): 1,
    }


def test_a_row_keeps_the_span_beside_question_and_answer(build_of: BuildOf) -> None:
    row = rows_of(build_of(NAME))[GYM9]
    assert (row["start_s"], row["end_s"], row["onsets_s"]) == (0.0, 4.0, [0.0, 0.5, 0.562817])
    assert row["question"] == (
        f"Find the start time and end time of the query below from the video.\n          Query: {row['description']}"
    )
    assert row["answer"] == "start_time: 0.0, end_time: 4.0"


def test_the_first_known_description_is_taken(build_of: BuildOf, reasons) -> None:
    assert rows_of(build_of(NAME))[PEDAL2]["description"].startswith("A woman drives")
    first = build_of(NAME, description__use="first")
    assert rows_of(first)[PEDAL2]["description"].startswith("Don't know ")
    assert PEDAL8 in rows_of(first)


def test_repaired_names_are_found(build_of: BuildOf, reasons) -> None:
    build = build_of(NAME, names__repair=True)
    assert build.identity.levels["clip"].kept == 10
    assert reasons(build)["names", "changed", "repaired_key"] == 6
    assert "😂 Try Not to Laugh, Pets Edition (July 2021)3" in rows_of(build)


def test_the_scene_filter_that_the_paper_claims(build_of: BuildOf, inventory, reasons) -> None:
    given = inventory(video=[f"{GYM1}.mp4", GYM9], n_scenes=[1, 4])
    build = build_of(NAME, given={"inventory": given}, single_scene__by="inventory")
    assert list(rows_of(build)) == [GYM1]
    assert reasons(build)["single_scene", "dropped", "several_scenes"] == 1
    assert reasons(build)["single_scene", "dropped", "scene_count_unknown"] == 3


def test_templates_of_ones_own(build_of: BuildOf) -> None:
    build = build_of(NAME, conversation__question="Q: {description} {{sic}}", conversation__answer="{start}-{end}")
    row = rows_of(build)[GYM9]
    assert (row["question"], row["answer"]) == (f"Q: {row['description']} {{sic}}", "0.0-4.0")
    assert build.identity.changed_parameters == ["conversation.question", "conversation.answer"]


@pytest.mark.parametrize(
    ("key", "template", "said"),
    [
        ("question", "{start}", r"expected no placeholders but \{description\}"),
        ("answer", "{description}", r"expected no placeholders but \{end\} and \{start\}"),
        ("question", "{description.__class__}", "expected no placeholders but"),
        ("question", "{description!r}", "expected no placeholders but"),
        ("answer", "{start:>1000000000}", "expected no placeholders but"),
        ("answer", "{}", "expected no placeholders but"),
        ("answer", "{0}", "expected no placeholders but"),
        ("answer", "{start", r"conversation.answer='\{start': "),
        ("answer", "}", r"conversation.answer='\}': "),
    ],
)
def test_templates_reach_into_nothing(build_of: BuildOf, key: str, template: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build_of(NAME, **{f"conversation__{key}": template})


@given(st.lists(st.sampled_from(["{", "}", "{{", "}}", "{description}", "a", "!r", ":>9", ".x", "0"])).map("".join))
def test_a_template_is_either_refused_or_filled_by_plain_replacement(template: str) -> None:
    clips = pd.DataFrame({"description": ["a cat"], "start_s": [0.5], "end_s": [2.0]})
    try:
        (question,) = conversation(clips, question=template).columns["question"]
    except UsageError:
        return
    filled = {"{{": "{", "}}": "}", "{description}": "a cat"}
    assert question == re.sub(r"\{\{|\}\}|\{description\}", lambda match: filled[match[0]], template)


@pytest.mark.real_data
def test_the_real_files_fall_as_the_code_of_the_authors_says(
    build_of: BuildOf, real_data: Path, passed, reasons
) -> None:
    build = build_of(NAME, real_data)
    assert build.identity.levels["clip"].candidates == 16012
    assert passed(build)[1:5] == [("labelled", 6065), ("agreement", 3855), ("described", 3846), ("description", 3778)]
    assert build.identity.levels["clip"].kept == 3778
    assert reasons(build)["described", "dropped", "misread_key"] == 9
    assert reasons(build)["description", "dropped", "dont_know"] == 68


@pytest.mark.real_data
def test_repaired_names_of_the_real_files(build_of: BuildOf, real_data: Path, passed) -> None:
    build = build_of(NAME, real_data, names__repair=True)
    assert dict(passed(build))["described"] == 3855
    assert build.identity.levels["clip"].kept == 3787
