"""How long the scoring of panoramic activities takes, beside a frame-by-frame implementation with scikit-learn.

    python benchmarks/activity.py                   invented labels of the size of the test split
    python benchmarks/activity.py SOURCE            the real ones: builds jrdb-par from the raw files below SOURCE

Both start from the same files, rows of the manifest and long tables of noisy predictions in Parquet, and must give the
same metrics of the protocol `paper`, to 1e-12; reading is timed apart. Then 100 times the split under all protocols,
in a process of its own. Peer:

    pip install -e ".[benchmark]"
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from builders.engine.build import build
from builders.engine.registry import find_recipe
from schemas.activity import activity_schema
from scorers.activity.alignment import align
from scorers.activity.arrays import single, united
from scorers.activity.baselines import write
from scorers.activity.frames import COLUMNS, Predictions, Truth, truth_from
from scorers.activity.groups import Groups
from scorers.activity.protocols import evaluate

TIMES = 100
FRAMES, SEQUENCES, PEOPLE = 411, 7, 22
SEED = 5
ROWS = "rows.parquet"


def invented_rows() -> pa.Table:
    """Key frames with about as many people, groups and labels as the test split has."""
    draw = np.random.default_rng(SEED)

    def some(most: int, share: float) -> list[int]:
        return sorted({int(draw.integers(1, most + 1)) for _ in range(draw.geometric(share))})

    rows = []
    for number in range(FRAMES):
        name, frame = f"place-{number % SEQUENCES}", 15 * (number // SEQUENCES + 1)
        ids = draw.permutation(244)[: draw.integers(PEOPLE - 15, PEOPLE + 16)].tolist()
        owner = [int(group) for group in draw.integers(0, 3 * len(ids), len(ids))]
        owner[: len(ids) // 2] = [place // 2 for place in range(len(ids) // 2)]
        members = defaultdict(list)
        for person, group in zip(ids, owner, strict=True):
            members[group].append(person)
        persons = [
            {
                "person_id": person,
                **dict(zip(("x", "y", "width", "height"), (int(draw.integers(3600)), 100, 60, 160), strict=True)),
                "actions": [{"id": label, "difficult": False} for label in some(27, 0.6)],
                "social": [],
                "group_id": group,
                "group_difficult": False,
            }
            for person, group in zip(ids, owner, strict=True)
        ]
        groups = [
            {"group_id": group, "member_ids": people, "activities": some(32, 0.8)}
            for group, people in members.items()
            if len(people) > 1
        ]
        keys = {"sample_id": f"{name}/{frame:06d}", "split": "test", "sequence": name, "frame": frame}
        image = {"file_name": f"{name}/{frame:06d}.jpg", "width": 3760, "height": 480}
        labels = {"persons": persons, "groups": groups, "global_activities": some(7, 0.6)}
        rows.append(keys | {"sequence_index": number % SEQUENCES} | image | labels)
    return pa.Table.from_pylist(rows, schema=activity_schema("jrdb-par", 1))


def noisy(truth: Truth) -> Predictions:
    """The truth with a third of the labels and a quarter of the memberships drawn anew."""
    draw = np.random.default_rng(SEED)

    def labels(sets: Any, classes: int) -> Any:
        other = united(single(draw.integers(1, classes + 1, len(sets))), np.arange(len(sets)), len(sets))
        return np.where(draw.random(len(sets)) < 1 / 3, other, sets)

    groups = truth.groups
    stays = draw.random(len(groups.person)) < 3 / 4
    shuffled = Groups(groups.frame, labels(groups.labels, 32), groups.group[stays], groups.person[stays])
    return Predictions(labels(truth.actions, 27), shuffled.of_at_least(1), labels(truth.activities, 7))


def tiled(rows: pa.Table, times: int) -> pa.Table:
    """The rows again and again, as of other sequences."""
    copies = []
    for copy in range(times):
        table = rows
        for name in ("sample_id", "sequence"):
            texts = pc.binary_join_element_wise(pa.scalar(f"copy-{copy}-"), rows[name], "")
            table = table.set_column(table.column_names.index(name), rows.schema.field(name), texts)
        place = rows.column_names.index("sequence_index")
        index = pc.add(rows["sequence_index"], copy * 27)
        copies.append(table.set_column(place, rows.schema.field("sequence_index"), index))
    return pa.concat_tables(copies).combine_chunks()


def write_files(folder: Path, rows: pa.Table) -> None:
    pq.write_table(rows, folder / ROWS, compression="zstd")
    truth = truth_from(rows)
    write(folder / "predictions", truth, noisy(truth))


def read(folder: Path) -> tuple[Truth, Predictions]:
    truth = truth_from(pq.ParquetFile(folder / ROWS, pre_buffer=False).read(list(COLUMNS)))
    return truth, align(folder / "predictions", truth).predictions


def ours(truth: Truth, predictions: Predictions) -> dict[str, float]:
    """The metrics of `paper`."""
    return evaluate(truth, predictions, ["paper"])["paper"].values


class Listed(NamedTuple):
    """Truth and predictions as Python objects: label sets of persons and of frames, and groups of each frame."""

    actions: list[tuple[list[int], list[int]]]
    activities: list[tuple[list[int], list[int]]]
    frames: list[tuple[list[int], list[Any], list[Any]]]


def read_listed(folder: Path) -> Listed:
    rows = pq.ParquetFile(folder / ROWS, pre_buffer=False).read(list(COLUMNS)).to_pylist()
    given = predictions_by_frame(folder / "predictions")
    listed = Listed([], [], [])
    for row in rows:
        frame = given[row["sequence"], row["frame"]]
        for person in row["persons"]:
            guess = frame["individual"][person["person_id"]]
            listed.actions.append(([label["id"] for label in person["actions"]], guess))
        listed.activities.append((row["global_activities"], frame["global"]))
        people = [person["person_id"] for person in row["persons"]]
        true = [(group["member_ids"], group["activities"]) for group in row["groups"]]
        listed.frames.append((people, true, frame["groups"]))
    return listed


def frame_by_frame(listed: Listed) -> dict[str, float]:
    """The same as anyone would write it down, metric after metric, frame by frame."""
    frames = [(people, group_sets(true), group_sets(predicted)) for people, true, predicted in listed.frames]
    values = label_scores(listed.actions, 27, "i") | social_scores(frames) | label_scores(listed.activities, 7, "g")
    values["F_a"] = (values["F_i"] + values["F_p"] + values["F_g"]) / 3
    values |= dict(zip(("group_P", "group_R", "group_F"), detection(frames, 0.5), strict=True))
    f1 = [detection(frames, tenths / 10)[2] for tenths in (5, 6, 7, 8, 9, 10)]
    values["IOU@AUC"] = sum(0.1 * (a + b) / 2 for a, b in pairwise(f1)) * 2
    return values | {"Mat.IoU": matrix_iou(frames)}


def group_sets(groups: list[tuple[list[int], list[int]]]) -> list[Any]:
    return [(set(members), vector(labels, 32)) for members, labels in groups if len(members) > 1]


def predictions_by_frame(folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    frames: dict[Any, dict[str, Any]] = defaultdict(lambda: {"individual": {}, "groups": [], "global": []})
    for kind in ("individual", "groups", "global"):
        for row in pq.ParquetFile(folder / f"{kind}.parquet", pre_buffer=False).read().to_pylist():
            frame = frames[row["sequence"], row["frame"]]
            if kind == "individual":
                frame[kind][row["person"]] = row["labels"]
            elif kind == "groups":
                frame[kind].append((row["members"], row["labels"]))
            else:
                frame[kind] = row["labels"]
    return frames


def vector(labels: list[int], classes: int) -> Any:
    ones = np.zeros(classes, dtype=int)
    ones[[label - 1 for label in labels]] = 1
    return ones


def label_scores(instances: list[tuple[list[int], list[int]]], classes: int, task: str) -> dict[str, float]:
    from sklearn.metrics import precision_recall_fscore_support

    truth, guess = (np.array([vector(labels, classes) for labels in side]) for side in zip(*instances, strict=True))
    scores = precision_recall_fscore_support(truth, guess, average="samples", zero_division=0)
    return {f"{name}_{task}": float(score) for name, score in zip("PRF", scores[:3], strict=True)}


def matches(one: set[int], other: set[int], threshold: float) -> bool:
    if len(one) == 2 and len(other) == 2:
        return one == other
    return len(one & other) / max(len(one), len(other)) > threshold


def detection(frames: list[Any], threshold: float) -> tuple[float, float, float]:
    matched = false = missed = 0
    for _, true, predicted in frames:
        hits = sum(matches(one, other, threshold) for one, _ in true for other, _ in predicted)
        matched, false, missed = matched + hits, false + len(predicted) - hits, missed + len(true) - hits
    precision, recall = matched / (matched + false), matched / (matched + missed)
    return precision, recall, 2 * precision * recall / (precision + recall) if matched else 0.0


def social_scores(frames: list[Any]) -> dict[str, float]:
    found, groups = np.zeros(3), 0
    for _, true, predicted in frames:
        groups += len(predicted)
        for one, labels in true:
            for other, guess in predicted:
                if matches(one, other, 0.5):
                    common = np.logical_and(labels, guess).sum()
                    given, wanted = guess.sum(), labels.sum()
                    precision, recall = common / given if given else 0, common / wanted if wanted else 0
                    found += precision, recall, 2 * common / (given + wanted)
    return dict(zip(("P_p", "R_p", "F_p"), (found / groups).tolist(), strict=True))


def matrix_iou(frames: list[Any]) -> float:
    both = either = 0
    for people, true, predicted in frames:
        one, other = adjacency(true, people), adjacency(predicted, people)
        both += int(np.logical_and(one, other).sum())
        either += int(np.logical_or(one, other).sum())
    return both / either


def adjacency(groups: list[Any], people: list[int]) -> Any:
    matrix = np.zeros((len(people), len(people)), dtype=bool)
    for members, _ in groups:
        for a, b in combinations([people.index(member) for member in members], 2):
            matrix[a, b] = matrix[b, a] = True
    return matrix


def best_of(runs: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the fastest of some calls, and what the last one gave."""
    seconds = []
    for _ in range(runs):
        begun = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds), result


