"""What other choices would have made of a row, beside what whole builds with them make of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchwright
from benchwright.story import Fate, Story
from schemas.errors import UsageError

SNOW3 = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity3"


def fates(story: Story) -> dict[str, Fate]:
    return {each.key: each for each in story.alternatives}


def test_every_clip_fares_as_in_a_build_with_that_choice(samples: Path, sample_manifest) -> None:
    manifest = sample_manifest("uag-oops")
    other = sample_manifest("uag-oops", description__use="first_known")
    here, there = ({row["sample_id"]: row for row in each.table().to_pylist()} for each in (manifest, other))
    for name, row in here.items():
        (story,) = benchwright.why(manifest, name, source=samples)
        fate = fates(story)["description.use=first_known"]
        if name not in there:
            assert (fate.fate, fate.rule) == ("dropped", "description")
            assert fate.sentence.startswith("dropped by description: ")
        else:
            expected = {key: (row[key], there[name][key]) for key in row if row[key] != there[name][key]}
            assert {change.column: (change.before, change.after) for change in fate.changes} == expected
            assert fate.fate == ("changed" if expected else "same")


def test_a_dropped_clip_is_kept_by_one_choice_and_falls_to_another_rule_by_the_next(samples: Path, sample_manifest):
    manifest = sample_manifest("uag-oops")
    ledger = benchwright.ledger(manifest, action="dropped").to_pylist()
    names = {rule: [each["key"] for each in ledger if each["rule"] == rule] for rule in ("single_scene", "agreement")}
    told = fates(benchwright.why(manifest, names["single_scene"][0], source=samples)[0])
    assert (told["single_scene.by=skip"].fate, told["lift single_scene"].sentence) == ("kept", "kept")
    assert told["onset.pick=latest"].fate == "same"
    assert (told["end.of=probed"].fate, told["end.of=probed"].sentence) == ("not judged", "needs inventory")
    others = [
        fates(benchwright.why(manifest, name, source=samples)[0])["lift agreement"] for name in names["agreement"]
    ]
    assert {"single_scene"} == {each.rule for each in others if each.fate == "dropped"} - {"described"}


def test_a_manifest_with_settings_of_its_own_has_the_default_among_its_alternatives(samples: Path, sample_manifest):
    manifest = sample_manifest("uag-oops", onset__pick="latest")
    (story,) = benchwright.why(manifest, SNOW3, source=samples)
    assert fates(story)["onset.pick=earliest"].sentence == "start_s becomes 6.25, is 7.7531"
    assert "onset.pick=latest" not in fates(story)


def test_records_of_an_image_are_counted_and_a_person_is_followed(samples: Path, sample_manifest) -> None:
    manifest = sample_manifest("coco-person")
    several = (row for row in manifest.table().to_pylist() if row["objects"])
    whole = sample_manifest("coco-person", category__keep="all")
    more = {row["sample_id"]: len(row["objects"]) for row in whole.table().to_pylist()}
    for row in several:
        story = benchwright.why(manifest, row["sample_id"], source=samples)[0]
        added = more[row["sample_id"]] - len(row["objects"])
        fate = fates(story)["category.keep=all"]
        assert fate.sentence == (f"objects: {added} more, {more[row['sample_id']]} in all" if added else "")
        person = f"{row['objects'][0]['annotation_id']} of {row['sample_id']}"
        (story,) = benchwright.why(manifest, person, source=samples)
        assert fates(story)["small_person.min_area=4096.0"].fate in ("same", "dropped")


def test_other_sources_than_the_manifests_are_refused(sample_manifest, samples: Path, tmp_path: Path) -> None:
    changed = tmp_path / "transition_times.json"
    times = next(samples.rglob("transition_times*.json"))
    changed.write_text(times.read_text().replace("6.25", "6.5"))
    with pytest.raises(UsageError, match=r"gives other rows than .* name the files that it was built from"):
        benchwright.why(sample_manifest("uag-oops"), SNOW3, source=samples, sources={"transition_times": changed})
