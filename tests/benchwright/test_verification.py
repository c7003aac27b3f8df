"""`verify`: claims and published files against what was built."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.verification import is_published, verify
from builders.engine.build import build
from builders.engine.registry import card_of, find_recipe
from schemas.cards import cards
from schemas.claims import Judgement, source_notes
from schemas.errors import InputError
from schemas.manifest import Manifest, open_manifest
from schemas.manifest_folder import split_file


def verdicts(manifest: Manifest) -> dict[str, Judgement]:
    card = card_of(find_recipe(manifest.identity.name))
    return {line.claim: line for line in verify(manifest, card)}


# By benchmark and claim: the paper's number, ours, the verdict.
PAPER = {
    "uag-oops": {
        "clips": (1589, 1589, "reproduced"),
        "mean duration": (8.34, 8.4, "needs media"),
        "mean description length": (92, 91.68, "reproduced"),
    },
    "uag-ssbd": {
        "videos": (75, 75, "reproduced"),
        "videos of arm flapping": (25, 25, "reproduced"),
        "videos of head banging": (25, 25, "reproduced"),
        "videos of spinning": (25, 25, "reproduced"),
        "behaviours annotated": (133, 133, "reproduced"),
        "accessible videos": (58, 58, "reproduced"),
        "behaviours": (104, 104, "reproduced"),
        "mean duration": (90, 86.53, "needs media"),
        "mean description length": (7, 7, "reproduced"),
        "descriptions that start with 'A person is'": (104, 0, "differs"),
    },
    "uag-funqa": {
        "clips": (172, 172, "reproduced"),
        "mean duration": (7.26, 6.94, "needs media"),
        "mean description length": (5, 5, "reproduced"),
    },
    "oops-uag-instruct": {
        "conversations": (3778, 3778, "reproduced"),
        "mean duration": (9.83, 9.83, "reproduced"),
        "mean description length": (93.52, 93.53, "reproduced"),
    },
    "charades-sta": {
        "queries": (3720, 3720, "reproduced"),
        "mean duration": (30.59, 30.59, "reproduced"),
        "mean description length": (33, 33.05, "reproduced"),
        "training queries": (12408, 12408, "reproduced"),
    },
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", PAPER)
def test_the_numbers_of_the_paper(real_manifest, name: str) -> None:
    manifest = real_manifest(name)
    card = card_of(find_recipe(name))
    lines = verify(manifest, card)
    found = {line.claim: (line.paper, line.value, line.verdict) for line in lines if line.unit != "SHA-256"}
    rounded = {claim: (paper, round(float(value or 0), 2), verdict) for claim, (paper, value, verdict) in found.items()}
    assert rounded == PAPER[name]
    assert all(line.as_expected for line in lines)
    assert all(line.reason for line in lines if line.verdict != "reproduced")
    assert [line.verdict for line in lines if line.unit == "SHA-256"] == ["reproduced"] * len(card.results)
    assert source_notes(manifest.identity, card) == []


@pytest.mark.real_data
def test_a_length_that_was_cut_off_says_so(real_manifest) -> None:
    line = verdicts(real_manifest("oops-uag-instruct"))["mean description length"]
    assert line.reason.startswith("cut off, not rounded")


@pytest.mark.real_data
def test_another_onset_changes_the_published_file_and_says_why(real_manifest) -> None:
    line = verdicts(real_manifest("uag-oops", onset__pick="latest"))["bytes of oops_uag_paper_version.json"]
    assert (line.verdict, line.reason, line.as_expected) == ("differs", "built with onset.pick=latest", False)


def test_samples_are_other_sources_and_say_so(sample_manifest) -> None:
    manifest = sample_manifest("uag-oops")
    line = verdicts(manifest)["clips"]
    assert (line.paper, line.value, line.verdict, line.as_expected) == (1589, 12.0, "differs", False)
    assert line.reason == "built from other sources than the published files"
    notes = source_notes(manifest.identity, card_of(find_recipe("uag-oops")))
    assert any(note.startswith("val_filtered.txt is not the published file: SHA-256 ") for note in notes)


def test_other_parameters_are_named_as_a_cause(sample_manifest) -> None:
    lines = verdicts(sample_manifest("uag-oops", single_scene__by="skip", names__repair=True))
    assert lines["clips"].reason.startswith("built with names.repair=true, single_scene.by=skip; built from other")


def test_a_claim_without_its_source_needs_it(own_samples: Path, tmp_path: Path) -> None:
    (own_samples / "charades_sta" / "charades.json").unlink()
    line = verdicts(build(find_recipe("charades-sta"), own_samples, tmp_path / "out"))["mean duration"]
    assert (line.value, line.verdict, line.as_expected) == (None, "needs source", True)
    assert line.reason == "built without the source 'durations'"


@pytest.mark.parametrize("name", ["coco-person", "voc-person", "densepose-person"])
def test_counts_of_a_part_of_the_source_judge_nothing(sample_manifest, name: str) -> None:
    lines = verify(sample_manifest(name), cards()[name])
    assert lines
    for line in lines:
        assert (line.verdict, line.as_expected) == ("needs source", True)
        assert 0 < line.value < line.paper


def test_counts_of_the_whole_source_are_judged(sample_manifest) -> None:
    card = cards()["coco-person"]
    rows, whole = card.claims
    manifest = sample_manifest("coco-person")
    candidates = manifest.identity.aggregates[whole.name]
    card = msgspec.structs.replace(card, claims=[rows, msgspec.structs.replace(whole, paper=candidates)])
    assert [line.verdict for line in verify(manifest, card)] == ["differs", "reproduced"]


def test_a_duration_that_was_probed_is_judged(samples: Path, tmp_path: Path) -> None:
    candidates = verdicts(build(find_recipe("uag-oops"), samples, tmp_path / "a"))
    assert candidates["mean duration"].verdict == "needs media"
    names = (samples / "oops/val_filtered.txt").read_text(encoding="utf-8").splitlines()
    inventory = tmp_path / "inventory.parquet"
    for length, verdict in ((8.34, "reproduced"), (9.0, "differs")):
        pq.write_table(pa.table({"video": names, "duration_s": [length] * len(names)}), inventory)
        given, settings = {"inventory": inventory}, {"end.of": "probed"}
        manifest = build(find_recipe("uag-oops"), samples, tmp_path / "b", settings=settings, given=given)
        assert verdicts(manifest)["mean duration"].verdict == verdict


def test_rows_that_were_changed_are_not_judged(sample_manifest, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample_manifest("uag-oops").path, tmp_path / "uag-oops"))
    path = folder / split_file("test")
    pq.write_table(pq.ParquetFile(path).read().slice(1), path)
    with pytest.raises(InputError, match=r"test: content digest: found .*its rows were changed after the build"):
        verdicts(open_manifest(folder))


def test_a_lone_split_can_be_judged_too(sample_manifest) -> None:
    manifest = open_manifest(sample_manifest("uag-oops").path / split_file("test"))
    assert verdicts(manifest) == verdicts(sample_manifest("uag-oops"))
    train = verdicts(open_manifest(sample_manifest("charades-sta").path / split_file("train")))
    assert (train["training queries"].value, train["queries"].value) == (12, None)
    assert train["queries"].verdict == "not applicable"
    assert train["bytes of Charades_STA_test.json"].reason.startswith("unknown split 'test'")


@pytest.mark.real_data
@pytest.mark.parametrize("name", PAPER)
def test_the_published_rows_are_known_from_invented_ones(real_manifest, sample_manifest, name: str) -> None:
    assert is_published(real_manifest(name))
    assert not is_published(sample_manifest(name))
