"""A leaderboard as a forest plot: a panel per metric, in it a row per run and baseline with its interval."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.errors import UsageError, printable
from schemas.exchange import new_file
from scorers.leaderboard.board import Leaderboard, Row
from scorers.leaderboard.formats import scale_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".svg", ".png", ".pdf")
_COLUMNS, _MOST_PANELS, _LONGEST_NAME = 4, 12, 32
_RUN, _BASELINE, _STRIPE = "#1b5e9b", "#8a8a8a", "#f4f6f8"
_STYLE: Any = {"svg.hashsalt": "benchwright", "svg.fonttype": "none", "pdf.fonttype": 42, "font.size": 9}
_WITHOUT_DATE: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


def refuse_plot(out: Path) -> None:
    """Refuse what cannot be plotted before anything is computed.

    Raises:
        UsageError: a suffix of no format, or matplotlib is not installed.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{out}: expected a name that ends in {', '.join(SUFFIXES)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError("plots need matplotlib: pip install 'benchwright[plot]'") from None


def write_plot(board: Leaderboard, out: Path) -> None:
    """Write the plot, byte-identical for the same numbers; see `Leaderboard.plot`."""
    refuse_plot(out)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = list(board.best)[:_MOST_PANELS]
    across = min(len(names), _COLUMNS)
    down = -(-len(names) // across)
    labels = [_short(row.label) for row in board.rows]
    with mpl.rc_context(_STYLE), warnings.catch_warnings(), new_file(out) as draft:
        warnings.filterwarnings("ignore", "Glyph")  # of a name in a script that the font does not have
        margin = 0.075 * max(map(len, labels))
        figure = Figure((margin + 2.3 * across, 0.75 + down * (0.75 + 0.24 * len(labels))), layout="constrained")
        panels = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
        for panel, name in zip(panels, names, strict=False):
            _draw(panel, board, name, labels)
        for panel in panels[len(names) :]:
            panel.set_visible(False)
        more = f"; {len(board.best) - len(names)} more metrics are not shown" if len(board.best) > len(names) else ""
        caption = figure.supxlabel(_caption(board) + more, fontsize=7, color="#555555", x=0.01, ha="left", wrap=True)
        caption.set_parse_math(False)
        figure.savefig(draft, format=out.suffix[1:].lower(), dpi=200, metadata=_WITHOUT_DATE[out.suffix.lower()])


def _draw(panel: Axes, board: Leaderboard, metric: str, labels: list[str]) -> None:
    for place, row in enumerate(board.rows):
        if place % 2 == 0:
            panel.axhspan(place - 0.5, place + 0.5, color=_STRIPE, zorder=0)
        _mark(panel, board, place, row, metric)
    panel.set_ylim(len(labels) - 0.5, -0.5)
    panel.set_yticks(range(len(labels)), labels)
    for label in panel.get_yticklabels():
        label.set_parse_math(False)
    panel.tick_params(axis="y", length=0)
    panel.set_title(f"{metric}  ({scale_of(board, metric)})", fontsize=9, parse_math=False)
    panel.grid(axis="x", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.margins(x=0.08)


def _mark(panel: Axes, board: Leaderboard, place: int, row: Row, metric: str) -> None:
    """A point and its interval; hollow for a baseline, a diamond for the best run."""
    value = row.metrics[metric]
    colour = _RUN if row.kind == "run" else _BASELINE
    if value.low is not None and value.high is not None:
        panel.plot([value.low, value.high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt")
    if value.value is not None:
        marker = "D" if board.is_best(row, metric) else "o"
        face = colour if row.kind == "run" else "white"
        panel.plot([value.value], [place], marker=marker, markersize=4, color=colour, markerfacecolor=face)
    else:
        where: Any = {"xycoords": ("axes fraction", "data"), "ha": "center", "va": "center"}
        panel.annotate("no value", (0.5, place), fontsize=7, **where)


def _caption(board: Leaderboard) -> str:
    intervals = any(value.low is not None for row in board.rows for value in row.metrics.values())
    lines = "Lines: 95% intervals. " if intervals else ""
    return f"{lines}Hollow: trivial baselines. Diamond: best run.\n{board.signature}"


def _short(text: str) -> str:
    """A name on one line, its middle left out where it is long."""
    line = printable(text).replace("\n", " ")
    kept = (_LONGEST_NAME - 1) // 2
    return line if len(line) <= _LONGEST_NAME else f"{line[:kept]}…{line[-kept:]}"
