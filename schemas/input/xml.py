"""Small XML files of unknown origin: no entity is ever expanded, no encoding trick hides one."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from xml.etree import ElementTree

from schemas.errors import InputError, Problem, shown
from schemas.input.files import check_utf8, mark_length, read_bytes

# The real SSBD and PASCAL VOC files have 0.5 to 10 KB.
XML_LIMIT = 1_000_000

_DECLARED = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._:-]+)[\"']")
# Encodings of text, by the names that Python has for them; its others are slow on purpose-made input.
_ENCODINGS = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gb2312|gbk|gb18030|hz|big5\w*|shift_jis\w*|euc_\w+|iso2022\w+"
)

# A NUL is refused too: UTF-16 without a byte order mark is valid UTF-8 full of NULs, and expat would recognise it and
# read it as UTF-16 whatever encoding is named.
_UNSAFE = re.compile(r"<!DOCTYPE|<!ENTITY|\0")


def read_root(path: Path, tag: str) -> ElementTree.Element:
    """The root element, named `tag`, of an XML file.

    The bytes are decoded before anything looks at them, and the parser is given the resulting text, which makes it
    ignore the encoding that the file declares.

    Raises:
        InputError: the file cannot be opened, exceeds 1 MB, has another root, or as `decoded` and `parsed`.
    """
    root = parsed(decoded(read_bytes(path, XML_LIMIT), str(path)), str(path))
    if root.tag != tag:
        raise InputError(Problem(str(path), "", "root element", f"<{root.tag}>", f"<{tag}>"))
    return root


def decoded(content: bytes, file: str) -> str:
    """The text of an XML file: in UTF-16 or UTF-8 by its byte order mark, else as it declares, else in UTF-8.

    Raises:
        InputError: another encoding is declared than those of text in use, or the content is not in it.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _text(content, "utf-16", file)
    declared = None if mark_length(content) else _DECLARED.match(content)
    # What can be read as ASCII is not in UTF-16, whatever it says: text in memory was saved with its declaration.
    name = declared[1].decode() if declared else "utf-8"
    name = "utf-8" if name.lower().startswith(("utf-16", "utf16")) else name
    try:
        known = codecs.lookup(name).name
    except LookupError:
        known = ""
    if not _ENCODINGS.fullmatch(known):
        raise InputError(Problem(file, "line 1", "encoding", shown(name), "an encoding in use, such as UTF-8"))
    if known == "utf-8":
        check_utf8(file, content)
    return _text(content, "utf-8-sig" if known == "utf-8" else known, file)


def _text(content: bytes, encoding: str, file: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as failure:
        found = shown(content[failure.start : failure.end])
        raise InputError(Problem(file, f"byte {failure.start}", "", found, f"text in {encoding}")) from None


def parsed(text: str, file: str, part: str = "") -> ElementTree.Element:
    """The root element of an XML text; `part` says of which part of the file, for errors.

    A document type or entity declaration anywhere is refused: annotation files need none, and both external entities
    and exponential expansion depend on one.

    Raises:
        InputError: a declaration or NUL, or a text that is not well-formed (names line and column).
    """
    # Most files hold neither, and looking for these costs a seventh of the search.
    unsafe = _UNSAFE.search(text) if "<!" in text or "\0" in text else None
    if unsafe:
        record = f"{part} line {text.count(chr(10), 0, unsafe.start()) + 1}".strip()
        if unsafe[0] == "\0":
            raise InputError(Problem(file, record, "", "a NUL character", "UTF-8 text", "perhaps the file is UTF-16"))
        advice = "such declarations can read other files or exhaust memory; remove it"
        raise InputError(Problem(file, record, "", unsafe[0], "plain elements only", advice))
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        record, reason = f"{part} line {line} column {column}".strip(), str(error).partition(":")[0]
        raise InputError(Problem(file, record, "", reason, "well-formed XML")) from None


def required_child(parent: ElementTree.Element, tag: str, file: str, record: str) -> ElementTree.Element:
    """The only child of `parent` named `tag`.

    Raises:
        InputError: there is none, or more than one.
    """
    children = parent.findall(tag)
    if len(children) != 1:
        found = f"{len(children)} elements" if children else "nothing"
        raise InputError(Problem(file, record, tag, found, "one element"))
    return children[0]


def required_text(parent: ElementTree.Element, tag: str, file: str, record: str) -> str:
    """The text of the only child of `parent` named `tag`, without white space around it.

    Raises:
        InputError: there is no such child, more than one, or one without text.
    """
    child = required_child(parent, tag, file, record)
    text = (child.text or "").strip()
    if len(child) or not text:
        raise InputError(Problem(file, record, tag, "elements" if len(child) else "nothing", "text"))
    return text


def required_attribute(element: ElementTree.Element, name: str, file: str, record: str) -> str:
    """The value of an attribute that must be there and not be empty.

    Raises:
        InputError: it is missing or empty.
    """
    value = element.get(name)
    if not value:
        raise InputError(Problem(file, record, f"{element.tag}/@{name}", "nothing" if value is None else "''", "text"))
    return value
