"""Files of free model answers, one text a row.

* an object `{id: text}`, or `{id: {..., "<model>_pred": text}}` as UAL-Bench publishes them;
* a table, an array or JSON Lines with `sample_id` (or `id`) and `answer` (or `response`, `text`, `output`);
* the output of an OpenAI batch: JSON Lines with `custom_id` and `response.body`, of chat completions (`choices`) or
  responses (`output`); requests that failed have no answer;
* the lmms-eval dump `{"video>>>query>>>truth": text}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from schemas.arrays import texts_of
from schemas.errors import InputError, Problem, shown
from schemas.input.documents import Document, read_document

_KEYS = ("sample_id", "custom_id", "id", "video_id", "qid")
_TEXTS = ("answer", "response", "text", "output", "prediction")


@dataclass(frozen=True)
class Answers:
    """Answers in file order.

    Attributes:
        file: the path as the user knows it.
        field: name of the field that holds the text, empty where the text is all there is.
        keys: name of each row as the file has it: a sample id, or a video.
        texts: the answers; None for none.
        queries: the query of each row, where the file has only the video's name as key.
        warnings: how many requests failed, and why the first did.
    """

    file: str
    field: str
    keys: pa.Array
    texts: list[str | None]
    queries: list[str] | None = None
    warnings: tuple[str, ...] = ()


class _Error(msgspec.Struct):
    message: str | None = None


class _Part(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Body(msgspec.Struct):
    choices: list[_Choice] = []
    output: list[_Message] = []
    error: _Error | None = None


class _Response(msgspec.Struct):
    body: _Body


class _Request(msgspec.Struct):
    """One line of the output of an OpenAI batch."""

    response: _Response | None = None
    error: _Error | None = None


def read_answers(path: Path) -> Answers:
    """Read a file of answers.

    Raises:
        InputError: unreadable file, no field that names the rows or holds their text, an answer that is not text.
    """
    document = read_document(path)
    if document.keys is not None:
        return _read_object(document)
    records = document.typed(dict[str, Any]) if document.table is None else document.table.to_pylist()
    first = records[0]
    key = next((name for name in _KEYS if name in first), None)
    field = _text_field(first)
    if key is None or field is None:
        fields = ", ".join(map(str, first))
        expected = f"one of {', '.join(_KEYS)}, and one of {', '.join(_TEXTS)} or *_pred"
        raise InputError(Problem(document.file, "record 1", "", f"fields {fields}", expected))
    keys = [str(record.get(key)) for record in records]
    texts: list[str | None] = []
    failures: list[str] = []
    for number, record in enumerate(records, 1):
        value = record.get(field)
        if key == "custom_id" and not isinstance(value, str):
            value, failure = _batch_answer(record, document.file, f"record {number}")
            failures += [f"{keys[number - 1]!r}: {failure}"] if failure else []
        texts.append(_text(value, document.file, f"record {number}", field))
    warnings = (f"{len(failures):,} requests failed and have no answer ({failures[0]})",) if failures else ()
    return Answers(document.file, field, texts_of(keys), texts, warnings=warnings)


def _read_object(document: Document) -> Answers:
    names = document.keys or []
    first = document.records[0]
    field = (_text_field(first) or "") if isinstance(first, dict) else ""
    values = [record.get(field) if isinstance(record, dict) else record for record in document.records]
    texts = [_text(value, document.file, repr(name), field) for name, value in zip(names, values, strict=True)]
    if not all(">>>" in name for name in names):
        return Answers(document.file, field, texts_of(names), texts)
    parts = [name.split(">>>") for name in names]
    return Answers(document.file, field, texts_of([part[0] for part in parts]), texts, [part[1] for part in parts])


def _text_field(record: dict[str, Any]) -> str | None:
    # First the published name: beside it, `output` of UAL-Bench's files is the truth.
    published = [name for name in record if name.endswith("_pred")]
    return next((name for name in (*published, *_TEXTS) if name in record), None)


def _text(value: object, file: str, place: str, field: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InputError(Problem(file, place, field, shown(value), "text"))


def _batch_answer(record: dict[str, Any], file: str, place: str) -> tuple[str | None, str | None]:
    """The text of an answer of a batch, a refusal as well, and what went wrong where there is none."""
    try:
        request = msgspec.convert(record, _Request)
    except msgspec.ValidationError as failure:
        raise InputError(Problem(file, place, "response", str(failure), "the response of a batch request")) from None
    body = request.response.body if request.response else _Body()
    error = request.error or body.error
    messages = [choice.message for choice in body.choices[:1]] + body.output
    if error or not messages:
        return None, (error and error.message) or "no choice"
    parts = [message.refusal or message.content or "" for message in messages]
    return "".join(part if isinstance(part, str) else "".join(piece.text for piece in part) for part in parts), None
