"""Colours by what they mean, light and dark; no two systems are alike to colour-blind eyes, and shapes tell them apart.

Text has a contrast of 4.5 to its ground or more, marks 4.2; see `drawing` for the names that drawings use.
"""

from __future__ import annotations

LIGHT = {
    "ground": "#ffffff",
    "panel": "#f6f7f9",
    "axis": "#d9dde3",
    "strong": "#14181f",
    "soft": "#545d6a",
    "link": "#0b57a4",
    "kept": "#0067a5",
    "gone": "#c24a00",
    "guess": "#6a7280",
    "system 0": "#004f9e",
    "system 1": "#d04f00",
    "system 2": "#00765a",
    "system 3": "#c2558f",
    "system 4": "#3f3300",
    "change": "#b3261e",
    "limit": "#8a5300",
    "good": "#00765a",
    "degree 1": "#fbe3d3",
    "degree 2": "#f6c19c",
    "degree 3": "#ee9a63",
    "now": "#fff3c4",
}
DARK = {
    "ground": "#0f1318",
    "panel": "#181e26",
    "axis": "#303946",
    "strong": "#e8ecf2",
    "soft": "#a5afbd",
    "link": "#7cb9f5",
    "kept": "#5ab0ee",
    "gone": "#ff8e52",
    "guess": "#98a2b0",
    "system 0": "#3f9be0",
    "system 1": "#ff8e52",
    "system 2": "#58d6b4",
    "system 3": "#f0b0e4",
    "system 4": "#f0e442",
    "change": "#ff8a80",
    "limit": "#f3b45c",
    "good": "#3cc9a3",
    "degree 1": "#3a2a20",
    "degree 2": "#5c3a23",
    "degree 3": "#8a4a1f",
    "now": "#4a4014",
}

SAME = {"bar": "kept", "hair": "soft", "ghost": "axis", "other": "guess", "note": "soft"}


def named(colour: str) -> str:
    """The name of a colour in the palette: several meanings share one."""
    return SAME.get(colour, colour)


def of_text(colour: str) -> str:
    """The colour of text that is about a thing of this colour: that of a system has too little contrast."""
    return "strong" if colour == "other" or colour.startswith("system") else named(colour)
