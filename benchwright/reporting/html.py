"""A report as one HTML file, which loads nothing and runs nothing but its own script; most of it needs no script.

Its policy (Content Security Policy, W3C) allows one style sheet and one script by their hashes, and images within the
file. Names and texts of others reach it escaped, or as JSON of which the script makes text.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from benchwright.reporting.blocks import Noted, Page, Swaps, Table, Verdict, row_table_of
from benchwright.reporting.drawing import SHAPES, Marker
from benchwright.reporting.palette import DARK, LIGHT, SAME
from benchwright.reporting.row_data import evidence_of, row_data
from benchwright.reporting.rows import RowTable, Timeline, capped
from benchwright.reporting.svg import FONT, class_of, element, svg
from benchwright.reporting.texts import SEVERITIES, SIGNS, Code, Link, Text
from schemas.errors import counted, printable

_FOLDER = Path(__file__).parent / "page"
_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b")

_UNIT = re.compile(r"(?<=\d) (?=%|s\b|px\b)")


def html(page: Page) -> str:
    """The report as HTML."""
    table, numbers = row_table_of(page), count()
    style, script = _style(), (_FOLDER / "rows.js").read_text(encoding="utf-8")
    text: str = (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            row_table=table,
            table_section=next((s.id for s in page.sections if table in s.blocks), None),
            evidence={} if table is None else evidence_of(table),
            data=None if table is None else Markup(row_data(table, page.name)),
            style=Markup(style),
            style_hash=_hash(style),
            script=Markup(script),
            script_hash=_hash(script),
            signs=SIGNS,
            severities=SEVERITIES,
            unique=lambda: next(numbers),
        )
    )
    return text


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(
        rich=_rich,
        kind=lambda block: type(block).__name__,
        svg=svg,
        swatch=_swatch,
        capped=capped,
        headings=_headings,
        counted=counted,
        heat=_has_swaps,
    )
    environment.tests.update(
        swaps=lambda cell: isinstance(cell, Swaps),
        verdict=lambda cell: isinstance(cell, Verdict),
        noted=lambda cell: isinstance(cell, Noted),
    )
    return environment


def _visible(value: Any) -> Any:
    """Text without characters that control terminals or the direction of what follows."""
    return _bound(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _bound(text: str) -> str:
    """The same on which no line ends between a number and its unit."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", printable(text))


def _rich(text: Text) -> Markup:
    """A text with its code, links, and digests shortened, which a pointer shows in full."""
    parts = (text,) if isinstance(text, str) else text
    return Markup().join(map(_part, parts))


def _part(part: str | Code | Link) -> Markup:
    if isinstance(part, Link):
        finding = "" if part.finding is None else Markup(' data-finding="{}"').format(part.finding)
        return Markup('<a href="#{}"{}>{}</a>').format(part.section, finding, _bound(part.text))
    if isinstance(part, Code):
        return Markup("<code>{}</code>").format(_shortened(part.text))
    return Markup("<br>").join(map(_shortened, part.split("\n")))


def _shortened(text: str) -> Markup:
    digest = r'<span class="digest" title="\g<0>">\g<1>…</span>'
    return Markup(_DIGEST.sub(digest, str(escape(_bound(text)))))


def _has_swaps(table: Table) -> bool:
    return any(isinstance(cell, Swaps) for row in table.rows for cell in row)


def _headings(table: RowTable) -> Iterator[tuple[str, bool]]:
    """The headings of the row table, and which are of numbers; those that the script fills in by itself among them."""
    first, *others = table.columns
    yield first, 0 in table.numeric
    if len({row.split for row in table.rows}) > 1:
        yield "split", False
    if any(isinstance(row.picture, Timeline) for row in table.rows):
        yield "on the time line", False
    elif any(row.fate != "kept" for row in table.rows):
        yield "kept or dropped", False
    yield from ((name, place in table.numeric) for place, name in enumerate(others, 1))


def _swatch(entry: str) -> Markup:
    """What stands before the meaning of a colour, or the sign itself."""
    if entry.startswith("system "):
        number = int(entry.removeprefix("system "))
        return _icon(element(Marker(7, 7, SHAPES[number], entry)))
    if entry == "guess":
        return _icon(element(Marker(7, 7, "circle", entry, hollow=True)))
    if entry in LIGHT or entry in SAME:
        return Markup('<i class="{}"></i>').format(class_of(entry))
    return Markup("{}&ensp;").format(printable(entry))


def _icon(body: Markup) -> Markup:
    return Markup('<svg viewBox="0 0 14 14" fill="currentColor" aria-hidden="true">{}</svg>').format(body)


def _style() -> str:
    """The style sheet, its colours before it; on paper they are light."""
    light, dark = (";".join(f"--{class_of(name)}:{hue}" for name, hue in theme.items()) for theme in (LIGHT, DARK))
    names = [(name, name) for name in LIGHT] + list(SAME.items())
    classes = "".join(f".{class_of(name)}{{color:var(--{class_of(held)})}}" for name, held in names)
    rules = (_FOLDER / "style.css").read_text(encoding="utf-8").replace("FONT", FONT)
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f"{classes}\n{rules}"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
