"""Templates of strangers: what a place may hold, and what is refused in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.instruction.places import Place, Where, pieces_of, resolved
from schemas.errors import InputError

WHERE = Where("my.toml", "localise-1.answers[1]")


def test_texts_places_and_escaped_braces() -> None:
    pieces = pieces_of("{{a}} {start:.1f} to {end|mm:ss}, {{{duration}}}", WHERE)
    assert "".join(piece.written if isinstance(piece, Place) else piece for piece in pieces) == (
        "{a} {start:.1f} to {end|mm:ss}, {{duration}}"
    )
    assert [(piece.name, piece.filters, piece.form) for piece in pieces if isinstance(piece, Place)] == [
        ("start", (), ".1f"),
        ("end", ("mm:ss",), ""),
        ("duration", (), ""),
    ]


@pytest.mark.parametrize(
    "template",
    [
        *(
            "{0.__class__}",
            "{start.__class__}",
            "{start[0]}",
            "{start!r}",
            "{}",
            "{0}",
            "{start.real:.1f}",
            "{ start }",
        ),
        *("{start:>999999999}", "{start:{end}}", "{start:.999f}", "{start:%}", "{start:}", "{start|}", "{start|eval}"),
        *(
            "{start|frame:0}",
            "{start|frame:9999999}",
            "{start|percent:.1x}",
            "{start|mm:ss:.1f}",
            "{description|lower()}",
        ),
        *("{start", "start}", "a } b", "{{start}", "{start}}", "{", "}", "", "   ", "\n"),
    ],
)
def test_anything_else_is_refused_with_its_place(template: str) -> None:
    with pytest.raises(InputError) as caught:
        pieces_of(template, WHERE)
    (problem,) = caught.value.problems
    assert (problem.file, problem.record) == ("my.toml", "localise-1.answers[1]")
    assert problem.found
    assert problem.expected


@given(st.text(alphabet="{}|:.!a[]0_ ", max_size=12))
def test_no_text_does_anything_but_parse_or_be_refused(template: str) -> None:
    try:
        pieces = pieces_of(template, WHERE)
    except InputError:
        return
    assert all(isinstance(piece, str) or piece.name.isidentifier() for piece in pieces)


def test_seconds_may_be_left_out_of_a_name_and_unknown_ones_are_answered_with_the_nearest() -> None:
    known = {"start_s", "end_s", "description"}
    assert resolved(Place("{start}", "start"), known, WHERE) == "start_s"
    with pytest.raises(InputError, match=r"\{descripton\}: found no column 'descripton', .*did you mean description\?"):
        resolved(Place("{descripton}", "descripton"), known, WHERE)


def test_a_place_without_a_name_and_one_with_blanks_are_told_apart() -> None:
    for template, said in (("at {}", "no name"), ("{ start }", "no blanks inside"), ("{a.b}", "nothing is looked up")):
        with pytest.raises(InputError, match=said):
            pieces_of(template, WHERE)


def test_a_whole_message() -> None:
    with pytest.raises(InputError) as caught:
        pieces_of("at {start|mm-ss}", WHERE)
    assert str(caught.value) == (
        "my.toml: localise-1.answers[1]: '{start|mm-ss}': found the filter 'mm-ss', expected one of lower, upper, "
        "capital, words, plain, mm:ss, hh:mm:ss, percent, fraction, scale:N, frame:N (did you mean mm:ss or hh:mm:ss?)"
    )
