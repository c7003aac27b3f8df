"""Images as outlines: a rectangle per box, coloured by group or class, a dashed frame and a number per group."""

from __future__ import annotations

from benchwright.reporting.blocks import Outline
from benchwright.reporting.drawing import Drawing, Label, Line, Rectangle, Shape

WIDTH, WIDE = 520.0, 1040.0
"""Of images, and of panoramas, which are more than twice as wide as high."""
COLOURS = 5
_GAP = 3.0
_ROOM = 16.0  # above the image, for the numbers of groups


def colour_of(number: int) -> str:
    """The colour of a group or class by its place; grey of none."""
    return f"system {number % COLOURS}" if number >= 0 else "soft"


def outline(image: Outline, description: str, *, groups: bool = False) -> Drawing:
    """Draw an image.

    Args:
        image: its boxes; the larger ones lie below.
        description: what the drawing shows.
        groups: whether numbers are groups, which get a colour each in the order in which they come, a dashed frame and
            their number; else they are classes.
    """
    width = WIDE if image.width > 2 * image.height else WIDTH
    scale, top = width / max(image.width, 1.0), _ROOM if groups else 0.0
    place = {number: at for at, number in enumerate(dict.fromkeys(box[4] for box in image.boxes if box[4] >= 0))}
    shapes: list[Shape] = [Rectangle(0, top, width, image.height * scale, "axis", filled=False)]
    for x, y, w, h, number, label in sorted(image.boxes, key=_size, reverse=True):
        colour = colour_of(place.get(number, -1) if groups else number)
        title = f"{label}; group {number}" if groups and number >= 0 else label
        shapes.append(Rectangle(x * scale, top + y * scale, w * scale, h * scale, colour, title, filled=False))
    for number, at in place.items() if groups else ():
        shapes += _frame(image, number, colour_of(at), scale, top)
    return Drawing(width, top + image.height * scale, tuple(shapes), description)


def _size(box: tuple[float, float, float, float, int, str]) -> float:
    return box[2] * box[3]


def _frame(image: Outline, number: int, colour: str, scale: float, top: float) -> list[Shape]:
    members = [box for box in image.boxes if box[4] == number]
    left, upper = min(box[0] for box in members) * scale - _GAP, min(box[1] for box in members) * scale - _GAP + top
    right = max(box[0] + box[2] for box in members) * scale + _GAP
    lower = max(box[1] + box[3] for box in members) * scale + _GAP + top
    corners = ((left, upper), (right, upper), (right, lower), (left, lower), (left, upper))
    label = Label(left, max(upper - 4, 11.0), str(number), "strong", bold=True)
    return [Line(corners, colour, dashed=True, width=1.5), label]
