"""Conversations of one task: candidates, variants drawn, texts filled in and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchwright.instruction.asks import Asked
from benchwright.instruction.draws import Words, draw, pick, words_of
from benchwright.instruction.places import Place, resolved
from benchwright.instruction.proof import unread_boxes, unread_spans
from benchwright.instruction.rendering import Rendered, lacking, listed, no_numbers, rendered
from benchwright.instruction.templates import Parsed
from schemas.arrays import floats
from schemas.errors import MOST_PROBLEMS, InputError, Problem, shown

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
_SPAN = ("start_s", "end_s")
# What a text of each task must name, any of each group.
_MUST: Mapping[tuple[str, str], list[tuple[str, ...]]] = {
    ("localise", "answers"): [("start_s",), ("end_s",)],
    ("verify", "questions"): [("start_s",), ("end_s",)],
    ("choose", "questions"): [("options",)],
    ("choose", "answers"): [("letter", "option")],
    ("ground", "answers"): [("boxes",)],
}


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
        empty: answers whose span has a length, but none after rounding.
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
        _check(template, kind, names, asked)
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
        if "questions" not in name and len(at):
            loss[at], empty[at] = _proved(template, name, made, asked, at, ids)
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


def _check(template: Parsed, kind: str, names: Sequence[str], asked: Asked) -> None:
    """Every place is known, and every text has what its task needs."""
    known = asked.fields.names | ({"boxes"} if asked.items is not None else set())
    for name in names:
        where = template.where(name)
        found = {resolved(piece, known, where) for piece in template.pieces[name] if isinstance(piece, Place)}
        for wanted in _MUST.get((template.task, kind), []):
            if not found & set(wanted):
                places = " or ".join(f"{{{each.removesuffix('_s')}}}" for each in wanted)
                raise where.problem(
                    "", "no such place", places, f"without it a {kind[:-1]} of {template.task} says nothing"
                )
        scales = {piece.scale for piece in template.pieces[name] if isinstance(piece, Place) and _is_time(piece)}
        if kind == "answers" and len(scales) > 1:
            raise where.problem("", f"times on the scales {sorted(scales)}", "one scale in an answer")
    if asked.items is not None:
        for piece in template.pieces["item"]:
            if isinstance(piece, Place):
                resolved(piece, asked.items.names, template.where("item"))


def _is_time(place: Place) -> bool:
    return place.name.removesuffix("_s") in ("start", "end")


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
    template: Parsed, name: str, made: Rendered, asked: Asked, at: Rows, ids: NDArray[np.object_]
) -> tuple[NDArray[np.float64], Mask]:
    """What rounding has lost in each answer, and whether that was all; ones that cannot be read back are an error."""
    numbers = made.numbers
    by_name = {each: numbers[numbers["name"] == each].drop_duplicates("row") for each in _SPAN}
    loss, empty = np.full(len(at), np.nan), np.zeros(len(at), bool)
    if all(len(each) == len(at) for each in by_name.values()):
        scales = [piece.scale for piece in template.pieces[name] if isinstance(piece, Place) and _is_time(piece)]
        columns = asked.fields.table.column_names
        durations = (
            floats(asked.fields.table["duration_s"])[at] if "duration_s" in columns else np.full(len(at), np.nan)
        )
        start, end = (by_name[each].sort_values("row") for each in _SPAN)
        stated = start["stated"].to_numpy(), end["stated"].to_numpy()
        wrong, found = unread_spans(made.texts, stated, scales[0], durations)
        errors = [np.abs(each["value"].to_numpy() - each["stated"].to_numpy()) for each in (start, end)]
        loss = np.maximum(*errors)
        empty = (stated[0] == stated[1]) & (start["value"].to_numpy() != end["value"].to_numpy())
    elif _uses_boxes(template, name):
        wrong, found = unread_boxes(made.texts, numbers)
        worst = (numbers["value"] - numbers["stated"]).abs().groupby(numbers["row"]).max()
        loss[worst.index] = worst.to_numpy()
    else:
        return loss, empty
    if wrong.any():
        raise _unread(template, name, made.texts, np.flatnonzero(wrong), found, ids[at])
    return loss, empty


def _unread(
    template: Parsed, name: str, texts: Sequence[str], rows: Rows, found: Sequence[str], ids: NDArray[np.object_]
) -> InputError:
    where, advice = template.where(name), "`benchwright parse` reads: from {start:.1f} to {end:.1f} seconds"
    expected = "what was filled in"
    problems = [
        Problem(where.file, where.record, f"row {ids[row]!r}", f"{said} in {shown(texts[row])}", expected, advice)
        for row, said in zip(rows[:MOST_PROBLEMS].tolist(), found, strict=False)
    ]
    return InputError(problems)
