"""How systems are told apart: five by colour and shape, the others in grey; guesses are hollow."""

from __future__ import annotations

from typing import Literal, NamedTuple

from benchwright.reporting.drawing import Marker

Form = Literal["circle", "square", "triangle", "diamond", "inverted"]
FORMS: tuple[Form, ...] = ("circle", "square", "triangle", "diamond", "inverted")


class Style(NamedTuple):
    """Colour and shape of a system."""

    colour: str
    form: Form


GUESS = Style("guess", "circle")


def style_of(system: int) -> Style:
    """The style of a system by its place among all, from 0.

    >>> style_of(1), style_of(7)
    (Style(colour='system 1', form='square'), Style(colour='other', form='circle'))
    """
    return Style(f"system {system}", FORMS[system]) if system < len(FORMS) else Style("other", "circle")


def marker(x: float, y: float, style: Style, title: str, size: float = 5.0) -> Marker:
    """A mark at a place."""
    return Marker(x, y, style.form, style.colour, title, size, hollow=style == GUESS)
