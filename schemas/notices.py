"""What a build, `validate` or a score found that is worth knowing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_NAMED = 3

Severity = Literal["error", "warning"]


class Notice(msgspec.Struct, frozen=True):
    """One thing worth knowing: an error says that the manifest is not what it claims, a warning that rows are unusual.

    Attributes:
        severity: `error` or `warning`.
        check: what was checked, in a word.
        place: split, level, rule or file.
        message: what was found, in words.
        count: how many there are, 0 where that makes no sense.
        example: the first sample that has one.
    """

    severity: Severity
    check: str
    place: str
    message: str
    count: int = 0
    example: str = ""


class Counted(int):
    """A count that knows the names of the first few things counted.

    >>> count = Counted.where([True, False, True], "clip {}".format)
    >>> count, count.names, (count + 1).names
    (2, ('clip 0', 'clip 2'), ('clip 0', 'clip 2'))
    """

    names: tuple[str, ...]

    def __new__(cls, count: int, names: Iterable[str] = ()) -> Counted:
        self = super().__new__(cls, count)
        self.names = tuple(islice(names, _NAMED))
        return self

    @classmethod
    def where(cls, mask: ArrayLike, name: Callable[[int], str]) -> Counted:
        """How often a mask holds; `name` is from a position to what is there."""
        import numpy as np  # which quick verbs do not wait for

        places = np.flatnonzero(np.asarray(mask, dtype=np.bool_))
        return cls(len(places), map(name, places[:_NAMED].tolist()))

    def __add__(self, other: int) -> Counted:
        return Counted(int(self) + int(other), (*self.names, *getattr(other, "names", ())))

    __radd__ = __add__
