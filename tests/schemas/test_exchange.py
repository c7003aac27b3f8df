"""Replacing folders and files in one step: at every moment the old one or the new one, whole."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from schemas import exchange
from schemas.errors import UsageError
from schemas.exchange import new_file, new_folder, recover

Entries = Callable[[Path], list[str]]

# Kills a writer before its first system call of interest, then before its second, and so on until one survives.
KILLER = """
import json, os, shutil, signal, sys
from pathlib import Path
from schemas import exchange

target, start, swap = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
if swap == "renames":
    exchange._exchange = lambda one, other: False

def write(text):
    with exchange.new_folder(target) as draft:
        (draft / "data").mkdir()
        (draft / "data" / "rows").write_text(text)
        (draft / "identity").write_text(text)

left = None

def kill_when_due(event, _):
    global left
    if left is not None and event.split(".")[0] in ("open", "os", "shutil", "fcntl", "ctypes", "tempfile"):
        left -= 1
        if left < 0:
            left = None
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill_when_due)
survived, states, recovered = False, [], 0
while not survived:
    shutil.rmtree(target, ignore_errors=True)
    if start == "old":
        write("old")
    child = os.fork()
    if child == 0:
        left = len(states)
        write("new")
        os._exit(0)
    survived = os.waitpid(child, 0)[1] == 0
    missing = not target.exists()
    exchange.recover(target)
    recovered += missing and target.exists()
    files = {str(path.relative_to(target)): path.read_text() for path in sorted(target.rglob("*")) if path.is_file()}
    states.append(files)
