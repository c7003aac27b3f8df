"""Audits of the samples: rows, scores, parts, and what cannot be judged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import benchwright
from benchwright.auditing import factorial
from benchwright.auditing.result import Audit
from builders.engine.registry import find_recipe
from builders.engine.rules import Outcome, rule
from schemas.manifest import Manifest


@pytest.fixture
def runs(sample_manifest: Callable[..., Manifest], write: Callable[..., Path]) -> dict[str, Path]:
    """Four systems that start later and later, on all clips that have one scene or several."""
    manifest = sample_manifest("uag-oops", single_scene__by="skip")
    return {name: write(manifest, by, f"{name}.json") for name, by in zip("abcd", (0.2, 0.9, 1.1, 4), strict=True)}


AUDITED: dict[str, Audit] = {}


@pytest.fixture
def of_four(samples: Path, runs: dict[str, Path]) -> Audit:
    """The audit of the four systems, made once."""
    if "four" not in AUDITED:
        AUDITED["four"] = benchwright.audit("uag-oops", samples, runs)
    return AUDITED["four"]


@pytest.fixture
def of_rows(samples: Path) -> Audit:
    """The audit of the rows alone, made once."""
    if "rows" not in AUDITED:
        AUDITED["rows"] = benchwright.audit("uag-oops", samples)
    return AUDITED["rows"]


def add_up(found: Audit) -> None:
    """The parts of every difference add up to it, but for the last bits of floats."""
    added = 0
    for each in found.variants:
        for metric, effect in each.effects.items():
            for name, standing in effect.systems.items():
                before, parts = found.default.effects[metric].systems[name].score, standing.parts
                assert parts is not None
                if None not in (before, standing.score, parts.lost, parts.changed, parts.gained):
                    assert before + parts.lost + parts.changed + parts.gained == pytest.approx(standing.score, abs=1e-9)
                    added += 1
    assert added


def test_rows_are_those_of_diff(sample_manifest: Callable[..., Manifest], of_rows: Audit) -> None:
    found = of_rows
    assert (found.systems, found.clusters, found.default.effects) == ([], None, {})
    variant = next(each for each in found.variants if each.key == "onset.pick=latest")
    diff = benchwright.diff(sample_manifest("uag-oops"), sample_manifest("uag-oops", onset__pick="latest"))
    assert variant.levels == diff.summary.levels
    assert (variant.gained, variant.lost, variant.changed, variant.grade) == (0, 0, 12, None)
    assert {each.key: each.reason for each in found.not_judged} == {
        "single_scene.by=inventory": "needs inventory",
        "end.of=probed": "needs inventory",
    }


def test_candidates_are_asked_by_every_rule(samples: Path, of_rows: Audit) -> None:
    found = of_rows
    candidates = len(benchwright.variants("uag-oops", samples).rows("labelled"))
    assert sum(each.rows for each in found.overlaps) == candidates
    assert next(each.rows for each in found.overlaps if not each.rules) == found.default.rows
    masked = {(each.key, each.by): (each.alone, each.together) for each in found.masked}
    assert masked["names.repair=true", "single_scene.by=skip"] == (3, 2)
    both = benchwright.variants("uag-oops", samples).build({"names.repair": True, "single_scene.by": "skip"})
    assert both.identity.splits["test"].rows == found.default.rows + 3 + 2


def test_scores_are_those_of_score_and_parts_add_up(samples: Path, runs: dict[str, Path], of_four: Audit) -> None:
    found = of_four
    manifest = benchwright.variants("uag-oops", samples).build({"description.use": "first_known"})
    options: dict[str, Any] = {"metrics": list(found.metrics), "resamples": 0}
    for name, path in runs.items():
        default = benchwright.score(benchwright.variants("uag-oops", samples).build(), path, **options)
        variant = benchwright.score(manifest, path, **options)
        for each in found.variants:
            for metric, effect in each.effects.items():
                standing, before = effect.systems[name], found.default.effects[metric].systems[name]
                assert before.score == default.metrics[metric].value
                if each.key == "description.use=first_known":
                    assert standing.score == variant.metrics[metric].value
                parts = msgspec.structs.astuple(standing.parts)
                assert before.score + sum(parts) == pytest.approx(standing.score, abs=1e-9)


def test_scoring_variants_are_scores_under_other_options(samples: Path, runs: dict[str, Path]) -> None:
    found = benchwright.audit("uag-oops", samples, runs, metrics=["R1(td<=5)", "onset(<=1)"])
    default = benchwright.variants("uag-oops", samples).build()
    scoring = {each.key: each for each in found.variants if each.scoring}
    assert set(scoring) == {
        *("null=miss", "cap=none", "reversed=miss", "union=defined", "compare=exclusive"),
        *("protocol=strict", "truth=any"),
    }
    for each in scoring.values():
        for name, path in runs.items():
            score = benchwright.score(default, path, metrics=list(found.metrics), resamples=0, **each.scoring)
            for metric, effect in each.effects.items():
                assert effect.systems[name].score == score.metrics[metric].value


def test_other_ways_of_scoring_are_told_from_the_protocol_that_is_asked_for(samples: Path, runs) -> None:
    found = benchwright.audit("uag-oops", samples, runs["a"], protocol="strict", metrics=["mTD"])
    kinds = {each.key: each.kind for each in found.variants if each.scoring}
    assert kinds == dict.fromkeys(
        [
            *("null=truth_end", "cap=10000", "reversed=as_is", "union=undefined", "compare=exclusive"),
            *("protocol=paper", "truth=any"),
        ],
        "equivalent",
    )
    default = benchwright.variants("uag-oops", samples).build()
    score = benchwright.score(default, runs["a"], protocol="strict", metrics=["mTD"], resamples=0)
    assert found.default.effects["mTD"].systems["a"].score == score.metrics["mTD"].value


def test_intervals_are_those_of_score_where_clusters_are(samples: Path, write, sample_manifest) -> None:
    manifest = sample_manifest("uag-ssbd")
    path = write(manifest, 1.0)
    found = benchwright.audit("uag-ssbd", samples, path, metrics=["mIoU", "onset(<=1)"])
    score = benchwright.score(manifest, path, metrics=["mIoU", "onset(<=1)"])
    assert found.clusters is not None
    assert found.clusters.name == "videos"
    for metric, value in score.metrics.items():
        interval = found.default.effects[metric].systems["p"].interval
        assert (interval.low, interval.high) == (pytest.approx(value.low), pytest.approx(value.high))
    assert any("so few make them rough" in warning for warning in found.warnings)


def test_a_variant_with_more_clusters_leaves_the_default_as_it_is(samples: Path, sample_manifest, write) -> None:
    path = write(sample_manifest("uag-ssbd", availability__by="all"), 1.0)
    found = benchwright.audit("uag-ssbd", samples, path, metrics=["mIoU"])
    score = benchwright.score(sample_manifest("uag-ssbd"), path, metrics=["mIoU"]).metrics["mIoU"]
    interval = found.default.effects["mIoU"].systems["p"].interval
    assert (interval.low, interval.high) == (pytest.approx(score.low), pytest.approx(score.high))
    more = next(each for each in found.variants if each.key == "availability.by=all")
    assert more.judged == more.gained > 0
    whole = benchwright.score(sample_manifest("uag-ssbd", availability__by="all"), path, metrics=["mIoU"])
    wider = more.effects["mIoU"].systems["p"]
    assert wider.score == whole.metrics["mIoU"].value
    assert wider.interval.low == pytest.approx(whole.metrics["mIoU"].low)


def test_gained_rows_are_judged_only_where_all_files_name_them(
    samples: Path, runs: dict[str, Path], sample_manifest, write, of_four: Audit
) -> None:
    found = of_four
    skipped = next(each for each in found.variants if each.key == "single_scene.by=skip")
    assert (skipped.gained, skipped.judged, set(skipped.effects)) == (3, 3, set(found.metrics))
    short = write(sample_manifest("uag-oops"), 1.0, "short.json")
    found = benchwright.audit("uag-oops", samples, {**runs, "short": short})
    skipped = next(each for each in found.variants if each.key == "single_scene.by=skip")
    assert (skipped.gained, skipped.judged, skipped.effects, skipped.grade) == (3, 0, {}, None)
    assert {each.key: each.reason for each in found.not_judged}["single_scene.by=skip"] == (
        "3 of its 15 rows are new and not in all prediction files"
    )


def test_a_null_answer_is_an_answer_to_a_question(samples: Path, sample_manifest, tmp_path: Path) -> None:
    names = sample_manifest("uag-oops", single_scene__by="skip").table("test")["sample_id"].to_pylist()
    path = tmp_path / "nulls.json"
    path.write_text(json.dumps([{"sample_id": name, "start_s": None, "end_s": None} for name in names]))
    found = benchwright.audit("uag-oops", samples, path)
    assert next(each.judged for each in found.variants if each.key == "single_scene.by=skip") == 3


def test_predictions_placed_by_their_truth_stay_with_their_samples(samples: Path, sample_manifest, tmp_path) -> None:
    rows = sample_manifest("uag-ssbd").table("test").to_pylist()
    named = [
        {"label": row["video"], "gt": [row["start_s"], row["end_s"]], "pred": [row["start_s"], 99]} for row in rows
    ]
    path = tmp_path / "published.json"
    path.write_text(json.dumps(named))
    found = benchwright.audit("uag-ssbd", samples, path, metrics=["onset(<=0)"])
    other = next(each for each in found.variants if each.key == "time.digits=seconds")
    assert other.changed
    moved = other.effects["onset(<=0)"].systems["published"]
    # Each answer is still held against its own row, whose truth is now another.
    assert moved.score == pytest.approx(100 * (1 - other.changed / len(rows)), abs=100 / len(rows))


def test_one_system_has_no_ranks_to_lose(samples: Path, runs: dict[str, Path]) -> None:
    found = benchwright.audit("uag-oops", samples, runs["a"])
    for each in (found.default, *found.variants):
        for effect in each.effects.values():
            assert (effect.pairs, effect.tau, effect.first) == ([], None, None)
            assert effect.grade in ("shifts", "visible", "none")


def test_a_system_without_most_rows_counts_as_missing_there(samples: Path, runs, sample_manifest, write) -> None:
    few = write(sample_manifest("uag-oops"), 0.0, "few.json", rows=2)
    found = benchwright.audit("uag-oops", samples, {**runs, "few": few}, metrics=["R1(iou>=0.5)"])
    assert found.default.effects["R1(iou>=0.5)"].systems["few"].score == pytest.approx(100 * 2 / 12)
    assert any(warning.startswith("few: 10 of 12 rows have no prediction") for warning in found.warnings)


def test_a_rule_that_cannot_be_lifted_is_told(samples: Path) -> None:
    recipe = find_recipe("uag-oops")

    @rule("picky", cites="none", reasons={})
    def picky(clips: Any) -> Outcome:
        """Fail of clips that no annotator of scenes has seen."""
        if len(clips) > 12:
            raise KeyError("scenes")
        return Outcome()

    found = benchwright.audit(replace(recipe, rules=(*recipe.rules, picky)), samples)
    reasons = {each.key: each.reason for each in found.not_judged}
    assert "rule picky" in reasons["single_scene.by=skip"]
    assert "single_scene.lift: later steps cannot go on with the rows that stay" in reasons["lift single_scene"]
    assert found.overlaps == []


def test_boxes_with_a_grid(samples: Path, sample_manifest, tmp_path: Path) -> None:
    manifest = sample_manifest("coco-person")
    table = manifest.table(manifest.splits[0]).to_pylist()
    boxes = [
        {"sample_id": row["sample_id"], "category": "person", "score": 0.5 + 0.01 * place}
        | {side: each[side] for side in ("x", "y", "width", "height")}
        for row in table
        for place, each in enumerate(row["objects"])
    ]
    path = tmp_path / "boxes.parquet"
    pq.write_table(pa.Table.from_pylist(boxes), path)
    grid = {"small_person.min_area": [100, 2247, 1e6]}
    found = benchwright.audit("coco-person", samples, path, grid=grid, resamples=20)
    keys = {each.key for each in found.variants} | {each.key for each in found.not_judged}
    assert {"small_person.min_area=100.0", "small_person.min_area=1000000.0", "lift small_person"} <= keys
    assert "small_person.min_area=2247.0" not in keys
    assert found.default.effects["AP50(person)"].systems["boxes"].score == pytest.approx(1.0)


def test_every_alternative_of_boxes_is_judged_on_predictions_that_are_read_once(
    samples: Path, sample_manifest, tmp_path: Path, opens
) -> None:
    whole = sample_manifest(
        "coco-person", category__keep="all", person_present__required=False, small_person__on_small="off"
    )
    found = [
        {"image_id": row["image_id"], "category_id": each["category_id"], "score": 0.9}
        | {"bbox": [each["x"], each["y"], each["width"], each["height"]]}
        for row in whole.table().to_pylist()
        for each in row["objects"]
    ]
    folder = tmp_path / "runs"
    folder.mkdir()
    path = folder / "finds-all.json"
    path.write_text(json.dumps(found))
    with opens(folder) as opened:
        audited = benchwright.audit("coco-person", samples, path, resamples=5)
    assert opened[path] == 1
    kept = {each.key: each for each in audited.variants}
    for key in ("on_small=drop_person", "on_small=ignore", "on_small=off", "min_area=1024.0", "min_area=4096.0"):
        assert f"small_person.{key}" in kept
    for key in ("area=box", "area=mask", "count_crowds=false"):
        assert f"small_person.{key}" in kept
    # A file of detections cannot say that an image without any was looked at.
    assert {each.key: each.reason for each in audited.not_judged} == dict.fromkeys(
        ["person_present.required=false", "lift person_present"],
        "3 of its 9 rows are new and not in all prediction files",
    )
    add_up(audited)
    # Classes that the default leaves out have their names again where they are kept.
    for each in audited.variants:
        if each.effects and each.settings:
            manifest = benchwright.variants("coco-person", samples).build(each.settings)
            score = benchwright.score(manifest, path, metrics=["AP50(person)"], resamples=0).metrics["AP50(person)"]
            assert each.effects["AP50(person)"].systems["finds-all"].score == score.value


def test_activities_over_sequences(samples: Path, sample_manifest, tmp_path: Path) -> None:
    for kind in ("alone", "nearest"):
        benchwright.baseline(sample_manifest("jrdb-par"), kind, tmp_path / kind)
    systems = [tmp_path / "alone", tmp_path / "nearest"]
    found = benchwright.audit("jrdb-par", samples, systems)
    assert found.clusters is not None
    assert (found.clusters.name, found.systems) == ("sequences", ["alone", "nearest"])
    score = benchwright.score(sample_manifest("jrdb-par"), tmp_path / "nearest", resamples=0)
    for metric in found.metrics:
        assert found.default.effects[metric].systems["nearest"].score == score.metrics[metric].value
    assert {each.key for each in found.variants} >= {"protocol=strict", "protocol=description"}
    add_up(found)


def test_the_result_is_json_and_back(of_four: Audit) -> None:
    found = of_four
    again = msgspec.json.decode(msgspec.json.encode(found), type=Audit)
    assert msgspec.json.encode(again) == msgspec.json.encode(found)


def test_combinations_are_scored_together(samples: Path, runs: dict[str, Path]) -> None:
    found = benchwright.audit("uag-oops", samples, runs, metrics=["onset(<=1)", "mTD"])
    assert found.factorial is not None
    choices = found.factorial.choices
    assert choices["onset.pick"] == ["onset.pick=median", "onset.pick=mean", "onset.pick=latest"]
    assert choices["truth"] == ["truth=any"]
    assert "protocol" not in choices
    assert found.factorial.combinations == prod(1 + len(levels) for levels in choices.values())
    assert found.factorial.scored == found.factorial.combinations
    for shares in found.factorial.explained.values():
        assert list(shares) == list(choices)
        assert 0 < sum(shares.values()) <= 1 + 1e-9


def test_of_too_many_combinations_those_of_two_choices_are_scored(
    samples: Path, runs, sample_manifest, write, monkeypatch
) -> None:
    metrics = ["onset(<=1)", "mTD"]
    runs |= {"few": write(sample_manifest("uag-oops"), 0.3, "few.json", rows=9)}
    whole = benchwright.audit("uag-oops", samples, runs, metrics=metrics).factorial
    assert whole is not None
    monkeypatch.setattr(factorial, "MOST", whole.scored - 1)
    pairs = benchwright.audit("uag-oops", samples, runs, metrics=metrics).factorial
    assert pairs is not None
    assert (pairs.choices, pairs.combinations) == (whole.choices, whole.combinations)
    levels = [len(each) for each in whole.choices.values()]
    assert pairs.scored == 1 + sum(levels) + (sum(levels) ** 2 - sum(n * n for n in levels)) // 2 < whole.scored
    for choice, share in whole.explained["onset(<=1)"].items():
        assert pairs.explained["onset(<=1)"][choice] == pytest.approx(share, abs=0.1)
    monkeypatch.setattr(factorial, "MOST", 3)
    none = benchwright.audit("uag-oops", samples, runs, metrics=metrics)
    assert none.factorial is None
    assert f"{whole.scored:,} combinations, " in {each.key: each.reason for each in none.not_judged}["combinations"]


def test_one_choice_that_changes_scores_has_nothing_to_be_combined_with(samples: Path, sample_manifest, write) -> None:
    found = benchwright.audit("charades-sta", samples, write(sample_manifest("charades-sta"), 0.5), metrics=["mIoU"])
    assert found.factorial is None


def test_guesses_are_those_of_score_and_stand_beside_the_systems(
    samples: Path, runs: dict[str, Path], of_four: Audit, of_rows: Audit
) -> None:
    found = of_four
    manifest = benchwright.variants("uag-oops", samples).build()
    scored = benchwright.score(manifest, runs["a"], metrics=list(found.metrics), resamples=0)
    assert set(found.baselines) == {*scored.baselines, "human"}
    for name, by_metric in scored.baselines.items():
        assert {metric: each.score for metric, each in found.baselines[name].items()} == by_metric
    assert all(each.rank is None for by_metric in found.baselines.values() for each in by_metric.values())
    assert of_rows.baselines == {}


@pytest.fixture
def as_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Invented rows, taken for those of the papers."""
    monkeypatch.setattr("benchwright.auditing.published.is_published", lambda _: True)


