from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from schemas.errors import InputError
from schemas.input import opening
from schemas.input.files import digest_of, read_bytes, recorded_digests
from schemas.input.opening import stamps


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def written_into(path: Path, content: bytes) -> threading.Thread:
    def write() -> None:
        with contextlib.suppress(BrokenPipeError):
            path.write_bytes(content)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def test_a_pipe_is_read_to_its_end(pipe: Path) -> None:
    content = b"of more than a pipe holds at once\n" * 10_000
    thread = written_into(pipe, content)
    assert read_bytes(pipe) == content
    thread.join()


def test_a_pipe_is_read_up_to_a_limit(pipe: Path, refused) -> None:
    thread = written_into(pipe, b"x" * 200_000)
    (problem,) = refused(read_bytes, pipe, 1000)
    assert (problem.found, problem.expected) == ("more bytes", "at most 1,000 of a pipe")
    thread.join()


@pytest.mark.parametrize("read", [read_bytes, digest_of])
def test_a_pipe_that_nobody_writes_into_is_not_waited_for(pipe: Path, refused, monkeypatch, read) -> None:
    monkeypatch.setattr(opening, "_PATIENCE_S", 0.05)
    (problem,) = refused(read, pipe)
    assert problem.found == "a pipe that nobody writes into"


def test_standard_input_is_read_from_a_pipe_and_from_a_file(tmp_path: Path) -> None:
    code = "from pathlib import Path; from schemas.input.files import read_bytes; print(read_bytes(Path('/dev/stdin')))"
    (tmp_path / "file").write_bytes(b"content")
    with (tmp_path / "file").open("rb") as file:
        for given in ({"input": b"content"}, {"stdin": file}):
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, **given)
            assert done.stdout.strip() == b"b'content'"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_devices_are_refused_unread(refused, device: str) -> None:
    (problem,) = refused(read_bytes, Path(device))
    assert problem.found == "a device or socket"


def test_a_link_to_itself_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "loop"
    path.symlink_to(path)
    (problem,) = refused(read_bytes, path)
    assert "symbolic links" in problem.found


@pytest.mark.parametrize("head", [b"\0\0\0\0", b"[", b"PAR1", b"a,b\n"])
def test_gigabytes_of_zeros_are_not_read(tmp_path: Path, refused, head: bytes) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(head)
        file.truncate(2 * 1024**3)
    (problem,) = refused(read_bytes, path)
    assert problem.found == "zeros, no content"


def test_a_file_that_grows_or_changes_while_it_is_read_is_refused(tmp_path: Path, refused, monkeypatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"first")
    look = opening._refuse_hollow

    def meanwhile(*arguments: object) -> None:
        look(*arguments)
        with path.open("ab") as file:
            file.write(b" and more")

    monkeypatch.setattr(opening, "_refuse_hollow", meanwhile)
    (problem,) = refused(read_bytes, path)
    assert problem.found == "a file that changed while it was read"


def test_a_file_that_is_cut_after_it_was_read_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100_000)
    content = read_bytes(path)
    os.truncate(path, 0)
    assert content.count(b"x") == 100_000


def test_a_second_reading_must_find_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with recorded_digests():
        read_bytes(path)
        read_bytes(path)
        path.write_text("new")
        with pytest.raises(InputError, match="changed while it was read"):
            read_bytes(path)


def test_stamps_see_what_keeps_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    before = stamps(path), stamps(tmp_path)
    assert (stamps(path), stamps(tmp_path)) == before
    status = path.stat()
    other = tmp_path / "other"
    other.write_text("new")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)
    assert stamps(path) != before[0]
    assert stamps(tmp_path) != before[1]
    assert stamps(tmp_path / "none") == {}
