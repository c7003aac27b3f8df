"""Drawings as lists of shapes, in units of a grid with the origin at the upper left; SVG and PDF are made of them.

Colours are named by what they mean, so that light, dark and printed pages choose their own:
`kept`, `gone` (dropped), `bar`, `soft` (secondary text), `strong` (text), `axis`, `hair` (a reference line), `ghost`
(what is only hinted at), `now` (the benchmark as it is), `guess`, and `system 0` to `system 4`; `other` is a system
beyond the five.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Anchor = Literal["start", "middle", "end"]
MarkerShape = Literal["circle", "square", "triangle", "diamond", "inverted"]
SHAPES: tuple[MarkerShape, ...] = get_args(MarkerShape)
"""Of the systems 0 to 4."""


@dataclass(frozen=True)
class Line:
    """From one point through others."""

    points: tuple[tuple[float, float], ...]
    colour: str
    dashed: bool = False
    width: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Rectangle:
    """By its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    title: str = ""
    filled: bool = True


@dataclass(frozen=True)
class Label:
    """Text at a point, its baseline there."""

    x: float
    y: float
    text: str
    colour: str = "soft"
    anchor: Anchor = "start"
    bold: bool = False


@dataclass(frozen=True)
class Marker:
    """A point: circle, square, triangle, diamond, inverted triangle for systems 0 to 4; hollow for guesses."""

    x: float
    y: float
    shape: MarkerShape
    colour: str
    title: str = ""
    size: float = 5.0
    hollow: bool = False


Shape = Line | Rectangle | Label | Marker


@dataclass(frozen=True)
class Drawing:
    """Shapes on a grid.

    Attributes:
        width, height: of the grid; charts are 520 wide.
        shapes: the later cover the earlier.
        description: what it shows, for those who do not see it.
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    description: str
