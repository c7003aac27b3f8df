"""Predicted labels of a table, as sets; scores become labels where they are above a threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import InputError, Problem
from scorers.activity.lookup import repeated
from scorers.activity.samples import Floats
from scorers.activity.sets import CLASSES, Integers, Sets, single, sizes, united
from scorers.predictions.columns import NULL, Column, flat, listed, numbers, whole_numbers

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
        scored: whether they came as scores.
        whole: whether a row holds all labels of whom it is about, so that there is but one.
    """

    sets: Sets
    named: Sets
    scored: bool
    whole: bool

    def of(self, rows: NDArray[np.bool_] | Integers) -> RowLabels:
        """The labels of some rows."""
        return self._replace(sets=self.sets[rows], named=self.named[rows])


def row_labels(table: pa.Table, task: str, file: str, threshold: float) -> RowLabels:
    """The labels of every row: of `label` with or without `score`, of `labels`, or of `scores`.

    Raises:
        InputError: unknown labels, NaN scores, a label twice in a list, a list without one score for each class.
    """
    names = table.column_names
    if "scores" in names:
        return _of_vectors(table["scores"], task, file, threshold)
    if "labels" in names:
        return _of_lists(table["labels"], task, file, threshold)
    label = whole_numbers(table["label"], file, "label", optional=True)
    given = label != NULL
    score = numbers(table["score"].filter(pa.array(given)), file, "score") if "score" in names else None
    return _gathered(label[given], np.flatnonzero(given), score, len(table), task, file, threshold, "label")


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
        InputError: a second row of an owner that may have one, or one label twice.
    """
    if labels.whole:
        again = owner[repeated(owner)]
    else:
        named = sizes(united(labels.named, owner, owners))
        again = np.flatnonzero(np.bincount(owner, sizes(labels.named), owners) > named)
    if len(again):
        expected = "one row each" if labels.whole else "every label once"
        raise InputError(Problem(file, "", "", f"{quoted(again)} more than once", expected))
    return united(labels.sets, owner, owners)


def _of_vectors(column: Column, task: str, file: str, threshold: float) -> RowLabels:
    """A number for each class in every row."""
    classes = CLASSES[task]
    lists = listed(column, file, "scores")
    wrong = pc.fill_null(pc.not_equal(pc.list_value_length(lists), classes), True)
    if pc.any(wrong).as_py():
        row = pc.index(wrong, True).as_py()
        found = f"{pc.list_value_length(lists)[row].as_py() or 0} scores"
        raise InputError(Problem(file, f"row {row + 1}", "scores", found, f"one for each of {classes} classes"))
    above = numbers(flat(lists)[0], file, "scores", place="score") > threshold
    packed = np.zeros((len(lists), 4), np.uint8)
    packed[:, : -(-classes // 8)] = np.packbits(above.reshape(-1, classes), axis=1, bitorder="little")
    every = np.full(len(lists), 2**classes - 1, np.uint32)
    return RowLabels(packed.view("<u4").ravel().astype(np.uint32), every, True, True)


def _of_lists(column: Column, task: str, file: str, threshold: float) -> RowLabels:
    """Any number of labels in every row: ids, or records with an id and perhaps a score."""
    lists = listed(column, file, "labels")
    items, row = flat(lists)
    score = None
    if pa.types.is_struct(items.type):
        fields = {items.type.field(place).name for place in range(items.type.num_fields)}
        if "id" not in fields:
            found = f"records of {', '.join(sorted(fields))}"
            raise InputError(Problem(file, "", "labels", found, "ids, or records with an id"))
        score = numbers(pc.struct_field(items, "score"), file, "score", place="label") if "score" in fields else None
        items = pc.struct_field(items, "id")
    label = whole_numbers(items, file, "labels", place="label")
    labels = _gathered(label, row, score, len(lists), task, file, threshold, "labels")
    if sizes(labels.named).sum() < len(label):
        again = repeated(row, label)[0]
        raise InputError(Problem(file, f"row {row[again] + 1}", "labels", f"{label[again]} twice", "every label once"))
    return labels


def _gathered(
    label: Integers, row: Integers, score: Floats | None, rows: int, task: str, file: str, threshold: float, field: str
) -> RowLabels:
    wrong: NDArray[np.bool_] = (label < 1) | (label > CLASSES[task])
    if wrong.any():
        first = wrong.argmax()
        expected = f"a label from 1 to {CLASSES[task]}"
        raise InputError(Problem(file, f"row {row[first] + 1}", field, f"{label[first]}", expected))
    each = single(label)
    named = united(each, row, rows)
    sets = named if score is None else united(np.where(score > threshold, each, np.uint32(0)), row, rows)
    return RowLabels(sets, named, score is not None, field == "labels")
