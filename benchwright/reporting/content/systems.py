"""What a report says of detectors: each class by itself, and the monitoring of persons by their parts."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.checks.context import Context
from benchwright.reporting.blocks import Beside, Block, Code, Figure, Key, Paragraph, Section, Table, Tabs
from benchwright.reporting.charts.lines import lines
from benchwright.reporting.frames.monitoring import Sweep, sweeps
from scorers.monitoring.metrics import CRITERIA
from scorers.monitoring.scorer import PROTOCOLS, THRESHOLD
from scorers.score import Table as Numbers
from scorers.score import digits


def by_class(context: Context) -> list[Section]:
    """The tables of each system class by class, as `score --per-class` has them; none without predictions."""
    task = context.task
    if task is None or task.empty or not context.read:
        return []
    asked = {"per_class": True}
    tabs = []
    for name, run in context.read.items():
        tables = task.scorer.breakdown(task.truth, run.predictions, task.protocol, asked)
        shown = [each for each in tables.values() if each.rows]
        blocks: list[Block] = [
            block for each in shown for block in (Paragraph(f"{each.title[:1].upper()}{each.title[1:]}."), _table(each))
        ]
        tabs.append((name, tuple(blocks)))
    said = (f"Split {task.split}, protocol {task.protocol}; the same as ", Code("benchwright score --per-class"), ".")
    held = Tabs(tuple(tabs)) if len(tabs) > 1 else None
    return [Section("classes", "Class by class", "Classes", (Paragraph(said), *((held,) if held else tabs[0][1])))]


def _table(found: Numbers) -> Table:
    names = list(found.rows[0])
    texts = {name for name in names if all(isinstance(row[name], str) for row in found.rows)}
    rows = tuple(tuple(_cell(row[name]) for name in names) for row in found.rows)
    numeric = frozenset(place for place, name in enumerate(names) if name not in texts)
    folded = f"{len(rows):,} rows: {found.title}" if len(rows) > 30 else None
    return Table(found.title, tuple(names), rows, numeric, folded)


def _cell(value: str | float | None) -> str:
    """As the tables of `score` print it."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else _fraction(value)


def _fraction(value: float) -> str:
    return f"{value:.{digits('fraction')}f}"


def monitoring(context: Context, parts: object | None) -> list[Section]:
    """The sweep over the tolerance, system by system; none where no system has parts and none are given."""
    found = sweeps(context, parts)
    if not found:
        return []
    setups = ", ".join(sorted({sweep.setup for sweep in found.values()}))
    words = f"Do body parts reveal the errors of a detector of persons? {setups}, protocol {PROTOCOLS[0]}, detections "
    words += f"with score >= {THRESHOLD:g}; the tolerance o is the share of a part that may stick out of its person. "
    said = (f"{words}The same as ", Code("benchwright monitor"), ".")
    entries = tuple((f"system {n}" if n < 5 else "other", name) for n, name in enumerate(found))
    figures = tuple(_figure(name, found) for name in CRITERIA)
    return [
        Section(
            "monitoring",
            "Parts that reveal errors",
            "Monitoring",
            (Paragraph(said), Key(entries), Beside(figures), _best(found)),
        )
    ]


MEANINGS = {
    "balance(FP)": "False persons rightly rejected, less true ones wrongly rejected",
    "balance(FN)": "Missed persons that a part reveals, less parts that belong to no person",
    "MCC(FP)": "Images with a false person: Matthews correlation of declared and true",
    "MCC(FN)": "Images with a missed person: Matthews correlation of declared and true",
}


def _figure(criterion: str, found: Mapping[str, Sweep]) -> Figure:
    values = {name: sweep.values[criterion] for name, sweep in found.items()}
    reached = [(value, name, o) for name, of in values.items() for o, value in of.items() if value is not None]
    if not reached:
        title = f"{criterion} has no value"
    else:
        most, name, tolerance = max(reached, key=lambda each: each[0])
        title = f"{criterion} reaches {_value(criterion, most)} at o = {tolerance:g} ({name})"
    return Figure(title, lines(values, "o", title), f"{MEANINGS[criterion]}; higher is better.")


def _value(criterion: str, value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if criterion.startswith("balance") else _fraction(value)


def _best(found: Mapping[str, Sweep]) -> Table:
    """The best tolerance of each system by each criterion, and what it reaches there."""
    rows = []
    for name, sweep in found.items():
        cells = [name, sweep.setup, f"{sweep.persons:,}", f"{sweep.parts:,}"]
        for criterion in CRITERIA:
            best = sweep.best[criterion]
            cells.append("–" if best is None else f"{_value(criterion, sweep.values[criterion][best])} at {best:g}")
        rows.append(tuple(cells))
    columns = ("system", "setup", "persons", "parts", *CRITERIA)
    return Table(
        "What is reached at the best tolerance by each criterion",
        columns,
        tuple(rows),
        frozenset(range(2, len(columns))),
    )
