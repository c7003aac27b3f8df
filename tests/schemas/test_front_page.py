"""The README of a manifest: front matter that says what is there, and a page that untrusted names cannot bend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from schemas.cards import Card, Claim, cards
from schemas.manifest_folder import split_file
from schemas.publication import Publication

Write = Callable[..., Path]
Rows = Callable[[str, int], pa.Table]

TOLD = Publication(
    licence="other", task_categories=["video-text-to-text"], languages=["en"], tags=["cats"], personal="Only cats."
)
CARD = Card(
    "invented", "Invented", "a task", "Nobody, 2026", "CC", "free", "one row a cat", ["a"], [], publication=TOLD
)


def page(folder: Path) -> tuple[dict[str, Any], str]:
    """The front matter, and what follows it."""
    _, matter, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(matter), text


def test_the_front_matter_is_complete_and_true(write: Write, rows: Rows, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"train": rows("train", 1_500), "test": rows("test", 0)}, dropped=2, card=CARD)
    matter, _ = page(folder)
    info = matter.pop("dataset_info")
    assert matter == {
        "pretty_name": "Invented",
        "license": "other",
        "license_name": "invented-annotations",
        "task_categories": ["video-text-to-text"],
        "language": ["en"],
        "tags": ["cats", "benchwright"],
        "size_categories": ["1K<n<10K"],
        "configs": [
            {
                "config_name": "default",
                "default": True,
                "data_files": [{"split": "train", "path": split_file("train")}],
            },
            {"config_name": "ledger", "data_files": [{"split": "ledger", "path": "ledger.parquet"}]},
        ],
    }
    default = info[0]
    assert default["config_name"] == "default"
    assert [split["name"] for split in default["splits"]] == ["train"]
    assert default["splits"][0]["num_examples"] == 1_500
    assert default["splits"][0]["num_bytes"] == default["dataset_size"] > 0
    assert default["download_size"] == (folder / split_file("train")).stat().st_size
    assert default["features"] == [
        {"name": name, "dtype": "float64" if name.endswith("_s") else "string"} for name in rows("a", 0).column_names
    ]
    assert info[1]["splits"][0]["num_examples"] == pq.read_metadata(folder / "ledger.parquet").num_rows == 2


def test_the_page_has_a_section_for_everything_known(write: Write, tmp_path: Path) -> None:
    claim = Claim("cats", "Table 1", 3, "rows", unit="cats")
    card = msgspec.structs.replace(CARD, claims=[claim], notes=["A note."])
    _, text = page(write(tmp_path / "a", card=card, findings=["clusters: all cats are one cat."]))
    assert "| `start_s` | double | s | start of the span |" in text
    assert "| cats (cats) | Table 1 | 3 | 3 | reproduced |  |" in text
    assert "## Known findings\n\n- clusters: all cats are one cat.\n- A note.\n" in text
    assert "## Personal and sensitive information\n\nOnly cats.\n" in text
    assert "## Citation\n\nNobody, 2026\n" in text
    assert "    benchwright build invented --source FOLDER\n" in text


def test_claims_that_cannot_be_judged_do_not_stop_a_build(write: Write, tmp_path: Path) -> None:
    claim = Claim("cats", "Table 1", 3, "distinct", column="whiskers")
    _, text = page(write(tmp_path / "a", card=msgspec.structs.replace(CARD, claims=[claim])))
    assert "They cannot be judged: claim 'cats'" in text


HOSTILE = "a |\n---\npretty_name: x\n# heading: [\u202e'\"{"


def test_hostile_names_stay_text_in_front_matter_and_page(write: Write, tmp_path: Path) -> None:
    told = msgspec.structs.replace(TOLD, tags=[HOSTILE], personal=HOSTILE)
    card = msgspec.structs.replace(CARD, title=HOSTILE, notes=[HOSTILE], publication=told)
    folder = write(tmp_path / "a", card=card)
    whole = (folder / "README.md").read_text(encoding="utf-8")
    end = whole.index("\n---\n", 4)
    matter = yaml.safe_load(whole[4 : end + 1])
    assert (matter["pretty_name"], matter["tags"][0]) == (HOSTILE, HOSTILE)
    text = whole[end:]
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert "\u202e" not in text
    assert not any(line.startswith("# heading") for line in headings)


def test_a_manifest_without_a_card_says_that_nothing_is_known(write: Write, tmp_path: Path) -> None:
    matter, text = page(write(tmp_path / "a", card=None))
    assert (matter["pretty_name"], matter["license"]) == ("invented", "unknown")
    assert "Nobody is said to have the right to publish" in text


@pytest.mark.parametrize("name", list(cards()))
def test_every_bundled_card_has_all_that_the_front_page_asks_for(name: str) -> None:
    told = cards()[name].publication
    assert all(getattr(told, field) for field in Publication.__struct_fields__), name
    lists = {column for given in cards()[name].label_lists for column in given.columns}
    assert len(lists) == sum(len(given.columns) for given in cards()[name].label_lists)


@pytest.mark.parametrize(
    ("fields", "said"), [({"licence": "CC BY"}, "expected an identifier"), ({"url": "file:///etc"}, "expected http")]
)
def test_a_publication_that_the_hub_would_refuse_is_refused(fields: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Publication(**fields)
