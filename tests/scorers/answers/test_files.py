"""Files of free answers: whose answer each text is, and which field holds it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import InputError
from scorers.answers import parse_answers
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
    return list(zip(answers.keys.to_pylist(), answers.texts, strict=True))


EXPECTED = [("a", "from 1 to 2"), ("b", None)]


@pytest.mark.parametrize("key", ["sample_id", "custom_id", "id", "video_id", "qid"])
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


def test_requests_of_a_batch_that_failed_have_no_answer(read: Read) -> None:
    def chat(**message: Any) -> dict[str, Any]:
        return {"response": {"status_code": 200, "body": {"choices": [{"message": message}]}}, "error": None}

    limit = {"status_code": 429, "body": {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}}
    output = [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "from 1 to 2"}]}]
    requests = {
        "read": chat(content="from 1 to 2"),
        "limited": {"response": limit, "error": None},
        "expired": {"response": None, "error": {"code": "batch_expired", "message": "not executed"}},
        "refused": chat(content=None, refusal="I cannot help with that."),
        "parts": chat(content=[{"type": "text", "text": "from 1 "}, {"type": "text", "text": "to 2"}]),
        "empty": chat(content="", reasoning_content="it is 30-36"),
        "none": {"response": {"status_code": 200, "body": {"choices": []}}},
        "responses": {"response": {"status_code": 200, "body": {"object": "response", "output": output}}},
    }
    answers = read([{"custom_id": name, **request} for name, request in requests.items()], "answers.jsonl")
    text, refusal = "from 1 to 2", "I cannot help with that."
    assert [text for _, text in pairs(answers)] == [text, None, None, refusal, text, "", None, text]
    assert answers.warnings == ("3 requests failed and have no answer ('limited': Rate limit reached)",)
    assert parse_answers(answers.texts)["status"].to_pylist() == [
        *("ok", "none", "none", "refusal", "ok", "none", "none", "ok")
    ]


def test_a_dump_of_lmms_eval_names_videos_and_queries(read: Read) -> None:
    answers = read({"v>>>a query>>>[1, 2]": "from 1 to 2", "w>>>another>>>[3, 4]": None})
    assert pairs(answers) == [("v", "from 1 to 2"), ("w", None)]
    assert answers.queries == ["a query", "another"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([{"sample_id": "a", "words": "x"}], "record 1: found fields sample_id, words, expected one of sample_id"),
        ([{"name": "a", "answer": "x"}], "record 1: found fields name, answer, expected one of sample_id, custom_id"),
        ([{"id": "a", "answer": 3}], "record 1: answer: found 3, expected text"),
        ([{"id": "a", "answer": "x"}, 3], "record 2: found 3, expected an object"),
        ({"a": "x", "b": 3}, "'b': found 3, expected text"),
        ({"a": {"m_pred": "x"}, "b": {"m_pred": ["x"]}}, "'b': m_pred: found ['x'], expected text"),
        ([{"custom_id": "a", "response": {"body": {"choices": [{"text": "x"}]}}}], "record 1: response: found"),
        ("{", "byte 1: found the end of the file"),
    ],
)
def test_what_holds_no_answers_is_told(read: Read, content: Any, message: str) -> None:
    with pytest.raises(InputError) as failure:
        read(content)
    assert message in str(failure.value)
