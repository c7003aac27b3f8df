from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InputError
from schemas.input.files import (
    MEBIBYTE,
    check_utf8,
    digest_of,
    files_in,
    path_text,
    read_bytes,
    read_lines,
    read_text,
    recorded_digests,
)

# `check_utf8` decodes a mebibyte at a time.
CHUNK = MEBIBYTE


def test_reads_bytes_text_and_size(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Piñata\r\n".encode())
    assert read_bytes(path, 9) == "Piñata\r\n".encode()
    assert read_text(path) == "Piñata\r\n"


def test_refuses_a_file_over_the_limit_by_its_size(tmp_path: Path, refused) -> None:
    path = tmp_path / "garbage"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)
    (problem,) = refused(read_bytes, path, 1000)
    assert problem.file == str(path)
    assert problem.found == "2,147,483,648 bytes"
    assert problem.expected == "at most 1,000 for this format"


def test_nothing_a_folder_and_an_empty_file_are_refused(tmp_path: Path, refused) -> None:
    (tmp_path / "empty").touch()
    for path, found in ((tmp_path / "none", "no such file or directory"), (tmp_path, "a directory")):
        assert [problem.found for problem in refused(read_bytes, path)] == [found]
    assert [problem.found for problem in refused(read_bytes, tmp_path / "empty")] == ["an empty file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "secret"
    path.write_text("x")
    path.chmod(0)
    (problem,) = refused(read_bytes, path, 1000)
    assert problem.found == "permission denied"


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, refused, name: str) -> None:
    (problem,) = refused(read_bytes, tmp_path / name, 1000)
    assert problem.expected == "a readable file"


@pytest.mark.parametrize("content", [b"abc\xff", b"abc\xe2\x80", b"abc\xed\xa0\x80"])
def test_names_the_byte_that_is_not_utf8(tmp_path: Path, refused, content: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    (problem,) = refused(read_text, path)
    assert (problem.record, problem.expected) == ("byte 3", "UTF-8 text")


def test_the_byte_order_mark_of_utf8_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfname\n")
    assert read_text(path) == "name\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_the_byte_order_marks_of_other_encodings_are_known(refused, encoding: str) -> None:
    mark = "\ufeff".encode("utf-16-be") if encoding == "utf-16-be" else b""
    (problem,) = refused(check_utf8, "f", mark + "[]".encode(encoding))
    assert (problem.record, problem.found) == ("byte 0", "a byte order mark of UTF-16")
    check_utf8("f", b"[]")


@pytest.mark.parametrize("text", ["a\nb", "a\nb\n", "a\nb\n\n"])
def test_lines_end_with_or_without_a_newline_or_with_one_blank_line(text_file, text: str) -> None:
    assert read_lines(text_file(text)) == ["a", "b"]


def test_other_blank_lines_and_line_separators_stay(text_file) -> None:
    assert read_lines(text_file("a\n\nb\u2028c\x85d\n\n\n")) == ["a", "", "b\u2028c\x85d", ""]


def test_refuses_carriage_returns_naming_the_first_line(text_file, refused) -> None:
    (problem,) = refused(read_lines, text_file("a\nb\r\nc\r\n"))
    assert (problem.record, problem.found) == ("line 2", "a carriage return")


@pytest.mark.parametrize("offset", [0, 5, CHUNK - 2, CHUNK - 1, CHUNK, 2 * CHUNK + 7])
@pytest.mark.parametrize("bad", [b"\xff", b"\xe2\x80", b"\xf0\x9f\x98"])
def test_checks_content_across_chunk_borders(tmp_path: Path, refused, offset: int, bad: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"a" * offset + bad + b"z" * 10)
    (problem,) = refused(check_utf8, str(path), read_bytes(path, 10**9))
    assert problem.record == f"byte {offset}"


@given(st.integers(CHUNK - 4, CHUNK + 1), st.text(st.characters(codec="utf-8"), min_size=1, max_size=4))
def test_characters_that_straddle_chunks_are_not_an_error(tmp_path_factory, before: int, text: str) -> None:
    path = tmp_path_factory.mktemp("utf8") / "a.json"
    path.write_bytes(b"a" * before + text.encode())
    check_utf8(str(path), read_bytes(path, 10**9))


def test_lists_files_by_name_without_dot_files(tmp_path: Path) -> None:
    for name in ("b.xml", "a.xml", "._a.xml", ".hidden.xml", "readme.txt"):
        (tmp_path / name).write_text("x")
    assert [path.name for path in files_in(tmp_path, ".xml")] == ["a.xml", "b.xml"]


def test_refuses_a_folder_that_is_missing_empty_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for folder, found in ((tmp_path / "none", "no such file"), (tmp_path, "no *.xml file"), (file, "a file")):
        with pytest.raises(InputError, match=f"found {found.replace('*', '.')}"):
            files_in(folder, ".xml")


def test_names_that_are_not_utf8_are_refused_together_and_shown_by_their_bytes(tmp_path: Path, refused) -> None:
    """They would become names of samples; POSIX allows any bytes in them."""
    for name in (b"\xe9t\xe9.xml", b"a\xff.xml", "ñ.xml".encode(), b"\xff.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    problems = refused(files_in, tmp_path, ".xml")
    assert [str(problem) for problem in problems] == [
        f"{tmp_path}/{name}: file name: found b'{name}', expected a name in UTF-8 (rename the file)"
        for name in ("a\\xff.xml", "\\xe9t\\xe9.xml")
    ]


@given(st.binary(min_size=1).filter(lambda name: b"\0" not in name))
def test_any_path_is_text_that_can_be_stored(name: bytes) -> None:
    text = path_text(Path(os.fsdecode(name)))
    assert text.encode().decode() == text


def test_paths_that_are_text_stay_as_they_are() -> None:
    assert path_text(Path("фото/ñ.xml")) == "фото/ñ.xml"


def test_digests_of_what_was_read_need_no_second_look(tmp_path: Path, opens) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("b.txt", "a.txt", ".hidden"):
        (folder / name).write_text(f"of {name}\n")
    lines = "".join(
        f"{hashlib.sha256(f'of {name}{chr(10)}'.encode()).hexdigest()} {name}\n" for name in ("a.txt", "b.txt")
    )
    before = digest_of(folder)
    assert before == hashlib.sha256(lines.encode()).hexdigest()
    with opens(folder) as opened, recorded_digests():
        read_text(folder / "a.txt")
        read_bytes(folder / "b.txt")
        assert digest_of(folder) == before
        assert digest_of(folder / "a.txt") == hashlib.sha256(b"of a.txt\n").hexdigest()
    assert opened == {folder / "a.txt": 1, folder / "b.txt": 1}


def test_a_digest_is_of_what_was_read_and_only_inside(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with recorded_digests():
        read_bytes(path)
        path.write_text("new")
        assert digest_of(path) == hashlib.sha256(b"old").hexdigest()
    assert digest_of(path) == hashlib.sha256(b"new").hexdigest()


def test_what_cannot_be_read_has_no_digest(tmp_path: Path, refused) -> None:
    (problem,) = refused(digest_of, tmp_path / "none")
    assert problem.found == "no such file or directory"
