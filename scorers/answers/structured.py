"""Spans in JSON inside an answer: objects, lists of windows, nested, in code blocks or bare."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Literal, NamedTuple, TypeGuard

from scorers.answers.mentions import mentions
from scorers.answers.ranges import ranges
from scorers.answers.units import Moment, TimeScale, Unit, Window

Side = Literal["start", "end"]

_OPENING = re.compile(r"[\[{]")
_ATTEMPTS = 100
_DEPTH = 20
_LONGEST_STRING = 200
_DECODER = json.JSONDecoder(parse_int=float)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIDE_KEYS: tuple[tuple[Side, str], ...] = (
    ("start", "start, start time, start timestamp, begin, begin time, beginning, onset, from, t start"),
    ("end", "end, end time, end timestamp, finish, finish time, stop, stop time, offset, to, until, t end"),
)
_SIDES: dict[frozenset[str], Side] = {
    frozenset(key.split()): side for side, keys in _SIDE_KEYS for key in keys.split(", ")
}
_UNITS: dict[str, tuple[Unit, float]] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("seconds", 1.0)),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), ("seconds", 0.001)),
    **dict.fromkeys(("percent", "pct", "percentage"), ("percent", 1.0)),
    **dict.fromkeys(("frame", "frames", "idx", "index"), ("frame", 1.0)),
}
# Words that a key may hold besides: `event_start`, `predicted_end_time`, `start_ms`.
_BESIDES = frozenset((*_UNITS, "action", "event", "moment", "pred", "predicted", "query", "segment", "span", "window"))
_SPAN_KEYS = re.compile(
    r"(?<![a-z])(?:windows?|spans?|segments?|intervals?|moments?|timestamps?|times?|ranges?|predictions?|answer|output"
    r"|result|response)(?![a-z])"
)
_SCORES = ("score", "confidence", "probability")


class Structured(NamedTuple):
    """What the JSON of an answer says.

    Attributes:
        windows: complete spans, or one that lacks an end; by falling score where every one has a score.
        matched: the text of the JSON value.
        null: whether start and end are given as null, and no span is.
        values: how many JSON values give spans of their own; several compete, while those of one list are ranked.
    """

    windows: list[Window]
    matched: str
    null: bool
    values: int


def structured(text: str, scale: TimeScale) -> Structured | None:
    """The spans in the JSON values of `text`; None where no value states any. Only the first 100 brackets are tried."""
    windows: list[Window] = []
    matched, null = "", False
    position = values = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(text, position)
        if opening is None:
            break
        try:
            value, position = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
            continue
        whole = not re.search(r"[A-Za-z]{3}", text[: opening.start()].replace("json", "") + text[position:])
        spans, said_null = _spans(value, scale, listed=whole, depth=0)
        if (spans or said_null) and not matched:
            matched = text[opening.start() : position]
        values += any(span not in windows for span in spans)
        windows, null = windows + spans, null or said_null
    if not windows and not null:
        return None
    return Structured(_ranked(windows), matched, null and not windows, values)


def _spans(value: Any, scale: TimeScale, listed: bool, depth: int) -> tuple[list[Window], bool]:
    """Spans of one JSON value, and whether it gives null for both ends; `listed`: a bare list of numbers is a span."""
    if depth > _DEPTH:
        return [], False
    if isinstance(value, dict):
        return _spans_of_object(value, scale, depth)
    if isinstance(value, list):
        pair = _pair(value, scale) if listed else None
        if pair is not None:
            return [pair], False
        parts = [_spans(item, scale, listed, depth + 1) for item in value]
        return [window for spans, _ in parts for window in spans], bool(parts) and all(null for _, null in parts)
    if isinstance(value, str) and listed and depth > 0:
        text = value[:_LONGEST_STRING].lower()
        return [joint.window for joint in ranges(text, mentions(text, scale), ())], False
    return [], False


def _spans_of_object(value: dict[str, Any], scale: TimeScale, depth: int) -> tuple[list[Window], bool]:
    sides: dict[Side, Moment | None] = {}
    unreadable = False
    for key, item in value.items():
        side, unit, factor = _side(key)
        if side and side not in sides and not isinstance(item, list | dict):
            sides[side] = _moment(item, scale, unit, factor)
            unreadable = unreadable or (sides[side] is None and isinstance(item, str) and any(map(str.isdigit, item)))
    if any(sides.values()):
        score = next((float(value[name]) for name in _SCORES if _is_number(value.get(name))), None)
        return [Window(sides.get("start"), sides.get("end"), score)], False
    if len(sides) == 2:
        return [], not unreadable
    parts = [_spans(item, scale, bool(_SPAN_KEYS.search(key.lower())), depth + 1) for key, item in value.items()]
    return [window for spans, _ in parts for window in spans], any(null for _, null in parts)


def _pair(items: list[Any], scale: TimeScale) -> Window | None:
    """[start, end] or [start, end, score] (Moment-DETR, QVHighlights)."""
    if len(items) not in (2, 3) or any(isinstance(item, list | dict) for item in items):
        return None
    start, end = (_moment(item, scale, None, 1.0) for item in items[:2])
    score = float(items[2]) if len(items) == 3 and _is_number(items[2]) else None
    if start is None or end is None or (len(items) == 3 and score is None):
        return None
    return Window(start, end, score)


def _moment(item: object, scale: TimeScale, unit: Unit | None, factor: float) -> Moment | None:
    if _is_number(item):
        return scale.moment(float(item) * factor, unit)
    if not isinstance(item, str) or len(item) > _LONGEST_STRING:
        return None
    text = item.strip().lower()
    times = mentions(text, scale)
    if len(times) != 1 or (times[0].start, times[0].end) != (0, len(text)):
        return None
    if times[0].form == "plain" and unit is not None:
        return scale.moment(float(text) * factor, unit)
    return times[0].moment


def _side(key: str) -> tuple[Side | None, Unit | None, float]:
    """Which end of a span a key names, and the unit in it (`start_frame`, `endTimeMs`)."""
    spaced = _CAMEL.sub(" ", key).lower().replace("starttime", "start time").replace("endtime", "end time")
    words = re.findall(r"[a-z]+", spaced)
    unit, factor = next((_UNITS[word] for word in words if word in _UNITS), (None, 1.0))
    return _SIDES.get(frozenset(words) - _BESIDES), unit, factor


def _is_number(item: object) -> TypeGuard[int | float]:
    return isinstance(item, int | float) and not isinstance(item, bool) and math.isfinite(item)


def _ranked(windows: list[Window]) -> list[Window]:
    unique = list(dict.fromkeys(windows))
    if all(window.score is not None for window in unique):
        return sorted(unique, key=lambda window: -(window.score or 0.0))
    return unique
