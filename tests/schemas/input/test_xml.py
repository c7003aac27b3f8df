from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from schemas.input.xml import read_root, required_attribute, required_child, required_text

EXTERNAL = '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<a>&x;</a>'
LAUGHS = (
    '<!DOCTYPE a [<!ENTITY l0 "ha">'
    + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    + "]><a>&l9;</a>"
)


def test_reads_text_attributes_and_unicode(text_file) -> None:
    root = read_root(text_file('<?xml version="1.0" encoding="utf-8"?><a id="ñ"><b> Zoë\n</b></a>'), "a")
    assert required_attribute(root, "id", "f", "") == "ñ"
    assert required_text(root, "b", "f", "") == "Zoë"


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (EXTERNAL, 2, "<!DOCTYPE"),
        (LAUGHS, 1, "<!DOCTYPE"),
        ('<!DOCTYPE a SYSTEM "http://example.invalid/a.dtd"><a/>', 1, "<!DOCTYPE"),
        ('<a>\n<!ENTITY x "y"></a>', 2, "<!ENTITY"),
    ],
)
def test_refuses_declarations_before_parsing(text_file, refused, text: str, line: int, found: str) -> None:
    (problem,) = refused(read_root, text_file(text), "a")
    assert (problem.record, problem.found) == (f"line {line}", found)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp037"])
@pytest.mark.parametrize("text", [EXTERNAL, LAUGHS])
def test_no_encoding_hides_a_declaration(tmp_path: Path, refused, encoding: str, text: str) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(text.encode(encoding))
    (problem,) = refused(read_root, path, "a")
    assert problem.expected in ("UTF-8 text", "plain elements only")


@pytest.mark.parametrize("encoding", ["iso-8859-1", "Windows-1252", "GB2312", "shift_jis", "big5", "koi8-r"])
@pytest.mark.parametrize("text", [EXTERNAL, LAUGHS])
def test_no_declared_encoding_hides_a_declaration(tmp_path: Path, refused, encoding: str, text: str) -> None:
    path = tmp_path / "a.xml"
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
    path.write_bytes((declaration + text.removeprefix('<?xml version="1.0"?>')).encode(encoding))
    (problem,) = refused(read_root, path, "a")
    assert problem.found == "<!DOCTYPE"


@pytest.mark.parametrize("encoding", ["utf-7", "unicode_escape", "punycode", "idna", "rot13", "base64", "no-such"])
def test_encodings_that_no_annotation_tool_writes_are_refused(text_file, refused, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + LAUGHS.replace("<!", "+ADwAIQ-")
    (problem,) = refused(read_root, text_file(text), "a")
    assert (problem.record, problem.field, problem.found) == ("line 1", "encoding", repr(encoding))


def test_a_nul_is_refused_before_parsing(text_file, refused) -> None:
    (problem,) = refused(read_root, text_file("<a>\n\0</a>"), "a")
    assert (problem.record, problem.found) == ("line 2", "a NUL character")


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        ("UTF-8", "Zoë 人"),
        ("utf-8-sig", "Zoë 人"),
        ("UTF-16", "Zoë 人"),
        ("ISO-8859-1", "Zoë"),
        ("windows-1251", "кот"),
        ("GBK", "行人"),
        ("Shift_JIS", "犬"),
        ("euc-kr", "개"),
    ],
)
def test_text_is_read_in_the_encoding_that_it_declares(tmp_path: Path, encoding: str, word: str) -> None:
    path = tmp_path / "a.xml"
    declared = encoding.removesuffix("-sig")
    path.write_bytes(f"<?xml version='1.0' encoding='{declared}'?>\n<a>{word}</a>".encode(encoding))
    assert read_root(path, "a").text == word


def test_text_that_calls_itself_utf16_but_is_not_is_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes('<?xml version="1.0" encoding="utf-16"?><a>Zoë</a>'.encode())
    assert read_root(path, "a").text == "Zoë"


def test_bytes_that_are_not_in_the_declared_encoding_are_named(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b'<?xml version="1.0" encoding="ascii"?><a>\xe9</a>')
    (problem,) = refused(read_root, path, "a")
    assert (problem.record, problem.expected) == ("byte 41", "text in ascii")


@pytest.mark.parametrize(
    ("text", "record", "found"),
    [
        ("<a><b></a>", "line 1 column 8", "mismatched tag"),
        ("<a>\n&x;</a>", "line 2 column 0", "undefined entity"),
        ("<a>\n", "line 2 column 0", "no element found"),
        ("<a/><a/>", "line 1 column 4", "junk after document element"),
        ("hello", "line 1 column 0", "syntax error"),
    ],
)
def test_malformed_text_names_line_and_column(text_file, refused, text: str, record: str, found: str) -> None:
    (problem,) = refused(read_root, text_file(text), "a")
    assert (problem.record, problem.found, problem.expected) == (record, found, "well-formed XML")


def test_refuses_another_root(text_file, refused) -> None:
    (problem,) = refused(read_root, text_file("<b/>"), "a")
    assert (problem.found, problem.expected) == ("<b>", "<a>")


def test_refuses_more_than_a_megabyte(text_file, refused) -> None:
    (problem,) = refused(read_root, text_file(f"<a>{'x' * 1_000_000}</a>"), "a")
    assert problem.found == "1,000,007 bytes"


def test_deep_nesting_within_the_limit_is_harmless(text_file) -> None:
    depth = 140_000
    root = read_root(text_file("<a>" * depth + "</a>" * depth), "a")
    assert len(root) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [("<a/>", "nothing"), ("<a><b>1</b><b>2</b></a>", "2 elements")],
)
def test_a_child_must_be_there_once(refused, text: str, found: str) -> None:
    (problem,) = refused(required_child, ElementTree.fromstring(text), "b", "f", "r")
    assert (problem.file, problem.record, problem.field, problem.found) == ("f", "r", "b", found)


@pytest.mark.parametrize(
    ("text", "found"),
    [("<a><b/></a>", "nothing"), ("<a><b> \n</b></a>", "nothing"), ("<a><b>x<c/></b></a>", "elements")],
)
def test_text_must_be_there(refused, text: str, found: str) -> None:
    (problem,) = refused(required_text, ElementTree.fromstring(text), "b", "f", "r")
    assert (problem.field, problem.found, problem.expected) == ("b", found, "text")


@pytest.mark.parametrize(("text", "found"), [("<a/>", "nothing"), ('<a id=""/>', "''")])
def test_an_attribute_must_be_there(refused, text: str, found: str) -> None:
    (problem,) = refused(required_attribute, ElementTree.fromstring(text), "id", "f", "r")
    assert (problem.field, problem.found) == ("a/@id", found)
