"""Findings, and the registry of the checks that make them; those of others come by entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.checks.context import Context

GROUP = "benchwright.findings"
Kind = Literal["truth", "annotators", "text", "sampling", "split", "protocol", "predictions", "baseline"]
Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
LIMITING = 0.01


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One fact about a benchmark that its users should know.

    Attributes:
        id: stable name of the check, to be quoted.
        kind: what it is about.
        severity: `high` if a guess beats the best system by an interval off 0, so that a conclusion changes; else
            `medium` if it concerns 1 % of `numbers["of"]` or more, so that it limits what can be claimed; else `low`.
        title, statement: sentences over `numbers`.
        numbers: what was counted or measured, by name; `count` of them `of` all.
        rows: evidence: the names of the rows, pairs of them, or tracks that the count is of.
        needs: what it was computed from beyond the manifest.
    """

    id: str
    kind: Kind
    severity: Severity
    title: str
    statement: str
    numbers: dict[str, Any]
    rows: list[str]
    needs: list[str] = []


class Failure(msgspec.Struct, frozen=True):
    """A check that could not run to its end, and why."""

    id: str
    error: str


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """All findings of a manifest, the gravest first; `not_checked` says by check what it lacked."""

    benchmark: str
    rows: dict[str, int]
    checks: int
    findings: list[Finding]
    failures: list[Failure]
    not_checked: dict[str, str]

    def table(self) -> pa.Table:
        """The evidence: a row per finding and named row, `finding`, `severity`, `row`."""
        import pyarrow as pa

        cells = [(each.id, each.severity, row) for each in self.findings for row in each.rows]
        columns = ("finding", "severity", "row")
        return pa.table({name: pa.array([cell[at] for cell in cells], pa.string()) for at, name in enumerate(columns)})


@dataclass(frozen=True)
class Evidence:
    """What a check has found: numbers for its sentences, rows, and whether a conclusion changes."""

    numbers: Mapping[str, Any]
    rows: Sequence[str]
    decides: bool = False


def where(frame: pd.DataFrame, mask: pd.Series[bool] | NDArray[np.bool_], **numbers: object) -> Evidence | None:
    """The rows of a frame where a mask holds, by their `sample_id`; None where it never does."""
    names = frame["sample_id"][mask].tolist()
    return Evidence({"count": len(names), "of": len(frame), **numbers}, names) if names else None


@dataclass(frozen=True)
class Check:
    """A registered check; see `check`."""

    id: str
    kind: Kind
    of: str
    title: str
    statement: str
    run: Callable[[Context], Evidence | None]
    needs: tuple[str, ...] = ()
    columns: frozenset[str] = field(default_factory=frozenset)

    def finding(self, evidence: Evidence) -> Finding:
        """The finding of this evidence, in words."""
        numbers = dict(evidence.numbers)
        share = numbers.get("count", 0) / max(numbers.get("of", 1), 1)
        severity: Severity = "high" if evidence.decides else "medium" if share >= LIMITING else "low"
        return Finding(
            id=self.id,
            kind=self.kind,
            severity=severity,
            title=self.title.format(**numbers),
            statement=self.statement.format(**numbers),
            numbers=numbers,
            rows=list(evidence.rows),
            needs=list(self.needs),
        )


CHECKS: dict[str, Check] = {}


def check(
    name: str,
    kind: Kind,
    of: str,
    title: str,
    statement: str,
    *,
    needs: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> Callable[[Callable[[Context], Evidence | None]], Check]:
    """Make a function a check.

    Args:
        name: its id, stable.
        kind: what its finding is about.
        of: the kind of manifest, `spans`, `boxes` or `activities`; `any` for all.
        title, statement: templates over the numbers of its evidence.
        needs: of `against` and `predictions`, those without which it cannot run.
        columns: of the manifest, without which it does not apply.
    """

    def decorate(run: Callable[[Context], Evidence | None]) -> Check:
        return Check(name, kind, of, title, statement, run, tuple(needs), frozenset(columns))

    return decorate


def register(*checks: Check) -> None:
    """Add checks to the bundled ones."""
    CHECKS.update({each.id: each for each in checks})


def installed() -> tuple[dict[str, Check], list[Failure]]:
    """The checks that packages register under `benchwright.findings`, and those that cannot be used."""
    found: dict[str, Check] = {}
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
    if loaded.id in CHECKS or loaded.id in found:
        raise ValueError(f"the id {loaded.id!r} is taken")
    return loaded
