"""Findings of an invented benchmark of spans: silent where it is sound, and each on the fault that was planted."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import benchwright
from benchwright.checks.finding import Finding
from benchwright.checks.near import near_texts
from benchwright.checks.registry import all_checks
from builders.engine import ledger
from schemas.columns import column
from schemas.identity import Identity, Split
from schemas.manifest import Manifest, manifest_in_memory
from schemas.temporal import temporal_schema

Rows = list[dict[str, Any]]
SPAN = pa.struct([column("start_s", pa.float64(), "start", unit="s"), column("end_s", pa.float64(), "end", unit="s")])
SCHEMA = temporal_schema(
    "invented",
    1,
    [
        column("category", pa.string(), "what it is about"),
        column("onsets_s", pa.list_(pa.float64()), "onsets of three annotators", unit="s"),
        column("heldout_onset_s", pa.float64(), "of a fourth", unit="s", required=False),
        column("heldout_saw_failure", pa.bool_(), "whether the fourth saw one", required=False),
        column("reannotated", pa.list_(SPAN), "spans of others", required=False),
        column("frame_rate", pa.float64(), "frames per second", unit="1/s"),
    ],
)
CATEGORIES = ["cooking", "sports", "garden"]
LOST = {"level": "clip", "key": "lost", "rule": "described", "order": 1, "action": "dropped"}
LEDGER = pa.Table.from_pylist([{**LOST, "reason": "misread_key", "values": []}], ledger.LEDGER)


def sound(split: str, count: int, seed: int) -> Rows:
    """Rows of different videos, words and times; annotators who agree to a tenth of a second."""
    draw, rows = random.Random(seed), []
    for number in range(count):
        category = CATEGORIES[number % 3]
        words = ["".join(draw.choices("bcdfglmnprst", k=1) + draw.choices("aeiou", k=1)) for _ in range(24)]
        text = " ".join("".join(words[at : at + 3]) for at in range(0, 24, 3))
        duration = draw.uniform(30, 90)
        start = draw.uniform(3, duration - 15)
        end = start + draw.uniform(4, 9)
        others = [
            {"start_s": start + draw.uniform(-0.3, 0.3), "end_s": end + draw.uniform(-0.3, 0.3)} for _ in range(3)
        ]
        rows.append(
            {
                "sample_id": f"{split}-{seed}-{number}",
                "split": split,
                "video": f"{category}-{draw.getrandbits(40):x}",
                "description": text,
                "start_s": start,
                "end_s": end,
                "duration_s": duration,
                "category": category,
                "onsets_s": [start, start + 0.05, start + 0.1],
                "heldout_onset_s": start + 0.04,
                "heldout_saw_failure": True,
                "reannotated": others,
                "frame_rate": 24.0 + number % 2,
            }
        )
    return rows


def manifest_of(rows: Rows, identity: Callable[..., Identity], entries: pa.Table, **fields: Any) -> Manifest:
    names = dict.fromkeys([row["split"] for row in rows] or ["test"])
    tables = {name: pa.Table.from_pylist([r for r in rows if r["split"] == name], SCHEMA) for name in names}
    splits = {name: Split(len(table), "") for name, table in tables.items()}
    return manifest_in_memory(identity("invented", splits=splits, **fields), tables, entries)


def answers(rows: Rows, seed: int) -> pd.DataFrame:
    """A system that is about right."""
    draw = random.Random(seed)
    times = [
        (row["sample_id"], row["start_s"] + draw.uniform(-3, 3), row["end_s"] + draw.uniform(-3, 3)) for row in rows
    ]
    frame = pd.DataFrame(times, columns=["sample_id", "start_s", "end_s"])
    return frame.assign(start_s=frame["start_s"].clip(lower=0), end_s=frame[["start_s", "end_s"]].max(axis=1))


class World:
    """Splits of a benchmark, another manifest, and systems; faults are planted in them."""

    def __init__(self) -> None:
        self.test, self.train, self.other = sound("test", 60, 1), sound("train", 60, 2), sound("train", 60, 3)
        self.systems = {"a": answers(self.test, 4), "b": answers(self.test, 5)}
        self.ledger, self.fields, self.other_fields = LEDGER[:0], {}, {}  # type: ignore[var-annotated]


@pytest.fixture
def found(identity: Callable[..., Identity]) -> Callable[[World, bool], dict[str, Finding]]:
    def run(world: World, against: bool = True) -> dict[str, Finding]:
        manifest = manifest_of(world.test + world.train, identity, world.ledger, **world.fields)
        other = manifest_of(world.other, identity, LEDGER[:0], **world.other_fields) if against else None
        made = benchwright.findings(manifest, world.systems or None, against=other)
        assert made.failures == []
        return {each.id: each for each in made.findings}

    return run


@pytest.mark.parametrize("against", [True, False])
def test_a_sound_benchmark_has_no_finding(found: Callable[..., dict[str, Finding]], against: bool) -> None:
    assert {name: each.statement for name, each in found(World(), against).items()} == {}


def again(world: World, at: int, **other: Any) -> None:
    """A row of the test split once more, but for some columns."""
    world.test.append({**copy.deepcopy(world.test[at]), "sample_id": f"again {at}", **other})


def each(world: World, change: Callable[[dict[str, Any]], None], step: int = 1) -> None:
    for row in world.test[::step]:
        change(row)


def put(row: dict[str, Any], **values: Any) -> None:
    row.update(values)


def moved(row: dict[str, Any], start: float, end: float) -> None:
    row.update(start_s=start, end_s=end, onsets_s=[start, start, start], heldout_onset_s=start, reannotated=None)


def leak(world: World, column: str, value: Callable[[Any], Any] = lambda same: same) -> None:
    world.test[7][column] = value(world.other[3][column])


def constant(world: World, **times: float) -> None:
    world.systems["a"] = world.systems["a"].assign(**times)


def reused(world: World) -> None:
    world.test[5]["sample_id"] = world.train[5]["sample_id"]


FAULTS: dict[str, tuple[Callable[[World], object], str]] = {
    "duplicate-rows": (lambda w: again(w, 3), "test-1-3"),
    "repeated-moments": (lambda w: again(w, 3, description="wholly other words about this"), "test-1-3"),
    "near-duplicate-spans": (
        lambda w: again(w, 3, start_s=w.test[3]["start_s"] + 0.1, description="wholly other words about this"),
        "again 3",
    ),
    "ambiguous-queries": (lambda w: again(w, 3, start_s=1.5, end_s=2.9), "test-1-3"),
    "twin-videos": (lambda w: again(w, 3, video="other name"), "test-1-3"),
    "video-durations": (
        lambda w: again(w, 3, duration_s=99.0, start_s=1.5, end_s=2.9, description="other words altogether here"),
        "test-1-3",
    ),
    "near-duplicate-texts": (
        lambda w: again(w, 3, start_s=1.5, end_s=2.9, description=w.test[3]["description"] + " again"),
        "test-1-3",
    ),
    "few-queries": (lambda w: [put(row, description="Find it now please") for row in w.test + w.train], "test-1-0"),
    "empty-queries": (lambda w: put(w.test[4], description=" ?! "), "test-1-4"),
    "dont-know": (lambda w: put(w.test[4], description="Don't know, really"), "test-1-4"),
    "mojibake": (lambda w: put(w.test[4], description="the cafÃ© opens"), "test-1-4"),
    "clusters": (
        lambda w: again(w, 3, start_s=1.5, end_s=2.9, description="other words altogether here"),
        "test-1-3",
    ),
    "outside-video": (lambda w: put(w.test[4], end_s=w.test[4]["duration_s"] + 2), "test-1-4"),
    "reversed-spans": (lambda w: put(w.test[4], end_s=w.test[4]["start_s"] - 1), "test-1-4"),
    "whole-video": (lambda w: moved(w.test[4], 0.3, w.test[4]["duration_s"]), "test-1-4"),
    "onset-zero": (lambda w: moved(w.test[4], 0.0, 5.0), "test-1-4"),
    "short-span": (lambda w: put(w.test[4], end_s=w.test[4]["start_s"] + 0.4), "test-1-4"),
    "long-spans": (lambda w: put(w.test[4], end_s=w.test[4]["start_s"] + 80, duration_s=200.0), "test-1-4"),
    "odd-starts": (lambda w: put(w.test[4], start_s=700.0, end_s=705.0, duration_s=None), "test-1-4"),
    "odd-durations": (lambda w: put(w.test[4], duration_s=900.0), "test-1-4"),
    "coarse-times": (
        lambda w: [moved(row, float(round(row["start_s"])), row["end_s"] + 1) for row in w.test + w.train],
        "test-1-0",
    ),
    "category-name": (lambda w: put(w.test[4], category="cooking"), "test-1-4"),
    "absent-values": (lambda w: [put(row, category="games") for row in w.test[4:6]], "category games in train"),
    "disagreement": (lambda w: w.test[4]["onsets_s"].append(w.test[4]["start_s"] + 4), "test-1-4"),
    "fine-tolerance": (
        lambda w: [row["onsets_s"].append(row["start_s"] + 0.5) for row in w.test + w.train],
        "test-1-0",
    ),
    "lone-annotator": (
        lambda w: put(w.test[4], onsets_s=[w.test[4]["start_s"] + by for by in (0, 2, 2.1)]),
        "test-1-4",
    ),
    "earliest": (lambda w: put(w.test[4], heldout_onset_s=w.test[4]["start_s"] - 2), "test-1-4"),
    "onsets-outside": (lambda w: w.test[4]["onsets_s"].append(w.test[4]["duration_s"] + 5), "test-1-4"),
    "reannotated": (lambda w: put(w.test[4], reannotated=[{"start_s": 0.0, "end_s": 1.0}]), "test-1-4"),
    "literal-minus-one": (
        lambda w: (moved(w.test[4], 0.0, 5.0), put(w.test[4], heldout_onset_s=None, heldout_saw_failure=False)),
        "test-1-4",
    ),
    "nominal-frame-rate": (
        lambda w: (
            [put(row, frame_rate=30.0) for row in w.test + w.train],
            w.fields.update(parameters={"frame_rate.of": "nominal"}),
        ),
        "test-1-0",
    ),
    "sample-id-reuse": (reused, "train-2-5"),
    "leak-video": (lambda w: leak(w, "video"), "test-1-7"),
    "leak-text": (lambda w: leak(w, "description", str.upper), "test-1-7"),
    "leak-near-text": (lambda w: leak(w, "description", lambda text: text + " again"), "test-1-7"),
    "leak-title": (
        lambda w: (put(w.test[7], video="Best of the Year 12.mp4"), put(w.other[3], video="Best of the Year 7.mp4")),
        "test-1-7",
    ),
    "misread-names": (lambda w: setattr(w, "ledger", LEDGER), "lost"),
    "constant-system": (lambda w: constant(w, start_s=2.5), "a: test-1-0"),
    "beyond-clip": (lambda w: constant(w, start_s=900.0, end_s=901.0), "a: test-1-0"),
    "null-hits": (
        lambda w: (moved(w.test[4], 2.1, 4.9), w.systems.update(a=w.systems["a"].drop(index=4))),
        "a: test-1-4",
    ),
    "blind-constant": (
        lambda w: [moved(row, 2.0 + at / 100, 9.3) for at, row in enumerate(w.test + w.train + w.other)],
        "test-1-0",
    ),
    "blind-span": (
        lambda w: [moved(r, 0.3 * r["duration_s"], 0.9 * r["duration_s"]) for r in w.test + w.train + w.other],
        "test-1-0",
    ),
    "blind-share": (
        lambda w: [moved(r, 0.5 * r["duration_s"] + 0.01, r["duration_s"] - 2) for r in w.test + w.train + w.other],
        "test-1-0",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(found: Callable[..., dict[str, Finding]], name: str) -> None:
    world = World()
    plant, row = FAULTS[name]
    plant(world)
    made = found(world)
    assert name in made
    assert row in "\n".join(made[name].rows).replace(" | ", "\n").split("\n")
    assert made[name].numbers["count"] <= made[name].numbers["of"]


def test_a_leak_between_splits_of_one_manifest(found: Callable[..., dict[str, Finding]]) -> None:
    world = World()
    world.train[3].update(video=world.test[7]["video"], description=world.test[7]["description"])
    made = found(world, against=False)
    assert made["leak-video"].rows == made["leak-text"].rows == ["test-1-7"]


def test_clips_of_one_title_are_a_cluster(found: Callable[..., dict[str, Finding]]) -> None:
    world = World()
    for place in (3, 8, 9):
        world.test[place]["video"] = f"Best of the Year {place}.mp4"
    made = found(world)["clusters"]
    assert (made.numbers["what"], made.rows) == ("titles", ["test-1-3", "test-1-8", "test-1-9"])


@pytest.mark.parametrize("rows", [0, 1])
def test_no_check_fails_on_few_rows(found: Callable[..., dict[str, Finding]], rows: int) -> None:
    world = World()
    world.test, world.train, world.systems = world.test[:rows], world.train[:rows], {}
    found(world)


def test_no_check_fails_where_nothing_is_known(found: Callable[..., dict[str, Finding]]) -> None:
    world = World()
    for row in world.test + world.train:
        row.update(duration_s=None, onsets_s=[], heldout_onset_s=None, heldout_saw_failure=None, reannotated=None)
    assert found(world) == {}


def test_every_check_of_spans_has_a_planted_fault() -> None:
    """But for those whose faults lie in cards, papers, recipes and raw files; the real data show them."""
    checks = [each.id for each in all_checks()[0].values() if each.of in ("spans", "any")]
    assert set(checks) - set(FAULTS) == {"claims", "characters-for-words", "unapplied-rule", "text", "generous-row"}


def test_many_rows_take_seconds() -> None:
    """Each text is compared with those that share two of its rarest words, not with all."""
    draw = np.random.default_rng(7)
    words = [f"w{number}" for number in range(2000)]
    texts = [" ".join(words[at] for at in row) for row in draw.integers(0, 2000, (20_000, 9))]
    texts += [f"a person opens door {number} and takes a cup" for number in range(20_000)]
    started = perf_counter()
    near = near_texts(texts, texts, 0.6)
    assert perf_counter() - started < 30
    assert len(near) == 20_000


def test_what_files_are_called_is_no_title(found: Callable[..., dict[str, Finding]]) -> None:
    world = World()
    for rows in (world.test, world.train, world.other):
        for number, row in enumerate(rows):
            place = ("kitchen video", "living room", "front garden")[number % 3]
            row.update(category=place, video=f"{place} {rows[0]['split']}{number:02}_{row['sample_id']}")
    assert not {"clusters", "leak-title", "leak-video"} & set(found(world))


def test_one_and_several_are_told_apart(found: Callable[..., dict[str, Finding]]) -> None:
    world = World()
    moved(world.test[4], 0.0, 5.0)
    one = found(world)["onset-zero"]
    assert one.title == "1 span begins at exactly 0 s"
    assert one.statement.startswith("1 of 120 spans begins at exactly 0 s; 0 of 1 are the whole video")
    moved(world.test[5], 0.0, 5.0)
    assert found(world)["onset-zero"].title == "2 spans begin at exactly 0 s"


def test_rows_of_several_splits_are_counted_by_split(found: Callable[..., dict[str, Finding]]) -> None:
    world = World()
    for row in (world.test[4], world.train[5], world.train[6]):
        moved(row, 0.0, 5.0)
    made = found(world)["onset-zero"]
    assert made.numbers["splits"] == {"test": 1, "train": 2}
    assert made.statement.endswith(" By split: test 1, train 2.")
