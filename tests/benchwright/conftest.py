"""What the tests of the front door share: the command line in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from benchwright.cli.main import main


class Ran(NamedTuple):
    """What a call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON value and nothing else."""
        return json.loads(self.out)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Call `benchwright` with arguments, as its console script does."""

    def call(*arguments: object) -> Ran:
        monkeypatch.setattr("sys.argv", ["benchwright", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return Ran(int(stopped.value.code or 0), out, err)

    return call


@pytest.fixture
def refused(run: Callable[..., Ran]) -> Callable[..., str]:
    """Call `benchwright` with what it must refuse: exit code 2, one clean message; returns the message."""

    def call(*arguments: object) -> str:
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), err
        assert err.startswith("error: ")
        assert "Traceback" not in err
        return err.removeprefix("error: ").rstrip("\n")

    return call
