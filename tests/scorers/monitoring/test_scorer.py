"""Monitoring on a manifest: setups from predictions in memory, classes of one's own, intervals, signature."""

from __future__ import annotations

from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from schemas.errors import InputError, UsageError
from schemas.laws import SIDES
from schemas.manifest import Manifest
from scorers.monitoring.metrics import parse_metrics
from scorers.monitoring.scorer import MonitorScore, monitor


@pytest.fixture
def persons(sample_manifest) -> Manifest:
    return sample_manifest("coco-person")


def found(manifest: Manifest, category: str = "person", scale: float = 1.0, score: float = 0.9) -> dict[str, Any]:
    """The true persons as columns, the left part of each when `scale` is below 1."""
    rows = [(row["image_id"], item) for row in manifest.table().to_pylist() for item in row["objects"]]
    columns = {name: np.array([item[name] for _, item in rows]) for name in ("x", "y", "width", "height")}
    columns["width"] = scale * columns["width"]
    return {
        "image_id": np.array([image for image, _ in rows]),
        "category": [category] * len(rows),
        **columns,
        "score": np.full(len(rows), score),
    }


def both(*columns: dict[str, Any]) -> pd.DataFrame:
    return pd.concat([pd.DataFrame(one) for one in columns])


def run(manifest: Manifest, source: object, **options: Any) -> MonitorScore:
    return monitor(manifest, source, {"resamples": 0, **options})  # type: ignore[typeddict-item]


def counts(score: MonitorScore, *names: str) -> list[float | None]:
    return [score.metrics[name].value for name in names]


def test_setups_are_made_of_what_is_given(persons: Manifest) -> None:
    whole, torsos = found(persons), found(persons, "torso", 0.5)
    single = run(persons, both(whole, torsos))
    multi = run(persons, whole, parts=torsos)
    base = run(persons, whole, second=found(persons))
    assert [score.setup for score in (single, multi, base)] == ["SingleDet", "MultiDet", "Baseline"]
    assert single.metrics == multi.metrics
    names = ("D_TP", "D_FN", "rejected_TP[o=0.1]", "ghost_parts[o=0.1]")
    assert counts(multi, *names) == counts(base, *names)
    with pytest.raises(UsageError, match="give one of the two"):
        run(persons, whole, parts=torsos, second=whole)


def test_scores_from_the_threshold_of_their_class_are_kept(persons: Manifest) -> None:
    parts = both(found(persons, "torso", 0.5, 0.3), found(persons, "head", 0.2, 0.5))
    score = run(persons, found(persons), parts=parts, class_thresholds={"torso": 0.3})
    assert score.counts["parts"] == len(parts)
    assert score.thresholds["torso"] == 0.3
    assert " | setup:MultiDet | thresholds:0.5,torso=0.3 | " in score.signature
    assert run(persons, found(persons), parts=parts).counts["parts"] == len(parts) / 2
    with pytest.raises(UsageError, match="unknown class 'torsi'; did you mean torso"):
        run(persons, found(persons), class_thresholds={"torsi": 0.3})


def test_thresholds_may_be_a_file_or_what_has_them(persons: Manifest, tmp_path: Any) -> None:
    path = tmp_path / "thresholds.json"
    path.write_text('{"torso": 0.3}')
    for given in (path, str(path), SimpleNamespace(scores={"torso": 0.3})):
        assert run(persons, found(persons), class_thresholds=given).thresholds["torso"] == 0.3
    with pytest.raises(InputError, match=r"none.json: found no such file"):
        run(persons, found(persons), class_thresholds=tmp_path / "none.json")
    for wrong in (0.5, [0.5], {"torso": "low"}):
        with pytest.raises(UsageError, match=r'class_thresholds=.*as {"person": 0.43} or a path'):
            run(persons, found(persons), class_thresholds=wrong)


def test_metrics_that_are_not_asked_for_are_not_warned_of(persons: Manifest) -> None:
    torsos = found(persons, "torso", 0.5)
    assert any(warning.startswith("recall(FP)") for warning in run(persons, found(persons), parts=torsos).warnings)
    asked = run(persons, found(persons), parts=torsos, metrics=["MCC(FN)"]).warnings
    assert not [warning for warning in asked if warning.startswith(("recall", "precision", "MCC(FP)"))]


def test_one_metric_and_its_interval_over_images(persons: Manifest) -> None:
    half = found(persons)
    half = {name: values[::2] for name, values in half.items()}
    options: Any = {"parts": found(persons, "torso", 0.5), "metrics": ["D_FN", "MCC(FN)[o=0.15]"], "resamples": 100}
    score = monitor(persons, half, options)
    assert list(score.metrics) == ["D_FN", "MCC(FN)[o=0.15]"]
    value = score.metrics["D_FN"]
    assert value.unit == "count"
    assert value.low is not None
    assert value.value is not None
    assert value.high is not None
    assert value.low < value.value < value.high
    assert monitor(persons, half, options) == score


def test_the_signature_names_the_tool_that_scored_and_the_split(persons: Manifest) -> None:
    elsewhere = msgspec.structs.replace(persons.identity, tool_version="0.0.1")
    score = run(Manifest(persons.path, elsewhere), found(persons))
    assert f"data:coco-person/{persons.splits[0]} sha:" in score.signature
    assert score.signature.endswith(f"v:{version('benchwright')}")


