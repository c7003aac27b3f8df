"""Templates as strangers write them: text, and places for columns as `{start:.1f}` or `{description|lower}`.

They are data: a place holds a name and formats out of a short list, so that no template reaches into an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from schemas.errors import InputError, Problem, nearest, shown

# No widths: `{start:999999999}` would fill the memory.
_FORM = re.compile(r",?(\.\d{1,2})?[fg]|,?d?")
_TOKEN = re.compile(r"\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SCALED = re.compile(r"(percent|fraction)(?::(\.\d{1,2}f))?|(scale|frame):([1-9]\d{0,5})")
TEXT_FILTERS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "capital": lambda text: text[:1].upper() + text[1:],
    "words": lambda text: text.replace("_", " "),
    "plain": lambda text: text.strip().rstrip(".!").rstrip(),
}
"""What may be done to a text: `plain` takes the final full stop away, `words` writes `upper_leg` as two words."""
CLOCKS = ("mm:ss", "hh:mm:ss")
FILTERS = (*TEXT_FILTERS, *CLOCKS, "percent", "fraction", "scale:N", "frame:N")
_FORMS = "a format such as :.1f, or none"


class Place(NamedTuple):
    """A place in a template.

    Attributes:
        written: as it stands there, braces included.
        name: what is filled in.
        filters: how, in order.
        form: format of a number, empty for all its digits.
    """

    written: str
    name: str
    filters: tuple[str, ...] = ()
    form: str = ""

    @property
    def scale(self) -> str:
        """The scale that a time is on, in the words of `time_scale`; empty for seconds and clocks."""
        for each in self.filters:
            name, _, count = each.partition(":")
            if name in ("percent", "fraction", "frame", "scale"):
                return {"percent": "percent", "fraction": "normalised"}.get(name, f"frames:{count}")
        return ""


class Where(NamedTuple):
    """Where a template is: its file, and its place in it, as `localise-1.questions[2]`."""

    file: str
    record: str

    def problem(self, field: str, found: str, expected: str, advice: str = "") -> InputError:
        return InputError(Problem(self.file, self.record, field, found, expected, advice))


def pieces_of(template: str, where: Where) -> list[str | Place]:
    """The texts and places of a template; `{{` and `}}` are braces themselves.

    Raises:
        InputError: blank, a brace without its other, or a place that is not `{NAME}`, `{NAME:FORMAT}` or
            `{NAME|FILTER}`.

    >>> pieces_of("at {start|mm:ss}", Where("", ""))
    ['at ', Place(written='{start|mm:ss}', name='start', filters=('mm:ss',), form='')]
    """
    if not template.strip():
        raise where.problem("", "no words", "a template")
    found: list[str | Place] = []
    for match in _TOKEN.finditer(template):
        token = match[0]
        if token in ("{", "}"):
            kind = "opens" if token == "{" else "closes"
            advice = f"write {token * 2} for the sign itself"
            place = f"{shown(template[max(0, match.start() - 20) : match.end() + 20])}, character {match.start() + 1}"
            raise where.problem("", f"a brace that {kind} nothing in {place}", "{NAME}", advice)
        if token.startswith("{") and token != "{{":
            found.append(_place(token, where))
        else:
            found.append(token.replace("{{", "{").replace("}}", "}"))
    return found


def _place(token: str, where: Where) -> Place:
    first, *filters = token[1:-1].split("|")
    name, colon, form = first.partition(":")
    if not _NAME.fullmatch(name):
        blank = "no blanks inside" if name != name.strip() else "nothing is looked up in a value"
        raise where.problem(shown(token), shown(name), "the name of a column alone", blank if name else "no name")
    if not _FORM.fullmatch(form) or (colon and not form):
        raise where.problem(shown(token), shown(form), _FORMS)
    for each in filters:
        if each not in TEXT_FILTERS and each not in CLOCKS and not _SCALED.fullmatch(each):
            near = nearest(each, [known.replace("N", "100") for known in FILTERS])
            advice = f"did you mean {' or '.join(near)}?" if near else ""
            raise where.problem(shown(token), f"the filter {shown(each)}", f"one of {', '.join(FILTERS)}", advice)
    return Place(token, name, tuple(filters), form)


def resolved(place: Place, known: Collection[str], where: Where) -> str:
    """The column that a place means: `start` is `start_s`; `InputError` with the nearest names where there is none."""
    for name in (place.name, f"{place.name}_s"):
        if name in known:
            return name
    names = sorted({name.removesuffix("_s") for name in known})
    near = nearest(place.name, names)
    advice = f"did you mean {' or '.join(near)}?" if near else ""
    raise where.problem(place.written, f"no column {shown(place.name)}", f"one of {', '.join(names)}", advice)
