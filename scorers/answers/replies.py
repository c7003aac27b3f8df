"""What a model replied to one request of a batch, in the layouts of the services that run them.

* OpenAI and what follows it (Azure, vLLM, Mistral): `response.body` with `choices`, or `output` of the responses API;
* Gemini: `response.candidates`; Anthropic: `result.message`; Bedrock: `modelOutput`.

Thoughts are not part of a reply. A request that failed has a status that says how.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

FAILURES = {
    "failed": "the request failed",
    "rate_limited": "the request was over a rate limit",
    "expired": "the request expired",
    "cancelled": "the request was cancelled",
}
"""Statuses of requests without a reply, and what they mean."""

_ENVELOPES = ("response", "result", "modelOutput")
# Where texts are, from the outside to the inside; of alternatives the first one counts.
_INSIDE = (
    "choices",
    "candidates",
    "message",
    "output_text",
    "output",
    "content",
    "parts",
    "text",
    "generation",
    "refusal",
)
_ALTERNATIVES = ("choices", "candidates")
_DEPTH = 10
# What the codes of an error say, or its messages where it has no code, by the status that they mean.
_HINTS = {
    "expired": ("expired",),
    "cancelled": ("cancel",),
    "rate_limited": (
        "rate_limit",
        "rate limit",
        "ratelimit",
        "429",
        "resource_exhausted",
        "too many requests",
        "throttl",
    ),
}
_CODES = ("code", "errorCode", "type", "status", "status_code")
_MESSAGES = ("message", "errorMessage")
_NO_CODES = ("error", "errored", "succeeded")
_REASONS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "blockReason", "reason")
_ENDED = ("stop", "end_turn", "stop_sequence", "eos", "completed")


class Reply(NamedTuple):
    """What became of a request.

    Attributes:
        text: the reply, None where there is none.
        status: one of `FAILURES`, empty where there is a reply.
        note: why there is none, or why it may not be whole.
    """

    text: str | None
    status: str = ""
    note: str = ""


def is_reply(record: dict[str, Any]) -> bool:
    """Whether a record is the reply to a request, and not somebody's own with the text of an answer in a field."""
    held = any(isinstance(record.get(name), dict) for name in (*_ENVELOPES, "error"))
    return held or ("custom_id" in record and record.get("response", "") is None)


def reply_of(record: dict[str, Any]) -> Reply:
    """The reply in a record, whatever its layout; nothing that a service may write stops it."""
    outer: dict[str, Any] = next((record[name] for name in _ENVELOPES if isinstance(record.get(name), dict)), {})
    body = outer.get("body", outer)
    errors = [each for each in (record.get("error"), outer.get("error"), _of(body, "error")) if each]
    code, kind = str(outer.get("status_code") or ""), outer.get("type")
    failed = bool(errors) or (code.isdecimal() and int(code) >= 400) or kind in ("errored", "expired", "canceled")
    text, reason = text_of(body), str(next(_values(body, _REASONS), ""))
    if not failed and text is not None:
        return Reply(text, note=f"the reply ended with {reason}" if reason.lower() not in ("", *_ENDED) else "")
    messages = [str(each) for each in _values([*errors, _of(body, "message")], _MESSAGES)]
    messages += [each for each in (*errors, body, _of(body, "message")) if isinstance(each, str)]
    named = [str(each) for each in (*_values(errors, _CODES), kind) if each and each not in _NO_CODES]
    codes = [*named, code]
    why = next(filter(None, [*messages, reason, *codes] if failed else [reason]), "no text in the reply")
    # Messages quote numbers of tokens and addresses that expired: where the error has a code, that decides.
    return Reply(None, _status(codes) or ("" if named else _status(messages)) or "failed", why)


def text_of(value: object, depth: int = _DEPTH) -> str | None:
    """The text in a value: text itself, or what its parts hold; None where there is none."""
    if isinstance(value, str):
        return value
    if not depth or not isinstance(value, dict | list):
        return None
    if isinstance(value, list):
        texts = [text_of(part, depth - 1) for part in value if not _is_thought(part)]
        return None if all(text is None for text in texts) else "".join(filter(None, texts))
    found = None
    for name in (name for name in _INSIDE if name in value):
        inner = value[name][:1] if name in _ALTERNATIVES and isinstance(value[name], list) else value[name]
        text = text_of(inner, depth - 1)
        if text:
            return text
        found = text if found is None else found
    return found


def _is_thought(part: object) -> bool:
    kind = str(_of(part, "type") or "")
    return bool(_of(part, "thought")) or "think" in kind or "reasoning" in kind


def _of(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _values(value: object, names: tuple[str, ...], depth: int = _DEPTH) -> Iterator[str | int]:
    """What plain values there are under some names, at any depth, the outer ones first."""
    if isinstance(value, dict):
        yield from (value[name] for name in names if isinstance(value.get(name), str | int) and value[name])
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner if depth else ():
        yield from _values(each, names, depth - 1)


def _status(said: list[str]) -> str:
    text = " ".join(said).lower()
    return next((status for status, hints in _HINTS.items() if any(hint in text for hint in hints)), "")
