"""Drawings as SVG: with classes for a page that has themes, or with colours as a file of its own."""

from __future__ import annotations

from functools import singledispatch

from markupsafe import Markup

from benchwright.reporting.drawing import Drawing, Label, Line, Marker, Rectangle, Shape
from benchwright.reporting.palette import LIGHT, named, of_text
from schemas.errors import printable

FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",sans-serif'
CHART_WIDTH = 520
PAGE_WIDTH = 1040
"""Of a page: what is drawn wider is shrunk to it."""
_TEXT = 12.0


def svg(drawing: Drawing) -> Markup:
    """A drawing for a page, whose style sheet knows the classes."""
    return _svg(drawing, Markup())


def svg_file(drawing: Drawing) -> str:
    """A drawing as a file of its own, in the colours of the light theme."""
    colours = {name: LIGHT[named(name)] for name in _names(drawing)}
    rules = Markup("").join(Markup(".{}{{color:{}}}").format(class_of(name), colours[name]) for name in sorted(colours))
    style = Markup("<style>text{{font-family:{}}}.bold{{font-weight:650}}{}</style>").format(Markup(FONT), rules)
    return str(_svg(drawing, style)).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


def text_size(drawing: Drawing) -> float:
    """The size of its text, so that it can be read where the drawing is shrunk to the page."""
    return _TEXT * max(1.0, drawing.width / PAGE_WIDTH)


def outline_of(marker: Marker) -> tuple[tuple[float, float], ...]:
    """The corners of a marker that is no circle; all shapes look equally large."""
    x, y, r = marker.x, marker.y, marker.size
    if marker.shape == "square":
        s = 0.88 * r
        return ((x - s, y - s), (x + s, y - s), (x + s, y + s), (x - s, y + s))
    if marker.shape == "diamond":
        s = 1.25 * r
        return ((x, y - s), (x + s, y), (x, y + s), (x - s, y))
    up = 1 if marker.shape == "triangle" else -1
    return ((x, y - up * 1.15 * r), (x + 1.1 * r, y + up * 0.85 * r), (x - 1.1 * r, y + up * 0.85 * r))


def _svg(drawing: Drawing, style: Markup) -> Markup:
    wide = Markup(' class="wide"') if drawing.width > CHART_WIDTH else ""
    return Markup(
        '<svg{} viewBox="0 0 {} {}" font-size="{}" fill="currentColor" role="img" aria-label="{}">{}{}</svg>'
    ).format(
        wide,
        _number(drawing.width),
        _number(drawing.height),
        _number(text_size(drawing)),
        printable(drawing.description),
        style,
        Markup("").join(map(element, drawing.shapes)),
    )


@singledispatch
def element(shape: Shape) -> Markup:
    """A shape as an element; see `svg`."""
    raise TypeError(shape)


@element.register
def _(shape: Line) -> Markup:
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)
    dashes = Markup(' stroke-dasharray="2 3"') if shape.dashed else ""
    return _titled(
        Markup('<polyline class="{}" points="{}" fill="none" stroke="currentColor" stroke-width="{}"{}').format(
            class_of(shape.colour), points, _number(shape.width), dashes
        ),
        "polyline",
        shape.title,
    )


@element.register
def _(shape: Rectangle) -> Markup:
    place = [_number(value) for value in (shape.x, shape.y, max(shape.width, 0), max(shape.height, 0))]
    paint = "" if shape.filled else ' fill="none" stroke="currentColor"'
    return _titled(
        Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"{}').format(
            class_of(shape.colour), *place, Markup(paint)
        ),
        "rect",
        shape.title,
    )


@element.register
def _(shape: Label) -> Markup:
    anchor = "" if shape.anchor == "start" else Markup(' text-anchor="{}"').format(shape.anchor)
    bold = " bold" if shape.bold else ""
    return Markup('<text class="{}{}" x="{}" y="{}"{}>{}</text>').format(
        class_of(of_text(shape.colour)), bold, _number(shape.x), _number(shape.y), anchor, printable(shape.text)
    )


@element.register
def _(shape: Marker) -> Markup:
    """Of a hollow one the ground shows, not what lies below it."""
    hollow = Markup('<{0} class="ground" {1}/>') if shape.hollow else Markup()
    if shape.shape == "circle":
        name = "circle"
        place = Markup('cx="{}" cy="{}" r="{}"').format(_number(shape.x), _number(shape.y), _number(shape.size))
    else:
        name = "polygon"
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in outline_of(shape))
        place = Markup('points="{}"').format(corners)
    paint = Markup(' fill="none" stroke="currentColor" stroke-width="2"' if shape.hollow else "")
    body = Markup('<{} class="{}" {}{}').format(name, class_of(shape.colour), place, paint)
    return hollow.format(name, place) + _titled(body, name, shape.title)


def _titled(begun: Markup, name: str, title: str) -> Markup:
    if not title:
        return begun + Markup("/>")
    return begun + Markup("><title>{}</title></{}>").format(printable(title), name)


def class_of(colour: str) -> str:
    """The class of a colour in the style sheet."""
    return colour.replace(" ", "-")


def _names(drawing: Drawing) -> set[str]:
    texts = {of_text(shape.colour) for shape in drawing.shapes if isinstance(shape, Label)}
    others = {shape.colour for shape in drawing.shapes if not isinstance(shape, Label)}
    return texts | others | {"ground"}


def _number(value: float) -> str:
    """With two decimals at most, as short as it can be."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