write("last")
print(json.dumps({"states": states, "recovered": recovered, "left": sorted(os.listdir(target.parent))}))
"""


@pytest.mark.parametrize(
    ("start", "swap", "windows"), [("nothing", "exchange", 0), ("old", "exchange", 0), ("old", "renames", 1)]
)
def test_a_kill_at_any_moment_leaves_the_old_folder_or_the_new_one(
    tmp_path: Path, start: str, swap: str, windows: int
) -> None:
    target = tmp_path / "folder"
    command = [sys.executable, "-c", KILLER, str(target), start, swap]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).parents[2]).stdout)
    old, new = (dict.fromkeys(("data/rows", "identity"), text) for text in ("old", "new"))
    states = found["states"]
    assert len(states) > 20
    turn = states.index(new)
    assert states == [old if start == "old" else {}] * turn + [new] * (len(states) - turn)
    assert 10 < turn < len(states) - 1 or start == "nothing"
    # Between two renames there is no folder until somebody opens it.
    assert found["recovered"] == windows
    assert found["left"] == ["folder"]


def fill(folder: Path, text: str) -> None:
    with new_folder(folder) as draft:
        (draft / "file").write_text(text)


def interrupt(_written: int, cause: BaseException | None = None) -> NoReturn:
    raise cause or KeyboardInterrupt


def test_parents_are_made_and_nothing_else_is_left(tmp_path: Path) -> None:
    fill(tmp_path / "a" / "b", "one")
    fill(tmp_path / "a" / "b", "two")
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["a", "a/b", "a/b/file"]
    assert (tmp_path / "a" / "b" / "file").read_text() == "two"


def test_an_error_while_writing_leaves_the_old_folder(tmp_path: Path, entries: Entries) -> None:
    fill(tmp_path / "a", "old")
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "a") as draft:
        interrupt((draft / "file").write_text("new"))
    assert (tmp_path / "a" / "file").read_text() == "old"
    assert entries(tmp_path) == ["a"]


def test_a_full_disk_is_a_usage_error_that_changes_nothing(tmp_path: Path, entries: Entries) -> None:
    fill(tmp_path / "a", "old")
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    said = r"cannot write .*a: No space left on device; nothing was changed"
    with pytest.raises(UsageError, match=said), new_folder(tmp_path / "a") as draft:
        interrupt((draft / "file").write_text("new"), full)
    assert (tmp_path / "a" / "file").read_text() == "old"
    assert entries(tmp_path) == ["a"]


@pytest.mark.parametrize("write", [new_folder, new_file])
def test_a_place_that_cannot_be_written_is_a_usage_error(tmp_path: Path, write, entries: Entries) -> None:
    (tmp_path / "file").write_text("x")
    for target in (tmp_path / "file" / "below", Path("/proc/benchwright/below"), tmp_path / ("a" * 300)):
        with pytest.raises(UsageError, match="cannot write"), write(target):
            pytest.fail("there is nothing to write to")
    assert entries(tmp_path) == ["file"]


def test_the_draft_of_a_killed_writer_is_swept_the_draft_of_a_living_one_is_not(
    tmp_path: Path, entries: Entries
) -> None:
    dead = exchange._draft_of(tmp_path / "a[1]")
    dead.mkdir()
    (dead / "file").write_text("half")
    with new_folder(tmp_path / "a[1]") as living:
        assert not dead.exists()
        fill(tmp_path / "a[1]", "quicker")
        assert living.exists()
        (living / "file").write_text("slower")
    assert (tmp_path / "a[1]" / "file").read_text() == "slower"
    assert entries(tmp_path) == ["a[1]"]


def test_a_file_sweeps_its_stale_drafts_and_no_living_one(tmp_path: Path, entries: Entries) -> None:
    dead = exchange._draft_of(tmp_path / "a[1]")
    dead.write_text("half")
    with new_file(tmp_path / "a[1]") as living:
        assert not dead.exists()
        with new_file(tmp_path / "a[1]") as other:
            other.write_text("quicker")
        living.write_text("slower")
    assert (tmp_path / "a[1]").read_text() == "slower"
    assert entries(tmp_path) == ["a[1]"]


def test_what_others_named_like_drafts_is_left_alone(tmp_path: Path) -> None:
    others = [".ab.draft-x", ".a.draft-x", ".a.draft-" + "0" * 32, ".a.previous"]
    others.append(exchange._draft_of(tmp_path / "ab").name)
    for other in others:
        (tmp_path / other).mkdir()
        (tmp_path / other / "work").write_text("of somebody")
    fill(tmp_path / "a", "one")
    fill(tmp_path / "a", "two")
    with new_file(tmp_path / "a.json") as draft:
        draft.write_text("{}")
    assert all((tmp_path / other / "work").exists() for other in others)


def test_a_draft_that_is_swept_before_it_is_locked_is_made_again(tmp_path: Path, monkeypatch, entries: Entries) -> None:
    touched, touch = [], Path.touch

    def swept_once(path: Path, **how: bool) -> None:
        touch(path, **how)
        if not touched:
            path.unlink()
        touched.append(path)

    monkeypatch.setattr(Path, "touch", swept_once)
    with new_file(tmp_path / "a") as draft:
        draft.write_text("one")
    assert len(touched) == 2
    assert entries(tmp_path) == ["a"]


def test_nothing_is_changed_where_nothing_was_written(tmp_path: Path, entries: Entries) -> None:
    for write in (new_file, new_folder):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with pytest.raises(UsageError, match="nothing was changed"), write(tmp_path / "a" / "b" / "c"):
            interrupt(0, full)
        assert entries(tmp_path) == []


def test_files_that_belong_together_are_written_both_or_neither(tmp_path: Path, entries: Entries) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(UsageError, match="is a folder"), new_file(tmp_path / "a"), new_file(tmp_path / "b"):
        pytest.fail("there is nothing to write to")
    assert entries(tmp_path) == ["b"]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "syncfs"), reason="Linux alone has it")
def test_many_files_are_flushed_at_once(tmp_path: Path, monkeypatch) -> None:
    synced = []
    monkeypatch.setattr(exchange, "_sync", synced.append)
    for folder, files in (("few", 3), ("many", exchange._MANY)):
        synced.clear()
        with new_folder(tmp_path / folder) as draft:
            for number in range(files):
                (draft / f"{number}.txt").touch()
        # Beside the files, the folder itself and the one that it is in.
        assert len(synced) == (1 if folder == "many" else files + 2)


def test_a_disk_that_fails_after_the_exchange_does_not_make_it_untrue(tmp_path: Path, monkeypatch) -> None:
    fill(tmp_path / "a", "old")
    sync = exchange._sync

    def failing(path: Path) -> None:
        if path == tmp_path:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(path)

    monkeypatch.setattr(exchange, "_sync", failing)
    fill(tmp_path / "a", "new")
    assert (tmp_path / "a" / "file").read_text() == "new"


def test_without_exchange_a_failed_rename_puts_the_old_folder_back(tmp_path: Path, monkeypatch) -> None:
    fill(tmp_path / "a", "old")
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if ".draft-" in path.name:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, target)

    monkeypatch.setattr(exchange, "_exchange", lambda _one, _other: False)
    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(UsageError, match="nothing was changed"):
        fill(tmp_path / "a", "new")
    assert (tmp_path / "a" / "file").read_text() == "old"


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path, entries: Entries) -> None:
    fill(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to("real")
    fill(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "file").read_text() == "new"
    assert entries(tmp_path) == ["link", "real"]


@pytest.mark.parametrize("write", [new_folder, new_file])
def test_a_link_to_itself_is_refused(tmp_path: Path, write) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match="a link to itself"), write(tmp_path / "loop"):
        pytest.fail("there is nothing to write to")
    recover(tmp_path / "loop")


@pytest.mark.parametrize("swap", ["exchange", "renames"])
def test_a_stale_previous_folder_never_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swap: str) -> None:
    if swap == "renames":
        monkeypatch.setattr(exchange, "_exchange", lambda _one, _other: False)
    fill(tmp_path / "a", "old")
    exchange._previous(tmp_path / "a").mkdir()
    fill(tmp_path / "a", "new")
    recover(tmp_path / "a")
    assert (tmp_path / "a" / "file").read_text() == "new"


def test_a_folder_is_as_open_as_the_umask_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        fill(tmp_path / "a", "one")
        with new_file(tmp_path / "b") as draft:
            draft.write_text("one")
    finally:
        assert os.umask(before) == 0o027
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o640


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, entries: Entries) -> None:
    target = tmp_path / "new" / "a.json"
    with new_file(target) as draft:
        draft.write_text("old")
    with pytest.raises(KeyboardInterrupt), new_file(target) as draft:
        interrupt(draft.write_text("ne"))
    assert target.read_text() == "old"
    assert entries(target.parent) == ["a.json"]


def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with new_file(tmp_path / "link") as draft:
        draft.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_folders_pipes_and_devices_are_not_replaced_by_a_file(tmp_path: Path, make) -> None:
    make(tmp_path / "a")
    with pytest.raises(UsageError, match="expected the path of a file to write"), new_file(tmp_path / "a"):
        pytest.fail("there is nothing to write to")
    assert not (tmp_path / "a").is_file()