def test_what_papers_print_says_nothing_of_other_rows_by_that_name(samples: Path, runs) -> None:
    assert benchwright.audit("uag-oops", samples, runs["a"], metrics=["mTD"]).published == []


@pytest.mark.usefixtures("as_published")
def test_what_papers_print_stands_beside_the_papers_split_and_protocol_alone(samples: Path, runs) -> None:
    found = benchwright.audit("uag-oops", samples, runs["a"], metrics=["R1(td<=5)", "onset(<=1)"])
    printed = {each.published.system: each.published for each in found.published}
    assert printed["VideoChat2"].scores["R1(td<=5)"] == "23.10"
    assert printed["VideoLLaMA"].scores["onset(<=1)"] == "16.11"
    assert printed["VideoLLaMA"].where == "UAL-Bench, Tables 2 and 3"
    assert {name: each.kind for name, each in printed.items() if each.kind != "system"} == {
        **dict.fromkeys(["Random", "Human Prediction", "PredictAll"], "guess"),
        "Video-Speed": "elsewhere",
    }
    assert not any(each.equal for each in found.published)
    assert benchwright.audit("uag-oops", samples, runs["a"], metrics=["mTD"], protocol="strict").published == []


@pytest.mark.usefixtures("as_published")
def test_published_scores_of_a_card_that_a_system_does_not_print(samples: Path, sample_manifest, tmp_path) -> None:
    benchwright.baseline(sample_manifest("jrdb-par"), "nearest", tmp_path / "nearest")
    found = benchwright.audit("jrdb-par", samples, tmp_path / "nearest")
    assert {each.published.system: each.published.scores["F_a"] for each in found.published}["MUP"] == "41.5"
    assert [each.equal for each in found.published] == [[]] * 5


def test_rows_gained_and_lost_are_named(of_rows: Audit) -> None:
    found = {each.key: each for each in of_rows.variants}
    assert len(found["single_scene.by=skip"].gained_rows) == 3
    lost = found["description.use=first_known"]
    assert (len(lost.lost_rows), lost.gained_rows) == (lost.lost, [])
    assert lost.lost > 0


def test_persons_that_no_file_names_are_not_judged_as_misses(samples: Path, sample_manifest, tmp_path) -> None:
    benchwright.baseline(sample_manifest("jrdb-par"), "nearest", tmp_path / "nearest", split="train")
    found = benchwright.audit("jrdb-par", samples, tmp_path / "nearest", split="train")
    reasons = {each.key: each.reason for each in found.not_judged}
    assert re.fullmatch(r"\d+ of its \d+ persons are new and not in all prediction files", reasons["people.keep=all"])
    kept = next(each for each in found.variants if each.key == "people.keep=all")
    assert kept.gained == 10
    assert kept.effects == {}
