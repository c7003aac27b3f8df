"""Files of free model answers, one text a row.

* an object `{id: text}`, or `{id: {..., "<model>_pred": text}}` as UAL-Bench publishes them, or with another field;
* a table, an array or JSON Lines with a name (`sample_id`, `id`, ...), or a video and a query, and the text;
* the output of a batch of requests (`replies`), one reply a line, by `custom_id` or `key`;
* dumps of lmms-eval: `{"video>>>query>>>truth": text}`, and its logged samples, with `filtered_resps`, which are named
  in `doc`, in such a key, or by the `sample_id` that a task of `export --to lmms-eval` logs.

A record without the field that the others have is an error: an answer that nobody finds is not one that nobody gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.arrays import texts_of
from schemas.errors import MOST_PROBLEMS, InputError, Problem, counted, nearest, shown
from schemas.input.documents import Document, read_document
from schemas.input.problems import gather, raise_any
from scorers.answers.replies import Reply, is_reply, reply_of, text_of
from scorers.names import said_in_keys

_KEYS = ("sample_id", "custom_id", "key", "recordId", "id", "video_id", "qid")
_VIDEOS = ("video", "vid", "video_id", "video_path")
_QUERIES = ("query", "caption", "description", "sentence")
_TEXTS = ("answer", "answers", "response", "text", "output", "prediction")
# What lmms-eval logs of a sample; filtered answers are those that it scores.
_LOGGED = ("filtered_resps", "resps")
_ADVICE = "name the field that holds the answer by --answer-field"


@dataclass(frozen=True)
class Answers:
    """Answers in file order.

    Attributes:
        file: the path as the user knows it.
        field: name of the field that holds the text, empty where the text is all there is.
        keys: name of each row as the file has it: a sample id, or a video.
        replies: what there is of each answer.
        queries, videos: the query and the video of each row, where the file has both.
        warnings: how many requests failed, and why the first did.
    """

    file: str
    field: str
    keys: pa.Array
    replies: list[Reply]
    queries: list[str] | None = None
    videos: pa.Array | None = None
    warnings: tuple[str, ...] = ()


def read_answers(path: Path, field: str | None = None) -> Answers:
    """Read a file of answers.

    Args:
        path: the file.
        field: name of the field that holds the text; found out from the first record when None.

    Raises:
        InputError: unreadable file; a record without a name or without the field of the text, or with an answer that is
            not text; several fields that may be the answer.
    """
    document = read_document(path)
    place, records = document.label, document.records
    if document.keys is None:
        records = document.typed(dict[str, Any]) if document.table is None else document.table.to_pylist()
    first = next((n for n, record in enumerate(records) if isinstance(record, dict)), None)
    found = field or ("" if first is None else _text_field(document.file, place(first), records[first]))
    replies = gather(lambda n: _reply(document.file, place(n), records[n], found, not field), range(len(records)))
    if document.keys is None:
        keys, queries, videos = _names(document, records)
    else:
        keys, (videos, queries) = document.keys, said_in_keys(document.keys) or (None, None)
    failed = [f"{keys[n]!r}: {reply.note}" for n, reply in enumerate(replies) if reply.status]
    warnings = (f"{counted(len(failed), 'requests')} failed without an answer ({failed[0]})",) if failed else ()
    names = None if videos is None else texts_of(videos)
    return Answers(document.file, found, texts_of(keys), replies, queries, names, warnings)


def _text_field(file: str, place: str, first: dict[str, Any]) -> str:
    """The field that holds the text of an answer, empty where it is a reply."""
    # First the published name: beside it, `output` of UAL-Bench's files is the truth.
    published = [name for name in first if str(name).endswith("_pred")]
    held = [name for name in _LOGGED if name in first][:1] or published or [name for name in _TEXTS if name in first]
    if is_reply(first) and not published:
        return ""
    if len(held) == 1:
        return held[0]
    expected = f"one of {', '.join(_TEXTS)} or *_pred"
    found = f"several that may be the answer: {', '.join(held)}" if held else f"fields {', '.join(map(str, first))}"
    raise InputError(Problem(file, place, "", found, expected, _ADVICE))


def _reply(file: str, place: str, record: object, field: str, found: bool) -> Reply:
    """The answer in a record; in one with a reply, that, unless somebody named another field and none was `found`.

    Raises:
        InputError: no such field, or an answer that is not text.
    """
    value: object = record
    if isinstance(record, dict):
        if found and is_reply(record):
            return reply_of(record)
        if not field or field not in record:
            expected = f"the field {field}" if field else "a reply of a batch, or text"
            near = [] if found else nearest(field, map(str, record))[:1]
            advice = f"did you mean {near[0]}?" if near else _ADVICE
            raise InputError(Problem(file, place, "", f"fields {', '.join(map(str, record))}", expected, advice))
        value = record[field]
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    text = None if isinstance(value, list) and not all(isinstance(part, dict) for part in value) else text_of(value)
    if text is None and value is not None:
        raise InputError(Problem(file, place, field, shown(value), "text"))
    return Reply(text)


def _names(document: Document, records: list[Any]) -> tuple[list[str], list[str] | None, list[str] | None]:
    """The name of each record, and its query and video where the records have both.

    Raises:
        InputError: a record without what the first one is named by.
    """
    said = [_said(record) for record in records]
    first = said[0]
    key, video, query = (next((n for n in names if n in first), None) for names in (_KEYS, _VIDEOS, _QUERIES))
    both = video is not None and query is not None
    if key is None and video is None:
        found = f"fields {', '.join(map(str, records[0]))}"
        expected = f"one of {', '.join(_KEYS)}, or the video"
        raise InputError(Problem(document.file, document.label(0), "", found, expected))
    fields = [name for name in (key or video, query if both else None, video if both else None) if name is not None]
    lacking = [
        Problem(document.file, document.label(n), str(name), "nothing", "a name, as in the first record")
        for n, record in enumerate(said)
        for name in dict.fromkeys(fields)
        if record.get(name) is None
    ]
    raise_any(lacking[:MOST_PROBLEMS])
    columns = [[str(record[name]) for record in said] for name in fields]
    return columns[0], columns[1] if both else None, columns[2] if both else None


def _said(record: dict[str, Any]) -> dict[str, Any]:
    """Where the names of a record are: in itself; of a sample that lmms-eval logged in `doc`, a result, or a key."""
    if not any(name in record for name in _LOGGED):
        return record
    doc = record.get("doc")
    if isinstance(doc, dict):
        return doc
    named = next((value for value in record.values() if isinstance(value, dict) and "sample_id" in value), None)
    if named is not None:
        return named
    keys = [key for value in record.values() if isinstance(value, dict) for key in value]
    videos, queries = next(filter(None, (said_in_keys([key]) for key in keys)), ([None], [None]))
    return {"video": videos[0], "query": queries[0]}
