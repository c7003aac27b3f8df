"""How often each label, or each size, occurs in each split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import integers, one_array
from schemas.manifest import Manifest

# Sizes beyond are taken together, as many as double.
_SINGLE = 6


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each label occurs in each split.

    Attributes:
        labels: names of the rows.
        splits: names of the columns.
        numbers: shape (labels, splits).
    """

    labels: tuple[str, ...]
    splits: tuple[str, ...]
    numbers: NDArray[np.int64]

    @property
    def shares(self) -> NDArray[np.float64]:
        """Of all labels of a split; 0 in a split without any."""
        shares: NDArray[np.float64] = self.numbers / np.maximum(self.numbers.sum(axis=0), 1)
        return shares

    def by_frequency(self) -> Counts:
        """The same, the most frequent label first."""
        order = np.argsort(-self.numbers.sum(axis=1), kind="stable")
        return Counts(tuple(self.labels[place] for place in order), self.splits, self.numbers[order])

    def of(self, split: str) -> dict[str, int]:
        """The counts of one split by label."""
        return dict(zip(self.labels, self.numbers[:, self.splits.index(split)].tolist(), strict=True))

    def absent(self, split: str) -> list[str]:
        """Labels that a split has none of, though another has."""
        return [label for label, number in self.of(split).items() if not number]

    def rare(self, split: str, below: int) -> dict[str, int]:
        """Labels that a split has, but fewer than `below` of."""
        return {label: number for label, number in self.of(split).items() if 0 < number < below}


def unnested(table: pa.Table, path: str) -> tuple[NDArray[np.int64], pa.Array]:
    """The row and the value of each item, by a path such as `persons.actions.id` through lists and records."""
    name, *fields = path.split(".")
    values, rows = one_array(table[name]), np.arange(table.num_rows)
    while fields or pa.types.is_list(values.type):
        if pa.types.is_list(values.type):
            rows, values = rows[integers(pc.list_parent_indices(values))], values.flatten()
        else:
            values = pc.struct_field(values, fields.pop(0))
    return rows, values


def counts(splits: Sequence[str], of_items: NDArray[Any], labels: Sequence[str], codes: NDArray[np.int64]) -> Counts:
    """Count items, by the place of their split in `splits` and that of their label in `labels`."""
    width = len(splits)
    numbers = np.bincount(codes * width + of_items, minlength=len(labels) * width)
    return Counts(tuple(labels), tuple(splits), numbers.reshape(-1, width))


def split_codes(manifest: Manifest, table: pa.Table) -> NDArray[np.int64]:
    """The place of each row's split among those of the manifest."""
    return integers(pc.index_in(one_array(table["split"]), pa.array(manifest.splits, pa.string())))


def activity_labels(manifest: Manifest) -> dict[str, Counts]:
    """Labels of persons (`actions`), of groups (`social`) and of frames (`global`), the most frequent first.

    Labels that nobody in the manifest has are not among them.
    """
    lists = {given.name: given.labels for given in manifest.card.label_lists} if manifest.card else {}
    table = manifest.table()
    of_rows = split_codes(manifest, table)
    paths = {"actions": "persons.actions.id", "social": "groups.activities", "global": "global_activities"}
    return {name: _of_ids(manifest.splits, of_rows, table, path, lists.get(name, [])) for name, path in paths.items()}


def _of_ids(
    splits: Sequence[str], of_rows: NDArray[np.int64], table: pa.Table, path: str, names: Sequence[str]
) -> Counts:
    rows, values = unnested(table, path)
    ids, codes = np.unique(integers(values), return_inverse=True)
    return counts(splits, of_rows[rows], [label_name(names, number) for number in ids.tolist()], codes).by_frequency()


def label_name(names: Sequence[str], number: int) -> str:
    """The name of a class that is numbered from 1, or its number where the card does not name it."""
    return names[number - 1] if 1 <= number <= len(names) else f"class {number}"


def box_labels(manifest: Manifest) -> Counts:
    """Classes of boxes, the most frequent first."""
    table = manifest.table()
    rows, values = unnested(table, "objects.category")
    encoded = values.dictionary_encode()
    of_boxes, names = split_codes(manifest, table)[rows], encoded.dictionary.to_pylist()
    return counts(manifest.splits, of_boxes, names, integers(encoded.indices)).by_frequency()


def list_lengths(table: pa.Table, level: str, field: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The row, and the length of a list, of each record of a level."""
    lists = one_array(table[level])
    rows = integers(pc.list_parent_indices(lists))
    return rows, integers(pc.list_value_length(pc.struct_field(lists.flatten(), field)))


def lengths(table: pa.Table, level: str) -> NDArray[np.int64]:
    """How many records of a level each row has."""
    return integers(pc.list_value_length(one_array(table[level])))


def sizes(splits: Sequence[str], of_items: NDArray[np.int64], values: NDArray[np.int64]) -> Counts:
    """How often each size occurs: single ones up to 6, then 7 to 8, 9 to 16, 17 to 32 and so on, in their order.

    >>> found = sizes(["train"], np.zeros(4, int), np.array([2, 2, 7, 20]))
    >>> dict(zip(found.labels, found.numbers[:, 0].tolist()))
    {'2': 2, '3': 0, '4': 0, '5': 0, '6': 0, '7 to 8': 1, '9 to 16': 0, '17 to 32': 1}
    """
    if not len(values):
        return Counts((), tuple(splits), np.zeros((0, len(splits)), np.int64))
    doubling = 2 ** np.arange(3, max(int(values.max() - 1).bit_length(), 3) + 1)
    lasts = np.concatenate([np.arange(_SINGLE + 1), doubling])
    firsts = np.concatenate([[0], lasts[:-1] + 1])
    codes = np.searchsorted(lasts, values)
    used = slice(int(codes.min()), int(codes.max()) + 1)
    names = [str(last) if first == last else f"{first} to {last}" for first, last in zip(firsts, lasts, strict=True)]
    return counts(splits, of_items, names[used], codes - codes.min())
