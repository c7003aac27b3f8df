"""Methods of a scorer of an installed package, called so that a mistake in one is a message with its place."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pyarrow as pa

from schemas.arrays import one_array
from schemas.errors import UsageError, shown
from schemas.user_code import place_of, user_code
from scorers.scorer import Scorer

MISSING = object()


class Guarded:
    """Calls of the methods of another scorer, and checks of what they give."""

    kind: str
    _scorer: Scorer[Any, Any, Any]

    def _given(self, method: str, *arguments: Any) -> Any:
        with self._own_code(method):
            return getattr(self._scorer, method)(*arguments)

    def _own_code(self, method: str) -> AbstractContextManager[None]:
        """Name the file and line where a method fails; of an inherited one where it calls another."""
        written = getattr(type(self._scorer), method) is not getattr(Scorer, method)
        code = getattr(self._scorer, method) if written else inspect.getsourcefile(type(self._scorer)) or ""
        return user_code(code, f"scorer {self.kind}")

    def _array(self, method: str, fits: Callable[[pa.DataType], bool], expected: str, *arguments: Any) -> pa.Array:
        found = self._given(method, *arguments)
        try:
            array = one_array(found) if isinstance(found, pa.ChunkedArray) else pa.array(found)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise self._wrong(method, shown(found), f"an array of {expected}") from None
        if not fits(array.type) or array.null_count:
            raise self._wrong(method, f"an array of {array.type}", f"one of {expected}, none of them null")
        return array

    def _texts(self, name: str, fewest: int = 1) -> tuple[str, ...]:
        """An attribute that is a set or a list of texts."""
        value = getattr(self._scorer, name, MISSING)
        texts = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else None
        if texts is None or len(texts) < fewest or not all(isinstance(text, str) for text in texts):
            raise self._unfit(name, value, "a set or tuple of one text or more" if fewest else "a tuple of texts")
        return texts

    def _check_texts(self, method: str, found: Any, what: str = "") -> None:
        if not is_list(found) or not all(isinstance(text, str) for text in found):
            raise self._wrong(method, shown(found), "a list of texts", what)

    def _unfit(self, name: str, value: object, expected: str) -> UsageError:
        found = "missing" if value is MISSING else shown(value)
        return UsageError(f"{type(self._scorer).__name__}.{name} is {found}, expected {expected}")

    def _wrong(self, method: str, found: str, expected: str, what: str = "") -> UsageError:
        """The error of what a method gives, or of a part of it."""
        place = place_of(getattr(self._scorer, method), f"scorer {self.kind}")
        gives = " ".join(filter(None, ("gives", what, found)))
        return UsageError(f"{place}: {type(self._scorer).__name__}.{method} {gives}, expected {expected}")


def is_list(value: object) -> bool:
    """Whether there are items in an order, as in a list or tuple; a text is not meant."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
