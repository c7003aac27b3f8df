"""What is left out adds up: steps are those of the identity, reasons those of the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from benchwright.reporting.frames.losses import by_row, reasons, steps
from schemas.manifest import Manifest

BENCHMARKS = ("jrdb-par", "coco-person", "densepose-person", "voc-person")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_reasons_add_up_to_the_steps_and_the_steps_to_what_is_kept(
    name: str, sample_manifest: Callable[..., Manifest]
) -> None:
    manifest = sample_manifest(name)
    by_reason = Counter[tuple[str, str]]()
    for each in reasons(manifest):
        by_reason[each.level, each.rule] += each.dropped
    by_step = {(level, s.rule): s.dropped for level, falls in steps(manifest).items() for s in falls}
    assert by_reason == by_step
    for level, found in manifest.identity.levels.items():
        assert found.candidates - sum(step.dropped for step in steps(manifest)[level]) == found.kept


def test_a_reason_has_an_example_with_its_numbers(sample_manifest: Callable[..., Manifest]) -> None:
    found = {each.code: each.example for each in reasons(sample_manifest("coco-person"))}
    assert found["small_person"] == "700019: person 183023 has area 2246.34 < 2247"


def test_losses_of_a_row_are_its_entries(sample_manifest: Callable[..., Manifest]) -> None:
    manifest = sample_manifest("jrdb-par")
    entries = manifest.ledger().to_pylist()
    plain = Counter(e["key"] for e in entries if e["action"] == "dropped" and e["level"] == "persons")
    assert plain
    assert by_row(manifest, "persons") == dict(plain)
