"""Rebuild vision benchmarks from raw annotations, explain every row, score predictions.

What the command line does, as functions: each verb has one of its name, with the same options.

>>> import benchwright
>>> "uag-oops" in benchwright.list_benchmarks()
True

Errors that a user can mend are `BenchwrightError`; of these, `InputError` is about files and carries `problems`, and
`UsageError` about the call.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchwright.api import (
        build,
        diff,
        ledger,
        list_benchmarks,
        open_manifest,
        validate,
        variants,
        verify,
        why,
    )
    from benchwright.evaluation import baseline, compare, leaderboard, monitor, score, thresholds
    from benchwright.examination import audit, findings, report
    from benchwright.sharing import convert, export, instruct, push
    from schemas.errors import BenchwrightError, InputError, Problem, UsageError
    from schemas.manifest import Manifest
    from scorers.leaderboard.board import Leaderboard
    from scorers.score import Comparison, Score

    __version__: str

__all__ = [
    "BenchwrightError",
    "Comparison",
    "InputError",
    "Leaderboard",
    "Manifest",
    "Problem",
    "Score",
    "UsageError",
    "__version__",
    "audit",
    "baseline",
    "build",
    "compare",
    "convert",
    "diff",
    "export",
    "findings",
    "instruct",
    "leaderboard",
    "ledger",
    "list_benchmarks",
    "monitor",
    "open_manifest",
    "push",
    "report",
    "score",
    "thresholds",
    "validate",
    "variants",
    "verify",
    "why",
]

# Found when they are asked for: the command is at work at once, and types that need Arrow wait for nobody.
_HOMES = {
    "benchwright.api": "build diff ledger list_benchmarks open_manifest validate variants verify why",
    "benchwright.evaluation": "baseline compare leaderboard monitor score thresholds",
    "benchwright.examination": "audit findings report",
    "benchwright.sharing": "convert export instruct push",
    "schemas.errors": "BenchwrightError InputError Problem UsageError",
    "schemas.manifest": "Manifest",
    "scorers.score": "Score Comparison",
    "scorers.leaderboard.board": "Leaderboard",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("benchwright")
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
