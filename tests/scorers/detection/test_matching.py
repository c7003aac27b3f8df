"""The match table, on cases made by hand; `test_coco` holds it against pycocotools."""

from __future__ import annotations

import numpy as np

from scorers.detection.matching import match_table
from scorers.detection.overlaps import Pairs
from scorers.detection.ranking import Ranking


def test_the_table_says_who_took_what_at_which_threshold() -> None:
    # The second detection prefers box 0 at all thresholds, but the first is before it; at .8 nobody else wants box 1.
    pairs = Pairs(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.7, 0.9, 0.6]))
    ranking = Ranking(np.arange(2), np.array([0.9, 0.8]), np.array([0, 2]))
    none = np.zeros(2, dtype=np.bool_)
    table = match_table(pairs, ranking, none, none[np.newaxis], np.array([0.5, 0.65, 0.8]))
    taken = [[(int(table.rank[n]), int(table.box[n])) for n in np.flatnonzero(at)] for at in table.matched[0]]
    assert taken == [[(0, 0), (1, 1)], [(0, 0)], [(1, 0)]]


def test_a_box_that_counts_is_preferred_to_an_ignored_one_of_higher_iou_and_the_later_of_equals() -> None:
    pairs = Pairs(np.zeros(3, dtype=np.int64), np.arange(3), np.array([0.6, 0.6, 0.9]))
    ranking = Ranking(np.arange(1), np.array([0.9]), np.array([0, 1]))
    ignored = np.array([[False, False, True], [False, False, False], [True, True, True], [False, True, True]])
    table = match_table(pairs, ranking, np.zeros(3, dtype=np.bool_), ignored, np.array([0.5]))
    assert [np.flatnonzero(matched[0]).tolist() for matched in table.matched] == [[1], [2], [2], [0]]
