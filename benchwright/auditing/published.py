"""What papers print of their systems, beside those that are audited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.auditing.result import Printed
from benchwright.auditing.scores import Judge
from benchwright.verification import is_published
from schemas.cards import Published
from schemas.paper import as_printed, published_of


def published(judge: Judge) -> list[Printed]:
    """The printed scores of the split that is audited; none under another protocol or truth than the papers'."""
    task = judge.task
    card, splits = task.manifest.card, task.manifest.splits
    if task.manifest.identity.changed_parameters or not is_published(task.manifest):
        return []
    if card is None or task.protocol != task.scorer.protocols[0] or task.options.get("truth") not in (None, "start"):
        return []
    usual = splits[0] if len(splits) == 1 else "test"
    scores = dict(zip(judge.sources, judge.default.values, strict=True))
    here = [each for each in published_of(card) if (each.split or usual) == task.split]
    return [Printed(each, [name for name, own in scores.items() if _equal(each, own)]) for each in here]


def _equal(printed: Published, values: Mapping[Any, float]) -> bool:
    """Whether every score that both have prints the same, and there is one."""
    common = {metric: printed.scores[str(metric)] for metric in values if str(metric) in printed.scores}
    return bool(common) and all(as_printed(values[metric], text) == text for metric, text in common.items())
