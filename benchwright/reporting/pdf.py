"""Drawings as PDF, so that LaTeX can include them; matplotlib, of the optional group `plot`, writes them."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from benchwright.reporting.drawing import Drawing, Label, Line, Marker, Rectangle, Shape
from benchwright.reporting.palette import LIGHT, named, of_text
from benchwright.reporting.svg import outline_of, text_size
from schemas.errors import UsageError, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNIT = 0.75
"""Points in a unit, so that text of 12 units is 9 points high."""
_WIDEST = 520.0
"""Units across: what is wider is shrunk."""
_FONT_SIZE = 0.9
"""Of the size on a page: matplotlib's font is wider than those of most systems."""


def refuse_without_matplotlib() -> None:
    """Raises `UsageError` where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError("figures for LaTeX need matplotlib: pip install 'benchwright[plot]'") from None


def pdf(drawing: Drawing) -> bytes:
    """A drawing in the colours of the light theme, byte-identical for the same shapes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    scale = _UNIT * min(1.0, _WIDEST / drawing.width)
    figure = Figure((drawing.width * scale / 72, drawing.height * scale / 72))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.set_axis_off()
    for place, shape in enumerate(drawing.shapes):
        _draw(axes, shape, scale, text_size(drawing) * scale * _FONT_SIZE, place)
    file = io.BytesIO()
    with mpl.rc_context({"pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # of a name in a script that the font does not have
        figure.savefig(file, format="pdf", metadata={"CreationDate": None})
    return file.getvalue()


def _draw(axes: Axes, shape: Shape, scale: float, size: float, order: int) -> None:
    from matplotlib.patches import Circle, Polygon
    from matplotlib.patches import Rectangle as Box

    if isinstance(shape, Label):
        anchor = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
        weight = "bold" if shape.bold else "normal"
        colour = LIGHT[of_text(shape.colour)]
        text = axes.text(shape.x, shape.y, printable(shape.text), color=colour, size=size, zorder=order)
        text.set(ha=anchor, va="baseline", weight=weight, parse_math=False)
        return
    colour = LIGHT[named(shape.colour)]
    if isinstance(shape, Line):
        dashes = (0, (2, 3)) if shape.dashed else "solid"
        across, down = zip(*shape.points, strict=True)
        axes.plot(across, down, color=colour, linewidth=shape.width * scale, linestyle=dashes, zorder=order)
    elif isinstance(shape, Rectangle):
        place = (shape.x, shape.y), max(shape.width, 0.0), max(shape.height, 0.0)
        paint: dict[str, Any] = (
            {"facecolor": colour, "linewidth": 0} if shape.filled else {"fill": False, "edgecolor": colour}
        )
        axes.add_patch(Box(*place, zorder=order, **paint))
    elif isinstance(shape, Marker):
        face = LIGHT["ground"] if shape.hollow else colour
        kind: dict[str, Any] = {"facecolor": face, "edgecolor": colour, "linewidth": 2 * scale, "zorder": order}
        body = (
            Circle((shape.x, shape.y), shape.size, **kind)
            if shape.shape == "circle"
            else Polygon(outline_of(shape), **kind)
        )
        axes.add_patch(body)
