"""Failures of code that a user wrote (a recipe, a rule, a reader, a scorer): one message with file, line and part."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from traceback import walk_tb
from typing import Any

from schemas.errors import BenchwrightError, InputError, nearest, printable

_SHOWN_CHARACTERS = 300
_TOOLKIT = [Path(__file__).absolute().parents[1] / part for part in ("benchwright", "builders", "schemas", "scorers")]
# What the toolkit itself raises about something that such code returned: the sentence says it all.
_SENTENCES = (TypeError, ValueError, LookupError)


@contextlib.contextmanager
def user_code(code: Callable[..., Any] | str, part: str = "", known: Iterable[str] = ()) -> Iterator[None]:
    """Turn any exception of the block into one message: `my_recipe.py, line 12, rule size: NameError: ...`.

    The line is the deepest one within the file of the code, and within a module beside it that it called; where that
    file is not to blame by itself, as it returned something that cannot be used, the line where the function begins.
    What the code prints goes to standard error, as standard output may be JSON that a program reads.

    Args:
        code: the function that the block calls, or the path of the file that it runs.
        part: what the function is to the user, such as `rule size`.
        known: names that a `KeyError` or `AttributeError` may have missed, such as columns; the nearest is suggested.

    Raises:
        BenchwrightError: instead of any other exception, `SystemExit` too, from which it is raised. Those that are one
            pass through, problems that name no file with the place of the code.

    >>> with user_code(str.upper, "rule size"):
    ...     {}["width"]
    Traceback (most recent call last):
    schemas.errors.BenchwrightError: rule size: KeyError: 'width'
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except InputError as failure:
        if all(problem.file for problem in failure.problems):
            raise
        place = _place_of_failure(failure, code, part)
        raise InputError([p if p.file else replace(p, file=place) for p in failure.problems]) from None
    except (BenchwrightError, MemoryError):
        raise
    except (Exception, SystemExit) as failure:
        raise BenchwrightError(_message(failure, code, part, known)) from failure


def place_of(code: Callable[..., Any], part: str) -> str:
    """File, first line and part of a function: `my_recipe.py, line 10, rule size`."""
    file, line = _definition(code)
    return _place(file, line, part)


def _message(failure: BaseException, code: Callable[..., Any] | str, part: str, known: Iterable[str]) -> str:
    kind, said = type(failure).__name__, str(failure)
    if isinstance(failure, SyntaxError) and failure.filename:
        said = ": ".join(filter(None, (failure.msg, (failure.text or "").strip())))
    elif isinstance(failure, _SENTENCES) and not isinstance(failure, KeyError) and not _calls(failure, code):
        kind = ""
    text = ": ".join(filter(None, (kind, said if len(said) <= _SHOWN_CHARACTERS else said[:_SHOWN_CHARACTERS] + "...")))
    place = _place_of_failure(failure, code, part)
    return printable(f"{place}: {text}{_suggestion(failure, known)}" if place else text)


def _place_of_failure(failure: BaseException, code: Callable[..., Any] | str, part: str) -> str:
    """Where the code failed: its own line, then that of the module beside it that it called."""
    file, first = (code, 0) if isinstance(code, str) else _definition(code)
    calls = _calls(failure, code)
    if isinstance(failure, SyntaxError) and failure.filename:
        calls.append((failure.filename, failure.lineno or 0))
    own = [line for called, line in calls if called == file]
    place = _place(file, own[-1] if own else first, part)
    beside, line = calls[-1] if calls else (file, first)
    return place if beside == file else ": ".join(filter(None, (place if own else "", _place(beside, line, ""))))


def _calls(failure: BaseException, code: Callable[..., Any] | str) -> list[tuple[str, int]]:
    """File and line of the calls within the file of the code and, from there, within modules beside it."""
    file = code if isinstance(code, str) else _definition(code)[0]
    calls: list[tuple[str, int]] = []
    for frame, line in walk_tb(failure.__traceback__):
        called = frame.f_code.co_filename
        if called == file or (calls and is_beside(called, file)):
            calls.append((called, line))
    return calls


def is_beside(called: str, file: str) -> bool:
    """Whether a file is of the folder of another one, or below, and of no installed package nor of this toolkit."""
    path, folder = Path(called).absolute(), Path(file).absolute().parent
    if called.startswith("<") or not path.is_relative_to(folder) or any(map(path.is_relative_to, _TOOLKIT)):
        return False
    return "site-packages" not in path.relative_to(folder).parts


def _suggestion(failure: BaseException, known: Iterable[str]) -> str:
    """Names that were perhaps meant; all of them where none is near."""
    missed = failure.args[0] if isinstance(failure, KeyError) and failure.args else getattr(failure, "name", None)
    if not isinstance(missed, str) or not isinstance(failure, KeyError | AttributeError):
        return ""
    names = sorted(set(known))
    near = nearest(missed, names)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f" (known: {', '.join(names)})" if names and isinstance(failure, KeyError) else ""


def _definition(code: Callable[..., Any]) -> tuple[str, int]:
    inner = getattr(inspect.unwrap(code), "__code__", None)
    return ("", 0) if inner is None else (inner.co_filename, inner.co_firstlineno)


def _place(file: str, line: int, part: str) -> str:
    path, here = Path(file), Path.cwd()
    if file and path.is_relative_to(here):
        file = str(path.relative_to(here))
    return ", ".join(filter(None, (file, f"line {line}" if line else "", part)))
