"""What the task folders of `export --to lmms-eval` name: all that lmms-eval does with a row is done here.

An answer is parsed as `parse` does, a row scored by the functions of `score` under its default protocol, so that the
table of lmms-eval has the numbers of `score`. What a row logs as `scored` is what `score` reads back.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchwright.exporters.media_files import VIDEOS
from benchwright.parsing import windows_of
from scorers.answers import parse_answers
from scorers.resampling import Ratio
from scorers.temporal.expressions import DEFAULT_METRICS
from scorers.temporal.metrics import evaluate
from scorers.temporal.spans import TrueSpans

Item = Mapping[str, Any]

PROTOCOL = "paper"
MEDIA = "BENCHWRIGHT_MEDIA"
"""Environment variable with the folder of the media; else it is the one that the task names."""
CLUSTER, SCORE, COUNT = "video", "score", "count"
_UNDEFINED = "undefined"
SCORED, FAILED = "scored", "failed"


def doc_to_visual(doc: Item, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> list[str]:
    """The path of a row's video, in a list.

    Raises:
        FileNotFoundError: it is not there; before a model has seen anything else in its place.
    """
    folder = os.environ.get(MEDIA) or (lmms_eval_specific_kwargs or {}).get("media") or ""
    path = Path(folder, doc["media"])
    # Of rows that nobody looked for media of, the bare name is known.
    found = next((each for each in (path, *(Path(f"{path}{end}") for end in sorted(VIDEOS))) if each.is_file()), None)
    if found is None:
        raise FileNotFoundError(f"{path}: no such video; {MEDIA} or the task's `media` names their folder")
    return [str(found)]


def doc_to_text(doc: Item, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """The question about a row, between `pre_prompt` and `post_prompt` of the task."""
    given = lmms_eval_specific_kwargs or {}
    return f"{given.get('pre_prompt', '')}{doc['question']}{given.get('post_prompt', '')}"


def doc_to_target(doc: Item) -> str:
    """An answer that is right to the last digit.

    >>> doc_to_target({"start_s": 2.0, "end_s": 1e-05})
    '2.0 - 0.00001 seconds'
    """
    start, end = (np.format_float_positional(doc[name], trim="0") for name in ("start_s", "end_s"))
    return f"{start} - {end} seconds"


def process_results(doc: Item, results: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """What a row contributes to each metric, from the first answer.

    It never raises, since lmms-eval would try again and stop the run: an answer that cannot be handled is counted as
    `failed` and scored as one without a span.

    Returns:
        By metric, `score` on the metric's scale (0 or 100 in shares) and the cluster `video`; no score where the row is
        left out of the metric, or, with `undefined`, where it leaves the metric without a value. `scored` and `failed`
        count rows, and `scored` has what was found in the answer.
    """
    try:
        return _judged(doc, _parsed(results), failed=False)
    except Exception as failure:  # whatever it is
        nothing = {"windows": [], "status": FAILED, "note": f"{type(failure).__name__}: {failure}"}
    try:
        return _judged(doc, nothing, failed=True)
    except Exception:  # a row that is none
        return {FAILED: {COUNT: 1}}


def _parsed(results: Sequence[Any]) -> dict[str, Any]:
    """The windows of an answer as predictions have them, and how they were found."""
    answer = results[0]
    while isinstance(answer, list):
        answer = answer[0]
    parsed = parse_answers([answer])
    windows = windows_of(pa.array([""]), parsed)
    spans = zip(windows["start_s"].to_pylist(), windows["end_s"].to_pylist(), strict=True)
    found: dict[str, Any] = parsed.select(["status", "pattern", "note"]).to_pylist()[0]
    return {"windows": [list(span) for span in spans if None not in span]} | found


def _judged(doc: Item, answer: Mapping[str, Any], failed: bool) -> dict[str, dict[str, Any]]:
    best = answer["windows"][0] if answer["windows"] else [math.nan, math.nan]
    times = (float(doc["start_s"]), float(doc["end_s"]), *best)
    true_start, true_end, start, end = (np.array([time], np.float64) for time in times)
    ratios = evaluate(TrueSpans(true_start, true_end), start, end, DEFAULT_METRICS, PROTOCOL).ratios
    cluster = {CLUSTER: doc["video"]}
    return {
        **{str(metric): cluster | _contribution(ratio) for metric, ratio in ratios.items()},
        SCORED: {COUNT: int(bool(answer["windows"])), "sample_id": doc["sample_id"], **answer},
        FAILED: {COUNT: int(failed)},
    }


def _contribution(ratio: Ratio) -> dict[str, Any]:
    """What the one row of a ratio adds to it."""
    value = float(ratio.numerator[0])
    if math.isnan(value):
        return {_UNDEFINED: True}
    counts = ratio.denominator is None or bool(ratio.denominator[0])
    return {SCORE: ratio.scale * value} if counts else {}


def share(items: Sequence[Item]) -> float | None:
    """A share of rows in percent, None where it has no value.

    >>> share([{"score": 100.0}, {"score": 0.0}, {"score": 0.0}])
    33.33333333333333
    """
    return _value(items, lambda scores: Ratio(scores > 0, scale=100.0))


def mean(items: Sequence[Item]) -> float | None:
    """A mean over the rows that are not left out, None where it has no value."""
    return _value(items, Ratio)


def _value(items: Sequence[Item], ratio: Any) -> float | None:
    scores = np.array([item[SCORE] for item in items if SCORE in item], np.float64)
    value: float = ratio(scores).value
    return None if math.isnan(value) or any(_UNDEFINED in item for item in items) else value


def count(items: Sequence[Item]) -> int:
    """How many rows count."""
    return sum(item[COUNT] for item in items)
