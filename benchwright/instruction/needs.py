"""What the texts of each task must name, so that questions ask for something and answers say something."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from benchwright.instruction.places import Place, Where, resolved
from benchwright.instruction.templates import Parsed
from schemas.errors import InputError

# Any of each group.
_MUST: Mapping[tuple[str, str], list[tuple[str, ...]]] = {
    ("localise", "answers"): [("start_s",), ("end_s",)],
    ("verify", "questions"): [("start_s",), ("end_s",)],
    ("choose", "questions"): [("options",)],
    ("choose", "answers"): [("letter", "option")],
    ("ground", "answers"): [("boxes",)],
}
_POINT = [("x1", "x2", "cx"), ("y1", "y2", "cy")]


def check_places(template: Parsed, known: Collection[str], of_items: Collection[str] | None) -> None:
    """Every place is known, and every text has what its task needs.

    Args:
        template: to look at.
        known: what its texts may name.
        of_items: what an `item` may name; None where there are none.

    Raises:
        InputError: an unknown place, a text without what its task needs, times on several scales in one answer.
    """
    known = {*known, "boxes"} if of_items is not None else known
    for kind in ("questions", "answers", "denials"):
        for name in template.variants(kind):
            where = template.where(name)
            found = {resolved(piece, known, where) for piece in _places(template, name)}
            _need(_MUST.get((template.task, kind), []), found, where, f"{template.task} says nothing")
            if kind == "denials" and template.given.foreign and found & {"true_start_s", "true_end_s"}:
                raise where.problem("", "a true span", "none", "texts of other videos have none: foreign is above 0")
            if kind == "answers" and template.task != "verify" and not found:
                raise where.problem("", "no place", "{NAME}", "it would say the same of all rows")
            scales = {piece.scale for piece in _places(template, name) if is_time(piece)}
            if kind != "questions" and len(scales) > 1:
                raise where.problem("", f"times on the scales {sorted(scales)}", "one scale in an answer")
    if of_items is not None:
        where = template.where("item")
        found = {resolved(piece, of_items, where) for piece in _places(template, "item")}
        _need(_POINT, found, where, "a box is nowhere")
    if template.task == "choose":
        _check_option(template)


def _check_option(template: Parsed) -> None:
    """Options differ by their descriptions, and have the letters that answers name."""
    where = template.where("option")
    found = {piece.name for piece in _places(template, "option")}
    _need([("description",)], found, where, "all options are the same")
    answered = {piece.name for name in template.variants("answers") for piece in _places(template, name)}
    if "letter" in answered:
        _need([("letter",)], found, where, "nothing says which option the letter of an answer is")


def _need(groups: Iterable[tuple[str, ...]], found: Collection[str], where: Where, without: str) -> None:
    for wanted in groups:
        if not set(found) & set(wanted):
            places = " or ".join(f"{{{each.removesuffix('_s')}}}" for each in wanted)
            raise _lacks(where, places, without)


def _lacks(where: Where, places: str, without: str) -> InputError:
    return where.problem("", "no such place", places, f"without it {without}")


def _places(template: Parsed, name: str) -> list[Place]:
    return [piece for piece in template.pieces[name] if isinstance(piece, Place)]


def is_time(place: Place) -> bool:
    """Whether it is one of the two times of a span."""
    return place.name.removesuffix("_s").removeprefix("true_") in ("start", "end")
