"""Sheets of xlsx workbooks of unknown origin: one table of cells, below a header that must be the one expected.

A workbook is a zip of XML parts (ECMA-376, part 1, 12.3 and 18.3). Only the parts that hold the sheet are unpacked, and
none beyond a size, so that a small file cannot ask for much memory.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple
from xml.etree.ElementTree import Element

from schemas.errors import InputError, Problem, shown
from schemas.input.files import MEBIBYTE, read_bytes
from schemas.input.xml import parsed

# The largest real workbook has 44 KB, its largest part 230 KB. An element takes 20 times the memory of its text.
_PACKED_LIMIT = 4 * MEBIBYTE
_PART_LIMIT = 8 * MEBIBYTE

_WORKBOOK, _AGAIN = "an xlsx workbook", "obtain the file again"
_TEXTS = "xl/sharedStrings.xml"
_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)
_PLACE = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")


class Row(NamedTuple):
    """One row: its number in the sheet, from 1, and its cells: text (empty where blank), float or bool.

    An error is its text (`#REF!`), and a formula without a stored value is its own text and a remark.
    """

    number: int
    cells: Sequence[object]


def read_sheet(path: Path, sheet: str, header: Sequence[str]) -> list[Row]:
    """The rows of a sheet below its header, blank rows left out.

    Args:
        path: the workbook.
        sheet: name of the sheet; other sheets are not read.
        header: the texts of row 1, at most 26, empty for a column without name. Columns in another order are refused,
            though they could be found by name: such a file was not written by the authors.

    Raises:
        InputError: no file; not a workbook, or one protected by a password, with a part that is too large, not well
            formed or holds a document type; no sheet of that name; another header; a cell without its value.
    """
    content = io.BytesIO(read_bytes(path, _PACKED_LIMIT))
    try:
        with zipfile.ZipFile(content) as workbook:
            rows = _rows(str(path), _sheet_named(sheet, path, workbook), _shared_texts(path, workbook))
    except _DAMAGE as failure:
        raise InputError(Problem(str(path), "", "", shown(str(failure)), _WORKBOOK)) from None
    columns = ascii_uppercase[: len(header)]
    names = dict.fromkeys(columns, "") | rows.pop(1, {})
    _check_header(path, [str(name).strip() for name in names.values()], header)
    for number, cells in rows.items():
        beyond = [f"{column}{number}" for column in cells if column not in columns]
        if beyond:
            expected = f"{len(header)} columns, as in row 1"
            raise InputError(Problem(str(path), f"row {number}", "", f"a cell at {beyond[0]}", expected))
    return [
        Row(number, [cells.get(column, "") for column in columns])
        for number, cells in sorted(rows.items())
        if not all(map(is_blank, cells.values()))
    ]


def is_blank(cell: object) -> bool:
    """Whether a cell is empty, or of white space only."""
    return isinstance(cell, str) and not cell.strip()


def _check_header(path: Path, found: Sequence[str], header: Sequence[str]) -> None:
    if list(found) == list(header):
        return
    lacking, unknown = [n for n in header if n not in found], [n for n in found if n not in header]
    parts = [f"missing: {', '.join(map(shown, lacking))}"] if lacking else []
    parts += [f"unknown: {', '.join(map(shown, unknown))}"] if unknown else []
    if not parts and len(found) == len(header):
        parts = ["the same columns in another order: restore the order"]
    raise InputError(Problem(str(path), "row 1", "", shown(found), f"the columns {list(header)}", "; ".join(parts)))


def _sheet_named(sheet: str, path: Path, workbook: zipfile.ZipFile) -> Element:
    """The part that holds the cells of a sheet."""
    listed = _part("xl/workbook.xml", path, workbook).iterfind("sheets/sheet")
    # The relation's name is an attribute `r:id`, of one namespace or another.
    ids = {each.get("name", ""): [value for key, value in each.items() if key.endswith("}id")] for each in listed}
    if sheet not in ids:
        advice = f"rename it back to {sheet}" if ids else _AGAIN
        listing = ", ".join(map(shown, ids)) or "none"
        raise InputError(Problem(str(path), "", "sheets", listing, f"a sheet {shown(sheet)}", advice))
    relations = _part("xl/_rels/workbook.xml.rels", path, workbook).iterfind("Relationship")
    target = next((each.get("Target", "") for each in relations if each.get("Id") in ids[sheet]), "")
    return _part(posixpath.normpath(posixpath.join("/xl", target)).lstrip("/"), path, workbook)


def _shared_texts(path: Path, workbook: zipfile.ZipFile) -> list[str]:
    if _TEXTS not in workbook.namelist():
        return []
    return [_text(item) for item in _part(_TEXTS, path, workbook).iterfind("si")]


def _part(name: str, path: Path, workbook: zipfile.ZipFile) -> Element:
    """The root element of a part, tags without their namespace: there are two, and finding by tag alone is fast."""
    record = f"part {shown(name)}"
    if name not in workbook.namelist():
        raise InputError(Problem(str(path), record, "", "no such part", _WORKBOOK, _AGAIN))
    member = workbook.getinfo(name)
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(Problem(str(path), record, "", "encrypted or oddly packed", _WORKBOOK))
    if member.file_size > _PART_LIMIT:
        found, expected = f"{member.file_size:,} bytes unpacked", f"at most {_PART_LIMIT:,}"
        raise InputError(Problem(str(path), record, "", found, expected))
    # `zipfile` never gives more bytes of a part than the size that was checked.
    root = parsed(workbook.read(member).decode(), str(path), record)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _rows(file: str, sheet: Element, texts: Sequence[str]) -> dict[int, dict[str, object]]:
    """Number of the row, from 1, and letters of the column -> the cells that hold something."""
    rows: dict[int, dict[str, object]] = {}
    for cell in sheet.iter("c"):
        place = _PLACE.fullmatch(cell.get("r", ""))
        row = rows.setdefault(int(place[2]), {}) if place else {}
        if place is None or place[1] in row:
            found = shown(cell.get("r", "nowhere"))
            raise InputError(Problem(file, "", "", f"a cell at {found}", "cells at places such as B2, each once"))
        value = _value(file, cell, texts)
        if value != "":
            row[place[1]] = value
    return rows


def _value(file: str, cell: Element, texts: Sequence[str]) -> object:
    kind, stored = cell.get("t", "n"), cell.findtext("v")
    if kind == "inlineStr":
        return _text(cell.find("is"))
    if not stored:
        formula = cell.find("f")
        remark = "" if formula is None else f"={formula.text or ''} without a value"
        return "an error without a name" if kind == "e" else remark
    try:
        if kind == "s":
            return texts[int(stored) if stored.isdecimal() else len(texts)]
        return float(stored) if kind == "n" else {"0": False, "1": True}[stored] if kind == "b" else stored
    except (ValueError, LookupError):
        expected = {"s": f"the number of one of {len(texts)} texts", "b": "0 or 1"}.get(kind, "a number")
        raise InputError(Problem(file, f"cell {cell.get('r')}", "", shown(stored), expected)) from None


def _text(item: Element | None) -> str:
    """The text of a cell, of one piece or of several with formats of their own; not how it is pronounced."""
    pieces = [] if item is None else [*item.iterfind("t"), *item.iterfind("r/t")]
    return "".join(piece.text or "" for piece in pieces)
