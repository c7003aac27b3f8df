"""The command line. Verbs import what they need when they run, so that `--help` and `list` answer at once."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from traceback import print_exception
from typing import Annotated

import typer

from benchwright.cli import (
    answers,
    auditing,
    building,
    catalogue,
    checking,
    console,
    converting,
    detectors,
    differing,
    exporting,
    finding,
    instructing,
    publishing,
    reporting,
    scoring,
)
from benchwright.cli.unforeseen import unforeseen
from schemas.errors import BenchwrightError, UsageError, shown
from schemas.input.opening import remembered_inputs

app = typer.Typer(
    epilog="Start with: benchwright list",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

_INTERRUPTED, _UNFORESEEN = 130, 3
# Options before the verb.
_wanted = {"traceback": False}


def _print_version(wanted: bool) -> None:
    if wanted:
        console.say(f"benchwright {version('benchwright')}")
        raise typer.Exit


@app.callback()
def options(
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show with an error the Python calls that led to it, innermost last.")
    ] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Rebuild vision benchmarks from their raw annotations, explain every row, score predictions on the result."""
    _wanted["traceback"] = traceback


for verbs in (
    catalogue,
    building,
    checking,
    differing,
    auditing,
    finding,
    reporting,
    instructing,
    exporting,
    converting,
    publishing,
    scoring,
    detectors,
    answers,
):
    verbs.register(app)


def main() -> None:
    """Entry point: bad input ends in one clear message and exit code 2; what nobody thought of in one and 3."""
    # A closed stream is None; what is printed then goes nowhere.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 (open until the end)
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII alone
    try:
        _refuse_other_than_text(sys.argv[1:])
        with remembered_inputs():
            app(prog_name="benchwright")
    except BenchwrightError as failure:
        _complain(failure, str(failure))
        if failure.__cause__ and not _wanted["traceback"]:
            console.complain("`benchwright --traceback VERB ...` shows the calls that led to it", "note")
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as failure:
        _complain(failure, f"{shown(failure.filename)}: {failure.strerror}" if failure.filename else str(failure))
        sys.exit(2)
    except MemoryError as failure:
        _complain(failure, "not enough memory for these files; no file was left half written")
        sys.exit(2)
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:  # typer turns Ctrl-C into this code and says nothing
            console.complain("stopped; no file was left half written")
        raise
    except Exception as failure:
        _complain(failure, unforeseen(failure))
        sys.exit(_UNFORESEEN)


def _refuse_other_than_text(arguments: Sequence[str]) -> None:
    for argument in arguments:
        if any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise UsageError(f"argument {argument!r} is not UTF-8 text")


def _complain(failure: BaseException, message: str) -> None:
    if _wanted["traceback"]:
        print_exception(failure)
    console.complain(message)
