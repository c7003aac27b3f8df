"""Recompute the printed tables of UAL-Bench, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchwright.verification import verify
from schemas.cards import card_named, cards
from schemas.errors import UsageError
from schemas.manifest import open_manifest
from schemas.paper import Table, TableRow, as_printed, printed_tables
from scorers.temporal.baselines import baseline_spans, drawn_before, random_paper
from scorers.temporal.expressions import Metric, parse_metric
from scorers.temporal.metrics import evaluate
from scorers.temporal.scorer import SCORER
from scorers.temporal.truth import read_truth

TABLES = (1, 2, 3, 4, 5, 6)


class Cell(msgspec.Struct, frozen=True):
    """One printed cell.

    Attributes:
        table: number of the table.
        row: benchmark and name of the row.
        column: the metric, or the claim of Table 1.
        paper: the value as printed.
        value: ours by protocol `paper`, null where there is none.
        verdict: `reproduced`, `differs`, `quoted`, or what it needs: `needs file`, `needs manifest`, `needs source`,
            `needs media`.
        reason: what explains the verdict, or how the row has to be read.
        strict: ours by protocol `strict`, where it prints differently.
    """

    table: int
    row: str
    column: str
    paper: str
    value: float | None
    verdict: str
    reason: str
    strict: float | None = None


class Reproduction:
    """The manifests and predictions at hand."""

    def __init__(self, manifests: Path, predictions: Path) -> None:
        """
        Raises:
            UsageError: one of the folders does not exist.
        """
        for folder in (manifests, predictions):
            if not folder.is_dir():
                raise UsageError(f"{folder} is not a folder (name the folders with --manifests and --predictions)")
        self._manifests = manifests
        self._predictions = predictions
        self._opened = {name: open_manifest(manifests / name) for name in cards() if (manifests / name).is_dir()}

    def cells(self, table: int | None = None) -> list[Cell]:
        """Every printed cell of one table, or of all six.

        Raises:
            UsageError: there is no such table.
            InputError: a file of predictions that cannot be read.
        """
        if table is not None and table not in TABLES:
            raise UsageError(f"the paper has no table {table} of results (known: 1 to 6)")
        found = list(self._statistics()) if table in (None, 1) else []
        for printed in printed_tables().tables:
            if table in (None, printed.number):
                found += [cell for row in printed.rows for cell in self._row(printed, row)]
        return found

    def _statistics(self) -> Iterator[Cell]:
        """Table 1: the claims of the cards that are in it."""
        for name, card in cards().items():
            claims = [claim for claim in card.claims if "Table 1" in claim.where]
            manifest = self._opened.get(name) if claims else None
            lines = {line.claim: line for line in verify(manifest, card)} if manifest else {}
            for claim in claims:
                line = lines.get(claim.name)
                value = None if line is None or isinstance(line.value, str) else line.value
                verdict, reason = (line.verdict, line.reason) if line else self._needs_manifest(name)
                paper = f"{claim.paper:,.{claim.digits}f}"
                yield Cell(1, card.title, f"{claim.name} ({claim.unit})", paper, value, verdict, reason)

    def _row(self, table: Table, row: TableRow) -> Iterator[Cell]:
        title = f"{card_named(row.benchmark).title.split(' (')[0]}: {row.name}"
        lacking = self._lacking(row)
        if lacking is not None:
            for column, printed in zip(table.columns, row.paper, strict=True):
                yield Cell(table.number, title, column, printed, None, *lacking)
            return
        values = self._values(row, [parse_metric(column) for column in table.columns])
        for column, printed, (value, strict) in zip(table.columns, row.paper, values, strict=True):
            verdict = _verdict(printed, value, row)
            reason = row.reason if verdict != "reproduced" else row.note
            differs = as_printed(value, printed) != as_printed(strict, printed)
            yield Cell(table.number, title, column, printed, value, verdict, reason, strict if differs else None)

    def _lacking(self, row: TableRow) -> tuple[str, str] | None:
        """Verdict and reason of a row for which something is not there."""
        if not (row.predictions or row.baseline):
            return "quoted", row.note
        if row.benchmark not in self._opened:
            return self._needs_manifest(row.benchmark)
        if empty := self._opened[row.benchmark].without_rows():
            return "needs manifest", "; ".join(empty)
        if row.predictions and not (self._predictions / row.predictions).is_file():
            return "needs file", f"{row.predictions} below {self._predictions}"
        if row.baseline in ("human", "predict-all"):
            try:
                baseline_spans(row.baseline, read_truth(self._opened[row.benchmark]))
            except UsageError as failure:
                return "needs source", str(failure)
        return None

    def _values(self, row: TableRow, metrics: list[Metric]) -> list[tuple[float, float]]:
        """The value of each metric by the protocols `paper` and `strict`."""
        truth = read_truth(self._opened[row.benchmark], truth=row.truth)
        if row.baseline == "random-paper":
            drawn = random_paper(drawn_before(truth), len(truth), metrics)
        elif row.predictions:
            run = SCORER.read(self._predictions / row.predictions, truth, metrics, {})
            drawn = dict.fromkeys(metrics, run.predictions)

        def value(metric: Metric, protocol: str) -> float:
            own = row.baseline and row.baseline != "random-paper"
            spans = baseline_spans(row.baseline, truth, protocol=protocol) if own else drawn[metric]
            return evaluate(truth.spans, *spans, [metric], protocol).ratios[metric].value

        return [(value(metric, "paper"), value(metric, "strict")) for metric in metrics]

    def _needs_manifest(self, benchmark: str) -> tuple[str, str]:
        return "needs manifest", f"build {benchmark} into {self._manifests}"


def _verdict(printed: str, value: float, row: TableRow) -> str:
    if as_printed(value, printed) == printed:
        return "reproduced"
    return "needs media" if row.baseline == "predict-all" and row.reason else "differs"
