"""Cards: the bundled ones are whole, and broken ones are refused."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path

import pytest

from schemas.cards import Card, card_named, cards, read_card
from schemas.errors import BenchwrightError, UsageError

CARD = """
name = "{name}"
title = "A title"
task = "a task"
citation = "somebody"
licence = "CC0"
access = "free"
rows = "one row an image"
splits = ["{split}"]
sources = []
claims = []
"""


def card_file(folder: Path, name: str = "mine", split: str = "test", more: str = "") -> Path:
    path = folder / "card.toml"
    path.write_text(CARD.format(name=name, split=split) + more, encoding="utf-8")
    return path


def test_a_card_is_read_with_what_it_leaves_out_at_its_default(tmp_path: Path) -> None:
    claim = '\n[[claims]]\nname = "rows"\nwhere = "Table 1"\npaper = 3\naggregate = "rows"\n'
    path = card_file(tmp_path)
    path.write_text(path.read_text().replace("claims = []", claim))
    card = read_card(path)
    assert (card.name, card.results, card.aliases) == ("mine", [], [])
    assert (card.claims[0].scope, card.claims[0].digits, card.claims[0].expected) == ("manifest", 0, "reproduced")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": "colour = 1"}, "unknown field `colour`"),
        ({"more": "= ="}, "not a card"),
        ({"more": 'notes = "one"'}, "Expected `array`, got `str`"),
        ({"name": "../mine"}, "letters, digits, dots and hyphens"),
        ({"name": ".mine"}, "letters, digits, dots and hyphens"),
        ({"split": "train-clean"}, "split 'train-clean': expected letters, digits and underscores"),
        ({"split": "../test"}, "letters, digits and underscores"),
    ],
)
def test_what_is_not_a_card_is_refused_with_its_path(tmp_path: Path, change: dict[str, str], said: str) -> None:
    with pytest.raises(BenchwrightError, match=re.escape(said)) as caught:
        read_card(card_file(tmp_path, **change))
    assert str(caught.value).startswith(f"{tmp_path / 'card.toml'}: not a card: ")


def test_a_claim_of_the_whole_source_names_a_claim(tmp_path: Path) -> None:
    claim = '{name = "rows", where = "Table 1", paper = 3, aggregate = "rows", whole = "all"}'
    path = card_file(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("claims = []", f"claims = [{claim}]"), encoding="utf-8")
    with pytest.raises(BenchwrightError, match="whole = 'all': expected the name of a claim"):
        read_card(path)


def test_a_missing_card_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match="not a card"):
        read_card(tmp_path / "none.toml")


def test_names_of_the_five_benchmarks_and_a_suggestion_for_another() -> None:
    assert {"charades-sta", "oops-uag-instruct", "uag-funqa", "uag-oops", "uag-ssbd"} <= set(cards())
    assert list(cards()) == sorted(cards())
    with pytest.raises(UsageError, match=r"unknown benchmark 'uag-oop'; did you mean uag-oops"):
        card_named("uag-oop")


@pytest.mark.parametrize("card", cards().values(), ids=attrgetter("name"))
def test_bundled_cards_are_whole(card: Card) -> None:
    assert card.citation
    assert card.licence
    assert card.access
    for names in (
        [claim.name for claim in card.claims],
        [source.name for source in card.sources],
        [result.file for result in card.results],
    ):
        assert len(set(names)) == len(names)
    digests = [source.sha256 for source in card.sources if source.sha256] + [result.sha256 for result in card.results]
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)
    assert all(source.files and source.what and source.obtain for source in card.sources)
    assert all(result.split in ("", *card.splits) for result in card.results)


@pytest.mark.parametrize("card", cards().values(), ids=attrgetter("name"))
def test_bundled_claims_refer_to_what_is_there_and_explain_what_they_cannot_reproduce(card: Card) -> None:
    optional = {source.name for source in card.sources if source.optional}
    for claim in card.claims:
        assert claim.source in ("", *optional)
        assert claim.split in ("", *card.splits)
        assert claim.where
        assert claim.unit
        assert claim.expected == "reproduced" or claim.reason
        assert claim.media == (claim.expected == "needs media")
        assert f"{claim.paper:.{claim.digits}f}" == str(claim.paper) or claim.paper == int(claim.paper)


def test_the_published_files_are_the_ones_of_the_issue() -> None:
    published = {card.name: card.results[0].sha256[:8] for card in cards().values() if card.results}
    assert (
        published.items()
        >= {
            "charades-sta": "bdd1eb70",
            "oops-uag-instruct": "3fa3bec9",
            "uag-funqa": "6b7b6478",
            "uag-oops": "a5e92a7c",
            "uag-ssbd": "f3b413d2",
        }.items()
    )
