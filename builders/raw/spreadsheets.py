"""Sheets of xlsx workbooks of unknown origin: one table of cells, below a header that must be the one expected.

calamine reads the cells, of parts that were looked through before: it would fill a table of any size between two cells
far apart, and show nothing for an error, a formula without its value, a value beside a comment or a cell out of order.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from schemas.errors import InputError, Problem, shown
from schemas.input.files import MEBIBYTE, read_bytes
from schemas.input.problems import raise_any
from schemas.input.xml import parsed

# The largest real workbook has 44 KB, unpacked 290 KB; its cells would take 1 MB if each held its longest text.
_PACKED_LIMIT, _UNPACKED_LIMIT, _TEXT_LIMIT = 4 * MEBIBYTE, 16 * MEBIBYTE, 64 * MEBIBYTE

_WORKBOOK, _AGAIN = "an xlsx workbook", "obtain the file again"
_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)
# Parts of ECMA-376, part 1, 12.3 that lead to cells; without the styles, which would make dates of numbers.
_PART = re.compile(
    r"_rels/\.rels|xl/(workbook\.xml|_rels/workbook\.xml\.rels|sharedStrings\.xml|worksheets/[^/]+\.xml)"
)
_CELL = re.compile(rb"""<(?:[\w.-]+:)?c(?=[\s/>])(?:[^<>]*?\sr\s*=\s*["']([^"'<>]*))?""")
_PLACE = re.compile(rb"([A-Z])([1-9][0-9]{0,4})")
# What a sheet with an error or a formula has, and hardly any other; finding it takes a tenth of the time of parsing.
_SUSPECT = (b'"e"', b"'e'", b"<f", b":f")


class Row(NamedTuple):
    """One row: its number in the sheet, from 1, and its cells: text (empty where blank), float or bool."""

    number: int
    cells: Sequence[object]


def read_sheet(path: Path, sheet: str, header: Sequence[str]) -> list[Row]:
    """The rows of a sheet below its header, blank rows left out.

    Args:
        path: the workbook.
        sheet: name of the sheet; no values of other sheets are read.
        header: the texts of row 1, empty for a column without name. Columns in another order are refused, though they
            could be found by name: such a file was not written by the authors.

    Raises:
        InputError: no file; not a workbook, or one protected by a password, too large, with a document type or a
            comment; no sheet of that name; another header; in any sheet a cell beyond Z99999 or out of order, an error
            or a formula without its value.
    """
    import python_calamine

    try:
        with python_calamine.CalamineWorkbook.from_filelike(_checked(path)) as workbook:
            if sheet not in workbook.sheet_names:
                advice = f"rename it back to {sheet}" if workbook.sheet_names else _AGAIN
                listing = ", ".join(map(shown, workbook.sheet_names)) or "none"
                raise InputError(Problem(str(path), "", "sheets", listing, f"a sheet {shown(sheet)}", advice))
            table = workbook.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except (python_calamine.CalamineError, *_DAMAGE) as failure:
        raise InputError(Problem(str(path), "", "", shown(str(failure)), _WORKBOOK, _AGAIN)) from None
    _check_header(path, [str(cell).strip() for cell in table[0]] if table else [], list(header))
    rows = [Row(number, cells) for number, cells in enumerate(table[1:], 2) if not all(map(is_blank, cells))]
    for number, cells in rows:
        if not all(cell == "" for cell in cells[len(header) :]):
            expected = f"{len(header)} columns, as in row 1"
            raise InputError(Problem(str(path), f"row {number}", "", f"{cells[len(header) :]} beyond them", expected))
    return [Row(number, cells[: len(header)]) for number, cells in rows]


def is_blank(cell: object) -> bool:
    """Whether a cell is empty, or of white space only."""
    return isinstance(cell, str) and not cell.strip()


def _check_header(path: Path, found: list[str], header: list[str]) -> None:
    if found[: len(header)] == header and not any(found[len(header) :]):
        return
    lacking, unknown = [n for n in header if n not in found], [n for n in found if n not in header]
    parts = [f"missing: {', '.join(map(shown, lacking))}"] if lacking else []
    parts += [f"unknown: {', '.join(map(shown, unknown))}"] if unknown else []
    if not parts and len(found) == len(header):
        parts = ["the same columns in another order: restore the order"]
    raise InputError(Problem(str(path), "row 1", "", shown(found), f"the columns {header}", "; ".join(parts)))


def _checked(path: Path) -> io.BytesIO:
    """The parts of a workbook that lead to cells, packed again, so that calamine gets the bytes that were checked."""
    result = io.BytesIO()
    n_cells, longest = 0, 0
    with zipfile.ZipFile(result, "w") as again:
        for name, content in _parts(path).items():
            if b"<!" in content or b"\0" in content:
                expected, advice = "plain elements in UTF-8", "remove document types, comments and CDATA sections"
                raise InputError(Problem(str(path), f"part {shown(name)}", "", "<! or NUL", expected, advice))
            if name.startswith("xl/worksheets/"):
                n_cells += _checked_cells(str(path), f"part {shown(name)}", content)
            if name == "xl/sharedStrings.xml":
                longest = max(map(len, content.split(b"<si")))
            again.writestr(name, content)
    if n_cells * longest > _TEXT_LIMIT:
        found = f"a text of {longest:,} bytes that {n_cells:,} cells may show"
        raise InputError(Problem(str(path), "", "", found, f"at most {_TEXT_LIMIT:,} bytes in all"))
    result.seek(0)
    return result


def _parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(read_bytes(path, _PACKED_LIMIT))) as packed:
        # Other ways of packing unpack more than they are asked for, and so does reading a part without its size.
        plain = [member for member in packed.infolist() if member.compress_type in (0, zipfile.ZIP_DEFLATED)]
        members = [member for member in plain if _PART.fullmatch(member.filename)]
        size = sum(member.file_size for member in members)
        if size > _UNPACKED_LIMIT:
            raise InputError(Problem(str(path), "", "", f"{size:,} bytes unpacked", f"at most {_UNPACKED_LIMIT:,}"))
        return {member.filename: packed.open(member).read(member.file_size + 1) for member in members}


def _checked_cells(file: str, record: str, content: bytes) -> int:
    """How many cells a sheet has, none of which calamine would misplace or show blank."""
    places, last = _CELL.findall(content), (0, b"")
    for place in places:
        parts = _PLACE.fullmatch(place)
        if not parts or (position := (int(parts[2]), parts[1])) <= last:
            found = f"a cell at {shown(place.decode(errors='replace') or 'nowhere')}"
            raise InputError(Problem(file, record, "", found, "cells from A1 to Z99999, in this order, each once"))
        last = position
    if any(mark in content for mark in _SUSPECT):
        raise_any(list(_hidden(file, parsed(content.decode(), file, record))))
    return len(places)


def _hidden(file: str, sheet: Element) -> Iterator[Problem]:
    for cell in sheet.iterfind(".//{*}c"):
        formula, value = cell.findtext("{*}f"), cell.findtext("{*}v")
        if cell.get("t") == "e" or (formula is not None and not value):
            text = "an error without a name" if formula is None else f"={formula} without a value"
            yield Problem(file, f"cell {cell.get('r')}", "", shown(value or text), "a value")
