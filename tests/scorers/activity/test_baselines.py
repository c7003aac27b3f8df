"""The trivial baselines, on invented frames and, where they are, on the real ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UsageError
from scorers.activity import baselines as module
from scorers.activity.baselines import baselines, frequent_labels, nearest_pairs
from scorers.activity.frames import truth_from
from scorers.activity.protocols import evaluate
from scorers.activity.scorer import SCORER


def people(*labels: list[int]) -> list[dict[str, Any]]:
    return [{"gt": given, "pred": []} for given in labels]


def frame(*labels: list[int], **changes: Any) -> dict[str, Any]:
    plain = {"gt_groups": [], "pred_groups": [], "global": {"gt": [3], "pred": []}}
    return {"n_persons": len(labels), "persons": people(*labels)} | plain | changes


CASE = [
    frame([4, 1], [4], [1], gt_groups=[{"members": [0, 1], "labels": [28, 2]}, {"members": [2], "labels": [9]}]),
    frame([4, 2], gt_groups=[{"members": [0], "labels": [9]}], **{"global": {"gt": [5, 3], "pred": []}}),
]


def boxed(rows: pa.Table, boxes: list[list[tuple[int, int]]]) -> pa.Table:
    """The rows with other boxes: left side and height, all 20 px wide."""
    changed = [
        [person | {"x": x, "width": 20, "height": height} for person, (x, height) in zip(row, places, strict=True)]
        for row, places in zip(rows["persons"].to_pylist(), boxes, strict=True)
    ]
    field = rows.schema.field("persons")
    return rows.set_column(rows.column_names.index("persons"), field, pa.array(changed, field.type))


def test_the_most_frequent_labels_are_counted_in_groups_of_two_or_more(rows: Callable[..., pa.Table]) -> None:
    labels = frequent_labels(truth_from(rows(CASE)))
    # Actions 4 and 1, of social activities 2 and 28 the first, global 3.
    assert labels == {"actions": 0b1001, "social": 0b10, "global": 0b100}


def test_baselines_differ_in_their_groups(rows: Callable[..., pa.Table]) -> None:
    table = boxed(rows(CASE), [[(0, 100), (500, 100), (520, 100)], [(0, 100)]])
    truth = replace(truth_from(table), rows=table)
    guesses = baselines(truth)
    members = {kind: guess.groups.person.tolist() for kind, guess in guesses.items() if guess.groups is not None}
    assert members == {"most-frequent": [0, 1], "alone": [], "nearest": [1, 2]}
    for guess in guesses.values():
        assert guess.actions is not None
        assert guess.actions.tolist() == [0b1001] * 4
    assert evaluate(truth, guesses["most-frequent"])["paper"].values["group_F"] == 1.0


def test_labels_may_come_from_other_frames(rows: Callable[..., pa.Table]) -> None:
    table = rows(CASE)
    training = rows([frame([7], [7, 8], **{"global": {"gt": [6], "pred": []}})])
    guess = baselines(replace(truth_from(table), training=training))["alone"]
    assert guess.activities is not None
    assert guess.activities.tolist() == [2**5] * 2


def test_the_panorama_closes_on_itself(rows: Callable[..., pa.Table]) -> None:
    table = boxed(rows([frame([1], [1], [1])]), [[(0, 100), (60, 100), (3730, 100)]])
    assert nearest_pairs(table, truth_from(table)).tolist() == [[0], [2]]


boxes = st.lists(st.tuples(st.integers(0, 3700), st.integers(1, 480)), max_size=6)


@given(st.lists(boxes, max_size=5), st.sampled_from([1, 1 << 20]))
def test_pairs_are_mutual_nearest_neighbours(rows: Callable[..., pa.Table], places: Any, at_once: int) -> None:
    table = boxed(rows([frame(*[[1]] * len(boxes)) for boxes in places], sequences=1), places)
    expected, first = [], 0
    for boxes in places:
        middle, height = (np.array(values, float) for values in (zip(*boxes, strict=True) if boxes else ((), ())))
        along = np.abs(middle[:, None] - middle)
        away = np.hypot(np.minimum(along, 3760 - along), height[:, None] - height) / (height[:, None] + height)
        np.fill_diagonal(away, np.inf)
        nearest = away.argmin(axis=1) if len(boxes) > 1 else []
        expected += [(first + a, first + int(b)) for a, b in enumerate(nearest) if nearest[b] == a and a < b]
        first += len(boxes)
    before, module._PAIRS_AT_ONCE = module._PAIRS_AT_ONCE, at_once
    try:
        assert list(zip(*nearest_pairs(table, truth_from(table)).tolist(), strict=True)) == expected
    finally:
        module._PAIRS_AT_ONCE = before


def test_unknown_baselines_are_refused(rows: Callable[..., pa.Table]) -> None:
    truth = replace(truth_from(rows(CASE)), rows=rows(CASE))
    with pytest.raises(UsageError, match="did you mean nearest"):
        SCORER.baseline("nearst", truth, (), {})


@pytest.mark.real_data
def test_the_same_labels_for_everybody_on_the_real_test_split(real_data: Path, tmp_path: Path) -> None:
    from builders.engine.build import build
    from builders.engine.registry import find_recipe

    manifest = build(find_recipe("jrdb-par"), real_data, tmp_path)
    truth = SCORER.truth(manifest, "test", {})
    labels = frequent_labels(truth_from(manifest.table("train")))
    assert labels == {"actions": 0b11, "social": 0b10, "global": 0b10000}
    values = evaluate(truth, baselines(truth)["most-frequent"])
    paper = {metric: round(value, 4) for metric, value in values["paper"].values.items()}
    assert (truth.frames, truth.persons, len(truth.groups), len(truth.sequences)) == (411, 9059, 1709, 7)
    assert [paper[metric] for metric in ("F_i", "F_g", "F_p", "F_a")] == [0.4984, 0.5734, 0.4846, 0.5188]
    assert [paper[metric] for metric in ("group_F", "IOU@AUC", "Mat.IoU")] == [1.0, 0.9697, 1.0]
    assert values["strict"].values["IOU@AUC"] == pytest.approx(1.0)
