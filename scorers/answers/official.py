"""The authors' extraction of UAL-Bench, pattern by pattern; searched in the whole answer, case as written.

Sources. First pass of the video LLMs: `uag : scripts/videochat2_x_uag_oops_v1.py`, `scripts/video_chatgpt_x_ssbd.py`,
`scripts/video_llama2_x_ssbd.py`, on FunQA `scripts/funqa_x_*.py`; of LLaMA3: `UAL_Bench : src/llama3_x_*.py`. Second
pass over the rows left null: `uag : results/fix_null_pred.py`. The expressions are ours: they accept the same texts, in
linear time.

The published raw predictions of LLaMA3 on UAG-SSBD come from an older script,
`uag : scripts/llama3_x_blip2_text_rep_ssbd.py`, with the single pattern of `official:llama3-funqa`; the five of
`official:llama3-ssbd` came later.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from schemas.errors import unknown_name
from scorers.answers.found import MIDPOINTS, Found, Pattern
from scorers.answers.reading import Reading, excerpt
from scorers.answers.units import Moment, Window
from scorers.times import loose_clock_seconds

_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_N = r"(\d++(?:\.\d*)?)"
_F = r"(\d++\.\d+)"
_HMS = r"(\d{2}:\d{2}:\d{2})"
_RANGE_SPACED = re.compile(r"(?<!\d)(\d++:\d++) - (\d++:\d++)")
_RANGE_TIGHT = re.compile(r"(?<!\d)(\d++:\d++)-(\d++:\d++)")


def _two_clocks(reading: Reading) -> Found | None:
    clocks = _CLOCK.findall(reading.raw)
    if len(clocks) != 2:
        return None
    start, end = (Moment(loose_clock_seconds(clock), "seconds") for clock in clocks)
    return Found((Window(start, end),), " ... ".join(clocks))


def _two_range_midpoints(reading: Reading) -> Found | None:
    for pattern in (_RANGE_SPACED, _RANGE_TIGHT):
        pairs = pattern.findall(reading.raw)
        if len(pairs) == 2:
            start, end = (Moment(_midpoint(*pair), "seconds") for pair in pairs)
            return Found((Window(start, end),), excerpt(" ... ".join("-".join(pair) for pair in pairs)), (MIDPOINTS,))
    return None


def _midpoint(low: str, high: str) -> float:
    """Minutes and seconds of the midpoint are each halved and cut: between 0:50 and 1:10 that gives 0:30."""
    minutes, seconds = ((float(a) + float(b)) // 2 for a, b in zip(low.split(":"), high.split(":"), strict=True))
    return minutes * 60 + seconds


def _search(expression: str, convert: Callable[[str], Moment]) -> Callable[[Reading], Found | None]:
    pattern = re.compile(expression)

    def find(reading: Reading) -> Found | None:
        match = pattern.search(reading.raw)
        if match is None:
            return None
        return Found((Window(convert(match[1]), convert(match[2])),), excerpt(match[0]))

    return find


def _number(text: str) -> Moment:
    return Moment(float(text), "number")


def _seconds(text: str) -> Moment:
    return Moment(float(text), "seconds")


def _clock(text: str) -> Moment:
    return Moment(loose_clock_seconds(text), "seconds")


TWO_CLOCKS = Pattern("two-clocks", "exactly two clock strings, start and end", _two_clocks)
UNQUOTED_DECIMALS = Pattern(
    "unquoted-decimals", "start_time: F, end_time: F", _search(rf"start_time:\s*{_F},\s*end_time:\s*{_F}", _number)
)
LLAMA3_FIVE = (
    Pattern(
        "json-camel-case", '"startTime": F, "endTime": F', _search(rf'"startTime": {_F},\s+"endTime": {_F}', _number)
    ),
    Pattern(
        "json-snake-case",
        '"start_time": N, "end_time": N',
        _search(rf'"start_time": {_N},\s*"end_time": {_N}', _number),
    ),
    Pattern(
        "lines-start-time", "Start time: Ns End time: Ns", _search(rf"Start time: {_N}s\s+End time: {_N}s", _seconds)
    ),
    Pattern(
        "lines-start-time-capital",
        "Start Time: Ns End Time: Ns",
        _search(rf"Start Time: {_N}s\s+End Time: {_N}s", _seconds),
    ),
    UNQUOTED_DECIMALS,
)
LLAMA3_ONE = Pattern(
    "json-decimals",
    '"start_time": F[s], "end_time": F[s]',
    _search(rf'"start_time": {_F}s?,\s*"end_time": {_F}', _number),
)
CLOCK_LAYOUTS = (
    Pattern("hms-json-start", '"start" and "end"', _search(rf'"start": "{_HMS}",\n"end": "{_HMS}"', _clock)),
    Pattern(
        "hms-json-start-time",
        '"start_time" and "end_time"',
        _search(rf'"start_time": "{_HMS}",\n"end_time": "{_HMS}"', _clock),
    ),
    Pattern(
        "hms-start-time-capital", "Start Time: and End Time:", _search(rf"Start Time: {_HMS}\nEnd Time: {_HMS}", _clock)
    ),
    Pattern("hms-start-time", "Start time: and End time:", _search(rf"Start time: {_HMS}\nEnd time: {_HMS}", _clock)),
    Pattern("hms-start", "Start: and End:", _search(rf"Start: {_HMS}\nEnd: {_HMS}", _clock)),
    Pattern(
        "hms-json-indented",
        "the second, indented by two",
        _search(rf'"start_time": "{_HMS}",\n  "end_time": "{_HMS}"', _clock),
    ),
)
TWO_RANGE_MIDPOINTS = Pattern(
    "two-range-midpoints",
    "exactly two ranges a - b, or exactly two a-b: start and end are their midpoints",
    _two_range_midpoints,
)
OFFICIAL_SETS: dict[str, tuple[Pattern, ...]] = {
    "official:vid-llm": (TWO_CLOCKS,),
    "official:vid-llm-funqa": (TWO_CLOCKS, UNQUOTED_DECIMALS),
    "official:vid-llm-second-pass": (TWO_CLOCKS, *CLOCK_LAYOUTS),
    "official:videollama-second-pass": (TWO_CLOCKS, TWO_RANGE_MIDPOINTS),
    "official:llama3-oops": LLAMA3_FIVE,
    "official:llama3-ssbd": LLAMA3_FIVE,
    "official:llama3-funqa": (LLAMA3_ONE,),
    "official:llama3-charades": (LLAMA3_ONE,),
}
_BENCHMARKS = {"uag-oops": "oops", "uag-ssbd": "ssbd", "uag-funqa": "funqa", "charades-sta": "charades"}


def official_set(benchmark: str, answer_field: str) -> str:
    """Name of the first-pass set that the authors used: by the manifest's name and the field that holds the answers.

    `answer_field` is a key of the published files: `llama3_pred`, `videochat2_pred`, `video_chatgpt_pred`,
    `video_llama2_pred`, `videollama_pred`.

    Raises:
        UsageError: a benchmark that is not UAL-Bench's.
    """
    if benchmark not in _BENCHMARKS:
        raise unknown_name("benchmark with official patterns", benchmark, list(_BENCHMARKS))
    if answer_field.startswith("llama3"):
        return f"official:llama3-{_BENCHMARKS[benchmark]}"
    return "official:vid-llm-funqa" if benchmark == "uag-funqa" else "official:vid-llm"
