"""Tables and messages: untrusted text is shown as it is and never interpreted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from benchwright.cli import console as display
from benchwright.cli.layout import named, numeric

ODD = "[red]Bold[/red] :smile: [link=x]\\ [/] {end}"


@pytest.fixture
def markup_clip(own_samples: Path) -> Path:
    """Samples in which one clip has a name full of markup."""
    for file in ("val_filtered.txt", "transition_times.json", "svos/val.json", "single_scene_val.json"):
        path = own_samples / "oops" / file
        written = json.dumps(ODD)[1:-1] if file.endswith("json") else ODD
        path.write_text(path.read_text(encoding="utf-8").replace("Skate Park Surprises  (Ep. 4)0", written))
    return own_samples


def test_markup_in_names_is_text(run: Callable[..., Any], markup_clip: Path, tmp_path: Path) -> None:
    assert run("build", "uag-oops", "--source", markup_clip, "--out", tmp_path).code == 0
    ran = run("why", tmp_path / "uag-oops", ODD)
    assert ran.out.startswith(f"clip {ODD}: kept\n")
    assert f"sample_id            {ODD}" in ran.out
    assert repr(ODD) in run("why", tmp_path / "uag-oops", ODD[:-1]).err


RECIPE = """
import pandas as pd
from builders.engine.recipe import Candidates, Recipe
from schemas.cards import Card, Source
from schemas.columns import column, table_schema
import pyarrow as pa

NAME = "\\x1b[31mred\\x07"
TEXTS = dict.fromkeys(["title", "task", "citation", "licence", "access", "rows"], "a\\x1b]0;owned\\x07 [b]text[/b]")
RECIPE = Recipe(
    Card(name="odd", splits=["test"], sources=[], claims=[], **TEXTS), 1, "first version", "row",
    lambda sources: Candidates(pd.DataFrame({"sample_id": [NAME], "split": "test"}), findings={"\\x1b[5mfound": 1}), (),
    table_schema("odd", 1, [column("sample_id", pa.string(), "name"), column("split", pa.string(), "split")]),
)
"""


def test_escape_sequences_in_names_and_cards_are_shown(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(RECIPE)
    recipe = ["--recipe", tmp_path / "odd.py"]
    printed = [
        run("build", "odd", "--source", tmp_path, "--out", tmp_path, *recipe),
        run("show", "odd", *recipe),
        run("show", tmp_path / "odd"),
        run("verify", tmp_path / "odd", *recipe),
        run("why", tmp_path / "odd", "\x1b[31mred\x07", *recipe),
        run("why", tmp_path / "odd", "\x1b[31mred", *recipe),
        run("validate", tmp_path / "odd"),
    ]
    assert [ran.code for ran in printed] == [0, 0, 0, 0, 0, 2, 0]
    text = "".join(ran.out + ran.err for ran in printed)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\x1b[31mred\\x07" in text
    assert "a\\x1b]0;owned\\x07 [b]text[/b]" in text
    (story,) = run("why", tmp_path / "odd", "\x1b[31mred\x07", *recipe, "--json").json
    assert story["key"] == "\x1b[31mred\x07"


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=30))
@example("[red]a[/red]")
@example("[/]")
@example(":smile:")
@example("[a](b)\\")
def test_a_short_text_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], text: str) -> None:
    capsys.readouterr()
    display.say(text)
    display.complain(text, "note")
    display.table(text, ["column"], [[text]])
    out, err = capsys.readouterr()
    assert err == f"note: {text}\n"
    said, title, *_, cell = out.splitlines()
    assert (said, title, cell.rstrip()) == (text, text, text)


def test_numbers_have_thousands_apart_and_flags_are_words(capsys: pytest.CaptureFixture[str]) -> None:
    display.table("numbers", [numeric("n"), "flag", "text", "lines"], [[12345, True, "12345", "a\nb"]])
    assert capsys.readouterr().out.splitlines()[-1].split() == ["12,345", "True", "12345", "a\\nb"]
    assert [display.number(n) for n in (None, 1589, 8.4, 1234.5)] == ["-", "1,589", "8.40", "1,234.50"]
    assert (display.number(1589.0, 0), display.number("a5e9")) == ("1,589", "a5e9")
    assert [display.plain(value) for value in (True, 0.5, "a\nb")] == ["true", "0.5", "a\\nb"]


def test_rows_of_a_pipe_are_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    display.table("long", [named("a"), "b", numeric("c")], [["x" * 300, "some words " * 30 + "end", 1], ["y", "", 2]])
    assert capsys.readouterr().out.splitlines()[3:] == [
        f"{'x' * 300}  {'some words ' * 30}end  1",
        f"y{' ' * 299}  {' ' * 333}  2",
    ]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make standard output a terminal of so many columns, which knows no colours."""

    def call(width: int) -> None:
        for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": str(width)}.items():
            monkeypatch.setenv(name, value)

    return call


def test_messages_break_at_words(capsys: pytest.CaptureFixture[str], terminal: Callable[[int], None]) -> None:
    terminal(80)
    message = "is no folder of the kind that was expected here, and " + "is told so " * 9
    display.complain("a/path/" * 20 + f" {message}")
    first, *lines = re.sub("\x1b[^m]*m", "", capsys.readouterr().err).splitlines()
    assert (first, lines[0]) == ("error:", "a/path/" * 20)
    assert max(map(len, lines[1:])) <= 80
    assert " ".join(lines[1:]).split() == message.split()


def test_json_is_one_value_with_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    display.as_json({"name": "Piñata [red]", "value": float("nan")})
    out = capsys.readouterr().out
    assert "Piñata [red]" in out
    assert json.loads(out) == {"name": "Piñata [red]", "value": None}


def test_no_progress_is_shown_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with display.progress("building", 2) as step:
        step("reading")
        step("writing")
    assert capsys.readouterr() == ("", "")


def test_verdicts_have_colours_and_values_of_the_same_name_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    display.table("", ["what it did", "value"], [["kept", "kept"]])
    assert capsys.readouterr().out.splitlines()[-1] == "\x1b[32mkept       \x1b[0m  kept"
