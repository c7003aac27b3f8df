"""Files of free answers: whose answer each text is, and which field holds it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import InputError
from scorers.answers.files import Answers, read_answers

Read = Callable[..., Answers]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def call(content: Any, name: str = "answers.json") -> Answers:
        path = tmp_path / name
        if name.endswith(".jsonl"):
            path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return read_answers(path)

    return call


def pairs(answers: Answers) -> list[tuple[str, str | None]]:
    return list(zip(answers.keys.to_pylist(), [reply.text for reply in answers.replies], strict=True))


EXPECTED = [("a", "from 1 to 2"), ("b", None)]


@pytest.mark.parametrize("key", ["sample_id", "custom_id", "id", "video_id", "qid", "video", "vid"])
@pytest.mark.parametrize("field", ["answer", "response", "text", "output", "prediction", "llama3_pred"])
def test_records_have_a_name_and_a_text(read: Read, key: str, field: str) -> None:
    records = [{"other": 1, key: name, field: text} for name, text in EXPECTED]
    for name in ("answers.json", "answers.jsonl"):
        answers = read(records, name)
        assert (pairs(answers), answers.field, answers.queries) == (EXPECTED, field, None)


def test_a_table_of_answers(read: Read) -> None:
    answers = read('sample_id,answer\na,"from 1\nto 2"\nb,\nc,0:01:05\n', "answers.csv")
    assert pairs(answers) == [("a", "from 1\nto 2"), ("b", None), ("c", "0:01:05")]


def test_an_object_of_texts(read: Read) -> None:
    answers = read(dict(EXPECTED))
    assert (pairs(answers), answers.field) == (EXPECTED, "")


def test_in_the_published_files_the_output_is_the_truth_and_the_model_s_field_the_answer(read: Read) -> None:
    record = {"output": "[0000, 0195]", "ID": "test_0", "llama3_pred": "from 1 to 2", "pred_start": 1, "pred_end": 2}
    answers = read({"a": record, "b": record | {"llama3_pred": None}})
    assert (pairs(answers), answers.field) == (EXPECTED, "llama3_pred")


def test_the_output_of_an_openai_batch(read: Read) -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": "from 1 to 2"}}]}
    responses = [
        {"custom_id": "a", "response": {"status_code": 200, "body": body}},
        {"custom_id": "b", "response": None},
    ]
    assert pairs(read(responses, "answers.jsonl")) == EXPECTED


def test_a_dump_of_lmms_eval_names_videos_and_queries(read: Read) -> None:
    answers = read({"v>>>a query>>>[1, 2]": "from 1 to 2", "w>>>another>>>[3, 4]": None})
    assert pairs(answers) == [("v>>>a query>>>[1, 2]", "from 1 to 2"), ("w>>>another>>>[3, 4]", None)]
    assert answers.videos is not None
    assert (answers.videos.to_pylist(), answers.queries) == (["v", "w"], ["a query", "another"])


DOC = {"video": "v.mp4", "caption": "a query", "timestamp": [1.0, 2.0]}
LOGGED = {"doc_id": 0, "doc": DOC, "target": "[1.0, 2.0]", "submission": {"w>>>another >>> query>>>[1.0, 2.0]": "x"}}


@pytest.mark.parametrize(
    "responses",
    [
        {"resps": [["no"]], "filtered_resps": ["from 1 to 2"]},
        {"resps": ["no"], "filtered_resps": "from 1 to 2"},
        {"resps": [["no"]], "filtered_resps": [["from 1 to 2"]]},
        {"resps": [["from 1 to 2"]]},
    ],
)
def test_logged_samples_of_lmms_eval_name_video_and_query(read: Read, responses: dict[str, Any]) -> None:
    for doc, video, query in ((DOC, "v.mp4", "a query"), (None, "w", "another >>> query")):
        for count in (1, 2):
            answers = read([{**LOGGED, "doc": doc, **responses}] * count, "samples.jsonl")
            assert pairs(answers) == [(video, "from 1 to 2")] * count
            assert answers.queries == [query] * count


def test_videos_and_queries_name_rows_beside_or_without_a_key(read: Read) -> None:
    for key in ({}, {"qid": 7}):
        answers = read([{**key, "vid": "v", "query": "q", "response": "x", "duration": 3}], "answers.jsonl")
        assert answers.videos is not None
        assert (pairs(answers)[0][0], answers.videos.to_pylist(), answers.queries) == (
            "7" if key else "v",
            ["v"],
            ["q"],
        )


def test_the_field_of_the_answer_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    for content in ({"a": {"model_output": "x", "answer": "y"}}, [{"id": "a", "model_output": "x", "answer": "y"}]):
        path.write_text(json.dumps(content), encoding="utf-8")
        assert pairs(read_answers(path, "model_output")) == [("a", "x")]


@pytest.mark.parametrize(
    "parts", [[{"type": "text", "text": "from 1 "}, {"type": "text", "text": "to 2"}], ["from 1 to 2"]]
)
def test_an_answer_may_be_a_list_of_parts(read: Read, parts: list[Any]) -> None:
    assert pairs(read([{"id": "a", "answer": parts}])) == EXPECTED[:1]


ADVICE = "(name the field that holds the answer by --answer-field)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            [{"sample_id": "a", "words": "x"}],
            "record 1: found fields sample_id, words, expected one of answer, answers",
        ),
        ([{"name": "a", "answer": "x"}], "record 1: found fields name, answer, expected one of sample_id, custom_id"),
        ([{"id": "a", "answer": 3}], "record 1: answer: found 3, expected text"),
        ([{"id": "a", "answer": "x"}, 3], "record 2: found 3, expected an object"),
        ([{"id": "a", "answer": "x"}, {"answer": "x"}], "record 2: id: found nothing, expected a name"),
        (
            [{"id": "a", "answer": "x"}, {"id": "b", "answr": "x"}],
            f"record 2: found fields id, answr, expected the field answer {ADVICE}",
        ),
        (
            [{"id": "a", "answer": "x", "response": "y"}],
            "found several that may be the answer: answer, response, expected one of",
        ),
        ({"a": "x", "b": 3}, "'b': found 3, expected text"),
        ({"a": {"model_output": "x", "query": "y"}}, "'a': found fields model_output, query, expected one of answer"),
        ({"a": {"m_pred": "x"}, "b": {"m_pred": ["x", "y"]}}, "'b': m_pred: found ['x', 'y'], expected text"),
        ({"a": {"m_pred": "x"}, "b": {"n_pred": "x"}}, f"'b': found fields n_pred, expected the field m_pred {ADVICE}"),
        ([{"custom_id": "a", "method": "POST", "url": "/v1", "body": {}}], "found fields custom_id, method, url, body"),
        ("{", "byte 1: found the end of the file"),
    ],
)
def test_what_holds_no_answers_is_told(read: Read, content: Any, message: str) -> None:
    with pytest.raises(InputError) as failure:
        read(content)
    assert message in str(failure.value)


def test_every_record_without_the_field_is_told(read: Read) -> None:
    records = [{"id": "a", "answer": "x"}, {"id": "b", "response": "y"}, {"id": "c", "answr": "z"}]
    with pytest.raises(InputError) as failure:
        read(records, "answers.jsonl")
    assert [(problem.record, problem.found) for problem in failure.value.problems] == [
        ("record 2", "fields id, response"),
        ("record 3", "fields id, answr"),
    ]


def test_a_misspelt_name_of_the_field_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([{"id": "a", "answer": "x", "prediction": "y"}]), encoding="utf-8")
    with pytest.raises(InputError, match=r"fields id, answer, prediction, .*\(did you mean prediction\?\)"):
        read_answers(path, "predicton")
