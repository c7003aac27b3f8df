"""`validate` says what is doubtful about boxes: what the build saw, and what the rows show."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchwright


def found_in(source: Path, out: Path) -> list[tuple[str, str, int]]:
    settings = {"source.split": "site", "category.keep": "all", "small_person.on_small": "off"}
    manifest = benchwright.build("coco-person", source, out, settings=settings)
    return [(found.place, found.check, found.count) for found in benchwright.validate(manifest)]


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("sources", []),
        ("boxes-as-corners", [("site", "image", 3), ("objects", "layout", 6)]),
        ("boxes-beyond", [("site", "area", 1), ("site", "image", 4), ("objects", "polygon", 5)]),
        ("one-image-per-box", [("images", "names", 8)]),
    ],
)
def test_what_the_build_warned_of_is_repeated_once(
    cases: Path, tmp_path: Path, case: str, expected: list[tuple[str, str, int]]
) -> None:
    assert found_in(cases / case, tmp_path) == expected
