"""Predicted labels of a table, as sets; scores become labels where they are above a threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans
from schemas.errors import InputError, Problem
from schemas.input.columns import NULL, Column, Place, decoded, flat, listed, numbers, whole_numbers
from scorers.activity.formats import Part
from scorers.activity.lookup import repeated
from scorers.activity.parts import fields_of, unread_keys
from scorers.activity.sets import CLASSES, Integers, Sets, single, sizes, united

THRESHOLDS = {"actions": 0.6, "social": 0.6, "global": 0.5}
"""A label is predicted where its score is above, not at, its task's threshold.

Source: RuizeHan/PAR : train_stage2.py, utils.py (generate_labels). The scores there are logits, so 0.6 is a probability
of 0.646.
"""


class RowLabels(NamedTuple):
    """The labels of every row of a table, shape (rows,).

    Attributes:
        sets: those that are predicted.
        named: those that the row names, predicted or not.
        given: whether the row says anything; a record of a nested row may lack its labels.
        scored: whether they came as scores.
        whole: whether a row holds all labels of whom it is about, so that there is but one.
    """

    sets: Sets
    named: Sets
    given: NDArray[np.bool_]
    scored: bool
    whole: bool

    def of(self, rows: NDArray[np.bool_] | Integers) -> RowLabels:
        """The labels of some rows."""
        return self._replace(sets=self.sets[rows], named=self.named[rows], given=self.given[rows])


def row_labels(part: Part, task: str, threshold: float) -> RowLabels:
    """The labels of every row: of `label` with or without `score`, of `labels`, or of `scores`.

    Raises:
        InputError: unknown labels, NaN scores, a label twice in a list, a list without one score for each class.
    """
    names = part.table.column_names
    if "scores" in names:
        return _of_vectors(part, task, threshold)
    if "labels" in names:
        return _of_lists(part, task, threshold)
    label = whole_numbers(part.table["label"], part.file, "label", optional=True, place=part.place)
    rows = np.flatnonzero(label != NULL)
    above = None
    if "score" in names:
        score = part.table["score"].take(pa.array(rows))
        above = _above(score, threshold, part.file, "score", lambda given: part.place(int(rows[given])))
    return _gathered(part, label[rows], rows, above, task, "label")


def united_labels(
    labels: RowLabels, owner: Integers, owners: int, file: str, quoted: Callable[[Integers], str]
) -> Sets:
    """The predicted labels of each owner of rows, empty for one without; shape (owners,).

    Args:
        labels: of every row.
        owner: whose each row is, shape (rows,).
        owners: how many there are.
        file: for messages.
        quoted: some owners, for messages.

    Raises:
        InputError: a second row of an owner that may have one, one label twice, or none beside a label.
    """
    again = owner[repeated(owner)]
    if len(again) and labels.whole:
        raise InputError(Problem(file, "", "", f"{quoted(again)} more than once", "one row each"))
    if len(again):
        named = sizes(united(labels.named, owner, owners))
        twice = np.flatnonzero(np.bincount(owner, sizes(labels.named), owners) > named)
        if len(twice):
            raise InputError(Problem(file, "", "", f"{quoted(twice)} more than once", "every label once"))
        several = np.bincount(owner, minlength=owners) > 1
        none = np.unique(owner[several[owner] & (labels.named == 0)])
        if len(none):
            found = f"{quoted(none)} in a row without a label, and in others"
            raise InputError(Problem(file, "", "label", found, "a label in each, or one row without"))
    return united(labels.sets, owner, owners)


def _of_vectors(part: Part, task: str, threshold: float) -> RowLabels:
    """A number for each class in every row."""
    classes, field = CLASSES[task], part.called("scores")
    lists = listed(part.table["scores"], part.file, field)
    wrong = pc.fill_null(pc.not_equal(pc.list_value_length(lists), classes), True)
    if pc.any(wrong).as_py():
        row = pc.index(wrong, True).as_py()
        found = f"{pc.list_value_length(lists)[row].as_py() or 0} scores"
        raise InputError(Problem(part.file, part.place(row), field, found, f"one for each of {classes} classes"))
    above = _above(flat(lists)[0], threshold, part.file, field, lambda score: part.place(score // classes))
    packed = np.zeros((len(lists), 4), np.uint8)
    packed[:, : -(-classes // 8)] = np.packbits(above.reshape(-1, classes), axis=1, bitorder="little")
    every = np.full(len(lists), 2**classes - 1, np.uint32)
    return RowLabels(packed.view("<u4").ravel().astype(np.uint32), every, np.ones(len(lists), np.bool_), True, True)


def _of_lists(part: Part, task: str, threshold: float) -> RowLabels:
    """Any number of labels in every row: ids, or records with an id and perhaps a score."""
    field = part.called("labels")
    lists = listed(part.table["labels"], part.file, field)
    items, row = flat(lists)

    def place(item: int) -> str:
        return part.place(int(row[item]))

    above = None
    if pa.types.is_struct(items.type):
        held = fields_of(items)
        unread_keys(part.file, held, ("id", "score"), ("difficult",), place)
        if "id" not in held:
            found = f"records of {', '.join(sorted(held))}"
            raise InputError(Problem(part.file, "", field, found, "ids, or records with an id"))
        if "score" in held:
            above = _above(held["score"], threshold, part.file, f"{field}.score", place)
        items = held["id"]
    label = whole_numbers(items, part.file, field, place=place)
    labels = _gathered(part, label, row, above, task, "labels")
    if sizes(labels.named).sum() < len(label):
        again = repeated(row, label)[0]
        raise InputError(Problem(part.file, place(again), field, f"{label[again]} twice", "every label once"))
    return labels._replace(given=booleans(pc.is_valid(lists))) if part.nested else labels


def _above(scores: Column, threshold: float, file: str, field: str, place: Place) -> NDArray[np.bool_]:
    """Whether scores are above the threshold, in the type of the file: .6 as float32 is above .6 as float64."""
    values = numbers(scores, file, field, place=place)
    kind = decoded(scores).type
    if pa.types.is_floating(kind):
        threshold = float(np.dtype(kind.to_pandas_dtype()).type(threshold))
    return np.asarray(values > threshold)


def _gathered(
    part: Part, label: Integers, row: Integers, above: NDArray[np.bool_] | None, task: str, column: str
) -> RowLabels:
    wrong: NDArray[np.bool_] = (label < 1) | (label > CLASSES[task])
    if wrong.any():
        first = wrong.argmax()
        expected = f"a label from 1 to {CLASSES[task]}"
        raise InputError(
            Problem(part.file, part.place(int(row[first])), part.called(column), f"{label[first]}", expected)
        )
    each, rows = single(label), len(part.table)
    named = united(each, row, rows)
    sets = named if above is None else united(np.where(above, each, np.uint32(0)), row, rows)
    return RowLabels(sets, named, np.ones(rows, np.bool_), above is not None, column == "labels")
