"""Social labels of groups and persons: what members share, and the labels outside a label space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from builders.engine.lists import Mask, Rows, filtered, items_of, lengths_of, lists_of
from builders.engine.rules import Outcome
from builders.raw.jrdb_par import N_SOCIAL
from schemas.activity import IDS


def first_labels(social: pd.Series, places: Rows, owners: Rows, groups: pd.DataFrame) -> pd.Series:
    """The social labels of each group's first member, empty lists for groups without one.

    Args:
        social: the lists of labels of all persons.
        places: (members,) the members who count, as positions in `social`.
        owners: (members,) position of each one's group, ascending.
        groups: the groups.
    """
    owners, first = np.unique(owners, return_index=True)
    group = np.full(len(social), -1)
    group[places[first]] = owners
    person, ids = items_of(social, "id")
    chosen = np.flatnonzero(group[person] >= 0)
    chosen = chosen[np.argsort(group[person[chosen]], kind="stable")]
    return lists_of(group[person[chosen]], len(groups), [ids[chosen]], IDS).set_axis(groups.index)


def by_first_members(groups: pd.DataFrame, members: Rows, owners: Rows) -> pd.DataFrame:
    """The groups that have members in the order of their first ones; the others stay in their places.

    Args:
        groups: the groups, by frame.
        members: (members,) row of each in the table of persons, which is by frame.
        owners: (members,) position of each one's group, ascending.
    """
    places, first = np.unique(owners, return_index=True)
    order = np.arange(len(groups))
    order[places] = places[np.argsort(members[first])]
    return groups.iloc[order].set_axis(groups.index)


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
