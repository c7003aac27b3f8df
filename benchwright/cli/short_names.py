"""Names in little room, told apart by what is left of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, takewhile

from rich.cells import cell_len

_CUT = "…"


def shortened(names: Iterable[str], width: int) -> dict[str, str]:
    """Each name in at most this many cells, cut so that what tells the names apart stays.

    >>> list(shortened(["runs/2024/model_a/predictions.json", "runs/2024/model_b/predictions.json"], 20).values())
    ['runs/…del_a/pre…json', 'runs/…del_b/pre…json']
    """
    every = list(dict.fromkeys(names))
    if all(cell_len(name) <= width for name in every):
        return {name: name for name in every}
    start = _alike(every)
    rests = [name[start:] for name in every]
    end = _alike([rest[::-1] for rest in rests])
    before, cores = every[0][:start], [rest[: len(rest) - end] for rest in rests]
    after = rests[0][len(rests[0]) - end :]
    room = width - max(map(cell_len, cores))
    ways = [[_cut(name, width) for name in every]]
    if room >= bool(before) + bool(after):
        room_after = min(cell_len(after), max(room // 2, room - cell_len(before)))
        edges = _cut(before, room - room_after), _cut(after, room_after)
        ways.insert(0, [core.join(edges) for core in cores])
    ways.append([_CUT + _first_cells(name[::-1], width - 1)[::-1] for name in every])
    ways.append([_cut(f"{number}:{name}", width) for number, name in enumerate(every, 1)])
    found = next((way for way in ways if len(set(way)) == len(every)), ways[-1])
    return dict(zip(every, found, strict=True))


def _alike(texts: Sequence[str]) -> int:
    """How many letters several texts begin with alike."""
    letters = zip(*texts, strict=False) if len(texts) > 1 else ()
    return sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, letters))


def _cut(text: str, room: int) -> str:
    """A text in this many cells, 1 or more: its start and its end."""
    if cell_len(text) <= room:
        return text
    tail = (room - 1) // 2
    return _first_cells(text, room - 1 - tail) + _CUT + _first_cells(text[::-1], tail)[::-1]


def _first_cells(text: str, room: int) -> str:
    """The start of a text, which may have letters of two cells."""
    used = accumulate(map(cell_len, text))
    return text[: sum(1 for _ in takewhile(lambda cells: cells <= room, used))]
