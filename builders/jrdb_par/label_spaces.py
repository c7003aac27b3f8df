"""Label spaces: the social labels of groups and persons without those that do not count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from builders.engine.lists import Mask, Rows, filtered, items_of, lengths_of
from builders.engine.rules import Outcome
from builders.raw.jrdb_par import N_SOCIAL


def in_label_space(
    groups: pd.DataFrame, persons: pd.DataFrame, splits: pd.Series, labels: Sequence[int] | None
) -> list[Outcome]:
    """The social labels of groups and persons without those outside the label space.

    Args:
        groups: with `activities`, and `left`, their members.
        persons: with `social`.
        splits: the split of each frame, by the row numbers that `parent` has.
        labels: the label space; None for the labels that the groups of two or more have in the same split.
    """
    numbers = pd.Series(pd.factorize(splits)[0], splits.index)
    of_groups, of_persons = (numbers.loc[rows["parent"]].to_numpy() for rows in (groups, persons))
    spaces = np.zeros((numbers.nunique(), N_SOCIAL + 1), bool)
    if labels is None:
        owner, ids = items_of(groups["activities"])
        several = groups["left"].to_numpy()[owner] > 1
        spaces[of_groups[owner[several]], ids[several]] = True
    else:
        spaces[:, labels] = True
    return [
        _restricted("groups", groups, "activities", "", of_groups, spaces),
        _restricted("persons", persons, "social", "id", of_persons, spaces),
    ]


def _restricted(level: str, rows: pd.DataFrame, column: str, field: str, splits: Rows, spaces: Mask) -> Outcome:
    """The lists of a column without the labels that are not in the space of their row's split.

    `splits` are the numbers of the rows' splits, `spaces` has (splits, labels + 1) flags.
    """
    owner, ids = items_of(rows[column], field)
    inside = spaces[splits[owner], ids]
    return Outcome(
        level=level,
        columns={column: filtered(rows[column], inside)},
        touched=np.isin(np.arange(len(rows)), owner[~inside]),
        reason="outside",
        values={"labels": lengths_of(rows[column]), "left": np.bincount(owner[inside], minlength=len(rows))},
    )
