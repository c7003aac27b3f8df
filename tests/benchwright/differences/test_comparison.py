"""Two manifests row by row: what differs, by how much, and which parameter, version or source is to blame."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pyarrow as pa
import pytest

import benchwright
from benchwright.differences.comparison import diff
from benchwright.differences.result import Diff
from builders.engine.recipe import Candidates, Recipe
from builders.engine.registry import BUNDLED, find_recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.engine.variants import Variants
from schemas.cards import Source
from schemas.errors import BenchwrightError, InputError, UsageError
from schemas.identity import RecipeOrigin
from schemas.manifest import Manifest, manifest_in_memory
from schemas.temporal import temporal_schema

Build = Callable[..., Manifest]
OFFICIAL = ["charades-sta", "oops-uag-instruct", "uag-funqa", "uag-oops", "uag-ssbd"]


@pytest.fixture
def built(samples: Path) -> Build:
    """Build a benchmark from the samples, in memory; parameters as `rule__parameter=value`."""
    return lambda name, **settings: Variants(find_recipe(name), samples).build(
        {key.replace("__", "."): value for key, value in settings.items()}
    )


def again(manifest: Manifest, table: pa.Table | None = None, **fields: Any) -> Manifest:
    """A manifest with other rows in its only split, or another identity."""
    identity = msgspec.structs.replace(manifest.identity, **fields)
    (split,) = manifest.splits
    return manifest_in_memory(identity, {split: table or manifest.table()}, manifest.ledger())


def counts(found: Diff) -> dict[str, tuple[int, int, int]]:
    return {level.level: (level.removed, level.added, level.changed) for level in found.summary.levels}


@pytest.mark.parametrize("name", BUNDLED)
def test_a_manifest_does_not_differ_from_itself(samples: Path, tmp_path: Path, built: Build, name: str) -> None:
    written = benchwright.build(name, samples, tmp_path)
    found = benchwright.diff(written.path / "manifest.json", built(name), source=samples)
    assert not found.differ
    assert found.summary.identities == []
    assert {sum(each) for each in counts(found).values()} == {0}
    assert all(level.same_order and level.common == level.a == level.b > 0 for level in found.summary.levels)
    assert found.to_pandas().empty
    assert found.table().num_rows == 0


@pytest.mark.parametrize("name", OFFICIAL)
def test_the_authors_file_reads_back_as_the_rows_that_it_was_written_from(
    samples: Path, tmp_path: Path, built: Build, name: str
) -> None:
    manifest = built(name)
    file = tmp_path / "official.json"
    benchwright.export(manifest, "official", file)
    for found in (diff(manifest, file), diff(file, manifest), diff(file, file)):
        assert not found.differ
        (level,) = found.summary.levels
        assert level.common == level.a == level.b > 0
        assert level.same_order
    parameters = benchwright.diff(file, manifest).summary.identities
    assert parameters == []


def test_changes_have_their_sizes_units_and_reasons(samples: Path, built: Build) -> None:
    a = built("uag-oops")
    b = built("uag-oops", onset__pick="latest", single_scene__by="skip")
    (level,) = diff(a, b).summary.levels
    rows = (a.to_pandas().set_index("sample_id"), b.to_pandas().set_index("sample_id"))
    common = rows[0].index.intersection(rows[1].index)
    size = (rows[1].loc[common, "start_s"] - rows[0].loc[common, "start_s"]).abs()
    assert (level.level, level.a, level.b, level.common) == ("clip", len(rows[0]), len(rows[1]), len(common))
    assert (level.removed, level.added, level.changed) == (0, len(rows[1]) - len(common), (size > 0).sum())
    (column,) = level.columns
    assert (column.column, column.unit, column.rows) == ("start_s", "s", (size > 0).sum())
    changed = size[size > 0]
    assert (column.median, column.q95, column.largest) == (
        pytest.approx(changed.median()),
        pytest.approx(changed.quantile(0.95)),
        changed.max(),
    )
    key = column.example[0]
    assert column.example == (key, rows[0].loc[key, "start_s"], rows[1].loc[key, "start_s"])
    assert size[key] == column.largest
    assert {reason[:2] for reason in level.reasons} == {("added", "single_scene")}
    assert sum(reason[3] for reason in level.reasons) == level.added > 0


def test_each_row_is_due_to_the_parameter_that_alone_does_it(samples: Path, built: Build) -> None:
    a, b = built("uag-oops"), built("uag-oops", onset__pick="latest", single_scene__by="skip")
    found = benchwright.diff(a, b, source=samples)
    frame = found.to_pandas()
    assert set(frame["cause"][frame["change"] == "added"]) == {"single_scene.by"}
    assert set(frame["cause"][frame["change"] == "changed"]) == {"onset.pick"}
    assert found.summary.explained == frame.drop_duplicates("key")["cause"].value_counts().to_dict()
    assert found.summary.unexplained == 0
    back = benchwright.diff(b, a, source=samples)
    assert (back.summary.explained, back.summary.unexplained) == (found.summary.explained, 0)


def test_rows_that_only_several_parameters_bring_are_said_to(samples: Path, built: Build) -> None:
    b = built("uag-oops", single_scene__by="skip", agreement__max_notfound=2)
    found = benchwright.diff(built("uag-oops"), b, source=samples)
    assert "several parameters together" in found.summary.explained
    assert found.summary.unexplained == 0
    assert [(each.what, each.a, each.b) for each in found.summary.identities[:2]] == [
        ("parameter agreement.max_notfound", "0", "2"),
        ("parameter single_scene.by", "published", "skip"),
    ]


def test_without_sources_parameters_explain_nothing(built: Build) -> None:
    found = diff(built("uag-oops"), built("uag-oops", onset__pick="latest"))
    assert found.summary.explained == {}
    assert found.summary.unexplained == found.summary.levels[0].changed > 0
    assert found.summary.because.startswith("no source was given")


def test_rows_that_nothing_explains_are_counted(samples: Path, built: Build) -> None:
    a = built("uag-ssbd")
    table = a.table()
    first, *others = table["start_s"].to_pylist()
    place = table.column_names.index("start_s")
    forged = again(a, table.set_column(place, table.field("start_s"), [[first + 1, *others]]))
    for found in (diff(a, forged), benchwright.diff(a, forged, source=samples)):
        assert (found.summary.explained, found.summary.unexplained) == ({}, 1)
        assert found.summary.because
        assert found.differ


def test_the_authors_file_is_explained_by_parameters_too(samples: Path, tmp_path: Path, built: Build) -> None:
    benchwright.export(built("uag-oops"), "official", tmp_path / "official.json")
    other = built("uag-oops", onset__pick="latest")
    found = benchwright.diff(other, tmp_path / "official.json", source=samples)
    assert set(found.summary.explained) == {"onset.pick"}
    assert found.summary.unexplained == 0
    assert found.summary.notes
    assert [each.what for each in found.summary.identities] == ["parameter onset.pick"]


def test_a_parameter_that_cannot_be_built_with_is_a_note(samples: Path, built: Build, inventory) -> None:
    manifest = built("uag-oops")
    videos = manifest.table()["video"].to_pylist()
    measured = inventory(video=videos, duration_s=[99.0] * len(videos))
    probed = benchwright.variants("uag-oops", samples, sources={"inventory": measured}).build({"end.of": "probed"})
    found = benchwright.diff(manifest, probed, source=samples)
    assert found.summary.unexplained == found.summary.levels[0].changed + found.summary.levels[0].removed > 0
    assert [note.partition(":")[0] for note in found.summary.notes] == [
        "end.of=probed alone cannot be built",
        "the parameters of B cannot be built",
    ]
    known = benchwright.diff(manifest, probed, source=samples, sources={"inventory": measured})
    assert set(known.summary.explained) == {"end.of"}


def versioned(card: Any, version: int) -> Recipe:
    """Spans of a text file of starts; version 2 rounds them."""
    invented = card(sources=[Source("starts", ["starts.txt"], "starts", "write it")])

    def read(sources: Sources) -> Candidates:
        starts = [float(line) for line in sources["starts"].read_text().split()]
        names = [str(number) for number in range(len(starts))]
        texts = dict.fromkeys(["video", "description"], "x")
        root = pd.DataFrame({"sample_id": names, "split": "test", "start_s": starts, "end_s": 9.0, "duration_s": 9.0})
        return Candidates(root.assign(**texts))

    @rule("start", cites="none")
    def start(rows: pd.DataFrame, *, add: float = 0.0) -> Outcome:
        return Outcome(columns={"start_s": (rows["start_s"] + add).round(0 if version == 2 else 3)})

    return Recipe(invented, version, f"version {version}", "span", read, (start,), temporal_schema("invented", 1))


@pytest.fixture
def starts(tmp_path: Path) -> Callable[..., Path]:
    def write(*values: float) -> Path:
        folder = tmp_path / str(values)
        folder.mkdir(exist_ok=True)
        (folder / "starts.txt").write_text("\n".join(map(str, values)))
        return folder

    return write


def test_a_version_of_the_recipe_explains_rows(card, starts) -> None:
    folder = starts(1.0, 2.5, 3.25)
    one, two = (Variants(versioned(card, version), folder).build() for version in (1, 2))
    assert diff(one, two).summary.explained == {"recipe version 1 to 2": 2}
    for recipe in (versioned(card, 1), versioned(card, 2)):
        found = benchwright.diff(one, two, source=folder, recipe=recipe)
        assert (found.summary.explained, found.summary.unexplained) == ({"recipe version 1 to 2": 2}, 0)
    both = Variants(versioned(card, 2), folder).build({"start.add": 1})
    found = benchwright.diff(one, both, source=folder, recipe=versioned(card, 2))
    assert found.summary.explained == {"start.add + recipe version 1 to 2": 2, "start.add": 1}


def test_a_source_explains_rows(card, starts) -> None:
    old, new = starts(1.0, 2.5, 3.25), starts(1.0, 2.5, 3.5, 4.0)
    one, two = (Variants(versioned(card, 1), folder).build() for folder in (old, new))
    assert diff(one, two).summary.explained == {"source starts": 2}
    for folder in (old, new):
        found = benchwright.diff(one, two, source=folder, recipe=versioned(card, 1))
        assert (found.summary.explained, found.summary.unexplained) == ({"source starts": 2}, 0)
    assert counts(diff(one, two)) == {"span": (0, 1, 1)}


def test_the_tool_is_the_last_to_blame(built: Build) -> None:
    a = built("uag-ssbd")
    older = again(a, a.table().slice(1), tool_version="0.0.1")
    assert list(diff(older, a).summary.explained) == [f"benchwright 0.0.1 to {a.identity.tool_version}"]


@pytest.mark.parametrize("name", ["coco-person", "voc-person", "densepose-person"])
def test_boxes_are_compared_within_their_images(samples: Path, built: Build, name: str) -> None:
    a = built(name, small_person__on_small="off")
    b = built(name, small_person__on_small="ignore", small_person__min_area=1e6)
    found = benchwright.diff(a, b, source=samples)
    images, objects = found.summary.levels
    assert (images.level, images.changed, images.removed, images.added) == ("image", 0, 0, 0)
    assert (objects.level, objects.removed, objects.added) == ("objects", 0, 0)
    assert {column.column: column.rows for column in objects.columns} == {"ignored": objects.changed}
    assert found.summary.unexplained == 0 < objects.changed


def test_objects_fall_with_their_images_and_the_ledger_says_so(samples: Path, built: Build) -> None:
    a, b = built("coco-person", small_person__on_small="off"), built("coco-person")
    images, objects = diff(a, b).summary.levels
    assert images.removed > 0
    assert objects.removed >= images.removed
    for level in (images, objects):
        assert sum(reason[3] for reason in level.reasons) == level.removed
    assert {reason[2] for reason in objects.reasons} == {"via=parent"}
    assert sum(level.removed for level in diff(b, a).summary.levels) == 0


def test_activities_are_compared_by_person_and_group(samples: Path, built: Build) -> None:
    found = benchwright.diff(built("jrdb-par"), built("jrdb-par", people__keep="all"), source=samples)
    frames, persons, groups = found.summary.levels
    assert (frames.level, persons.level, groups.level) == ("frame", "persons", "groups")
    assert persons.added > 0 == persons.removed
    assert sum(reason[3] for reason in persons.reasons) == persons.added
    assert set(found.summary.explained) == {"people.keep"}
    key = found.to_pandas().query("level == 'persons'")["key"].iloc[0]
    assert " of " in key


def test_instruction_rows(samples: Path, built: Build) -> None:
    a, b = built("oops-uag-instruct"), built("oops-uag-instruct", conversation__answer="from {start} to {end}")
    found = benchwright.diff(a, b, source=samples)
    (level,) = found.summary.levels
    assert [(column.column, column.rows) for column in level.columns] == [("answer", level.common)]
    assert found.summary.explained == {"conversation.answer": level.common}


def test_a_split_that_only_one_build_has_counts_as_rows(built: Build) -> None:
    a = built("charades-sta")
    test = manifest_in_memory(a.identity, {"test": a.table("test")}, a.ledger())
    found = diff(a, test)
    assert found.summary.levels[0].removed == a.table("train").num_rows
    assert [(each.what, each.b) for each in found.summary.identities if "split" in each.what] == [
        ("rows of split train", None)
    ]


def test_a_split_file_alone_is_compared_with_its_split(samples: Path, tmp_path: Path, built: Build) -> None:
    whole = benchwright.build("charades-sta", samples, tmp_path)
    file = whole.path / "data" / "test-00000-of-00001.parquet"
    found = diff(file, built("charades-sta"))
    assert not found.differ
    (note,) = found.summary.notes
    assert note.startswith("split train of charades-sta (in memory) is not compared")
    with pytest.raises(UsageError, match=r"^no split that both have \(.*: train; .*: test\)$"):
        diff(whole.path / "data" / "train-00000-of-00001.parquet", file)
    assert diff(whole, built("charades-sta"), split="test").summary.levels[0].a == whole.table("test").num_rows
    with pytest.raises(UsageError, match=r"unknown split of .* 'tset'; did you mean test"):
        diff(whole, whole, split="tset")


def test_another_order_is_a_difference(built: Build) -> None:
    a = built("uag-ssbd")
    found = diff(a, again(a, a.table().take(list(range(a.table().num_rows))[::-1])))
    assert found.differ
    assert counts(found) == {"behaviour": (0, 0, 0)}
    assert not found.summary.levels[0].same_order


def test_another_column_is_a_difference_of_manifests(built: Build) -> None:
    a = built("uag-ssbd")
    found = diff(a, again(a, a.table().drop_columns(["modality"])))
    assert found.differ
    assert found.summary.levels[0].not_compared == ["modality"]


def test_a_level_that_only_one_side_has_is_a_difference(built: Build) -> None:
    a = built("jrdb-par")
    splits = {split: a.table(split).drop_columns(["groups"]) for split in a.splits}
    found = diff(a, manifest_in_memory(a.identity, splits, a.ledger()))
    assert found.differ
    assert found.summary.levels[0].not_compared == ["groups"]


def test_sizes_of_infinite_and_huge_numbers(built: Build) -> None:
    a = built("uag-ssbd")
    end, place = [float("inf"), *a.table()["end_s"].to_pylist()[1:]], a.table().column_names.index("end_s")
    found = diff(a, again(a, a.table().set_column(place, a.table().field("end_s"), [end])))
    (column,) = found.summary.levels[0].columns
    assert (column.rows, column.largest) == (1, None)
    msgspec.json.encode(found.summary)


def test_splits_of_other_columns_are_refused(built: Build) -> None:
    a = built("charades-sta")
    test = a.table("test")
    other = test.set_column(0, "sample_id", [list(range(test.num_rows))])
    forged = manifest_in_memory(a.identity, {"train": a.table("train"), "test": other}, a.ledger())
    with pytest.raises(InputError, match="expected the same columns in all splits"):
        diff(a, forged)
    with pytest.raises(InputError, match="found rows of no split"):
        diff(a, manifest_in_memory(a.identity, {}, a.ledger()))


def test_what_cannot_be_compared_is_refused(samples: Path, tmp_path: Path, built: Build) -> None:
    spans, boxes = built("uag-oops"), built("coco-person")
    with pytest.raises(UsageError, match=r"has spans of videos, .* boxes in images: nothing to compare"):
        diff(spans, boxes)
    twice = again(spans, pa.concat_tables([spans.table(), spans.table().slice(0, 1)]))
    with pytest.raises(InputError, match="found the same name twice"):
        diff(spans, twice)
    with pytest.raises(InputError, match="found nothing, expected the folder of a manifest"):
        diff(spans, tmp_path / "none")
    with pytest.raises(UsageError, match=r"^source folder .* does not exist$"):
        benchwright.diff(spans, spans, source=tmp_path / "none")
    with pytest.raises(UsageError, match=r"^source 'split_list' not found"):
        benchwright.diff(spans, built("uag-oops", onset__pick="latest"), source=tmp_path)
    (tmp_path / "other.json").write_text('[{"a": 1}]')
    with pytest.raises(InputError, match=r"other.json"):
        diff(tmp_path / "other.json", spans)
    with pytest.raises(InputError, match=r"other.json: found no rows of it, expected the official file of"):
        diff(tmp_path / "other.json", tmp_path / "other.json")
    with pytest.raises(UsageError, match="unknown benchmark with an official format 'coco-person'"):
        diff(tmp_path / "other.json", boxes)
    benchwright.export(spans, "official", tmp_path / "spans.json")
    with pytest.raises(UsageError, match=r"spans.json is a file of uag-oops, expected one of uag-ssbd$"):
        diff(built("uag-ssbd"), tmp_path / "spans.json")
    (tmp_path / "empty.json").write_text("{}")
    with pytest.raises(InputError, match=r"empty.json: found no rows of it"):
        diff(spans, tmp_path / "empty.json")


def test_different_benchmarks_of_a_kind_have_rows_that_nothing_explains(samples: Path, built: Build) -> None:
    found = benchwright.diff(built("uag-oops"), built("uag-ssbd"), source=samples)
    assert found.summary.because == "they are different benchmarks"
    assert found.summary.unexplained == found.summary.levels[0].a + found.summary.levels[0].b


def test_a_recipe_of_ones_own_is_asked_for(card, starts) -> None:
    folder = starts(1.0, 2.0)
    own = replace(versioned(card, 1), origin=RecipeOrigin(file="own.py", sha256="0" * 64))
    manifest = Variants(own, folder).build()
    with pytest.raises(UsageError, match=r"was built by the code in own.py: name it with --recipe FILE.py$"):
        benchwright.diff(manifest, manifest, source=folder)
    other = Variants(own, folder).build({"start.add": 1})
    assert benchwright.diff(manifest, other, source=folder, recipe=own).summary.explained == {"start.add": 2}


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "file", "rows"),
    [
        ("uag-oops", "oops_uag_paper_version.json", 1589),
        ("uag-ssbd", "ssbd_paper_version.json", 104),
        ("uag-funqa", "uag_funqa_dataset.json", 172),
        ("charades-sta", "Charades_STA_test.json", 3720),
    ],
)
def test_the_published_files(real_data: Path, real_manifest, name: str, file: str, rows: int) -> None:
    found = diff(real_manifest(name), real_data / "official" / file)
    (level,) = found.summary.levels
    assert (level.common, level.removed, level.added, level.changed, level.same_order) == (rows, 0, 0, 0, True)
    assert not found.differ


@pytest.mark.real_data
def test_masked_rows_of_the_real_files_are_due_to_two_parameters(real_data: Path, real_manifest) -> None:
    settings = {"onset.pick": "median", "single_scene.by": "skip", "agreement.max_notfound": 2}
    other = benchwright.variants("uag-oops", real_data).build(settings)
    found = benchwright.diff(real_manifest("uag-oops"), other, source=real_data)
    assert found.summary.explained == {"onset.pick": 1576, "single_scene.by": 1314, "several parameters together": 651}
    assert found.summary.unexplained == 0


def test_a_copy_elsewhere_is_the_same(samples: Path, tmp_path: Path) -> None:
    whole = benchwright.build("uag-ssbd", samples, tmp_path)
    shutil.copytree(whole.path, tmp_path / "copy")
    with pytest.raises(BenchwrightError):
        diff(tmp_path / "copy", tmp_path / "copy" / "ledger.parquet")
    assert not diff(whole.path, tmp_path / "copy").differ
