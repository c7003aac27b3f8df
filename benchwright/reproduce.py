"""Recompute the printed tables of UAL-Bench, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from benchwright.verification import verify
from schemas.cards import card_named, cards
from schemas.errors import UsageError
from schemas.manifest import Manifest, open_manifest
from schemas.paper import Table, TableRow, printed_tables
from scorers.temporal.baselines import baseline_spans, drawn_before, random_paper
from scorers.temporal.expressions import Metric, parse_metric
from scorers.temporal.metrics import evaluate
from scorers.temporal.scorer import SCORER
from scorers.temporal.truth import Truth, read_truth

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
                raise UsageError(f"{folder} is no folder (name the folders with --manifests and --predictions)")
        self._manifests = manifests
        self._predictions = predictions
        self._opened = lru_cache(maxsize=None)(self._open)
        self._rows = lru_cache(maxsize=None)(self._read_truth)

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
        """Table 1: the claims of the cards that stand there."""
        for name, card in cards().items():
            claims = [claim for claim in card.claims if "Table 1" in claim.where]
            manifest = self._opened(name)
            lines = {line.claim: line for line in verify(manifest, card)} if manifest else {}
            for claim in claims:
                line = lines.get(claim.name)
                value = None if line is None or isinstance(line.value, str) else line.value
                verdict = line.verdict if line else "needs manifest"
                reason = line.reason if line else f"build {name} into {self._manifests}"
                paper = f"{claim.paper:,.{claim.digits}f}"
                yield Cell(1, card.title, f"{claim.name} ({claim.unit})", paper, value, verdict, reason)

    def _row(self, table: Table, row: TableRow) -> Iterator[Cell]:
        title = f"{card_named(row.benchmark).title.split(' (')[0]}: {row.name}"
        metrics = [parse_metric(column) for column in table.columns]
        blank = ("", None) if not (row.predictions or row.baseline) else self._lacking(row)
        if blank is not None:
            verdict, reason = ("quoted", row.note) if not blank[0] else (blank[0], str(blank[1]))
            for column, paper in zip(table.columns, row.paper, strict=True):
                yield Cell(table.number, title, column, paper, None, verdict, reason)
            return
        paper_values, strict_values = (self._values(row, metrics, protocol) for protocol in ("paper", "strict"))
        for column, printed, metric in zip(table.columns, row.paper, metrics, strict=True):
            value = paper_values[metric]
            verdict = _verdict(printed, value, row)
            reason = row.reason if verdict != "reproduced" else row.note
            digits, strict = _digits(printed), strict_values[metric]
            differs = f"{value:.{digits}f}" != f"{strict:.{digits}f}"
            yield Cell(table.number, title, column, printed, value, verdict, reason, strict if differs else None)

    def _lacking(self, row: TableRow) -> tuple[str, str] | None:
        """Verdict and reason where something is not there."""
        if self._opened(row.benchmark) is None:
            return "needs manifest", f"build {row.benchmark} into {self._manifests}"
        if row.predictions and not (self._predictions / row.predictions).is_file():
            return "needs file", f"{row.predictions} below {self._predictions}"
        if row.baseline in ("human", "predict-all"):
            try:
                baseline_spans(row.baseline, self._rows(row.benchmark, row.truth))
            except UsageError as failure:
                return "needs source", str(failure)
        return None

    def _values(self, row: TableRow, metrics: list[Metric], protocol: str) -> dict[Metric, float]:
        truth = self._rows(row.benchmark, row.truth)
        if row.baseline == "random-paper":
            spans = random_paper(drawn_before(truth), len(truth), metrics)
        elif row.baseline:
            spans = dict.fromkeys(metrics, baseline_spans(row.baseline, truth, protocol=protocol))
        else:
            run = SCORER.read(self._predictions / row.predictions, truth, metrics, {})
            spans = dict.fromkeys(metrics, run.predictions)
        return {
            metric: evaluate(truth.spans, *spans[metric], [metric], protocol).ratios[metric].value for metric in metrics
        }

    def _open(self, benchmark: str) -> Manifest | None:
        folder = self._manifests / benchmark
        return open_manifest(folder) if folder.is_dir() else None

    def _read_truth(self, benchmark: str, truth: str) -> Truth:
        return read_truth(open_manifest(self._manifests / benchmark), truth=truth)


def _verdict(printed: str, value: float, row: TableRow) -> str:
    if f"{value:.{_digits(printed)}f}" == printed:
        return "reproduced"
    return "needs media" if row.baseline == "predict-all" and row.reason else "differs"


def _digits(printed: str) -> int:
    return len(printed.partition(".")[2])
