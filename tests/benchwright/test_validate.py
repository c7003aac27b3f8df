"""`validate` on real manifests: their odd values, counted by plain loops too."""

from __future__ import annotations

import pytest

from schemas.validation import validate

pytestmark = pytest.mark.real_data


@pytest.mark.parametrize("name", ["uag-oops", "uag-ssbd", "uag-funqa", "oops-uag-instruct", "jrdb-par"])
def test_real_manifests_have_nothing_odd(real_manifest, name: str) -> None:
    assert validate(real_manifest(name)) == []


def test_members_who_were_dropped_as_persons(real_manifest) -> None:
    manifest = real_manifest("jrdb-par", members__of="annotated")
    found = {f.place: (f.severity, f.check, f.count) for f in validate(manifest)}
    assert found == {"train": ("warning", "absent", 1387), "test": ("warning", "absent", 210)}
    for split, (*_, count) in found.items():
        frames = manifest.table(split).select(["persons", "groups"]).to_pylist()
        there = [{person["person_id"] for person in frame["persons"]} for frame in frames]
        members = [[i for group in frame["groups"] for i in group["member_ids"]] for frame in frames]
        assert sum(i not in ids for ids, each in zip(there, members, strict=True) for i in each) == count


def test_spans_beyond_their_videos(real_manifest) -> None:
    manifest = real_manifest("charades-sta")
    found = {f.place: (f.severity, f.check, f.count) for f in validate(manifest)}
    rows = {split: manifest.table(split).to_pylist() for split in manifest.splits}
    late = {split: sum(r["end_s"] > (r["duration_s"] or 1e9) for r in each) for split, each in rows.items()}
    assert found == {split: ("warning", "duration", count) for split, count in late.items()}
    assert late == {"train": 1802, "test": 562}
