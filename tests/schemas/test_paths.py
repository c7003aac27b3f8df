from __future__ import annotations

from pathlib import Path

import pytest

from schemas.errors import UsageError
from schemas.paths import home_filled, real_path


def test_homes_are_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home_filled("~/a") == tmp_path / "a"
    with pytest.raises(UsageError, match="no such user"):
        home_filled("~no-such-user-here/a")


def test_links_are_followed_but_not_for_ever(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    assert real_path(tmp_path / "link") == tmp_path.resolve() / "file"
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "loop", Path("a\0b")):
        with pytest.raises(UsageError, match="a link to itself"):
            real_path(path)
