"""Spans in JSON inside an answer: objects, lists of windows, nested, in code blocks or bare."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Literal, TypeGuard

from scorers.answers.mentions import Span, TimeScale, Unit, times_in
from scorers.answers.spans import spans_in

Side = Literal["start", "end"]

_OPENING = re.compile(r"[\[{]")
_ATTEMPTS = 100
_DEPTH = 20
_LONGEST_STRING = 200
_WORD = re.compile(r"[A-Za-z]{3}")
_DECODER = json.JSONDecoder(parse_int=float)
_KEY_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_SIDES: dict[str, Side] = {
    **dict.fromkeys(("start", "begin", "from"), "start"),
    **dict.fromkeys(("end", "finish", "to"), "end"),
}
_UNITS: dict[str, Unit] = {
    **dict.fromkeys(("s", "sec", "seconds"), "seconds"),
    **dict.fromkeys(("min", "minutes"), "minutes"),
    **dict.fromkeys(("ms", "milliseconds"), "milliseconds"),
    **dict.fromkeys(("frame", "frames"), "frame"),
}
# Words that a key may hold besides: `event_start`, `predicted_end_time`, `start_ms`.
_BESIDES = {*_UNITS, "time", "timestamp", "event", "segment", "moment", "action", "pred", "predicted", "t"}
_SPAN_KEYS = re.compile(r"window|span|segment|interval|moment|time|predict|answer")
_SCORES = ("score", "confidence")


def spans_in_json(text: str, scale: TimeScale) -> tuple[list[Span], str, bool]:
    """The spans in the JSON values of an answer, by falling score where every one has a score, else in order.

    Besides, the first value that states any, or null for both ends, empty where there is none; and whether several
    values do and so compete (spans of one list are ranked).
    """
    spans: list[Span] = []
    matched = ""
    values = 0
    for value, start, end in _json_values(text):
        rest = text[:start].replace("json", "") + text[end:]
        found, null = _spans(value, scale, bare=not _WORD.search(rest), depth=0)
        if (found or null) and not matched:
            matched = text[start:end]
        values += any(span not in spans for span in found)
        spans += found
    if all(span.score is not None for span in spans):
        spans.sort(key=lambda span: -(span.score or 0.0))
    return spans, matched, values > 1


def _json_values(text: str) -> Iterator[tuple[Any, int, int]]:
    """Objects and lists in `text`, and where each begins and ends; only the first 100 brackets are tried."""
    position = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(text, position)
        if opening is None:
            return
        try:
            value, position = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
        else:
            yield value, opening.start(), position


def _spans(value: Any, scale: TimeScale, bare: bool, depth: int) -> tuple[list[Span], bool]:
    """Spans of one JSON value, and whether it gives null for both ends; `bare`: a list of two numbers is a span."""
    if isinstance(value, str) and bare and depth > 0:
        return spans_in(value[:_LONGEST_STRING].lower(), scale), False
    if not isinstance(value, dict | list) or depth > _DEPTH:
        return [], False
    if isinstance(value, dict):
        sides = {_side(key): key for key in reversed(value)}
        sides.pop(None, None)
        start, end = (_end(value, sides.get(side), scale) for side in ("start", "end"))
        if start is not None or end is not None:
            score = next((float(value[name]) for name in _SCORES if _is_number(value.get(name))), None)
            return [Span(start, end, score)], False
        if len(sides) == 2:
            return [], True
        parts = [_spans(item, scale, bool(_SPAN_KEYS.search(key.lower())), depth + 1) for key, item in value.items()]
    else:
        pair = _pair(value, scale) if bare else None
        if pair is not None:
            return [pair], False
        parts = [_spans(item, scale, bare, depth + 1) for item in value]
    return [span for spans, _ in parts for span in spans], any(null for _, null in parts)


def _pair(items: list[Any], scale: TimeScale) -> Span | None:
    """[start, end] or [start, end, score] (Moment-DETR, QVHighlights)."""
    if len(items) not in (2, 3) or not all(_is_number(item) for item in items[2:]):
        return None
    start, end = (_time(item, scale, "") for item in items[:2])
    return None if start is None or end is None else Span(start, end, float(items[2]) if len(items) == 3 else None)


def _end(value: dict[str, Any], key: str | None, scale: TimeScale) -> float | None:
    """Seconds of an end of a span, in the unit that its key or a field `unit` names."""
    if key is None:
        return None
    words = [*_words(key), *_words(str(value.get("unit") or value.get("units")))]
    return _time(value[key], scale, next((_UNITS[word] for word in words if word in _UNITS), ""))


def _time(item: object, scale: TimeScale, unit: Unit) -> float | None:
    """Seconds of a JSON value: a number in `unit`, or text that is one time."""
    if _is_number(item):
        return scale.seconds(float(item), unit)
    if not isinstance(item, str) or len(item) > _LONGEST_STRING:
        return None
    text = item.strip().lower()
    times = times_in(text, scale)
    whole = len(times) == 1 and (times[0].start, times[0].end) == (0, len(text))
    return times[0].seconds if whole else None


def _side(key: str) -> Side | None:
    """Which end of a span a key names: `start`, `endTime`, `predicted_start_ms`."""
    words = [word for word in _words(key) if word not in _BESIDES]
    return _SIDES.get(words[0]) if len(words) == 1 else None


def _words(key: str) -> list[str]:
    return [word.lower() for word in _KEY_WORD.findall(key)]


def _is_number(item: object) -> TypeGuard[int | float]:
    return isinstance(item, int | float) and not isinstance(item, bool) and math.isfinite(item)
