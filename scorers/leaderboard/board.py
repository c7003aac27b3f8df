"""What a leaderboard holds: runs and trivial baselines with their values, ranks, and which of them are told apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from schemas.paths import home_filled
from scorers.score import Difference, Table, Value

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["run", "baseline"]


def labelled(name: str, kind: Kind) -> str:
    """A name; of a baseline with a word that says so, as a run may have the same."""
    return name if kind == "run" else f"{name} (baseline)"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A run, or a trivial baseline.

    Attributes:
        name: of the run, or of the baseline.
        kind: which of the two it is.
        rank: among the runs by the primary metric, 1 is best, equal values share a rank; null for baselines and values
            that are null.
        rank_low, rank_high: best and worst rank that the run may have, with 95% certainty; see `rank_intervals`.
        group: a letter; rows that follow one another in one group are not told apart. Null without intervals.
        metrics: by name.
        counts: predictions by status, as in `Score`; of runs alone, like all that follows.
        differences: where the protocols differ.
        warnings: what a reader must know before quoting a number.
        notes: checks that found everything in order.
        tables: what the score is made of, where that was asked for, by name.
        signature: all that the number of the primary metric depends on, in one line.
    """

    name: str
    kind: Kind
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    group: str | None = None
    metrics: dict[str, Value]
    counts: dict[str, int] = {}
    differences: list[Difference] = []
    warnings: list[str] = []
    notes: list[str] = []
    tables: dict[str, Table] = {}
    signature: str = ""

    @property
    def label(self) -> str:
        """The name as a table has it."""
        return labelled(self.name, self.kind)


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """Two rows that follow one another: `better` minus `worse` in the primary metric, on the same resamples.

    Attributes:
        difference, low, high, method: with its 95% interval, and how that was made.
        p_value: two-sided, of no difference.
        p_floor: the least that the clusters and resamples can give.
        p_adjusted: the same after Holm's correction for all neighbours.
        told_apart: whether `p_adjusted` is below 0.05.
    """

    better: str
    worse: str
    difference: float | None
    low: float | None
    high: float | None
    method: str = ""
    p_value: float | None
    p_floor: float = 0.0
    p_adjusted: float | None
    told_apart: bool


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """The result of scoring several runs on one manifest.

    Attributes:
        rows: runs and baselines, the best by the primary metric first, null values last; equal ones in the order given.
        primary: the metric that ranks.
        best: the runs with the best value of each metric, in the order of the metrics; none where no run has a value,
            or neither direction is better.
        neighbours: each row and the next one; empty without intervals.
        data: name of the manifest and its split.
        scored_rows: how many rows of it all of this is about.
        protocol: how the metrics were computed.
        warnings: what a reader must know before quoting any of it, and what every run is warned of.
        notes: which files were taken for runs.
        signature: what all numbers depend on, in one line.
    """

    rows: list[Row]
    primary: str
    best: dict[str, list[str]]
    neighbours: list[Neighbours]
    data: str
    scored_rows: int
    protocol: str
    warnings: list[str]
    notes: list[str]
    signature: str

    @property
    def values(self) -> list[Value]:
        """All values of all rows."""
        return [value for row in self.rows for value in row.metrics.values()]

    def is_best(self, row: Row, metric: str) -> bool:
        """Whether a row is a run that no run beats in a metric."""
        return row.kind == "run" and row.name in self.best[metric]

    def to_pandas(self) -> pd.DataFrame:
        """A row per run and baseline: kind, rank, rank_low, rank_high, group; value, low and high of each metric."""
        import pandas as pd

        from scorers.leaderboard.formats import records

        names, *rows = records(self)
        frame = pd.DataFrame(rows, columns=names)
        return frame.astype(dict.fromkeys(("rank", "rank_low", "rank_high"), "Int64")).set_index("run")

    def to_markdown(self) -> str:
        """A table in GitHub's Markdown, the best runs in bold, and what it means below it."""
        from scorers.leaderboard.formats import markdown

        return markdown(self)

    def to_latex(self) -> str:
        r"""A table with booktabs, in plain ASCII; needs `\usepackage{booktabs,graphicx}`."""
        from scorers.leaderboard.latex import latex

        return latex(self)

    def to_csv(self) -> str:
        """The columns of `to_pandas`, all digits; a text that a spreadsheet would run has an apostrophe before it."""
        from scorers.leaderboard.formats import csv_text

        return csv_text(self)

    def plot(self, out: Path | str) -> None:
        """Write a forest plot, as SVG, PNG or PDF by the suffix: a panel per metric, a row per run and baseline.

        Raises:
            UsageError: another suffix; matplotlib is not installed; the file cannot be written.
        """
        from scorers.leaderboard.plot import write_plot

        write_plot(self, home_filled(out))

    def __str__(self) -> str:
        from scorers.score import quoted

        ranked = [(row.rank or "-", row) for row in self.rows]
        lines = [f"{rank} {row.label}: {quoted(row.metrics[self.primary])}" for rank, row in ranked]
        return "\n".join([self.primary, *lines, *(f"warning: {warning}" for warning in self.warnings), self.signature])

    __repr__ = __str__
