"""The labels in the records of predictions, in any of the four ways, and the sets of whom the records are about."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, booleans, integers
from schemas.input.columns import NULL, Column, Place, decoded, flat, listed, numbers, whole_numbers
from scorers.activity.formats import LongTable, fields_of, unread_keys
from scorers.activity.keys import repeated
from scorers.activity.label_sets import MOST_LABELS, Flags, Integers, Sets, single, sizes, united


class Labels(NamedTuple):
    """The labels of a table, one below the other.

    Attributes:
        record: the record that each is in, ascending; shape (labels,).
        label: from 1, shape (labels,).
        predicted: whether its score is above the threshold, shape (labels,); None where there are no scores.
        given: whether a record says anything, shape (records,); one of a nested row may lack its labels.
        complete: whether a record holds all labels of whom it is about, so that there is but one.
    """

    record: Integers
    label: Integers
    predicted: Flags | None
    given: Flags
    complete: bool


def labels_of(table: LongTable, classes: int | None, threshold: float) -> Labels:
    """The labels of every record; those with scores above the threshold are predicted.

    Raises:
        InputError: labels beyond `classes`, scores that are no numbers, a list without one score for each class.
    """
    given = np.ones(len(table), np.bool_)
    if not len(table):
        return Labels(np.empty(0, np.int64), np.empty(0, np.int64), None, given, True)
    if "scores" in table.columns:
        return _of_vectors(table, classes, threshold, given)
    complete = "labels" in table.columns
    column = "labels" if complete else "label"
    field = table.called(column)
    if complete:
        lists = listed(table.columns["labels"], table.file, field)
        items, record = flat(lists)
        place = table.place_in(record)
        fields = fields_of(items)
        if fields:
            unread_keys(table.file, fields, ("id", "score"), ("difficult",), place)
            if "id" not in fields:
                found = f"records of {', '.join(sorted(fields))}"
                raise table.error("labels", found, "ids, or records with an id")
        label = whole_numbers(fields.get("id", items), table.file, field, place=place)
        score, score_field = fields.get("score"), f"{field}.score"
        if table.nested:
            given = booleans(pc.is_valid(lists))
    else:
        label = whole_numbers(table.columns["label"], table.file, field, optional=True, place=table.place)
        record = np.flatnonzero(label != NULL)
        place = table.place_in(record)
        label, score, score_field = label[record], table.columns.get("score"), "score"
        score = None if score is None else score.take(array_of(record))
    predicted = None if score is None else _above(score, threshold, table.file, score_field, place)
    most = min(classes or MOST_LABELS, MOST_LABELS)
    if len(label) and not 1 <= label.min() <= label.max() <= most:
        first = ((label < 1) | (label > most)).argmax()
        raise table.error(column, f"{label[first]}", f"a label from 1 to {most}", record[first])
    return Labels(record, label, predicted, given, complete)


def _of_vectors(table: LongTable, classes: int | None, threshold: float, given: Flags) -> Labels:
    """The labels above the threshold, where records have a number for each class."""
    field = table.called("scores")
    lists = listed(table.columns["scores"], table.file, field)
    lengths = integers(pc.list_value_length(lists))
    count = classes or max(1, min(int(lengths.max()), MOST_LABELS))
    wrong = np.flatnonzero(lengths != count)
    if len(wrong):
        raise table.error("scores", f"{lengths[wrong[0]]} scores", f"one for each of {count} classes", wrong[0])
    above = _above(flat(lists)[0], threshold, table.file, field, lambda item: table.place(item // count))
    record, label = np.nonzero(above.reshape(-1, count))
    return Labels(record, label + 1, np.ones(len(label), np.bool_), given, True)


def _above(scores: Column, threshold: float, file: str, field: str, place: Place) -> Flags:
    """Whether scores are above the threshold, in the type of the file: .6 as float32 is above .6 as float64."""
    values = numbers(scores, file, field, place=place)
    kind = decoded(scores).type
    if pa.types.is_floating(kind):
        threshold = float(np.dtype(kind.to_pandas_dtype()).type(threshold))
    return np.asarray(values > threshold)


def sets_of(table: LongTable, labels: Labels, owner: Integers, owners: int, called: Callable[[Integers], str]) -> Sets:
    """The predicted labels of each owner of records, empty for one without; shape (owners,).

    `owner` says whom each record is about, -1 for those who are not scored; `called` names some of them.

    Raises:
        InputError: a second record of an owner who may have one, a label twice, or none beside a label.
    """
    known = np.flatnonzero(owner >= 0)
    several = np.bincount(owner[known], minlength=owners) > 1
    if several.any():
        if labels.complete:
            record = known[repeated(owner[known])[0]]
            raise table.error("", f"{called(owner[[record]])} again", "one row each", record)
        empty = known[several[owner[known]] & (np.bincount(labels.record, minlength=len(owner))[known] == 0)]
        if len(empty):
            found = f"no label of {called(owner[empty[:1]])}, who has other rows"
            raise table.error("label", found, "a label in each row, or one row without", empty[0])
    whose, label, record, predicted = owner[labels.record], labels.label, labels.record, labels.predicted
    if len(known) < len(owner):
        ours = whose >= 0
        whose, label, record = whose[ours], label[ours], record[ours]
        predicted = None if predicted is None else predicted[ours]
    sets = united(single(label), whose, owners)
    if sizes(sets).sum() < len(label):
        twice = repeated(whose, label)[0]
        found = f"{label[twice]} of {called(whose[[twice]])} again"
        column = "labels" if labels.complete else "label"
        raise table.error(column, found, "every label once", record[twice])
    if predicted is not None:
        sets = united(single(label[predicted]), whose[predicted], owners)
    return sets