def once(folder: Path) -> None:
    begun = time.perf_counter()
    evaluate(*read(folder))
    seconds = time.perf_counter() - begun
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)


def show(what: str, value: float, unit: str, target: str = "") -> None:
    print(f"{what:<72} {value:>8.2f} {unit:<2} {f'({target})' if target else ''}")


def compare(folder: Path, rows: pa.Table) -> None:
    """Measure everything and print a line for each."""
    write_files(folder, rows)
    loading, (truth, predictions) = best_of(9, lambda: read(folder))
    loading_lists, listed = best_of(3, lambda: read_listed(folder))
    print(f"{truth.frames:,} key frames, {truth.persons:,} persons, {len(truth.groups):,} groups")
    fast, values = best_of(9, lambda: ours(truth, predictions))
    slow, expected = best_of(3, lambda: frame_by_frame(listed))
    assert all(abs(values[metric] - value) <= 1e-12 for metric, value in expected.items()), (values, expected)
    show("from arrays to the metrics of paper", 1000 * fast, "ms")
    show("from lists to the same, frame by frame with scikit-learn", 1000 * slow, "ms")
    show("  times faster", slow / fast, "x", "target 20")
    show("from files to the metrics of paper", 1000 * (loading + fast), "ms")
    show("  times faster than the other with its reading", (loading_lists + slow) / (loading + fast), "x")
    every, _ = best_of(9, lambda: evaluate(truth, predictions))
    show("from arrays to the metrics of all protocols", 1000 * every, "ms")
    large = folder / "large"
    large.mkdir()
    write_files(large, tiled(rows, TIMES))
    command = [sys.executable, __file__, "--once", str(large)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    show(f"from files, {TIMES} times as much, all protocols, in a fresh process", float(said[0]), "s", "target 5")
    show("  peak memory of that process", float(said[1]), "MB", "target 1000")


def real_rows(source: Path, folder: Path) -> pa.Table:
    begun = time.perf_counter()
    manifest = build(find_recipe("jrdb-par"), source, folder)
    show("build of all 27 sequences", time.perf_counter() - begun, "s", "target 3")
    return manifest.table("test")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        once(Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as place:
            source = Path(sys.argv[1]) if len(sys.argv) > 1 else None
            compare(Path(place), invented_rows() if source is None else real_rows(source, Path(place) / "manifests"))
