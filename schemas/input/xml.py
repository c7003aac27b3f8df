"""Small XML files of unknown origin: no entity is ever expanded, no encoding trick hides one."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from schemas.errors import InputError, Problem
from schemas.input.files import read_text

# The real SSBD and PASCAL VOC files have 0.5 to 10 KB.
XML_LIMIT = 1_000_000

# A NUL is refused too: UTF-16 without a byte order mark is valid UTF-8 full of NULs, and expat would recognise it and
# read it as UTF-16 whatever encoding is named.
_UNSAFE = re.compile(r"<!DOCTYPE|<!ENTITY|\0")


def read_root(path: Path, tag: str) -> ElementTree.Element:
    """The root element, named `tag`, of an XML file.

    The bytes are decoded as UTF-8 before anything looks at them, and the parser is given the resulting text, which
    makes it ignore the encoding that the file declares.

    Raises:
        InputError: the file cannot be opened, exceeds 1 MB, is not UTF-8, has another root, or as `parsed`.
    """
    root = parsed(read_text(path, XML_LIMIT), str(path))
    if root.tag != tag:
        raise InputError(Problem(str(path), "", "root element", f"<{root.tag}>", f"<{tag}>"))
    return root


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
