"""What can be asked of a row: the candidates of each task, what its templates fill in, and what is denied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.checks.context import folded
from benchwright.instruction.draws import Words, draw
from benchwright.instruction.negatives import others, wrong_spans
from benchwright.instruction.rendering import Fields, rendered
from benchwright.instruction.templates import Parsed
from schemas.arrays import array_of, floats, texts_of
from schemas.columns import column

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
CHOICES = 4
EXTENTS = dict.fromkeys(("start_s", "end_s", "length_s", "true_start_s", "true_end_s"), "duration_s")


@dataclass(frozen=True)
class Asked:
    """Candidates of one template.

    Attributes:
        fields: what can be filled in, a row a candidate.
        keys: what is added to the sample id of the row that it is about.
        rows: the position of that row.
        dropped: by reason, those that cannot be asked.
        negative: those whose question names what is not so.
        others: positions of the rows that lent wrong choices, shape (rows, lenders); -1 for none.
        items: boxes of each candidate, to be filled into the template's `item`.
        parents: the candidate of each item.
    """

    fields: Fields
    keys: list[str]
    rows: Rows
    dropped: Mapping[str, Mask] = field(default_factory=dict)
    negative: Mask | None = None
    others: Rows | None = None
    items: Fields | None = None
    parents: Rows | None = None

    def only(self, kept: Rows) -> Asked:
        """Some of the candidates."""
        items, parents = self.items, self.parents
        if items is not None and parents is not None:
            place = np.full(len(self.keys), -1)
            place[kept] = np.arange(len(kept))
            moved = place[parents]
            items, parents = items._replace(table=items.table.filter(pa.array(moved >= 0))), moved[moved >= 0]
        return Asked(
            self.fields._replace(table=self.fields.table.take(array_of(kept))),
            [self.keys[row] for row in kept.tolist()],
            self.rows[kept],
            {reason: mask[kept] for reason, mask in self.dropped.items()},
            None if self.negative is None else self.negative[kept],
            None if self.others is None else self.others[kept],
            items,
            parents,
        )


Ask = Callable[[pa.Table, Parsed, Words], Asked]


def _span_fields(table: pa.Table) -> Fields:
    length = floats(table["end_s"]) - floats(table["start_s"])
    return Fields(_with(table, length_s=array_of(length)), EXTENTS)


def localise(table: pa.Table, template: Parsed, _: Words) -> Asked:
    """When does what the description says happen; or what happens in a span: the columns as they are."""
    start, end = floats(table["start_s"]), floats(table["end_s"])
    no_span = ~(np.isfinite(start) & np.isfinite(end) & (start >= 0) & (end >= start))
    return Asked(_span_fields(table), [template.task] * len(table), np.arange(len(table)), {"no_span": no_span})


def verify(table: pa.Table, template: Parsed, words: Words) -> Asked:
    """Does it happen in this span: a wrong one, or the text of another video, in the shares that the template says."""
    plain = localise(table, template, words)
    given = template.given
    drawn = draw(words, "verify")
    negative, foreign = drawn < given.wrong, (drawn >= given.wrong) & (drawn < given.wrong + given.foreign)
    descriptions = table["description"].to_pylist()
    texts = list(map(folded, descriptions))
    times = {name: floats(table[name]) for name in ("start_s", "end_s", "duration_s")}
    spans = pd.DataFrame({"video": table["video"].to_pylist(), "text": texts, **times})
    known = ~plain.dropped["no_span"]
    start, end = np.full(len(table), np.nan), np.full(len(table), np.nan)
    start[known], end[known] = wrong_spans(spans[known].reset_index(drop=True), words[known], given.max_overlap)
    nowhere = negative & known & np.isnan(start)
    lent, enough = np.full((len(table), 1), -1), np.ones(len(table), bool)
    if foreign.any():
        lent, enough = others(spans.assign(sample_id=table["sample_id"].to_pylist()), words, 1)
    asked = _with(
        table,
        description=texts_of(
            [
                descriptions[other] if is_foreign else own
                for own, other, is_foreign in zip(descriptions, lent[:, 0].tolist(), foreign.tolist(), strict=True)
            ]
        ),
        true_start_s=table["start_s"],
        true_end_s=table["end_s"],
        start_s=array_of(np.where(negative & known, start, times["start_s"])),
        end_s=array_of(np.where(negative & known, end, times["end_s"])),
    )
    dropped = {**plain.dropped, "no_room": nowhere, "no_others": foreign & ~enough}
    lenders = np.where(foreign[:, None], lent, -1)
    return Asked(_span_fields(asked), plain.keys, plain.rows, dropped, negative | foreign, lenders)


def choose(table: pa.Table, template: Parsed, words: Words) -> Asked:
    """What happens in this span, of four descriptions: the others are of other videos of the same split."""
    plain = localise(table, template, words)
    descriptions = table["description"].to_pylist()
    frame = pd.DataFrame({name: table[name].to_pylist() for name in ("sample_id", "video")})
    found, enough = others(frame.assign(text=list(map(folded, descriptions))), words, CHOICES - 1)
    right = (draw(words, "letter") * CHOICES).astype(np.int64)
    letters = "ABCD"
    texts = np.array(descriptions, dtype=object)
    options: list[list[str]] = []
    filled = [texts[found[:, place]] for place in range(CHOICES - 1)]
    for letter in range(CHOICES):
        wrong = np.where(letter < right, letter, letter - 1)
        shown = [str(texts[row]) if letter == right[row] else str(filled[wrong[row]][row]) for row in range(len(texts))]
        each = _with(table, description=texts_of(shown), letter=texts_of([letters[letter]] * len(texts)))
        options.append(rendered(template.pieces["option"], Fields(each, EXTENTS), template.where("option")).texts)
    between = "\n" if template.given.between is None else template.given.between
    listed = list(map(between.join, zip(*options, strict=True))) if len(texts) else []
    right_option = [options[letter][row] for row, letter in enumerate(right.tolist())]
    asked = _with(
        table,
        options=texts_of(listed),
        letter=texts_of([letters[letter] for letter in right.tolist()]),
        option=texts_of(right_option),
    )
    dropped = {**plain.dropped, "no_others": ~enough}
    return Asked(_span_fields(asked), plain.keys, plain.rows, dropped, others=found)


def _with(table: pa.Table, **columns: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The table with these columns, times of theirs in seconds, over those that it has."""
    for name, values in columns.items():
        unit = "s" if name.endswith("_s") else ""
        made = column(name, values.type, "as asked", unit=unit, required=False)
        place = table.schema.get_field_index(name)
        table = table.append_column(made, values) if place < 0 else table.set_column(place, made, values)
    return table


SPAN_TASKS: dict[str, Ask] = {"localise": localise, "caption": localise, "verify": verify, "choose": choose}
