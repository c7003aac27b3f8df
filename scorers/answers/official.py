"""The authors' extraction of UAL-Bench, pattern by pattern; searched in the whole answer, case as written.

Sources. First pass of the video LLMs: `uag : scripts/videochat2_x_uag_oops_v1.py`, `scripts/video_chatgpt_x_ssbd.py`,
`scripts/video_llama2_x_ssbd.py`, on FunQA `scripts/funqa_x_*.py`; of LLaMA3: `UAL_Bench : src/llama3_x_*.py`. Second
pass over the rows left null: `uag : results/fix_null_pred.py`. The expressions are ours: they accept the same texts, in
linear time. Which set reads the answers of which model on which benchmark is in the benchmark's card.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.errors import UsageError, unknown_name
from scorers.answers.mentions import Span, Unit
from scorers.answers.patterns import GENERAL, MIDPOINTS, Found, Pattern, Reading, found
from scorers.times import loose_clock_seconds

_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_N = r"(\d++(?:\.\d*)?)"
_F = r"(\d++\.\d+)"
_HMS = r"(\d{2}:\d{2}:\d{2})"
_RANGE_SPACED = re.compile(r"(?<!\d)(\d++:\d++) - (\d++:\d++)")
_RANGE_TIGHT = re.compile(r"(?<!\d)(\d++:\d++)-(\d++:\d++)")


def _two_clocks(reading: Reading) -> Found | None:
    clocks = _CLOCK.findall(reading.raw)
    return found([Span(*map(loose_clock_seconds, clocks))], " ... ".join(clocks)) if len(clocks) == 2 else None


def _two_range_midpoints(reading: Reading) -> Found | None:
    for pattern in (_RANGE_SPACED, _RANGE_TIGHT):
        pairs = pattern.findall(reading.raw)
        if len(pairs) == 2:
            span = Span(*(_midpoint(*pair) for pair in pairs))
            return found([span], " ... ".join("-".join(pair) for pair in pairs), {MIDPOINTS: True})
    return None


def _midpoint(low: str, high: str) -> float:
    """Minutes and seconds of the midpoint are each halved and cut: between 0:50 and 1:10 that gives 0:30."""
    minutes, seconds = ((float(a) + float(b)) // 2 for a, b in zip(low.split(":"), high.split(":"), strict=True))
    return minutes * 60 + seconds


def _pattern(name: str, meaning: str, expression: str, unit: Unit = "") -> Pattern:
    """The first match in the whole answer, its two groups as start and end."""
    compiled = re.compile(expression)

    def find(reading: Reading) -> Found | None:
        match = compiled.search(reading.raw)
        if match is None:
            return None
        if unit == "clock":
            span = Span(loose_clock_seconds(match[1]), loose_clock_seconds(match[2]))
        else:
            span = Span(*(reading.scale.seconds(float(text), unit) for text in match.groups()))
        return found([span], match[0])

    return Pattern(name, meaning, find)


TWO_CLOCKS = Pattern("two-clocks", "exactly two clock strings, start and end", _two_clocks)
UNQUOTED_DECIMALS = _pattern(
    "unquoted-decimals", "start_time: F, end_time: F", rf"start_time:\s*{_F},\s*end_time:\s*{_F}"
)
LLAMA3 = (
    _pattern("json-camel-case", '"startTime": F, "endTime": F', rf'"startTime": {_F},\s+"endTime": {_F}'),
    _pattern("json-snake-case", '"start_time": N, "end_time": N', rf'"start_time": {_N},\s*"end_time": {_N}'),
    _pattern("lines-start-time", "Start time: Ns End time: Ns", rf"Start time: {_N}s\s+End time: {_N}s", "seconds"),
    _pattern(
        "lines-start-time-capital", "Start Time: Ns End Time: Ns", rf"Start Time: {_N}s\s+End Time: {_N}s", "seconds"
    ),
    UNQUOTED_DECIMALS,
)
JSON_DECIMALS = _pattern(
    "json-decimals", '"start_time": F[s], "end_time": F[s]', rf'"start_time": {_F}s?,\s*"end_time": {_F}'
)
_CLOCK_LAYOUTS = {
    "hms-json-start": ('"start" and "end"', '"start": "{}",\n"end": "{}"'),
    "hms-json-start-time": ('"start_time" and "end_time"', '"start_time": "{}",\n"end_time": "{}"'),
    "hms-start-time-capital": ("Start Time: and End Time:", "Start Time: {}\nEnd Time: {}"),
    "hms-start-time": ("Start time: and End time:", "Start time: {}\nEnd time: {}"),
    "hms-start": ("Start: and End:", "Start: {}\nEnd: {}"),
    "hms-json-indented": ("the second, indented by two", '"start_time": "{}",\n  "end_time": "{}"'),
}
CLOCK_LAYOUTS = tuple(
    _pattern(name, meaning, layout.format(_HMS, _HMS), "clock") for name, (meaning, layout) in _CLOCK_LAYOUTS.items()
)
TWO_RANGE_MIDPOINTS = Pattern(
    "two-range-midpoints",
    "exactly two ranges a - b, or exactly two a-b: start and end are their midpoints",
    _two_range_midpoints,
)
OFFICIAL: dict[str, tuple[Pattern, ...]] = {
    "official:vid-llm": (TWO_CLOCKS,),
    "official:vid-llm-decimals": (TWO_CLOCKS, UNQUOTED_DECIMALS),
    "official:vid-llm-second-pass": (TWO_CLOCKS, *CLOCK_LAYOUTS),
    "official:videollama-second-pass": (TWO_CLOCKS, TWO_RANGE_MIDPOINTS),
    "official:llama3": LLAMA3,
    "official:llama3-decimals": (JSON_DECIMALS,),
}
PATTERNS: dict[str, Pattern] = {
    pattern.name: pattern for patterns in (*OFFICIAL.values(), GENERAL) for pattern in patterns
}


def select_patterns(patterns: str | Sequence[str]) -> tuple[Pattern, ...]:
    """The patterns of a set (`general`, `official:vid-llm`, ...), or those named one by one, in the order given.

    Raises:
        UsageError: an unknown set or pattern, no pattern at all.
    """
    if patterns == "general":
        return GENERAL
    if isinstance(patterns, str):
        if patterns not in OFFICIAL:
            raise unknown_name("set of patterns", patterns, ["general", *OFFICIAL])
        return OFFICIAL[patterns]
    if not patterns:
        raise UsageError("no patterns named; give a set such as 'general', or names of patterns")
    for name in patterns:
        if name not in PATTERNS:
            raise unknown_name("pattern", name, list(PATTERNS))
    return tuple(PATTERNS[name] for name in patterns)
