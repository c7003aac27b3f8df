"""What is wrong with JSON, from msgspec's messages to `Problem`s in our words."""

from __future__ import annotations

import re

import msgspec

from schemas.errors import Problem, shown
from schemas.input.problems import Place

_CONTEXT = 20
_BYTE = re.compile(r"(?P<reason>.*) \(byte (?P<byte>\d+)\)", re.DOTALL)
_PATH = re.compile(r"(?P<reason>.*) - at `\$\.?(?P<path>[^`]*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<field>.*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<types>[^`]*)`(?P<limits>.*?)(?:, got `(?P<got>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_IN_LIST = re.compile(r"(?P<list>[^.\[]*)\[(?P<position>\d+|\.{3})\]\.?(?P<path>.*)", re.DOTALL)
_NO_NUMBER = re.compile(rb"NaN|Infinity")
_FIELD_BEFORE = re.compile(rb'"(\w+)"\s*:[\s\[\d.,eE+-]*$')
_WORDS = {
    "array": "a list",
    "object": "an object",
    "str": "text",
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
}


def invalid_record(file: str, record: str, message: str, piece: msgspec.Raw) -> Problem:
    """The `Problem` of one record, showing the value that msgspec's message points to."""
    place = _PATH.fullmatch(message)
    try:
        value = msgspec.json.decode(piece)
        for index, name in _STEP.findall(place["path"] if place else ""):
            value = value[int(index)] if index else value[name]
    except (msgspec.DecodeError, RecursionError, LookupError, TypeError):
        return invalid(file, record, message, shown(bytes(piece).decode("utf-8", "replace")))
    return invalid(file, record, message, "null" if value is None else shown(value))


def malformed(file: str, content: bytes, message: str, record: str = "", offset: int = 0) -> Problem:
    """The `Problem` of a text that is not JSON, from msgspec's message, which names a byte unless the text broke off.

    Args:
        record: where the text is, if it is only a part of the file that begins at the byte `offset`.
    """
    place = _BYTE.fullmatch(message)
    reason = place["reason"].removeprefix("JSON is malformed: ") if place else ""
    # Where characters follow the end of the document, msgspec names the byte after the first of them.
    byte = int(place["byte"]) - (reason == "trailing characters") if place else len(content)
    where = ", ".join(filter(None, (record, f"byte {offset + min(byte, len(content))}")))
    if byte >= len(content):
        advice = "the file was cut short, or holds half of a \\ud83d\\ude00 pair"
        found = f"the end of the {'line' if record else 'file'}"
        return Problem(file, where, "", found, "the rest of the JSON text", advice)
    context = content[byte : byte + _CONTEXT]
    token = _NO_NUMBER.match(context)
    if token:
        field = _FIELD_BEFORE.search(content[max(0, byte - 200) : byte])
        return Problem(file, where, field[1].decode() if field else "", token[0].decode(), "a finite number", reason)
    return Problem(file, where, "", shown(context.decode("utf-8", "replace")), "valid JSON", reason)


def first_invalid(file: str, message: str, label: Place) -> Problem:
    """The `Problem` of the record that a message about all records of a file points to."""
    place = _PATH.fullmatch(message)
    within = _IN_LIST.fullmatch(place["path"]) if place else None
    if place is None or within is None:
        return invalid(file, "", message)
    number = within["position"]
    record = "" if number == "..." else f"{within['list']}[{number}]" if within["list"] else label(int(number))
    return invalid(file, record, f"{place['reason']} - at `$.{within['path']}`" if within["path"] else place["reason"])


def invalid(file: str, record: str, message: str, found: str = "") -> Problem:
    """msgspec's message in our words: "Expected `float`, got `str` - at `$.len`" is field `len`, "a number"."""
    place = _PATH.fullmatch(message)
    path, reason = (place["path"], place["reason"]) if place else ("", message)
    missing = _MISSING.fullmatch(reason)
    if missing:
        field = f"{path}.{missing['field']}" if path else missing["field"]
        return Problem(file, record, field, "nothing", "a value")
    expected = _EXPECTED.fullmatch(reason)
    found = found or (_words(expected["got"]) if expected and expected["got"] else "another value")
    if expected is None:
        return Problem(file, record, path, found, "a value that fits", reason)
    return Problem(file, record, path, found, _words(expected["types"]) + expected["limits"])


def _words(types: str) -> str:
    *others, last = (_WORDS.get(word, word) for word in types.split(" | "))
    return f"{', '.join(others)} or {last}" if others else last
