"""What entries of a file say besides names (video and query, or video and truth), and the rows that say the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from schemas.errors import counted, shown
from scorers.names import NONE, SEVERAL, FoldedNames, Rows, folded_text
from scorers.temporal.spans import Floats
from scorers.temporal.truth import Truth

Content = tuple[object, ...]


class Said(NamedTuple):
    """What rows and entries say besides their names, in the same order of parts; the first is the video."""

    rows: list[Content]
    entries: list[Content]


def said_of(
    truth: Truth, videos: pa.Array, queries: list[str] | None, quoted: tuple[Floats, Floats] | None
) -> Said | None:
    if queries is not None:
        ours, theirs = [truth.column("description").to_pylist()], [queries]
    elif quoted is not None:
        ours, theirs = ([side.tolist() for side in span] for span in ((truth.spans.start, truth.spans.end), quoted))
    else:
        return None
    rows, entries = zip(truth.videos.to_pylist(), *ours, strict=True), zip(videos.to_pylist(), *theirs, strict=True)
    return Said(list(rows), list(entries))


def rows_alike(contents: Iterable[Content], entries: Iterable[Content]) -> Rows:
    """The row that says the same as each entry (video and query, or video and truth), -1 for none; shape (entries,).

    Entries that are alike take rows that are alike in their order.
    """
    rows: dict[Content, list[int]] = defaultdict(list)
    for number, content in enumerate(contents):
        rows[content].append(number)
    waiting = {content: iter(numbers) for content, numbers in rows.items()}
    return np.array([next(waiting[entry], -1) if entry in waiting else -1 for entry in entries], dtype=np.int64)


def folded_contents(said: Said, free: Rows, left: Rows) -> Rows:
    """The `free` row that says the same as each entry that is `left` when both are folded; shape (left,)."""
    video = cache(FoldedNames([dict.fromkeys(str(video) for video, *_ in said.rows)]).row)

    def plain(content: Content) -> Content:
        first, *others = content
        return video(str(first)), *(folded_text(other) if isinstance(other, str) else other for other in others)

    ours, theirs = [plain(said.rows[n]) for n in free.tolist()], [plain(said.entries[n]) for n in left.tolist()]
    alike: dict[Content, set[Content]] = defaultdict(set)
    for number, content in zip(free.tolist(), ours, strict=True):
        alike[content].add(said.rows[number])
    found = np.append(free, NONE)[rows_alike(ours, theirs)]
    return np.where([len(alike.get(content, ())) > 1 for content in theirs], SEVERAL, found)


def in_order(said: Said, row: Rows) -> list[str]:
    """A warning of the entries whose row says the same as others do, so that order alone tells them apart."""
    alike = Counter(said.rows)
    meant = [said.rows[place] for place in row[row >= 0].tolist()]
    shared = [content for content in meant if alike[content] > 1]
    which = f"of rows that share their video and query {shown(shared[0])}" if shared else ""
    order = "taken in the order of the manifest: sample ids would tell them apart"
    return [f"{counted(len(shared), 'predictions', 'are')} {which}, {order}"] if shared else []
