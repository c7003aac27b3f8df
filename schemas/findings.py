"""What a build, `validate` or a score found that is worth knowing."""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True):
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
