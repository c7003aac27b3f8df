"""Which scorer a manifest has: a bundled one, or one that an installed package registers (`benchwright.scoring`)."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from schemas.errors import UsageError

if TYPE_CHECKING:
    from schemas.manifest import Manifest
    from scorers.scorer import Scorer

GROUP = "benchwright.scorers"

# The columns that tell the bundled kinds apart, and where their scorers are, beside this file.
BUNDLED: dict[str, tuple[frozenset[str], str]] = {
    "boxes": (frozenset({"objects"}), "detection.scorer"),
    "spans": (frozenset({"start_s", "end_s"}), "temporal.scorer"),
    "activities": (frozenset({"persons", "global_activities"}), "activity.scorer"),
}


def scorer_of(manifest: Manifest) -> Scorer[Any, Any, Any]:
    """The scorer of a manifest's kind: the one that knows it by the most columns, a bundled one first.

    Only that scorer's module is imported, which keeps the answer quick.

    Raises:
        UsageError: no scorer knows such a manifest; the message names entry points that cannot be used.
        InputError: it lacks columns of its kind.
    """
    installed, broken = _installed()
    known = {kind: columns for kind, (columns, _) in BUNDLED.items()}
    known |= {kind: scorer.columns for kind, scorer in installed.items()}
    names = manifest.column_names
    fitting = [kind for kind, columns in known.items() if columns.issubset(names)]
    if not fitting and {"turns", "source_id"}.issubset(names):
        raise UsageError(f"{manifest.path} holds conversations: predictions are of the manifest that it was made from")
    if not fitting:
        failures = "".join(f"; {failure}" for failure in broken)
        raise UsageError(f"{manifest.path}: no scorer for a manifest of the columns {', '.join(names)}{failures}")
    kind = max(fitting, key=lambda kind: len(known[kind]))
    if kind in BUNDLED:
        manifest.refuse_incomplete(kind)
    return scorer_named(kind)


def scorer_named(kind: str) -> Scorer[Any, Any, Any]:
    """The scorer of a kind, bundled or installed."""
    if kind not in BUNDLED:
        return _installed()[0][kind]
    bundled: Scorer[Any, Any, Any] = import_module(f"{__package__}.{BUNDLED[kind][1]}").SCORER
    return bundled


@cache
def _installed() -> tuple[dict[str, Scorer[Any, Any, Any]], list[str]]:
    """The scorers of installed packages, and what is wrong with those that cannot be used: these bar no other."""
    from scorers.installed import installed_scorer

    found: dict[str, Scorer[Any, Any, Any]] = {}
    broken = []
    for entry in entry_points(group=GROUP):
        if entry.name in BUNDLED:
            continue
        where = f"entry point {entry.name!r} of {GROUP} ({entry.value})"
        try:
            found[entry.name] = installed_scorer(entry.load(), taken=BUNDLED)
        except UsageError as failure:
            broken.append(f"{where}: {failure}")
        except (Exception, SystemExit) as failure:
            broken.append(f"{where}: fails with {type(failure).__name__}: {failure}")
    return found, broken