def test_where_the_protocols_differ_both_values_are_given(persons: Manifest) -> None:
    twice = both(found(persons), found(persons, score=0.8))
    paper, strict = (run(persons, twice, protocol=name) for name in ("paper", "strict"))
    assert paper.differences == strict.differences
    for difference in paper.differences:
        assert difference.values == {
            "paper": paper.metrics[difference.metric].value,
            "strict": strict.metrics[difference.metric].value,
        }
    reasons = {difference.metric: difference.reason for difference in paper.differences}
    assert reasons["D_TP"] == f"{sum(bool(row['objects']) for row in persons.table().to_pylist())} images"
    changed = set(reasons)
    assert {"D_TP", "D_FP"} <= changed
    # Up to what the authors' code adds to denominators, values are equal.
    assert all(
        str(metric) in changed or paper.metrics[str(metric)].value == pytest.approx(strict.metrics[str(metric)].value)
        for metric in parse_metrics([])
    )


def test_persons_and_parts_may_have_names_of_ones_own(persons: Manifest, tmp_path: Any) -> None:
    (tmp_path / "names.txt").write_text("person\nwheel\n")
    wheels = both(found(persons, "wheel", 0.5))
    score = run(persons, found(persons), parts=wheels, classes=tmp_path / "names.txt")
    assert list(score.thresholds) == ["person", "wheel"]
    assert score.counts["parts"] == len(wheels)
    with pytest.raises(UsageError, match="unknown class of persons 'rider'"):
        run(persons, found(persons), person="rider")


def test_what_is_wrong_with_predictions_is_named(persons: Manifest) -> None:
    with pytest.raises(InputError) as failure:
        run(persons, found(persons) | {"score": np.full(len(found(persons)["score"]), np.nan)})
    assert failure.value.problems[0].field == "score"
    with pytest.raises(UsageError, match="did you mean strict"):
        run(persons, found(persons), protocol="strickt")
    with pytest.raises(UsageError, match="did you mean parts"):
        run(persons, found(persons), part=found(persons))


def test_a_second_detector_has_a_threshold_of_its_own(persons: Manifest) -> None:
    whole, weak = found(persons), found(persons, score=0.3)
    assert run(persons, whole, second=weak).counts["parts"] == 0
    score = run(persons, whole, second=weak, second_threshold=0.3)
    assert score.counts["parts"] == len(weak["score"])
    assert " | thresholds:0.5,second=0.3 | " in score.signature
    assert run(persons, whole, second=weak, class_thresholds={"person": 0.3}).counts["parts"] == len(weak["score"])
    for options in ({"parts": weak}, {}, {"second": weak, "second_threshold": float("nan")}):
        with pytest.raises(UsageError, match="second_threshold"):
            run(persons, whole, **{"second_threshold": 0.3, **options})


def results(manifest: Manifest, category: object) -> list[dict[str, Any]]:
    """The true objects as COCO results of one class."""
    return [
        {"image_id": row["image_id"], "category_id": category, "score": 0.9, "bbox": [item[s] for s in SIDES]}
        for row in manifest.table("val").to_pylist()
        for item in row["objects"]
    ]


def test_ids_of_classes_mean_the_same_in_every_file(sample_manifest) -> None:
    """As in `score`: the persons are number 1, so that the first part is number 2 in a file of parts, too."""
    manifest = sample_manifest("densepose-person")
    whole = results(manifest, 1)
    by_id = run(manifest, whole, parts=results(manifest, 2), split="val")
    by_name = run(manifest, whole, parts=results(manifest, "torso"), split="val")
    assert by_id.metrics == by_name.metrics
    assert by_id.counts["parts"] == len(whole)
    from_0 = run(manifest, results(manifest, 0), parts=results(manifest, 1), split="val", category_base=0)
    assert from_0.metrics == by_id.metrics


def test_classes_that_are_not_read_are_told_with_a_near_name(persons: Manifest) -> None:
    parts = both(found(persons, "torso", 0.5), found(persons, "torsos", 0.5))
    warnings = run(persons, found(persons), parts=parts).warnings
    assert [one for one in warnings if one.startswith("parts: ") and "did you mean torso?" in one]
    with pytest.raises(UsageError, match=r"of unknown classes: persn .*did you mean person"):
        run(persons, found(persons, "persn"), parts=parts)


def test_ignored_persons_are_neither_matches_nor_misses(sample_manifest) -> None:
    """What is on them alone changes nothing: nobody, a detection, a detection and its parts, parts alone."""
    manifest = sample_manifest("coco-person", small_person__on_small="ignore")
    rows = manifest.table().to_pylist()
    ignored = np.array([item["ignored"] for row in rows for item in row["objects"]])
    assert 0 < ignored.sum() < len(ignored)
    whole, torsos = pd.DataFrame(found(manifest)), pd.DataFrame(found(manifest, "torso", 0.5))
    sized = whole["width"] * whole["height"] > 0  # boxes without area match nothing
    whole, torsos, ignored = whole[sized], torsos[sized], ignored[sized]
    for protocol in ("paper", "strict"):
        plain = run(manifest, whole[~ignored], parts=torsos[~ignored], protocol=protocol)
        for persons, parts in ((whole, torsos), (whole, torsos[~ignored]), (whole[~ignored], torsos)):
            score = run(manifest, persons, parts=parts, protocol=protocol)
            assert score.metrics == plain.metrics
            assert any("neither a match nor a miss" in warning for warning in score.warnings)
    assert plain.metrics["D_FN"].value == 0
    assert plain.metrics["D_TP"].value == (~ignored).sum()
