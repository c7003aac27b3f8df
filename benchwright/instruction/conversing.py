"""Conversations of one task: candidates, variants drawn, texts filled in and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.instruction.asks import Asked
from benchwright.instruction.draws import Words, draw, pick, words_of
from benchwright.instruction.needs import check_places, is_time
from benchwright.instruction.places import Place, Where
from benchwright.instruction.proof import StatedSpan, blurred, stated_span, unread_boxes, unread_spans
from benchwright.instruction.rendering import Rendered, lacking, listed, no_numbers, rendered
from benchwright.instruction.templates import Parsed
from schemas.arrays import floats
from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass
class Conversations:
    """What became of the candidates of one task.

    Attributes:
        ids: of each candidate.
        rows: position of the row that each is about.
        template: which of the task's templates, and with which variants.
        texts: question and answer.
        numbers: of question and answer, `row` the candidate.
        reason: why it was dropped, empty for the others.
        negative: whether the question names what is not so.
        others: positions of the rows that lent wrong choices.
        loss: by how much the times, or sides of boxes, of an answer differ by rounding; NaN where there are none.
        empty: whether a text states a span that has a length, but none after rounding.
    """

    ids: NDArray[np.object_]
    rows: Rows
    template: NDArray[np.object_]
    texts: list[NDArray[np.object_]]
    numbers: list[pd.DataFrame]
    reason: NDArray[np.object_]
    negative: Mask
    others: list[list[int]]
    loss: NDArray[np.float64]
    empty: Mask


def converse(
    template: Parsed, asked: Asked, sources: Sequence[str], words: Words, mine: Mask, seed: int
) -> Conversations:
    """The conversations of one template.

    Args:
        template: to fill in.
        asked: its candidates, of all rows.
        sources: sample ids of the rows of the split that candidates are of, by position.
        words: random bits of these rows.
        mine: the rows that this template was drawn for.
        seed: of the variants.

    Raises:
        InputError: an unknown place, a text that lacks what its task needs, answers that cannot be read back.
    """
    check_places(template, asked.fields.names, None if asked.items is None else asked.items.names)
    asked = asked.only(np.flatnonzero(mine[asked.rows]))
    ids = np.array([f"{sources[row]}#{key}" for row, key in zip(asked.rows.tolist(), asked.keys, strict=True)], object)
    size = len(ids)
    reason = np.full(size, "", object)
    reason[draw(words, f"{template.task} share")[asked.rows] >= template.given.share] = "not_drawn"
    for name, mask in asked.dropped.items():
        reason[mask & (reason == "")] = name
    own = words_of(ids.tolist(), seed)
    negative = np.zeros(size, bool) if asked.negative is None else asked.negative
    kinds = [("questions", np.ones(size, bool)), ("answers", ~negative), ("denials", negative)]
    variants = {}
    for kind, _ in kinds:
        names = template.variants(kind)
        variants[kind] = pick(own, kind, [1.0] * len(names)) if names else np.zeros(size, np.int64)
    parts = [
        (f"{kind}[{number + 1}]", among & (variants[kind] == number))
        for kind, among in kinds
        for number in range(len(template.variants(kind)))
    ]
    for name, among in parts:
        _drop_lacking(template, name, among, asked, reason)
    filled = [_Filled.empty(size), _Filled.empty(size)]
    loss, empty = np.full(size, np.nan), np.zeros(size, bool)
    for name, among in parts:
        at = np.flatnonzero(among & (reason == ""))
        made = _render(template, name, asked, at)
        filled["questions" not in name].put(at, made)
        span = stated_span(made.numbers, len(at))
        if span is not None:
            empty[at] |= span.emptied
        if "questions" not in name:
            loss[at] = _proved(template, name, made, span, asked, at, ids)
        elif span is not None and asked.negative is not None:
            true = [floats(asked.fields.table[f"true_{side}_s"])[at] for side in ("start", "end")]
            reason[at[blurred(span, (true[0], true[1]), template.given.max_overlap)]] = "blurred"
    answer = np.where(negative, variants["denials"], variants["answers"]) + 1
    labels = [
        f"{template.id}:q{question}:{'n' if denied else 'a'}{number}"
        for question, number, denied in zip(
            (variants["questions"] + 1).tolist(), answer.tolist(), negative, strict=True
        )
    ]
    lent = asked.others
    others: list[list[int]] = (
        [[] for _ in range(size)] if lent is None else [[row for row in each if row >= 0] for each in lent.tolist()]
    )
    texts, numbers = [each.texts for each in filled], [each.frame() for each in filled]
    return Conversations(
        ids, asked.rows, np.array(labels, object), texts, numbers, reason, negative, others, loss, empty
    )


@dataclass
class _Filled:
    texts: NDArray[np.object_]
    frames: list[pd.DataFrame]

    @classmethod
    def empty(cls, size: int) -> _Filled:
        return cls(np.full(size, "", object), [])

    def put(self, at: Rows, made: Rendered) -> None:
        self.texts[at] = made.texts
        if len(made.numbers):
            self.frames.append(made.numbers.assign(row=at[made.numbers["row"].to_numpy()]))

    def frame(self) -> pd.DataFrame:
        return pd.concat(self.frames, ignore_index=True) if self.frames else no_numbers()


def _uses_boxes(template: Parsed, name: str) -> bool:
    return any(isinstance(piece, Place) and piece.name == "boxes" for piece in template.pieces[name])


def _drop_lacking(template: Parsed, name: str, among: Mask, asked: Asked, reason: NDArray[np.object_]) -> None:
    at = np.flatnonzero(among & (reason == ""))
    pieces = template.pieces[name]
    fields = asked.fields.only(at, pieces)._replace(made={"boxes": Rendered([], no_numbers())})
    absent, beyond = lacking(pieces, fields, template.where(name))
    if asked.items is not None and asked.parents is not None and _uses_boxes(template, name):
        of_item = lacking(template.pieces["item"], asked.items, template.where("item"))
        for mask, items in zip((absent, beyond), of_item, strict=True):
            hit = np.zeros(len(among), bool)
            hit[asked.parents[items]] = True
            mask |= hit[at]
    reason[at[absent]] = "no_value"
    reason[at[beyond & ~absent]] = "beyond"


def _render(template: Parsed, name: str, asked: Asked, at: Rows) -> Rendered:
    pieces = template.pieces[name]
    fields = asked.fields.only(at, pieces)
    if asked.items is not None and asked.parents is not None and _uses_boxes(template, name):
        place = np.full(len(asked.keys), -1)
        place[at] = np.arange(len(at))
        parents = place[asked.parents]
        kept = np.flatnonzero(parents >= 0)
        kept = kept[np.argsort(parents[kept], kind="stable")]
        items = asked.items.only(kept, template.pieces["item"])
        between = ", " if template.given.between is None else template.given.between
        boxes = listed(
            rendered(template.pieces["item"], items, template.where("item")), parents[kept], len(at), between
        )
        fields = fields._replace(made={"boxes": boxes})
    return rendered(pieces, fields, template.where(name))


def _proved(
    template: Parsed,
    name: str,
    made: Rendered,
    span: StatedSpan | None,
    asked: Asked,
    at: Rows,
    ids: NDArray[np.object_],
) -> NDArray[np.float64]:
    """What rounding has lost in each answer; ones that cannot be read back are an error."""
    numbers = made.numbers
    loss = np.full(len(at), np.nan)
    if span is not None:
        scales = [piece.scale for piece in template.pieces[name] if isinstance(piece, Place) and is_time(piece)]
        columns = asked.fields.table.column_names
        durations = (
            floats(asked.fields.table["duration_s"])[at] if "duration_s" in columns else np.full(len(at), np.nan)
        )
        wrong, found = unread_spans(made.texts, span.stated, scales[0], durations)
        expected, advice = "what was filled in", "`benchwright parse` reads: from {start:.1f} to {end:.1f} seconds"
        loss = span.moved
    elif _uses_boxes(template, name):
        wrong, found = unread_boxes(made.texts, numbers)
        expected, advice = "the numbers that were filled in, and no others", ""
        worst = (numbers["value"] - numbers["stated"]).abs().groupby(numbers["row"]).max()
        loss[worst.index] = worst.to_numpy()
    else:
        return loss
    if wrong.any():
        raise _unread(template.where(name), made.texts, np.flatnonzero(wrong), found, ids[at], (expected, advice))
    return loss


def _unread(
    where: Where,
    texts: Sequence[str],
    rows: Rows,
    found: Sequence[str],
    ids: NDArray[np.object_],
    wanted: tuple[str, str],
) -> InputError:
    problems = [
        Problem(where.file, where.record, f"row {ids[row]!r}", f"{said} in {shown(texts[row])}", *wanted)
        for row, said in zip(rows[:MOST_PROBLEMS].tolist(), found, strict=False)
    ]
    return InputError(problems)
