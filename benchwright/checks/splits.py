"""Checks of splits, of clusters, and of what leaks from another manifest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import pandas as pd

from benchwright.checks.context import PLURALS, Context
from benchwright.checks.finding import Evidence, check, where


@check(
    "clusters",
    "sampling",
    "any",
    "{of:,} rows come from {groups:,} {what}",
    "{of:,} rows come from {groups:,} {what}, {largest:,} of them from `{name}` alone; {count:,} share theirs with "
    "another row: intervals must be drawn over {what}.",
)
def clusters(context: Context) -> Evidence | None:
    """Rows that share the cluster of the card, else video or sequence."""
    what, names = context.clusters
    counts = names.value_counts()
    if counts.empty or counts.iloc[0] < 2:
        return None
    shared = names.isin(counts.index[counts > 1])
    numbers = {"count": int(shared.sum()), "of": len(names), "groups": len(counts), "what": what}
    numbers |= {"largest": int(counts.iloc[0]), "name": str(counts.index[0])}
    return Evidence(numbers, context.frame["sample_id"][shared].tolist())


def _leak(context: Context, mask: pd.Series[bool], **more: object) -> Evidence | None:
    assert context.against is not None
    return where(context.frame, mask, other=context.against.identity.name, **more)


@check(
    "leak-video",
    "split",
    "any",
    "{count:,} rows are of videos or images of {other}",
    "{count:,} of {of:,} rows are of a video or an image that {other} has, too.",
    needs=["against"],
)
def leak_video(context: Context) -> Evidence | None:
    """Same name of the video, sequence or image."""
    column = next(name for name in PLURALS if name in context.frame)
    if column not in context.other:
        return None
    return _leak(context, context.frame[column].isin(context.other[column]))


@check(
    "leak-title",
    "split",
    "any",
    "{count:,} rows are of {what} of {other}",
    "{count:,} of {of:,} rows come from one of the {what} that {other} draws from, too.",
    needs=["against"],
)
def leak_title(context: Context) -> Evidence | None:
    """Same cluster, where the card knows clusters by a pattern."""
    card = context.manifest.card
    if card is None or not card.audit.pattern or card.audit.column not in context.other:
        return None
    what, names = context.clusters
    texts = context.other[card.audit.column].astype(str)
    return _leak(context, names.isin(set(texts.map(card.audit.cluster))), what=what)


@check(
    "leak-text",
    "split",
    "spans",
    "{count:,} queries stand word for word in {other}",
    "{count:,} of {of:,} rows have a query that {other} has, too, but for capitals and signs.",
    needs=["against"],
)
def leak_text(context: Context) -> Evidence | None:
    """Same folded query."""
    return _leak(context, context.frame["text"].isin(context.other["text"]))


STOP_WORDS = frozenset(
    {"a", "an", "the", "and", "or", "of", "to", "in", "on", "at", "is", "are", "was", "were", "be", "his", "her", "its"}
    | {"their", "he", "she", "it", "they", "them", "him", "this", "that", "with", "by", "for", "from", "as", "into"}
    | {"out", "up", "down", "off", "over", "then", "when", "while", "there", "who", "but", "not", "so", "s", "t"}
)


def near_texts(texts: Iterable[str], others: Iterable[str], least: float, fewest: int = 3) -> list[tuple[str, str]]:
    """Pairs of texts whose content words have a Jaccard index of at least `least`, the same text left out.

    Texts of less than `fewest` content words say too little to be compared.

    Only texts that share one of their rarest words are compared: with any other pair the index is lower.
    """
    words = [{text: frozenset(text.split()) - STOP_WORDS for text in set(each)} for each in (texts, others)]
    rarity = Counter(word for each in words for bag in each.values() for word in bag)
    words = [{text: bag for text, bag in each.items() if len(bag) >= fewest} for each in words]

    def prefix(bag: frozenset[str]) -> list[str]:
        ordered = sorted(bag, key=lambda word: (rarity[word], word))
        return ordered[: len(bag) - int(np.ceil(least * len(bag) - 1e-9)) + 1]

    index = defaultdict(list)
    for other, bag in words[1].items():
        for word in prefix(bag):
            index[word].append(other)
    pairs = []
    for text, bag in sorted(words[0].items()):
        near = sorted({other for word in prefix(bag) for other in index[word]} - {text})
        pairs += [(text, each) for each in near if len(bag & words[1][each]) >= least * len(bag | words[1][each])]
    return pairs


@check(
    "leak-near-text",
    "split",
    "spans",
    "{count:,} queries are near one of {other}",
    "{count:,} of {of:,} rows have a query that shares at least {least} of its content words with another of {other}.",
    needs=["against"],
)
def leak_near_text(context: Context, *, least: float = 0.6) -> Evidence | None:
    """Jaccard index of content words."""
    near = {text for text, _ in near_texts(context.frame["text"], context.other["text"], least)}
    return _leak(context, context.frame["text"].isin(near), least=least)


@check(
    "near-duplicate-texts",
    "text",
    "spans",
    "{count:,} queries nearly repeat another of the same video",
    "{count:,} of {of:,} rows have a query that shares at least {least} of its content words with another query of "
    "the same video.",
)
def near_duplicate_texts(context: Context, *, least: float = 0.8) -> Evidence | None:
    """Jaccard index of content words, within a split and a video."""
    names: list[str] = []
    frame = context.frame
    for _, rows in frame[frame.duplicated(["split", "video"], keep=False)].groupby(["split", "video"], sort=False):
        near = {text for text, _ in near_texts(rows["text"], rows["text"], least)}
        names += rows["sample_id"][rows["text"].isin(near)].tolist()
    return Evidence({"count": len(names), "of": len(frame), "least": least}, names) if names else None
