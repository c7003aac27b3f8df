"""How an option is declared, and what follows from it: the signature and help of a function, the check of values."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from schemas.errors import UsageError, shown, unknown_name
from schemas.paths import home_filled


class Option(NamedTuple):
    """One option as people read it.

    Attributes:
        help: what it means, in a sentence.
        kinds: kinds of manifests that it is for, all if empty.
        default: what happens without it.
        flag: its name on the command line, where that is not its own with hyphens.
        metavar: what a value looks like.
        minimum, maximum: bounds of a whole number.
        example: of numbers by name.
    """

    help: str
    kinds: tuple[str, ...] = ()
    default: str = ""
    flag: str = ""
    metavar: str = ""
    minimum: int | None = None
    maximum: int | None = None
    example: str = ""


class OptionError(UsageError):
    """An option that cannot be as it is; the command line shows its own name of the option in place of Python's.

    Attributes:
        option: the name in Python.
        said: what is wrong, after the name.
    """

    def __init__(self, option: str, said: str) -> None:
        super().__init__(f"{option}{said}")
        self.option, self.said = option, said


@cache
def declared(options: type) -> dict[str, tuple[Any, Option]]:
    """The type and the declaration of each option of a class in `scorers.options`, by name.

    >>> from scorers.options import ScoreOptions
    >>> declared(ScoreOptions)["seed"][1].help
    'Seed of the bootstrap.'
    """
    hints = get_type_hints(options, include_extras=True)
    return {name: (get_args(hint)[0], get_args(hint)[1]) for name, hint in hints.items()}


Function = TypeVar("Function", bound=Callable[..., Any])


def documented(function: Function) -> Function:
    """Show the options that a function takes as `**options: Unpack[...]` in its signature and its docstring."""
    signature = inspect.signature(function)
    *own, keywords = signature.parameters.values()
    options = function.__globals__[re.findall(r"\w+", str(keywords.annotation))[-1]]
    known = declared(options)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_default(hint, option), annotation=hint)
        for name, (hint, option) in known.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    lines = [f"    {name}: {option.help}" for name, (_, option) in known.items()]
    function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Options:", *lines])
    return function


def _default(hint: Any, option: Option) -> Any:
    """The value of an option that is not given; None where it depends on the manifest."""
    kinds = get_args(hint) or (hint,)
    if type(None) in kinds:
        return None
    return () if get_origin(hint) is Sequence else int(option.default) if hint is int else option.default


def checked(given: Mapping[str, Any], options: type, kind: str) -> dict[str, Any]:
    """The options that are not None; those that may be paths, and are texts or paths, as paths with `~` filled in.

    Raises:
        UsageError: an unknown name, a value of another type, empty or too small, an option of another kind of manifest.
    """
    known = declared(options)
    kept = {name: value for name, value in given.items() if value is not None}
    for name, value in kept.items():
        if name not in known:
            raise unknown_name("option", name, list(known))
        hint, option = known[name]
        if option.kinds and kind not in option.kinds:
            raise OptionError(name, f": for {' and '.join(option.kinds)}; this manifest holds {kind}")
        least, most = option.minimum, option.maximum
        if not (_fits(value, hint) and (least is None or value >= least) and (most is None or value <= most)):
            bounds = ("" if least is None else f" from {least}") + ("" if most is None else f" to {most}")
            raise OptionError(name, f"={shown(value)}: expected {_words(hint, option)}{bounds}")
        if Path in types_of(hint) and isinstance(value, str | os.PathLike):
            kept[name] = home_filled(value)
    return kept


def flag_of(name: str, option: Option) -> str:
    """The name of an option on the command line."""
    return option.flag or f"--{name.replace('_', '-')}"


def types_of(hint: Any) -> list[Any]:
    """The classes that a hint admits, None left out."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return [get_origin(part) or part for part in parts if part is not type(None)]


_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    Path: "a path",
    Sequence: "a list of names",
    Mapping: "numbers by name, as ",
}


def _fits(value: Any, hint: Any) -> bool:
    kinds = types_of(hint)
    if isinstance(value, str):
        return str in kinds and value != ""
    if object in kinds:  # predictions, which their reader checks
        return True
    if isinstance(value, Mapping):
        numbers = [number for number in value.values() if isinstance(number, (int, float)) and number == number]
        return Mapping in kinds and len(numbers) == len(value)
    if isinstance(value, Sequence):
        return Sequence in kinds and all(isinstance(each, str) for each in value)
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, int | float) and float in kinds:
        return value == value
    return isinstance(value, tuple(kinds)) or (Path in kinds and isinstance(value, os.PathLike))


def _words(hint: Any, option: Option) -> str:
    kinds = [kind for kind in types_of(hint) if kind in _WORDS]
    named = [kind for kind in kinds if kind is not str or Path not in kinds]
    return " or ".join(_WORDS[kind] + (option.example if kind is Mapping else "") for kind in named)
