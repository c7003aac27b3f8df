"""Conversations: texts, numbers, read back; tasks; what is left out and why; what is refused."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import benchwright
from schemas.digest import split_digest
from schemas.errors import InputError, UsageError
from schemas.instruction import INSTRUCTION_SCHEMA
from schemas.validation import validate
from scorers.answers import parse_answers

Rows = list[dict[str, Any]]


def rows_of(manifest: Any, split: str | None = None) -> Rows:
    return manifest.table(split).to_pylist()


def said(row: dict[str, Any]) -> tuple[str, str]:
    return tuple(turn["text"] for turn in row["turns"])


def test_the_paper_s_question_and_answer_are_the_default(sample_manifest) -> None:
    source = sample_manifest("oops-uag-instruct")
    made = benchwright.instruct(source)
    own = {row["sample_id"]: (row["question"], row["answer"]) for row in rows_of(source)}
    assert {row["source_id"]: said(row) for row in rows_of(made)} == own
    assert made.table().schema.equals(INSTRUCTION_SCHEMA)
    assert validate(made) == []


def test_a_manifest_built_with_other_templates_keeps_them(sample_manifest) -> None:
    source = sample_manifest("oops-uag-instruct", conversation__answer="{start} - {end}")
    assert [said(row)[1] for row in rows_of(benchwright.instruct(source))] == source.table()["answer"].to_pylist()


def test_the_authors_file_from_conversations(sample_manifest, tmp_path) -> None:
    source = sample_manifest("oops-uag-instruct")
    made = benchwright.instruct(source, tmp_path / "made")
    for name, manifest in (("a.json", source), ("b.json", tmp_path / "made")):
        benchwright.export(manifest, "official", tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert validate(made) == []
    parted = benchwright.instruct(source, validation=0.5, group_by="video", leaks="keep")
    with pytest.raises(UsageError, match="name one of them"):
        benchwright.export(parted, "official", tmp_path / "c.json")
    with pytest.raises(UsageError, match="uag-oops published no conversations"):
        benchwright.export(benchwright.instruct(sample_manifest("uag-oops")), "official", tmp_path / "c.json")


@pytest.mark.real_data
def test_the_authors_file_from_real_conversations(real_manifest, tmp_path) -> None:
    benchwright.export(benchwright.instruct(real_manifest("oops-uag-instruct")), "official", tmp_path / "a.json")
    benchwright.export(real_manifest("oops-uag-instruct"), "official", tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_the_templates_of_the_documentation(manifest_of, templates) -> None:
    page = (Path(__file__).parents[3] / "docs" / "instruct.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made = benchwright.instruct(manifest_of(), templates=templates(text))
    names = Counter(row["template"].partition(":")[0] for row in rows_of(made))
    assert names["localise-1"] > names["localise-2"] > 0
    assert names["verify-1"] == 40


FORMATS = """
[localise]
questions = ["{description|lower|plain} in {duration:.0f} s?"]
answers = ["%s"]
"""


@pytest.mark.parametrize(
    ("answer", "scale", "expected", "loss"),
    [
        ("from {start} to {end}", "seconds", "from 1.25 to 13.375", 0.0),
        ("{start:.1f} - {end:.1f}", "seconds", "1.2 - 13.4", 0.05),
        ("{start|mm:ss} to {end|mm:ss}", "seconds", "00:01 to 00:13", 0.375),
        ("from {start|hh:mm:ss} to {end|hh:mm:ss}", "seconds", "from 00:00:01 to 00:00:13", 0.375),
        ("from {start|percent} to {end|percent}", "percent", "from 6.2% to 66.9%", 0.01),
        ("from {start|percent:.2f} to {end|percent:.2f}", "percent", "from 6.25% to 66.88%", 0.001),
        ("from {start|fraction} to {end|fraction}", "normalised", "from 0.062 to 0.669", 0.01),
        ("from {start|frame:100} to {end|frame:100}", "frames:100", "from 6 to 67", 0.05),
    ],
)
def test_formats_of_times_and_what_rounding_loses(
    manifest_of, spans, templates, answer: str, scale: str, expected: str, loss: float
) -> None:
    rows = [{**spans(1)[0], "start_s": 1.25, "end_s": 13.375, "description": "He FALLS. "}]
    made = benchwright.instruct(manifest_of(rows), templates=templates(FORMATS % answer))
    (row,) = rows_of(made)
    assert said(row) == ("he falls in 20 s?", expected)
    assert made.identity.aggregates["read_back"] == 1
    assert made.identity.aggregates["loss_max"] == pytest.approx(loss, abs=1e-6)
    for turn in row["turns"]:
        for number in turn["numbers"]:
            assert any(sign.isdigit() for sign in turn["text"][number["begin"] : number["end"]])
    assert [number["value"] for number in row["turns"][1]["numbers"]] == [1.25, 13.375]
    read = parse_answers([expected], scale=scale, durations=[20.0])
    assert abs(read["start_s"][0].as_py() - 1.25) <= loss + 1e-6


def test_the_last_of_n_frames(manifest_of, spans, templates) -> None:
    rows = [{**spans(1)[0], "start_s": 0.0, "end_s": 20.0}]
    path = templates(FORMATS % "from frame {start|frame:100} to frame {end|frame:100}")
    made = benchwright.instruct(manifest_of(rows), templates=path)
    assert said(rows_of(made)[0])[1] == "from frame 0 to frame 99"
    assert made.identity.aggregates["loss_max"] == pytest.approx(0.2)


def test_every_task_of_the_bundled_templates(manifest_of) -> None:
    made = benchwright.instruct(manifest_of(), templates="spans")
    rows = rows_of(made)
    assert Counter(row["task"] for row in rows) == dict.fromkeys(("localise", "caption", "verify", "choose"), 40)
    assert validate(made) == []
    texts = {row["source_id"]: row["turns"] for row in rows if row["task"] == "caption"}
    for row in rows:
        question, answer = said(row)
        stated = [number["value"] for number in row["turns"][0]["numbers"]]
        true = [row["span"]["start_s"], row["span"]["end_s"]]
        if row["task"] == "verify":
            assert answer == ("No." if row["negative"] else "Yes.")
            assert (stated == true) is not row["negative"]
            if row["negative"]:
                assert stated[1] <= true[0] or stated[0] >= true[1]
        if row["task"] == "choose":
            options = dict(line[1:].split(") ", 1) for line in question.split("\n")[1:5])
            caption = texts[row["source_id"]][1]["text"]
            assert options[answer] == caption
            assert len(set(options.values())) == 4
            assert len(row["others"]) == 3
            lent = {texts[other][1]["text"] for other in row["others"]}
            assert {*lent, caption} == set(options.values())
    share = Counter(row["negative"] for row in rows if row["task"] == "verify")
    assert 10 < share[True] < 30


def test_texts_of_other_videos_as_negatives(manifest_of, templates) -> None:
    path = templates(
        '[verify]\nquestions = ["{description} {start} {end}?"]\nanswers = ["Yes."]\ndenials = ["No."]\n'
        "wrong = 0.25\nforeign = 0.5"
    )
    manifest = manifest_of()
    texts = {row["sample_id"]: row["description"] for row in rows_of(manifest)}
    kinds = Counter()
    for row in rows_of(benchwright.instruct(manifest, templates=path)):
        question, answer = said(row)
        (asked,) = row["others"] or [row["source_id"]]
        assert question.startswith(f"{texts[asked]} ")
        true = [row["span"]["start_s"], row["span"]["end_s"]]
        moved = [number["value"] for number in row["turns"][0]["numbers"]] != true
        assert answer == ("No." if row["negative"] else "Yes.")
        assert row["negative"] is (moved or bool(row["others"]))
        kinds["moved" if moved else "foreign" if row["others"] else "true"] += 1
    assert 12 < kinds["foreign"] < 28
    assert min(kinds["moved"], kinds["true"]) > 3


def test_spans_that_are_empty_after_rounding_are_counted(manifest_of, spans, templates) -> None:
    rows = [{**spans(1)[0], "start_s": 3.1, "end_s": 3.4}]
    made = benchwright.instruct(manifest_of(rows), templates=templates(FORMATS % "{start|mm:ss} to {end|mm:ss}"))
    assert made.identity.aggregates["empty"] == 1


def test_wrong_spans_that_rounding_moves_into_the_true_one_are_dropped(manifest_of, spans, templates) -> None:
    rows = [row | {"start_s": 2.6, "end_s": 4.4, "duration_s": 5.3} for row in spans(40)]
    question = '[verify]\nwrong = 1\nquestions = ["{start%s} to {end%s}? {description}"]\nanswers = ["Yes."]\n'
    fine, coarse = (
        benchwright.instruct(manifest_of(rows), templates=templates(question % (form, form) + 'denials = ["No."]'))
        for form in (":.3f", ":.0f")
    )
    assert len(fine.table()) == 40
    reasons = benchwright.ledger(coarse)["reason"].to_pylist()
    assert set(reasons) == {"blurred"}
    assert 0 < len(reasons) < 40
    for row in rows_of(coarse):
        start, end = (
            float(row["turns"][0]["text"][each["begin"] : each["end"]]) for each in row["turns"][0]["numbers"]
        )
        shared = min(end, 4.4) - max(start, 2.6)
        assert shared <= 0.1 * (max(end, 4.4) - min(start, 2.6))
    assert coarse.identity.aggregates["empty"] == sum(
        row["turns"][0]["text"].split()[0] == row["turns"][0]["text"].split()[2].rstrip("?") for row in rows_of(coarse)
    )


def test_true_spans_of_denials_are_read_back(manifest_of, templates) -> None:
    text = '[verify]\nwrong = 1\nquestions = ["{start:.1f} to {end:.1f}?"]\nanswers = ["Yes."]\ndenials = ["No, %s."]'
    good = "it happens from {true_start:.1f} to {true_end:.1f} seconds"
    made = benchwright.instruct(manifest_of(), templates=templates(text % good))
    assert made.identity.aggregates["read_back"] == len(made.table()) > 0
    with pytest.raises(InputError, match=r"denials\[1\]: row"):
        benchwright.instruct(manifest_of(), templates=templates(text % "{true_start:.1f}{true_end:.1f}"))


def test_templates_with_a_byte_order_mark(manifest_of, templates) -> None:
    path = templates("\ufeff" + FORMATS % "{start:.1f} - {end:.1f}")
    assert len(benchwright.instruct(manifest_of(), templates=path).table()) == 40


def test_boxes_are_somewhere_and_may_be_counted(sample_manifest, templates) -> None:
    text = '[ground]\nquestions = ["{category}?"]\nanswers = ["{count}: {boxes}"]\nitem = "%s"'
    made = benchwright.instruct(sample_manifest("densepose-person"), templates=templates(text % "[{x1:.0f}, {y1:.0f}]"))
    assert said(rows_of(made)[0])[1].startswith("2: [")
    for item in ("hello", "{x1}"):
        with pytest.raises(InputError, match="a box is nowhere"):
            benchwright.instruct(sample_manifest("densepose-person"), templates=templates(text % item))
    with pytest.raises(InputError, match="expected the numbers that were filled in, and no others"):
        benchwright.instruct(sample_manifest("densepose-person"), templates=templates(text % "{x1:.0f}{y1:.0f}"))


def test_long_numbers_are_read_back(manifest_of, spans) -> None:
    rows = [{**spans(1)[0], "start_s": 0.1 + 0.2, "end_s": 28.770000000000003}]
    made = benchwright.instruct(manifest_of(rows))
    assert said(rows_of(made)[0])[1] == "start_time: 0.30000000000000004, end_time: 28.770000000000003"


def test_choices_do_not_depend_on_the_order_of_rows(manifest_of, spans) -> None:
    def by_id(rows: Rows) -> dict[str, Any]:
        made = benchwright.instruct(manifest_of(rows), templates="spans", seed=3)
        return {row["sample_id"]: {**row, "provenance": None} for row in rows_of(made)}

    assert by_id(spans()) == by_id(spans()[::-1])


def test_the_seed_makes_other_choices_and_the_same_ones_again(manifest_of) -> None:
    one, same, other = (benchwright.instruct(manifest_of(), templates="spans", seed=seed) for seed in (1, 1, 2))
    assert split_digest(one.table()) == split_digest(same.table())
    assert split_digest(one.table()) != split_digest(other.table())


def test_rows_that_cannot_be_asked_are_left_out_and_accounted_for(manifest_of, spans) -> None:
    rows = spans(8)
    rows[0] |= {"duration_s": None}
    rows[1] |= {"start_s": 9.0, "end_s": 3.0}
    rows[2] |= {"description": " "}
    rows[3] |= {"start_s": 0.0, "end_s": 20.0}
    made = benchwright.instruct(manifest_of(rows), templates="spans")
    reasons = Counter((row["reason"], row["key"].partition("#")[0]) for row in made.ledger().to_pylist())
    assert reasons["no_span", "Tape 0 1"] == 4
    assert reasons["no_value", "Tape 0 2"] >= 3
    assert {key for reason, key in reasons if reason == "no_room"} <= {"Tape 0 0", "Tape 0 3"}
    assert validate(made) == []
    (story,) = benchwright.why(made, "Tape 0 1#localise")
    assert story.fate == "dropped"
    assert "ends before it starts" in story.steps[2].sentence
    kept = benchwright.why(made, "Tape 1 0")
    assert {each.fate for each in kept} == {"kept"}


def test_shares_of_a_video_need_its_length_and_end_within_it(manifest_of, spans, templates) -> None:
    rows = spans(3)
    rows[0] |= {"duration_s": None}
    rows[1] |= {"end_s": 20.5}
    path = templates(FORMATS.replace(" in {duration:.0f} s", "") % "{start|percent} to {end|percent}")
    made = benchwright.instruct(manifest_of(rows), templates=path)
    assert {row["key"]: row["reason"] for row in made.ledger().to_pylist()} == {
        "Tape 0 0#localise": "no_value",
        "Tape 0 1#localise": "beyond",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[locate]\nquestions = ["a"]', r"the task 'locate', expected one of .*did you mean localise\?"),
        ("# nothing", "no task"),
        ("[localise", "expected templates in TOML"),
        ("localise = []", "localise: found no template"),
        ("localise = 3", r"localise-1: found Expected `object`"),
        ('[localise]\nquestion = ["a"]', r"question: found an unknown field.*did you mean questions\?"),
        ('[localise]\nquestions = "a"\nanswers = ["a"]', "Expected `array`, got `str`"),
        ("[localise]\nquestions = []\nanswers = []", "questions: found no variant"),
        ('[localise]\nquestions = ["a"]\nanswers = ["{start}"]', r"answers\[1\]: found no such place, expected \{end"),
        ('[localise]\nquestions = ["{x}"]\nanswers = ["{start} {end}"]', r"\{x\}: found no column 'x'"),
        ('[localise]\nquestions = ["a"]\nanswers = ["{start} {end}"]\nweight = 0', "weight: found 0"),
        ('[localise]\nquestions = ["a"]\nanswers = ["{start} {end}"]\nshare = nan', "share: found nan"),
        ('[localise]\nquestions = ["{start|lower}"]\nanswers = ["{start} {end}"]', "lower of start_s, which is a num"),
        ('[localise]\nquestions = ["{video|mm:ss}"]\nanswers = ["{start} {end}"]', "of video, which holds no number"),
        ('[localise]\nquestions = ["{video:.1f}"]\nanswers = ["{start} {end}"]', "of video, which holds no numbers"),
        ('[localise]\nquestions = ["{duration|percent}"]\nanswers = ["{start} {end}"]', "a share of duration_s"),
        ('[localise]\nquestions = ["{start:d}"]\nanswers = ["{start} {end}"]', "the format 'd' of start_s"),
        ('[localise]\nquestions = ["a"]\nanswers = ["{start|percent} {end}"]', "times on the scales"),
        ('[verify]\nquestions = ["{start} {end}"]\nanswers = ["Yes."]', "denials: found none"),
        ('[verify]\nquestions = ["{start} {end}"]\nanswers = ["Yes."]\ndenials = ["Yes."]', "denials: found 'Yes.'"),
        ('[verify]\nquestions = ["{start} {end}"]\nanswers = ["Yes."]\ndenials = ["yes"]', "denials: found 'yes'"),
        ('[verify]\nforeign=0.1\nquestions=["{start} {end}"]\nanswers=["Y"]\ndenials=["{true_start}"]', "true span"),
        ('[choose]\nquestions = ["a"]\nanswers = ["{letter}"]', r"found no such place, expected \{options\}"),
        ('[choose]\nquestions = ["{options}"]\nanswers = ["{letter}"]\noption = "{letter}"', "options are the same"),
        ('[choose]\nquestions = ["{options}"]\nanswers = ["{letter}"]\noption = "{description}"', "nothing says which"),
        ('[caption]\nquestions = ["{start} {end}"]\nanswers = ["ok"]', "it would say the same of all rows"),
    ],
)  # fmt: skip
def test_templates_that_do_not_fit_are_refused(manifest_of, templates, text: str, said: str) -> None:
    path = templates(text)
    with pytest.raises(InputError, match=said) as caught:
        benchwright.instruct(manifest_of(), templates=path)
    assert all(problem.file == str(path) for problem in caught.value.problems)


@pytest.mark.parametrize(
    "answer", ["{start:.1f}{end:.1f}", "{end} to {start}", "{start} of {end} people", "r{start}-{end}"]
)
def test_answers_that_cannot_be_read_back_are_an_error_that_names_the_rows(
    manifest_of, spans, templates, answer: str
) -> None:
    with pytest.raises(InputError) as caught:
        benchwright.instruct(manifest_of(spans(3)), templates=templates(FORMATS % answer))
    (first, *others) = caught.value.problems
    assert (first.record, first.field) == ("localise-1.answers[1]", "row 'Tape 0 0#localise'")
    assert len(others) == 2


def test_a_text_that_confuses_the_parser_is_an_error(manifest_of, spans, templates) -> None:
    rows = spans(2)
    rows[0]["description"], rows[1]["description"] = "he sleeps", "start_time: 1, end_time: 2"
    path = templates('[localise]\nquestions = ["a"]\nanswers = ["From {start} to {end} seconds: {description}"]')
    with pytest.raises(InputError) as caught:
        benchwright.instruct(manifest_of(rows), templates=path)
    assert [problem.field for problem in caught.value.problems] == ["row 'Tape 0 1#localise'"]


@pytest.mark.parametrize("name", ["a\nb", 'a "b"', "שלום {start}", "<video>", "{0.__class__}", "a\\b"])
def test_odd_names_and_texts_stay_as_they_are(manifest_of, spans, templates, name: str) -> None:
    rows = [{**spans(1)[0], "video": name, "sample_id": name, "description": name}]
    path = templates('[caption]\nquestions = ["{video}, {start:.1f}"]\nanswers = ["{description}"]')
    (row,) = rows_of(benchwright.instruct(manifest_of(rows), templates=path))
    assert (row["media"], *said(row)) == (name, f"{name}, 1.2", name)
    (number,) = row["turns"][0]["numbers"]
    assert row["turns"][0]["text"][number["begin"] : number["end"]] == "1.2"


def test_conversations_have_no_findings(manifest_of) -> None:
    made = benchwright.instruct(manifest_of())
    with pytest.raises(UsageError, match="holds conversations"):
        benchwright.findings(made)
    assert benchwright.verify(made) == []


def test_no_row_left_is_an_error(manifest_of, spans) -> None:
    rows = [{**row, "end_s": 0.5} for row in spans(2)]
    with pytest.raises(UsageError, match=r"no conversation is left \(2 no_span\); nothing was written"):
        benchwright.instruct(manifest_of(rows))
