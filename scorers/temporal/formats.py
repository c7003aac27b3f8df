"""Files of predicted spans in the shapes that people have, read into one: `Predictions`.

* `table`: CSV, JSON, JSON Lines or Parquet with `sample_id`, `start_s`, `end_s` and an optional `score`.
* `ual-bench`: the published objects `{id: {pred_start, pred_end}}` and arrays of `{label, gt, pred}`; the latter name
  only the video, the quoted truth tells its rows apart.
* `official`: an array of `{video_id, start_time, end_time, pred_start, pred_end}`, the official evaluator's template.
* `moment-detr`: JSON Lines of `{qid, query, vid, pred_relevant_windows}` as for QVHighlights, best window first.
* `lmms-eval`: an object `{"video>>>query>>>truth": "free text"}`; the answers are still to be parsed.

Times are seconds, or clock strings (h:mm:ss, m:ss) as the published files have them; null, or an empty cell, is no
prediction. Several windows of one row are ranked: as listed, or by falling `score` (ties in file order).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from schemas.errors import InputError, Problem, UsageError, shown, unknown_name
from schemas.input.documents import Document, read_document
from scorers.temporal.entries import Predictions
from scorers.temporal.published import read_lmms_eval, read_moment_detr, read_official, read_ual_bench
from scorers.temporal.table import read_table
from scorers.times import LONGEST_TIME

_READERS: dict[str, Callable[[Document], Predictions]] = {
    "table": read_table,
    "ual-bench": read_ual_bench,
    "official": read_official,
    "moment-detr": read_moment_detr,
    "lmms-eval": read_lmms_eval,
}
FORMS = tuple(_READERS)
# The field that tells records of a form from those of others.
_MARKS = {"pred_relevant_windows": "moment-detr", "pred_start": "official", "pred": "ual-bench", "sample_id": "table"}


def read_predictions(path: Path, form: str | None = None) -> Predictions:
    """Read a prediction file.

    Args:
        path: the file.
        form: one of `FORMS`; found out from the content when None.

    Raises:
        UsageError: unknown form, or none fits the content.
        InputError: unreadable file, missing fields, times that are none: not finite, negative, other text.
    """
    if form is not None and form not in FORMS:
        raise unknown_name("prediction format", form, list(FORMS))
    document = read_document(path)
    predictions = _READERS[form or _detected(document)](document)
    _check_times(predictions)
    return predictions


def _detected(document: Document) -> str:
    """The form whose distinctive fields the first record has."""
    if document.table is not None:
        return "table"
    first = document.records[0]
    if document.keys is None and isinstance(first, dict):
        for field, form in _MARKS.items():
            if field in first:
                return form
    elif document.keys is not None:
        if isinstance(first, str) and ">>>" in document.keys[0]:
            return "lmms-eval"
        if isinstance(first, dict) and "pred_start" in first:
            return "ual-bench"
    fields = ", ".join(map(str, first)) if isinstance(first, dict) else type(first).__name__
    raise UsageError(
        f"{document.file}: no known prediction format has records like {shown(fields)}"
        f" (known: {', '.join(FORMS)}; free answers go through `benchwright parse` first)"
    )


def _check_times(predictions: Predictions) -> None:
    problems = []
    for field, times in (("start", predictions.start), ("end", predictions.end)):
        for window in np.flatnonzero(np.isinf(times) | (times < 0) | (times > LONGEST_TIME)):
            key = predictions.keys[int(predictions.entry[window])].as_py()
            huge = LONGEST_TIME < times[window] < np.inf
            expected = "a time that a video can have" if huge else "a finite time from 0"
            problems.append(Problem(predictions.file, repr(key), field, f"{times[window]:g}", expected))
            if len(problems) > 1000:
                raise InputError(problems)
    if problems:
        raise InputError(problems)
