"""Texts that are nearly others, found without comparing all with all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
_AT_ONCE = 1 << 25  # pairs of words

STOP_WORDS = frozenset(
    {"a", "an", "the", "and", "or", "of", "to", "in", "on", "at", "is", "are", "was", "were", "be", "his", "her", "its"}
    | {"their", "he", "she", "it", "they", "them", "him", "this", "that", "with", "by", "for", "from", "as", "into"}
    | {"out", "up", "down", "off", "over", "then", "when", "while", "there", "who", "but", "not", "so", "s", "t"}
)


def near_texts(texts: Iterable[str], others: Iterable[str], least: float, fewest: int = 3) -> dict[str, str]:
    """For each text another, if there is one, whose content words have a Jaccard index of at least `least`.

    Texts of less than `fewest` content words say too little to be compared.

    >>> near_texts(["a man opens the red door"], ["the man opens a red door slowly"], 0.6)
    {'a man opens the red door': 'the man opens a red door slowly'}
    """
    asked, known = set(texts), set(others)
    names = sorted(asked | known)
    bags = [content_words(name, fewest) for name in names]
    is_asked, is_known = (np.array([name in each for name in names], dtype=bool) for each in (asked, known))
    near = near_bags(bags, is_asked, is_known, least)
    return {names[text]: names[other] for text, other in enumerate(near.tolist()) if other >= 0}


def content_words(text: str, fewest: int) -> frozenset[str]:
    """The words that say something, none where there are fewer than `fewest`."""
    bag = frozenset(text.split()) - STOP_WORDS
    return bag if len(bag) >= fewest else frozenset()


def near_bags(bags: Sequence[frozenset[str]], asked: Mask, known: Mask, least: float) -> Integers:
    """For each bag of words that is asked the number of another, known one with such an index; -1 for none.

    Bags of a and b words reach the index if they share o = least / (1 + least) * (a + b) of them, rounded up; then of
    the rarest a - o + 2 words of the one and b - o + 2 of the other two are the same, and only bags with such two words
    are compared. Source: Chaudhuri, Ganti and Kaushik, ICDE 2006 (prefix filter); Wang, Li and Feng, SIGMOD 2012 (more
    than one word in common).
    """
    found = np.full(len(bags), -1, np.int64)
    by_size, count = _by_size(bags)
    for a, (ours, of_ours) in by_size.items():
        for b, (theirs, of_theirs) in by_size.items():
            shared = int(np.ceil(least / (1 + least) * (a + b) - 1e-9))
            if shared <= min(a, b):
                open_, there = asked[ours] & (found[ours] < 0), known[theirs]
                one, other = (ours[open_], of_ours[open_]), (theirs[there], of_theirs[there])
                _match(one, other, max(shared, 1), count, found)
    return found


def _by_size(bags: Sequence[frozenset[str]]) -> tuple[dict[int, tuple[Integers, Integers]], int]:
    """By number of words, from 1, the texts and their words, the rarest first, shape (texts, words); the vocabulary."""
    rarity = Counter(word for bag in bags for word in bag)
    ranks = {word: rank for rank, word in enumerate(sorted(rarity, key=lambda word: (rarity[word], word)))}
    sizes = np.array([len(bag) for bag in bags], np.int64)
    words = np.array([ranks[word] for bag in bags for word in bag], np.int64)
    words = words[np.lexsort((words, np.repeat(np.arange(len(bags)), sizes)))]
    starts = np.cumsum(sizes) - sizes
    found = {}
    for size in np.unique(sizes[sizes > 0]).tolist():
        texts = np.flatnonzero(sizes == size)
        found[size] = (texts, words[starts[texts][:, None] + np.arange(size)])
    return found, len(ranks)


def _match(
    one: tuple[Integers, Integers], other: tuple[Integers, Integers], shared: int, count: int, found: Integers
) -> None:
    """Enter for each of one the first of the other with so many words in common, in rounds over those with a key."""
    (texts, words), (others, of_others) = one, other
    rows, keys = _keys(words, shared, count)
    other_rows, other_keys = _keys(of_others, shared, count)
    order = np.argsort(other_keys, kind="stable")
    other_rows, other_keys = other_rows[order], other_keys[order]
    at, last = (np.searchsorted(other_keys, keys, side=side) for side in ("left", "right"))
    step = max(1, _AT_ONCE // (words.shape[1] * of_others.shape[1]))
    while len(rows):
        going = (at < last) & (found[texts[rows]] < 0)
        rows, at, last = rows[going], at[going], last[going]
        for chunk in range(0, len(rows), step):
            ours, theirs = rows[chunk : chunk + step], other_rows[at[chunk : chunk + step]]
            same = (words[ours][:, :, None] == of_others[theirs][:, None, :]).sum(axis=(1, 2))
            near = (same >= shared) & (texts[ours] != others[theirs])
            found[texts[ours[near]]] = others[theirs[near]]
        at = at + 1


def _keys(words: Integers, shared: int, count: int) -> tuple[Integers, Integers]:
    """The pairs of the rarest words of each text, or these words where one may be all that is shared, as numbers."""
    width = words.shape[1] - shared + min(shared, 2)
    places = list(combinations(range(width), 2)) if shared > 1 else [(place, place) for place in range(width)]
    rows = np.tile(np.arange(len(words)), len(places))
    keys = [words[:, first] * count + words[:, second] for first, second in places]
    return rows, np.concatenate([np.empty(0, np.int64), *keys])
