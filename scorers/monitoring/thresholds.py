"""The score thresholds of classes as they are given to a monitor."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from schemas.errors import InputError
from schemas.input.json import read_object
from scorers.options import ClassScores

_EXPECTED = 'CLASS=SCORE, or a file {"person": 0.43, ...} as `benchwright thresholds` writes it'


def given_thresholds(given: Mapping[str, float] | Path | str | ClassScores) -> Mapping[str, float]:
    """The scores by class of a mapping, of a file that `thresholds` wrote, or of what it found."""
    if isinstance(given, str | os.PathLike):
        return read_thresholds(Path(given))
    return given.scores if isinstance(given, ClassScores) else given


def read_thresholds(path: Path) -> dict[str, float]:
    """The scores by class of a file.

    Raises:
        InputError: a file that is unreadable, or not an object of class -> number.
    """
    try:
        return read_object(path, float, "class")
    except InputError as failure:
        raise InputError([replace(problem, advice=_EXPECTED) for problem in failure.problems]) from None
