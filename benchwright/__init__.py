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
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from schemas.manifest import Manifest
    from scorers.leaderboard.board import Leaderboard
    from scorers.score import Comparison, Score

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

# Types that need Arrow, which `import benchwright` does not wait for.
_TYPES = {
    "Manifest": "schemas.manifest",
    "Score": "scorers.score",
    "Comparison": "scorers.score",
    "Leaderboard": "scorers.leaderboard.board",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("benchwright")
    if name in _TYPES:
        return getattr(import_module(_TYPES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
