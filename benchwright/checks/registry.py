"""All checks: those of the toolkit, and those of others, which come by entry point."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points

from benchwright.checks.finding import Check, Failure

GROUP = "benchwright.findings"
MODULES = (
    *("spans", "times", "texts", "annotators", "predictions", "blind"),
    *("boxes", "images", "detections", "activities", "groups", "guesses"),
    *("splits", "claims", "filters"),
)


def all_checks() -> tuple[dict[str, Check], list[Failure]]:
    """The checks of the toolkit and those that packages register under `benchwright.findings`, by id; and entries that
    cannot be used."""
    modules = [import_module(f"benchwright.checks.{name}") for name in MODULES]
    found = {each.id: each for module in modules for each in vars(module).values() if isinstance(each, Check)}
    broken = []
    for entry in entry_points(group=GROUP):
        try:
            loaded = _usable(entry.load(), found)
            found[loaded.id] = loaded
        except (Exception, SystemExit) as failure:
            broken.append(Failure(f"{entry.name} ({entry.value})", f"{type(failure).__name__}: {failure}"))
    return found, broken


def _usable(loaded: object, found: Mapping[str, Check]) -> Check:
    if not isinstance(loaded, Check):
        raise TypeError(f"found {type(loaded).__name__}, expected a function with @check")
    if loaded.id in found:
        raise ValueError(f"the id {loaded.id!r} is taken")
    return loaded
