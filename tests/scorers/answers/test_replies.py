"""Replies to requests of a batch, in the layouts of the services that run them; failures have statuses of their own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.answers.replies import FAILURES, is_reply, reply_of, text_of

TEXT = "from 1 to 2"
PARTS = [{"type": "text", "text": "from 1 "}, {"type": "text", "text": "to 2"}]
THOUGHT = {"type": "thinking", "thinking": "it is 3 to 4", "text": "it is 3 to 4"}


def chat(finish: str = "stop", **message: Any) -> dict[str, Any]:
    body = {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}]}
    return {"response": {"status_code": 200, "request_id": "x", "body": body}, "error": None}


def body(code: int = 200, **content: Any) -> dict[str, Any]:
    return {"response": {"status_code": code, "body": content}, "error": None}


REPLIES: list[dict[str, Any]] = [
    chat(content=TEXT),
    chat(content=PARTS),
    chat(content=[{"type": "text", "text": TEXT}], reasoning_content="it is 3 to 4"),
    chat(content=None, refusal=TEXT),
    chat(content="", refusal=TEXT),
    body(choices=[{"text": TEXT, "finish_reason": "stop"}]),
    body(choices=[{"message": {"content": TEXT}}, {"message": {"content": "3 to 4"}}]),
    body(
        object="response",
        status="completed",
        output=[
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": TEXT}]},
        ],
    ),
    body(
        output=[
            {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "3 to 4"}]},
            {"type": "message", "content": [{"type": "refusal", "refusal": TEXT}]},
        ]
    ),
    {"response": {"id": "cmpl", "choices": [{"message": {"content": TEXT}}]}},
    {
        "response": {
            "candidates": [
                {
                    "content": {"parts": [{"text": "3 to 4", "thought": True}, {"text": TEXT}], "role": "model"},
                    "finishReason": "STOP",
                }
            ]
        }
    },
    {"status": "", "response": {"candidates": [{"content": {"parts": [{"text": TEXT}]}}]}},
    {
        "result": {
            "type": "succeeded",
            "message": {"type": "message", "content": [THOUGHT, *PARTS], "stop_reason": "end_turn"},
        }
    },
    {"modelInput": {}, "modelOutput": {"content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn"}},
    {"modelOutput": {"generation": TEXT, "stop_reason": "stop"}},
    {"modelOutput": {"output": {"message": {"content": [{"text": TEXT}]}}, "stopReason": "end_turn"}},
]


@pytest.mark.parametrize("record", REPLIES)
def test_a_reply_is_read_in_every_layout_without_its_thoughts(record: dict[str, Any]) -> None:
    assert is_reply(record)
    assert reply_of({"custom_id": "a", **record}) == (TEXT, "", "")


FAILED: list[tuple[str, str, dict[str, Any]]] = [
    (
        "rate_limited",
        "Rate limit reached",
        body(429, error={"message": "Rate limit reached", "code": "rate_limit_exceeded"}),
    ),
    ("rate_limited", "429", body(429)),
    (
        "rate_limited",
        "Quota exceeded",
        {"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}},
    ),
    ("rate_limited", "Too many requests", {"response": {"status_code": 400, "body": "Too many requests"}}),
    (
        "rate_limited",
        "slow down",
        {
            "result": {
                "type": "errored",
                "error": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}},
            }
        },
    ),
    ("expired", "not executed", {"response": None, "error": {"code": "batch_expired", "message": "not executed"}}),
    ("expired", "expired", {"result": {"type": "expired"}}),
    ("cancelled", "canceled", {"result": {"type": "canceled"}}),
    ("cancelled", "cancelled", {"response": None, "error": {"code": "batch_cancelled", "message": "cancelled"}}),
    ("failed", "no text in the reply", body(choices=[])),
    ("failed", "no text in the reply", {"custom_id": "a", "response": None}),
    ("failed", "no text in the reply", {"response": {}}),
    ("failed", "length", chat("length", content=None)),
    ("failed", "SAFETY", {"response": {"promptFeedback": {"blockReason": "SAFETY"}}}),
    (
        "failed",
        "bad request",
        {
            "response": {"status_code": 400, "body": None},
            "error": {"object": "error", "message": "bad request", "type": "BadRequestError", "code": 400},
        },
    ),
    ("failed", "overloaded", {"error": "overloaded", "response": None, "custom_id": "a"}),
    ("failed", "500", body(500)),
    ("failed", "Internal", {"key": "a", "error": {"code": 13, "message": "Internal"}}),
    (
        "failed",
        "max_output_tokens",
        body(status="incomplete", incomplete_details={"reason": "max_output_tokens"}, output=[]),
    ),
]


@pytest.mark.parametrize(("status", "note", "record"), FAILED)
def test_a_request_that_failed_has_a_status_that_says_how(status: str, note: str, record: dict[str, Any]) -> None:
    reply = reply_of(record)
    assert (reply.text, reply.status) == (None, status)
    assert note in reply.note


def test_a_reply_that_was_cut_off_is_read_and_noted() -> None:
    assert reply_of(chat("length", content=TEXT)) == (TEXT, "", "the reply ended with length")
    assert reply_of(chat("length", content="")) == ("", "", "the reply ended with length")
    assert reply_of(chat(content="", reasoning_content="it is 30-36")) == ("", "", "")


def test_a_record_of_ones_own_is_no_reply() -> None:
    for record in (
        {"id": "a", "response": TEXT},
        {"custom_id": "a", "answer": TEXT},
        {"id": "a", "response": None},
        {"error": "x"},
    ):
        assert not is_reply(record)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "response",
                    "error",
                    "body",
                    "choices",
                    "message",
                    "content",
                    "parts",
                    "text",
                    "type",
                    "code",
                    "result",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["response", "error", "result", "custom_id", "modelOutput"]), JSON))
def test_no_record_of_a_service_stops_the_file(record: dict[str, Any]) -> None:
    reply = reply_of(record)
    assert (reply.text is None) == (reply.status in FAILURES)
    assert reply.text is not None or reply.note


def test_nesting_without_end_has_no_text() -> None:
    deep: Any = TEXT
    for _ in range(5000):
        deep = {"content": deep}
    assert text_of(deep) is None
    assert reply_of({"response": deep}).status == "failed"


@pytest.mark.parametrize(
    "record",
    [
        body(400, error={"message": "Request has 14290 tokens, at most 8192", "code": "context_length_exceeded"}),
        body(400, error={"message": "The image address expired", "code": "invalid_image_url"}),
    ],
)
def test_a_code_decides_whatever_the_message_quotes(record: dict[str, Any]) -> None:
    assert reply_of(record).status == "failed"


def test_codes_as_text_and_errors_of_bedrock_and_vllm_are_read() -> None:
    assert reply_of(body(200) | {"response": {"status_code": "429", "body": {}}}).status == "rate_limited"
    bedrock = reply_of({"recordId": "a", "modelInput": {}, "error": {"errorCode": 429, "errorMessage": "slow down"}})
    assert (bedrock.status, bedrock.note) == ("rate_limited", "slow down")
    assert reply_of(body(400, object="error", message="too long")).note == "too long"
