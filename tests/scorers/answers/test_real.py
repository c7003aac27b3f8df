"""The published answers and predictions of UAL-Bench: what the authors' patterns and ours read in them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from scorers.answers import needs_review, parse_answers
from scorers.times import loose_clock_seconds

pytestmark = pytest.mark.real_data

Span = tuple[float | None, float | None]


def load(real_data: Path, name: str) -> tuple[list[str], list[Span]]:
    """Answers and published spans of one file of predictions, in file order."""
    rows = json.loads((real_data / "predictions" / name).read_text(encoding="utf-8")).values()
    field = next(key for key in next(iter(rows)) if "_pred" in key)
    return [row[field] for row in rows], [(seconds(row["pred_start"]), seconds(row["pred_end"])) for row in rows]


def seconds(value: str | float | None) -> float | None:
    return loose_clock_seconds(value) if isinstance(value, str) else value


def spans(texts: list[str], patterns: str) -> list[Span]:
    table = parse_answers(texts, patterns)
    return list(zip(table["start_s"].to_pylist(), table["end_s"].to_pylist(), strict=True))


def near(one: Span, other: Span) -> bool:
    """Whether both are whole spans with ends less than a second apart: the authors cut fractions off clock strings."""
    return None not in one + other and all(abs(a - b) < 1 for a, b in zip(one, other, strict=True))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "patterns", "agreeing", "total"),
    [
        ("raw/uag-oops_videollama.json", "official:vid-llm", 1589, 1589),
        ("raw/uag-ssbd_blip2_llama3.json", "official:llama3", 69, 104),
        ("raw/uag-ssbd_blip2_llama3.json", "official:llama3-decimals", 104, 104),
        # Partly filled by hand after the second pass:
        ("uag-oops/videollama.json", "official:videollama-second-pass", 1562, 1589),
        ("uag-oops/videochat2.json", "official:vid-llm-second-pass", 1589, 1589),
        ("uag-ssbd/videollama.json", "official:videollama-second-pass", 101, 104),
        ("uag-ssbd/video_chatgpt.json", "official:vid-llm-second-pass", 104, 104),
        ("uag-funqa/videochat2.json", "official:vid-llm-decimals", 172, 172),
        ("uag-funqa/blip2_llama3.json", "official:llama3-decimals", 155, 172),
    ],
)
def test_official_patterns_give_the_published_spans(
    real_data: Path, name: str, patterns: str, agreeing: int, total: int
) -> None:
    texts, published = load(real_data, name)
    assert len(texts) == total
    assert sum(a == b for a, b in zip(spans(texts, patterns), published, strict=True)) == agreeing


def test_the_raw_llama3_spans_come_from_an_older_pattern(real_data: Path) -> None:
    texts, raw = load(real_data, "raw/uag-ssbd_blip2_llama3.json")
    _, filled = load(real_data, "uag-ssbd/blip2_llama3.json")
    kinds: Counter[str] = Counter()
    for text, five, old, later in zip(texts, spans(texts, "official:llama3"), raw, filled, strict=True):
        if five == old:
            kinds["same, a span" if five[0] is not None else "same, null"] += 1
        elif five[0] is None:
            kinds["JSON with a unit, null by the five"] += '"start_time": ' in text and "s," in text
        else:
            kinds["lines, null in the raw file, filled in later alike"] += old[0] is None and five == later
    assert kinds == {
        "same, a span": 14,
        "same, null": 55,
        "JSON with a unit, null by the five": 24,
        "lines, null in the raw file, filled in later alike": 11,
    }


@pytest.mark.parametrize(
    ("name", "published", "exact", "within_a_second"),
    [
        ("uag-oops/videollama.json", 1574, 1551, 1564),
        ("uag-oops/videochat2.json", 1465, 1465, 1465),
        ("uag-ssbd/videollama.json", 104, 103, 104),
        ("uag-ssbd/video_chatgpt.json", 82, 82, 82),
        ("uag-ssbd/blip2_llama3.json", 75, 64, 65),
        ("uag-funqa/videochat2.json", 172, 172, 172),
        ("uag-funqa/blip2_llama3.json", 172, 172, 172),
    ],
)
def test_general_patterns_recover_the_published_spans(
    real_data: Path, name: str, published: int, exact: int, within_a_second: int
) -> None:
    texts, expected = load(real_data, name)
    pairs = list(zip(spans(texts, "general"), expected, strict=True))
    assert sum(span[0] is not None for _, span in pairs) == published
    assert sum(ours == theirs for ours, theirs in pairs if theirs[0] is not None) == exact
    assert sum(near(ours, theirs) for ours, theirs in pairs) == within_a_second
    # Where the authors found no span by hand either, we state none.
    assert not [ours for ours, theirs in pairs if theirs[0] is None and None not in ours]


def test_what_needs_no_review_is_what_the_authors_read(real_data: Path) -> None:
    unflagged = differing = 0
    for folder in ("uag-oops", "uag-ssbd", "uag-funqa"):
        for path in sorted((real_data / "predictions" / folder).glob("*.json")):
            if path.name == "videochat2.json" and folder == "uag-ssbd":
                continue  # no answers in it
            texts, published = load(real_data, f"{folder}/{path.name}")
            reasons = needs_review(parse_answers(texts)).to_pylist()
            for ours, theirs, reason in zip(spans(texts, "general"), published, reasons, strict=True):
                unflagged += reason is None
                differing += reason is None and not near(ours, theirs)
    # The one states tenths of a second, which the published file has as whole seconds.
    assert (unflagged, differing) == (3164, 1)
