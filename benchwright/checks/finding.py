"""Findings, and the checks that make them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from benchwright.auditing.effect import Grade
from benchwright.checks.words import by_split, filled
from schemas.identity import Value, written
from schemas.input.json import read_written

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

Kind = Literal[
    "truth", "annotators", "text", "sampling", "split", "protocol", "predictions", "baseline", "claim", "rule", "source"
]
Need = Literal["predictions", "against", "others", "source", "ledger", "published"]
Severity = Literal["high", "medium", "low"]
_READ: Mapping[Need, str] = {
    "predictions": "predictions",
    "against": "the other manifest",
    "others": "the rows of another manifest or split",
    "source": "raw files",
    "ledger": "ledger",
    "published": "what the paper prints",
}
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
LIMITING = 0.01
MATERIAL: frozenset[Grade | None] = frozenset({"decides", "reorders"})
"""Grades of an alternative that change a conclusion; see `Effect`."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One fact about a benchmark that its users should know.

    Attributes:
        id: stable name of the check, to be quoted.
        kind: what it is about.
        severity: `high` if a conclusion changes: a guess beats the best system by an interval off 0, or the alternative
            has a grade of `reorders` or more; else `medium` if it concerns 1 % of `numbers["of"]` or more, so that it
            limits what can be claimed; else `low`.
        title, statement: sentences over `numbers`.
        numbers: what was counted or measured, by name; `count` of them `of` all, by `splits` where there are several.
        rows: evidence: the names of the rows, pairs of them, or tracks that the count is of.
        parameter: the choice behind it: `RULE.PARAMETER`, or a factor of scoring such as `null`; null where none is.
        alternative: the value of that parameter which does without.
        grade: what the alternative does to the leaderboard, as `audit` grades it; null where it was not judged.
        claim: the name of the claim of the card that it is about.
        source: where the numbers come from, in words.
        needs: what it was computed from beyond the rows of the manifest.
    """

    id: str
    kind: Kind
    severity: Severity
    title: str
    statement: str
    numbers: dict[str, Any]
    rows: list[str]
    parameter: str | None = None
    alternative: Value | None = None
    grade: Grade | None = None
    claim: str | None = None
    source: str = ""
    needs: list[str] = []


class Failure(msgspec.Struct, frozen=True):
    """A check that could not run to its end, and why."""

    id: str
    error: str


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """All findings of a manifest, the gravest first; `not_checked` says by check what it lacked.

    `rows` and `digests` are of its splits.
    """

    benchmark: str
    rows: dict[str, int]
    checks: int
    findings: list[Finding]
    failures: list[Failure]
    not_checked: dict[str, str]
    digests: dict[str, str] = {}

    def table(self) -> pa.Table:
        """The evidence: a row per finding and named row, `finding`, `severity`, `row`."""
        import pyarrow as pa

        cells = [(each.id, each.severity, row) for each in self.findings for row in each.rows]
        columns = ("finding", "severity", "row")
        return pa.table({name: pa.array([cell[at] for cell in cells], pa.string()) for at, name in enumerate(columns)})


def read_findings(path: Path) -> Findings:
    """What `findings --json` printed.

    Raises:
        InputError: it cannot be read, or is something else.
    """
    return read_written(path, Findings, "what `findings --json` prints")


@dataclass(frozen=True)
class Evidence:
    """What a check has found.

    Attributes:
        numbers: for its sentences; `count` of them `of` all.
        rows: the names of what was counted.
        decides: whether a conclusion changes.
        parameter, alternative: a choice that changes it; see `Finding`.
        claim: of the card.
    """

    numbers: Mapping[str, Any]
    rows: Sequence[str]
    decides: bool = False
    parameter: str | None = None
    alternative: Value | None = None
    claim: str | None = None

    @property
    def key(self) -> str | None:
        """The alternative as an audit calls it."""
        if self.parameter is None:
            return None
        rule, _, name = self.parameter.rpartition(".")
        return f"lift {rule}" if name == "lift" else f"{self.parameter}={written(self.alternative)}"


def where(frame: pd.DataFrame, mask: pd.Series[bool] | NDArray[np.bool_], **numbers: object) -> Evidence | None:
    """The rows of a frame where a mask holds, by their `sample_id`; None where it never does."""
    names = frame["sample_id"][mask].tolist()
    return Evidence({"count": len(names), "of": len(frame), **numbers}, names) if names else None


def severity_of(numbers: Mapping[str, Any], decides: bool = False, grade: Grade | None = None) -> Severity:
    """The severity of a finding with these numbers; see `Finding`.

    >>> severity_of({"count": 5, "of": 1000}), severity_of({"count": 5, "of": 1000}, grade="reorders")
    ('low', 'high')
    """
    if decides or grade in MATERIAL:
        return "high"
    return "medium" if numbers.get("count", 0) >= LIMITING * max(numbers.get("of", 1), 1) else "low"


@dataclass(frozen=True)
class Check:
    """A function with `@check`."""

    id: str
    kind: Kind
    of: str
    title: str
    statement: str
    run: Callable[..., Evidence | None]
    needs: tuple[Need, ...] = ()
    columns: frozenset[str] = field(default_factory=frozenset)

    @property
    def thresholds(self) -> dict[str, Any]:
        """Its thresholds, which are its named parameters, with their defaults."""
        found = inspect.signature(self.run).parameters.values()
        return {each.name: each.default for each in found if each.kind is each.KEYWORD_ONLY}

    def finding(self, evidence: Evidence, grade: Grade | None = None) -> Finding:
        """The finding of this evidence, in words."""
        numbers = dict(evidence.numbers)
        return Finding(
            id=self.id,
            kind=self.kind,
            severity=severity_of(numbers, evidence.decides, grade),
            title=filled(self.title, numbers),
            statement=filled(self.statement, numbers) + by_split(numbers),
            numbers=numbers,
            rows=list(evidence.rows),
            parameter=evidence.parameter,
            alternative=evidence.alternative,
            grade=grade,
            claim=evidence.claim,
            source=", ".join(["rows", *(_READ[need] for need in self.needs)]),
            needs=list(self.needs),
        )


def check(
    name: str,
    kind: Kind,
    of: str,
    title: str,
    statement: str,
    *,
    needs: Sequence[Need] = (),
    columns: Sequence[str] = (),
) -> Callable[[Callable[..., Evidence | None]], Check]:
    """Make a function of a `Context` a check; its named parameters are thresholds, which users may set.

    Args:
        name: its id, stable.
        kind: what its finding is about.
        of: the kind of manifest, `spans`, `boxes` or `activities`; `any` for all.
        title, statement: templates over the numbers of its evidence; `{count:row is|rows are}` is either by the number.
        needs: those without which it cannot run, of `predictions`, `against`, `others` (rows of `against`, else of
            other splits), `source` (raw files, for candidates and other builds), `ledger`, and `published` (that the
            rows are those of which the card says what is printed; see `is_published`).
        columns: of the manifest, without which it does not apply.
    """

    def decorate(run: Callable[..., Evidence | None]) -> Check:
        return Check(name, kind, of, title, statement, run, tuple(needs), frozenset(columns))

    return decorate
