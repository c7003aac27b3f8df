from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pycocotools import mask

from builders.raw.run_lengths import Runs, decode, decode_masks, places, totals

TEXTS = ["412000O", "<", "0<"]

bitmaps = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda size: arrays(np.uint8, size, elements=st.integers(0, 1))
)


def text_of(bitmap: npt.NDArray[np.uint8]) -> str:
    text: str = mask.encode(np.asfortranarray(bitmap))["counts"].decode()
    return text


def bitmap_of(counts: list[int]) -> npt.NDArray[np.uint8]:
    return np.repeat(np.arange(len(counts), dtype=np.uint8) % 2, counts)


def split(runs: Runs) -> list[list[int]]:
    return [part.tolist() for part in np.split(runs.counts, np.cumsum(runs.sizes)[:-1])]


@given(st.lists(bitmaps, min_size=1, max_size=5))
def test_decodes_what_pycocotools_encodes(masks: list[npt.NDArray[np.uint8]]) -> None:
    runs = decode([text_of(bitmap) for bitmap in masks])
    for counts, bitmap in zip(split(runs), masks, strict=True):
        np.testing.assert_array_equal(bitmap_of(counts), bitmap.ravel(order="F"))
    assert totals(runs).tolist() == [bitmap.size for bitmap in masks]


# pycocotools has room for six characters per number and none for the end of its text: numbers stay below 2**29, where
# seven begin, and the 0 at the front leaves five characters free.
@given(st.lists(st.lists(st.integers(0, 2**28), max_size=9).map(lambda rest: [0, *rest]), min_size=1, max_size=4))
def test_decodes_counts_of_any_size(masks: list[list[int]]) -> None:
    size = [1, max(1, *map(sum, masks))]
    texts = [mask.frPyObjects({"counts": counts, "size": size}, *size)["counts"] for counts in masks]
    assert split(decode(texts)) == masks


def test_text_and_bytes_are_the_same() -> None:
    assert split(decode(["412000O", b"412000O"])) == [[4, 1, 2, 1, 2, 1, 1]] * 2


def test_nothing() -> None:
    assert totals(decode([])).tolist() == []
    assert split(decode(["", "3", ""])) == [[], [3], []]
    assert totals(decode(["", "3", ""])).tolist() == [0, 3, 0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4 1", "characters between '0' and 'o'"),
        ("4p1", "characters between '0' and 'o'"),
        ("é", "characters between '0' and 'o'"),
        ("4\0", "characters between '0' and 'o'"),
        ("4P", "a last character between '0' and 'O'"),
        ("PPPPPPP0", "numbers of at most 7 characters"),
        ("O", "counts of 0 and more"),
        ("411J", "counts of 0 and more"),
    ],
)
def test_other_texts_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decode(["3", text, "3"])
    _, faults = decode_masks(["3", text, "3", "4"], 3)
    assert faults == {1: reason, 3: "3 pixels, here 4"}


def test_a_number_may_not_run_into_the_next_text() -> None:
    with pytest.raises(ValueError, match="a last character"):
        decode(["4P", "1"])


@given(st.text(st.characters(min_codepoint=40, max_codepoint=120), max_size=12))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    try:
        counts = decode([text]).counts
    except ValueError:
        assert len(decode_masks([text], 1)[1]) == 1
    else:
        assert (counts >= 0).all()


def test_faults_are_found_among_many() -> None:
    texts = ["3"] * 1700
    texts[499], texts[500], texts[1650] = "x", "P", "2"
    assert list(decode_masks(texts, 3)[1]) == [499, 500, 1650]


def test_many_masks_are_decoded_in_their_order() -> None:
    texts = [TEXTS[number % 3] for number in range(1700)]
    runs, faults = decode_masks(texts, 12)
    assert (split(runs), faults) == (split(decode(texts)), {})


def test_places_in_groups() -> None:
    assert places(np.array([2, 0, 3])).tolist() == [0, 1, 0, 1, 2]
