"""How the command ends when nobody expected it: signals, mistakes of ours, names that steer terminals or never end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchwright.cli import console, main
from schemas.errors import Problem, clipped, first_few, nearest, unknown_name

# A verb that writes and waits to be stopped, as a process of its own.
WAITING = """
import sys, time
from pathlib import Path
from benchwright import __main__
from benchwright.cli import main
from schemas.exchange import new_file, new_folder

def work():
    with new_file(Path(sys.argv[1]) / "file") as draft, new_folder(Path(sys.argv[1]) / "new" / "folder"):
        draft.write_text("half")
        print("ready", flush=True)
        time.sleep(60)

main.main = work
__main__.run()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_without_a_trace(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", WAITING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert len(list(tmp_path.iterdir())) == 2
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == 128 + number
    assert said == "error: stopped; no file was left half written\n"
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_during_imports_is_no_traceback(tmp_path: Path) -> None:
    """The module that is imported first waits for the signal."""
    (tmp_path / "typer.py").write_text("import time; print('ready', flush=True); time.sleep(60)")
    search = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-m", "benchwright", "list"]
    environment = os.environ | {"PYTHONPATH": search}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert (process.returncode, said) == (130, "error: stopped; no file was left half written\n")


def test_the_package_imports_nothing_before_the_command_can_be_stopped() -> None:
    code = "import sys, benchwright.__main__; print(sorted(n for n in sys.modules if n.split('.')[0] in KNOWN))"
    known = "{'benchwright', 'schemas', 'scorers', 'builders', 'typer', 'msgspec', 'importlib.metadata'}"
    done = subprocess.run(
        [sys.executable, "-c", code.replace("KNOWN", known)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['benchwright', 'benchwright.__main__']\n"


def test_what_nobody_thought_of_is_one_line_that_names_the_saved_traceback(run, monkeypatch, tmp_path: Path) -> None:
    def broken(**_: object) -> None:
        raise ZeroDivisionError("of\nours " + "x" * 10_000)

    monkeypatch.setattr(main, "app", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ran = run("list")
    (saved,) = tmp_path.iterdir()
    assert ran.code == 3
    assert ran.err.startswith("error: unforeseen ZeroDivisionError: of ours xxx")
    assert ran.err.endswith(f"please report it with the file {saved}\n")
    assert len(ran.err) < 800
    assert 'raise ZeroDivisionError("of\\nours' in saved.read_text()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    assert "it could not be saved: No such file or directory" in run("list").err


def test_json_escapes_what_steers_a_terminal(capsys) -> None:
    name = "a\x1b[2J\x9b2J\x7f\u202eb\u2028ñ"
    console.as_json({name: [name]})
    out = capsys.readouterr().out
    assert json.loads(out) == {name: [name]}
    assert not any(letter in out for letter in "\x1b\x9b\x7f\u202e\u2028")
    assert "ñ" in out


def test_messages_shorten_names_that_have_no_end(capsys) -> None:
    name = "x" * 1_000_000
    problem = Problem("file.json", f"clip {name}", name, name, name)
    assert len(str(problem)) < 1500
    assert str(problem).startswith("file.json: clip xxx")
    assert len(first_few([name, "b"], 2)) < 400
    assert len(str(unknown_name("row", name, [name, "b"]))) < 1000
    assert nearest(name, [name[1:]]) == []
    assert clipped("short") == "short"
    console.complain(f"row {name}\nand this")
    assert len(capsys.readouterr().err) < 4100
