"""A run class by class, against plain loops; and the verdicts that `--rows` writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.declarations import OptionError
from scorers.detection.boxes import Detections, Truth
from scorers.detection.breakdown import ALL, MISSED, NO_BOX, breakdown, class_metrics
from scorers.detection.error_reference import errors
from scorers.detection.reference import overlap
from scorers.detection.scorer import evaluate

Problem = tuple[Truth, Detections]
FALSE = ("class", "localisation", "both", "duplicate", "background")


def tables_of(truth: Truth, found: Detections, least: float, protocol: str = "coco") -> dict[str, list[dict]]:
    metrics = [metric for of in class_metrics(truth.categories, protocol).values() for metric in of]
    values = evaluate(truth, found, metrics, protocol).values
    return {name: table.rows for name, table in breakdown(truth, found, values, protocol, least).items()}


def confused(truth: Truth, found: Detections, least: float) -> Counter[tuple[str, str]]:
    """The confusion as plain loops."""
    verdicts, fates, _ = errors(truth, found)
    kept = [one for one in range(len(found)) if found.score[one] >= least]
    cells: Counter[tuple[str, str]] = Counter()
    free = {n for n, fate in enumerate(fates) if fate != "ignored"}
    for one in sorted(kept, key=lambda one: (verdicts[one] != "true", -found.score[one])):
        same = verdicts[one] == "true"
        if same or verdicts[one] in FALSE:
            near = [
                (overlap(found, one, truth, n), n if same else -n, n)
                for n in free
                if truth.image[n] == found.image[one] and (truth.category[n] == found.category[one]) == same
            ]
            best, _, number = max(near, default=(0.0, 0, 0))
            label = truth.categories[found.category[one]]
            if best >= 0.5:
                free.remove(number)
                cells[truth.categories[truth.category[number]], label] += 1
            else:
                cells[NO_BOX, label] += 1
    cells.update((truth.categories[truth.category[n]], MISSED) for n in free)
    return cells


@given(seed=st.integers(0, 2**32), least=st.sampled_from([-2.0, 0.25, 0.5, 2.0]))
def test_classes_and_confusion_are_those_of_plain_loops(
    invented: Callable[[int], Problem], seed: int, least: float
) -> None:
    truth, found = invented(seed)
    tables = tables_of(truth, found, least)
    cells = {(row["truth"], row["detected"]): row["count"] for row in tables["confusion"]}
    assert cells == confused(truth, found, least)
    verdicts, fates, _ = errors(truth, found)
    for number, row in enumerate(tables["classes"]):
        label = row["class"]
        of = [number] if label != ALL else range(len(truth.categories))
        kept = [
            verdict
            for verdict, category, score in zip(verdicts, found.category, found.score, strict=True)
            if category in of and score >= least and verdict in ("true", *FALSE)
        ]
        boxes = sum(fate != "ignored" and category in of for fate, category in zip(fates, truth.category, strict=True))
        true = kept.count("true")
        assert (row["boxes"], row["given"]) == (boxes, len(kept))
        assert row["precision"] == (true / len(kept) if kept else None)
        assert row["recall"] == (true / boxes if boxes else None)
        assert row["F1"] == (2 * true / (boxes + len(kept)) if boxes or kept else None)
        if label != ALL:
            assert sum(count for (truth_of, _), count in cells.items() if truth_of == label) == boxes
            assert sum(count for (_, detected), count in cells.items() if detected == label) == len(kept)
            assert cells.get((label, label), 0) == true


def test_a_score_at_the_threshold_counts(invented: Callable[[int], Problem]) -> None:
    truth, found = next(p for p in map(invented, range(50)) if len(p[0]) and len(p[1]))
    top = found.score.max()
    at, above = (tables_of(truth, found, least)["classes"][-1]["given"] for least in (top, np.nextafter(top, np.inf)))
    assert at > above == 0


@pytest.mark.parametrize("protocol", ["voc2007", "voc2010"])
def test_voc_has_its_own_matching_and_no_errors(invented: Callable[[int], Problem], protocol: str) -> None:
    truth, found = next(p for p in map(invented, range(50)) if p[0].difficult.any() and len(p[1]) > 20)
    (rows,) = tables_of(truth, found, 0.0, protocol).values()
    assert list(rows[0]) == ["class", "boxes", "AP50", "given", "precision", "recall", "F1"]
    assert rows[-1]["boxes"] == np.count_nonzero(~truth.difficult)


def test_rows_have_the_verdict_of_each_detection_and_the_boxes_not_found(
    sample_manifest, results_of, scored, written, tmp_path
) -> None:
    manifest = sample_manifest("densepose-person")
    results = results_of(manifest, "val")
    x, y, width, height = results[0]["bbox"]
    results[0]["bbox"] = [x + width / 2, y, width, height]  # IoU 1/3
    results[1] |= {"category_id": results[2]["category_id"], "score": 0.1}
    path = tmp_path / "rows.parquet"
    scored(manifest, written(results[:-1]), split="val", rows=path)
    rows = pq.read_table(path).to_pylist()
    truth = [(row["sample_id"], item) for row in manifest.table("val").to_pylist() for item in row["objects"]]
    assert len(rows) == len(results) - 1 + 3
    for row, (sample, item) in zip(rows[2 : len(results) - 1], truth[2:-1], strict=True):
        assert (row["sample_id"], row["class"], row["verdict"], row["iou"]) == (sample, item["category"], "true", 1.0)
        assert row["annotation_id"] == item["annotation_id"]
    first, second = rows[:2]
    assert (first["verdict"], first["truth_class"], first["iou"]) == ("localisation", "person", pytest.approx(1 / 3))
    assert (second["verdict"], second["truth_class"]) == ("class", truth[1][1]["category"])
    unfound = [(row["annotation_id"], row["verdict"], row["score"], row["iou"]) for row in rows[-3:]]
    ids = [truth[place][1]["annotation_id"] for place in (0, 1, -1)]
    assert unfound == [(ids[0], "covered", None, None), (ids[1], "covered", None, None), (ids[2], "missed", None, None)]


def test_options_ask_for_tables(sample_manifest, results_of, scored, written, tmp_path) -> None:
    manifest = sample_manifest("densepose-person")
    path = written(results_of(manifest, "val"))
    assert scored(manifest, path, split="val").tables == {}
    tables = scored(manifest, path, split="val", per_class=True).tables
    assert list(tables) == ["classes", "confusion", "errors"]
    assert "score >= 0.5" in tables["classes"].title
    assert {row["precision"] for row in tables["classes"].rows if row["boxes"]} == {1.0}
    assert {row["count"] for row in tables["errors"].rows} == {0}
    assert "score >= 0.95" in scored(manifest, path, split="val", score_threshold=0.95).tables["confusion"].title
    assert list(scored(manifest, path, split="val", per_class=True, protocol="voc2007").tables) == ["classes"]
    with pytest.raises(OptionError, match="scores of boxes by voc2007 have no results by row"):
        scored(manifest, path, split="val", protocol="voc2007", rows=tmp_path / "rows.csv")
    with pytest.raises(OptionError, match="score_threshold='high': expected a number"):
        scored(manifest, path, split="val", score_threshold="high")
    with pytest.raises(OptionError, match="per_class=1: expected True or False"):
        scored(manifest, path, split="val", per_class=1)
