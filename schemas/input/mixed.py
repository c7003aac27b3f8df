"""Where JSON records have values of another kind than the records before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from schemas.errors import InputError, Problem, shown
from schemas.input.columns import row_named

_NUMBER = "a number"
_LARGEST = 2**63


def refuse_mixed(file: str, name: str, values: Sequence[Any]) -> None:
    """Refuse the first value of another kind than the same field has in earlier rows; null fits any.

    Args:
        file: for messages.
        name: of the field.
        values: what it holds, of each row; lists and objects are looked into.

    Raises:
        InputError: names row, record and field.
    """
    kinds: dict[tuple[str, ...], tuple[str, str]] = {}
    for row, value in enumerate(values):
        for path, place, inner in _inside((name,), row_named(row), value):
            kind = _kind(inner)
            first, where = kinds.setdefault(path, (kind, place))
            if kind != first:
                expected = f"{first}, as in {where}"
                raise InputError(Problem(file, place, path[-1], f"{shown(inner)}, {kind}", expected))
            if kind == _NUMBER and isinstance(inner, int) and not -_LARGEST <= inner < _LARGEST:
                raise InputError(Problem(file, place, path[-1], shown(inner), "a number of at most 64 bits"))


def _inside(path: tuple[str, ...], place: str, value: Any) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """A value and all within: the names of the fields around it (an empty one for a list), its place, itself."""
    if value is None:
        return
    yield path, place, value
    if isinstance(value, list):
        for number, item in enumerate(value, 1):
            within = f"{place}, record {number} of {path[-1]}" if isinstance(item, dict) else place
            yield from _inside((*path[:-1], "", path[-1]), within, item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _inside((*path, name), place, item)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return _NUMBER
    return "text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"
