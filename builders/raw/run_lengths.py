"""COCO's compressed run lengths: masks as text, column by column, turned into counts for many masks at once.

Encoding from `cocodataset/cocoapi : common/maskApi.c`. Counts of pixels alternate between background and foreground and
begin with background. From the fourth on, the difference to the count two places before is stored. A number is cut into
groups of five bits, the lowest first, as characters from `0`: a sixth bit says that more groups follow, the highest bit
of the last group is the sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

_ZERO = ord("0")
_MORE = 32
_SIGN = 16
_GROUP = 31
_BITS = 5
# Seven groups hold any count of 32 bits and its sign.
_LONGEST = 7
# Texts that are decoded together: few enough that the arrays stay in the processor's cache.
_BLOCK = 500


class Runs(NamedTuple):
    """Run lengths of several masks.

    Attributes:
        counts: all counts of all masks in a row, each mask beginning with its background.
        sizes: how many counts each mask has.
    """

    counts: Integers
    sizes: Integers


def decode(texts: Sequence[str | bytes]) -> Runs:
    """The counts of every mask in `texts`.

    Raises:
        ValueError: a text holds characters of no run lengths, breaks off in a number, has a number of more than
            seven characters, or a negative count.
    """
    encoded = [text if isinstance(text, bytes) else text.encode() for text in texts]
    ends_of_text = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    groups = np.frombuffer(b"".join(encoded), np.uint8) - np.uint8(_ZERO)
    if (groups >= 2 * _MORE).any():
        raise ValueError("characters between '0' and 'o'")
    if (groups[ends_of_text[ends_of_text > 0] - 1] >= _MORE).any():
        raise ValueError("a last character between '0' and 'O'")
    ends = np.flatnonzero(groups < _MORE)
    sizes = np.diff(np.searchsorted(ends, ends_of_text), prepend=0)
    counts = _undone_differences(_numbers(groups, ends), sizes)
    if (counts < 0).any():
        raise ValueError("counts of 0 and more")
    return Runs(counts, sizes)


def decode_masks(texts: Sequence[str | bytes], n_pixels: int) -> tuple[Runs, dict[int, str]]:
    """The counts of masks of `n_pixels` pixels; and place -> what was expected, for those that are none such."""
    blocks: list[Runs] = [decode([])]
    faults: dict[int, str] = {}
    for first in range(0, len(texts), _BLOCK):
        block = texts[first : first + _BLOCK]
        try:
            blocks.append(_of_size(decode(block), n_pixels))
        except ValueError:
            faults |= {first + place: fault for place, text in enumerate(block) if (fault := _fault(text, n_pixels))}
    return Runs(*(np.concatenate(column) for column in zip(*blocks, strict=True))), faults


def _of_size(runs: Runs, n_pixels: int) -> Runs:
    sums = totals(runs)
    if (sums != n_pixels).any():
        raise ValueError(f"{n_pixels:,} pixels, here {sums[sums != n_pixels][0]:,}")
    return runs


def _fault(text: str | bytes, n_pixels: int) -> str:
    try:
        _of_size(decode([text]), n_pixels)
    except ValueError as error:
        return str(error)
    return ""


def totals(runs: Runs) -> Integers:
    """Number of pixels of each mask, background included."""
    sums = np.concatenate([[0], np.cumsum(runs.counts)])
    ends = np.cumsum(runs.sizes)
    return np.asarray(sums[ends] - sums[ends - runs.sizes])


def places(sizes: Integers) -> Integers:
    """For groups of `sizes` members in a row: the place of every member in its group, from 0."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)


def _numbers(groups: npt.NDArray[np.uint8], ends: Integers) -> Integers:
    """The signed numbers that end at `ends`."""
    lengths = np.diff(ends, prepend=-1)
    if (lengths > _LONGEST).any():
        raise ValueError(f"numbers of at most {_LONGEST} characters")
    # The last group carries the sign; each group before it appends five lower bits.
    numbers = (groups[ends] ^ _SIGN) - np.int64(_SIGN)
    for place in range(1, int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > place)
        numbers[longer] = numbers[longer] << _BITS | (groups[ends[longer] - place] & _GROUP)
    return numbers


def _undone_differences(numbers: Integers, sizes: Integers) -> Integers:
    """Counts from stored numbers: foreground adds up from the second number on, background from the third."""
    place = places(sizes)
    counts = numbers.copy()
    for parity, chained in ((1, sizes // 2), (0, np.maximum(sizes - 1, 0) // 2)):
        chosen = (place % 2 == parity) & (place > 0)
        sums = np.cumsum(numbers[chosen])
        before = np.concatenate([[0], sums])[np.cumsum(chained) - chained]
        counts[chosen] = sums - np.repeat(before, chained)
    return counts
