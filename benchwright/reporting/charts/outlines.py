"""Images as outlines: a rectangle per box, coloured by group or class, a dashed frame and a number per group."""

from __future__ import annotations

from benchwright.reporting.blocks import Outline
from benchwright.reporting.drawing import Drawing, Label, Line, Rectangle, Shape

WIDTH, WIDE = 520.0, 1040.0
"""Of images, and of panoramas, which are more than twice as wide as high."""
COLOURS = 5
_HIGH = 300.0  # at most, but for panoramas
_GAP = 3.0
_CHARACTER = 8.5  # of the number of a group, with the space after it
_ROOM = 16.0  # above the image, for the numbers of groups

_Room = tuple[float, float, float, float]
"""Left, top, right and bottom of what is written."""


def colour_of(number: int) -> str:
    """The colour of a group or class by its place; grey of none."""
    return f"system {number % COLOURS}" if number >= 0 else "soft"


def outline(image: Outline, description: str) -> Drawing:
    """Draw an image.

    Args:
        image: its boxes; the larger ones lie below. Of a grouped one, each group has the next colour.
        description: what the drawing shows.
    """
    wide = image.width > 2 * image.height
    scale = WIDE / max(image.width, 1.0) if wide else min(WIDTH / max(image.width, 1.0), _HIGH / max(image.height, 1.0))
    top, width = _ROOM if image.grouped else 0.0, WIDE if wide else WIDTH
    place = {number: at for at, number in enumerate(dict.fromkeys(box[4] for box in image.boxes if box[4] >= 0))}
    shapes: list[Shape] = [Rectangle(0, top, image.width * scale, image.height * scale, "axis", filled=False)]
    for x, y, w, h, number, label in sorted(image.boxes, key=_size, reverse=True):
        colour = colour_of(place.get(number, -1) if image.grouped else number)
        title = f"{label}; group {number}" if image.grouped and number >= 0 else label
        shapes.append(Rectangle(x * scale, top + y * scale, w * scale, h * scale, colour, title, filled=False))
    taken: list[_Room] = []
    for number, at in place.items() if image.grouped else ():
        shapes += _frame(image, number, colour_of(at), scale, top, taken)
    return Drawing(width, top + image.height * scale + (_GAP + 1 if image.grouped else 0), tuple(shapes), description)


def _size(box: tuple[float, float, float, float, int, str]) -> float:
    return box[2] * box[3]


def _frame(image: Outline, number: int, colour: str, scale: float, top: float, taken: list[_Room]) -> list[Shape]:
    members = [box for box in image.boxes if box[4] == number]
    left, upper = min(box[0] for box in members) * scale - _GAP, min(box[1] for box in members) * scale - _GAP + top
    right = max(box[0] + box[2] for box in members) * scale + _GAP
    lower = max(box[1] + box[3] for box in members) * scale + _GAP + top
    corners = ((left, upper), (right, upper), (right, lower), (left, lower), (left, upper))
    corner = _place((left, max(upper - 4, 11.0)), lower + 12, str(number), taken)
    label = Label(*corner, str(number), "strong", bold=True)
    return [Line(corners, colour, dashed=True, width=1.5), label]


def _place(above: tuple[float, float], below: float, text: str, taken: list[_Room]) -> tuple[float, float]:
    """Where the number of a group covers no other one: above its left corner or below it, else beside these."""
    width, high = _CHARACTER * len(text), 12.0
    beside = [step * sign for step in (0.0, 14.0, 28.0, 42.0, 56.0, 70.0, 84.0) for sign in (1, -1)]
    corners = [(max(above[0] + by, 0.0), y) for by in beside for y in (above[1], below)]
    rooms = [(x, y - high, x + width, y) for x, y in corners]
    free = next((at for at, room in enumerate(rooms) if not any(_meet(room, other) for other in taken)), 0)
    taken.append(rooms[free])
    return corners[free]


def _meet(one: _Room, other: _Room) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
