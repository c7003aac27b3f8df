"""The records of predictions, one below the other, and the labels that they hold in any of the four ways."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, SupportsInt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, booleans, integers
from schemas.errors import InputError, Problem, nearest, shown
from schemas.input.columns import NULL, Column, decoded, flat, listed, numbers, row_named, whole_numbers
from schemas.input.problems import Place
from scorers.activity.arrays import MOST_LABELS, Flags, Integers, Sets, repeated, single, sizes, united

# "scoer" is like "score" and "activity" like "activities"; "label_id" is a column of somebody's own.
_MUCH_ALIKE = 0.775


@dataclass(frozen=True)
class LongTable:
    """The predictions of one task: one record per person, group or key frame, or per label of one.

    Attributes:
        file: what messages call the source.
        keys: `sample_id`, `sequence`, `frame` of each row of the source, as far as they are there.
        columns: `person`, `group`, `members`, `label`, `score`, `labels`, `scores` of each record, likewise.
        nested: whether rows have the manifest's shape: one per key frame, a person in several groups if need be.
        names: what the source calls the columns, where that differs.
        within: the column of the source whose records these are, empty where they are its rows.
        row: the row of the source that each record is in, ascending, shape (records,); None where they are its rows.
    """

    file: str
    keys: pa.Table
    columns: Mapping[str, Column]
    nested: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    within: str = ""
    row: Integers | None = None

    def __len__(self) -> int:
        return len(self.keys) if self.row is None else len(self.row)

    def called(self, column: str) -> str:
        """What the source calls a column."""
        return self.names.get(column, column)

    def place(self, record: int) -> str:
        """Where a record is in the source."""
        if self.row is None:
            return row_named(record)
        first = int(np.searchsorted(self.row, self.row[record]))
        return f"{row_named(int(self.row[record]))}, record {record - first + 1} of {self.within}"

    def error(self, column: str, found: str, expected: str, record: SupportsInt | None = None) -> InputError:
        """What is wrong in a column, of a record or as a whole."""
        place = "" if record is None else self.place(int(record))
        return InputError(Problem(self.file, place, self.called(column), found, expected))


def fields_of(records: pa.Array) -> dict[str, pa.Array]:
    """The fields of records by name, null where a record lacks one; none of other values."""
    if not pa.types.is_struct(records.type):
        return {}
    return dict(zip((field.name for field in records.type), records.flatten(), strict=True))


def unread_keys(
    file: str, columns: Mapping[str, Column], read: Collection[str], others: Collection[str], place: Place
) -> list[str]:
    """The keys that are neither read nor known as `others`; `columns` are null where a record lacks the key.

    Raises:
        InputError: a record with a key that is much like one of `read`, and without that one.
    """
    unread = [name for name in columns if name not in read and name not in others]
    for name in unread:
        near = nearest(name, read, cutoff=_MUCH_ALIKE)
        alone = pc.is_valid(columns[name])
        for known in columns.keys() & set(near):
            alone = pc.and_(alone, pc.is_null(columns[known]))
        first = pc.index(alone, True).as_py() if near else -1
        if first >= 0:
            advice = f"did you mean {near[0]}?"
            raise InputError(Problem(file, place(first), "", f"the unknown key {shown(name)}", ", ".join(read), advice))
    return unread


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
        InputError: labels beyond `classes`, scores that are not numbers, a list without one score for each class.
    """
    given = np.ones(len(table), np.bool_)
    if not len(table):
        return Labels(np.empty(0, np.int64), np.empty(0, np.int64), None, given, True)
    if "scores" in table.columns:
        return _of_vectors(table, classes, threshold, given)
    column = "labels" if "labels" in table.columns else "label"
    field = table.called(column)

    def place(item: int) -> str:
        return table.place(int(record[item]))

    if column == "labels":
        lists = listed(table.columns[column], table.file, field)
        items, record = flat(lists)
        fields = fields_of(items)
        if fields:
            unread_keys(table.file, fields, ("id", "score"), ("difficult",), place)
            if "id" not in fields:
                found = f"records of {', '.join(sorted(fields))}"
                raise table.error(column, found, "ids, or records with an id")
        label = whole_numbers(fields.get("id", items), table.file, field, place=place)
        score, score_field = fields.get("score"), f"{field}.score"
        if table.nested:
            given = booleans(pc.is_valid(lists))
    else:
        label = whole_numbers(table.columns[column], table.file, field, optional=True, place=table.place)
        record = np.flatnonzero(label != NULL)
        label, score, score_field = label[record], table.columns.get("score"), "score"
        score = None if score is None else score.take(array_of(record))
    predicted = None if score is None else _above(score, threshold, table.file, score_field, place)
    most = min(classes or MOST_LABELS, MOST_LABELS)
    if len(label) and not 1 <= label.min() <= label.max() <= most:
        first = ((label < 1) | (label > most)).argmax()
        raise table.error(column, f"{label[first]}", f"a label from 1 to {most}", record[first])
    return Labels(record, label, predicted, given, column == "labels")


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
