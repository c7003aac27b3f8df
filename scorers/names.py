"""Names as tools write them, and the rows of a manifest that they mean: the one home of names that are not exact.

Folded names are looked at only where exact ones fail. A name that fits several rows names none of them, and whoever
matches by folded names says how many (`told`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import integers
from schemas.errors import counted, first_few

Rows = NDArray[np.int64]
"""The row that each name means; shape (names,)."""

NONE, SEVERAL = -1, -2
"""In place of a row: the name means none, or it would fit several."""

DISREGARDED = "folder, extension, case and the like"

_EXAMPLES = 3
_DEEPEST = 20
# Of videos, images, features and files of results; what else follows a dot may be part of a name.
_EXTENSION = re.compile(
    r"(?<=.)\.(?:3gp|avi|bmp|flv|gif|h5|jpe?g|jsonl?|m4v|mkv|mov|mp4|mpe?g|np[yz]|png|pt|tiff?|txt|webm|webp|wmv|xml)$"
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^/]*(?P<path>[^?#]*)", re.IGNORECASE)
_DRIVE = re.compile(r"[a-z]:$")
_COCO_FILE = re.compile(r"(?:coco_\w+_)?0*([0-9]+)(?:\.0+)?")


def folded(name: str) -> str:
    """A name without what tools add to it or change in it.

    An address (`https://host/`), extensions of media, blanks and dots at the end, and folders that name none (`.`) are
    left out; percent-encoding is undone, backslashes are slashes, letters small and in one Unicode form (NFC).

    >>> folded("https://host/clips/Caf%C3%A9.MP4?token=1"), folded(r".\\clips\\QA1ZX.mp4")
    ('clips/café', 'clips/qa1zx')
    """
    address = _ADDRESS.match(name)
    path = unquote(address["path"]) if address else name
    parts = (_bare(part) for part in path.replace("\\", "/").split("/"))
    return "/".join(part for part in parts if part and not _DRIVE.match(part))


def folded_text(text: str) -> str:
    """A sentence without what changes when it is copied: case, Unicode form, blanks, quotes and dots around it.

    >>> folded_text(" Person opens  a door")
    'person opens a door'
    """
    return " ".join(_plain(text).split()).strip("\"'. ")


def number_in(name: str) -> str:
    """The number that a folded name is, zero-padded or as COCO names its files, without leading zeros; else nothing.

    >>> number_in("coco_val2014_000000000042"), number_in("000042"), number_in("42.0"), number_in("yard_042")
    ('42', '42', '42', '')
    """
    match = _COCO_FILE.fullmatch(name)
    return match[1] if match else ""


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def _bare(part: str) -> str:
    decoded = unquote(part)
    part = part if "/" in decoded else _plain(decoded)
    while (shorter := _EXTENSION.sub("", part.strip().rstrip(". "))) != part:
        part = shorter
    return part


def rows_named(names: pa.Array, keys: pa.Array, aliases: Sequence[pa.Array] = ()) -> Rows:
    """The row that each key names, -1 for none; shape (keys,).

    Args:
        names: `sample_id` of every row.
        keys: name of every entry.
        aliases: other columns whose values name rows, tried in turn where most keys are not sample ids. One whose
            values repeat names nothing.
    """
    row = _positions(names, keys)
    for column in aliases:
        if mostly_known(row):
            break
        if len(column.unique()) == len(column):
            row = np.maximum(row, _positions(column, keys))
    return row


def mostly_known(row: Rows) -> bool:
    """Whether more than half of the entries have a row."""
    return 2 * int(np.count_nonzero(row >= 0)) > len(row)


def _positions(names: pa.Array, keys: pa.Array) -> Rows:
    # Files in manifest order need no look-up: comparing is a hundred times faster than hashing.
    if len(names) == len(keys) and names.equals(keys):
        return np.arange(len(keys))
    return integers(pc.index_in(keys, value_set=names), null=-1)


def said_in_keys(keys: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """Videos and queries of keys as lmms-eval and TimeLens write them, None where a key is not such.

    >>> said_in_keys(["QA1ZX.mp4>>>person sits.>>>[2.0, 9.5]"])
    (['QA1ZX.mp4'], ['person sits.'])
    """
    if not all(key.count(">>>") >= 2 for key in keys):
        return None
    parts = [key.split(">>>") for key in keys]
    return [video for video, *_ in parts], [">>>".join(query) for _, *query, _ in parts]


class FoldedNames:
    """Names of rows, to be found by folded names; one of them may be the end of the other's path.

    Args:
        columns: the names of each row in one way, and in others; None where a row has none.
        numbered: the same for what has a number in it, in whatever folder; names that are numbers are found by that.
    """

    def __init__(self, columns: Iterable[Iterable[str | None]], numbered: Iterable[Iterable[str | None]] = ()) -> None:
        self._paths: dict[str, int] = {}
        self._tails: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        for column in columns:
            for row, name in enumerate(column):
                first, *others = _tails(folded(name or ""))
                _enter(self._paths, first, row)
                for tail in others:
                    _enter(self._tails, tail, row)
        for column in numbered:
            for row, name in enumerate(column):
                _enter(self._numbers, number_in(_tails(folded(name or ""))[-1]), row)

    def row(self, name: str) -> int:
        """The row that a name means, `NONE`, or `SEVERAL` where it would fit more than one."""
        path, *_ = tails = _tails(folded(name))
        found = {next((self._paths[tail] for tail in tails if tail in self._paths), NONE), self._tails.get(path, NONE)}
        found.discard(NONE)
        if not found:
            return self._numbers.get(number_in(tails[-1]), NONE)
        return found.pop() if len(found) == 1 else SEVERAL

    def rows(self, names: pa.Array) -> Rows:
        """The same for each of many names; shape (names,)."""
        encoded = names.dictionary_encode()
        found = np.array([*map(self.row, encoded.dictionary.to_pylist())], np.int64)
        return found[integers(encoded.indices)] if len(found) else np.full(len(names), NONE)


def places(names: Iterable[object]) -> dict[str, int]:
    """The place of each name as text, `SEVERAL` for one that is repeated; None is none.

    >>> places([7, None, 8, 8])
    {'7': 0, '8': -2}
    """
    found: dict[str, int] = {}
    for place, name in enumerate(names):
        if name is not None:
            _enter(found, str(name), place)
    return found


def _tails(path: str) -> list[str]:
    """A path, the same without its first folder, and so on; at last the bare name. Only the last folders count."""
    parts = path.split("/")[-_DEEPEST:]
    return ["/".join(parts[number:]) for number in range(len(parts))]


def _enter(rows: dict[str, int], name: str, row: int) -> None:
    if name:
        rows[name] = row if rows.get(name, row) == row else SEVERAL


def told(what: str, count: int, pairs: Sequence[tuple[object, object]]) -> list[str]:
    """A warning of what was matched by folded names, if anything was: pairs of a name found and the one meant."""
    different = list(dict.fromkeys(pairs))
    examples = first_few([f"{theirs!r} as {ours!r}" for theirs, ours in different[:_EXAMPLES]], len(different))
    matched = f"matched by names that differ in {DISREGARDED} ({examples})"
    return [f"{counted(count, what, 'are')} {matched}"] if count else []


def several(what: str, names: Sequence[object]) -> list[str]:
    """A warning of names that fit several rows when they are folded, if there are any."""
    fit = f"several names of the manifest when {DISREGARDED} are disregarded ({quoted(names)})"
    return [f"{counted(len(names), what, 'fit')} {fit} and {left_out(len(names))}"] if names else []


def left_out(count: int) -> str:
    """What becomes of so many things that have no row."""
    return "is left out" if count == 1 else "are left out"


def quoted(names: Sequence[object]) -> str:
    """The first few of some names, for messages."""
    return first_few([repr(name) for name in names[:_EXAMPLES]], len(names))
