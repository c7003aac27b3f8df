"""Seeded choices that depend on the seed and the name of a row alone, not on the rows around it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Floats = NDArray[np.float64]


def words_of(names: Iterable[str], seed: int) -> Words:
    """64 random bits for each name: BLAKE2b of the name under the seed."""
    key = str(seed).encode()[:64]
    digests = (hashlib.blake2b(name.encode(), digest_size=8, key=key).digest() for name in names)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def draw(words: Words, purpose: str) -> Floats:
    """A number of [0, 1) for each word, another one for each purpose (SplitMix64)."""
    salt = int.from_bytes(hashlib.blake2b(purpose.encode(), digest_size=8).digest(), "little")
    mixed = words ^ np.uint64(salt)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53


def pick(words: Words, purpose: str, weights: Iterable[float]) -> NDArray[np.int64]:
    """One of several for each word, by weights."""
    shares = np.cumsum(list(weights))
    places = np.searchsorted(shares / shares[-1], draw(words, purpose), side="right")
    return np.minimum(places, len(shares) - 1).astype(np.int64)
