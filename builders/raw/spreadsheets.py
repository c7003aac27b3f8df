"""Sheets of xlsx workbooks from strangers: one table of cells, below a header that must be the one expected.

calamine reads the cells. It keeps every cell between the outermost ones in memory, and a copy of a shared text for each
cell that shows it, so that a small file could ask for any amount of memory: what it will take is bounded before it sees
the file, and it sees only the bytes that were counted.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from schemas.errors import InputError, Problem, shown
from schemas.input.files import MEBIBYTE, read_bytes

# The largest real workbook (JRDB-PAR) has 44 KB, unpacked 290 KB in 17 parts.
_PACKED_LIMIT = 4 * MEBIBYTE
_UNPACKED_LIMIT = 16 * MEBIBYTE
_MOST_PARTS = 1000
_TEXT_LIMIT = 64 * MEBIBYTE

_NO_WORKBOOK, _AGAIN = "an xlsx workbook", "obtain the file again"
# calamine drops the text beside a comment, and all that a CDATA section holds.
_UNSAFE = re.compile(rb"<!(?:--|\[CDATA\[|[A-Za-z]*)|\0")
# Places beyond column Z or row 99,999, on a cell or a row.
_FAR = re.compile(rb"""\br\s*=\s*["']\s*([A-Za-z]{2,}[0-9]+|[A-Za-z]*[0-9]{6,})""")
_SHARED_TEXT = re.compile(rb"<(?:[\w.-]+:)?si\b")
_VALUE = re.compile(rb"<(?:[\w.-]+:)?v\b")
_TEXT_OF_VALUE = re.compile(rb"<(?:[\w.-]+:)?v\b[^<>]*>([^<]+)")
_FORMULA = re.compile(rb"<(?:[\w.-]+:)?f\b[^<>]*>([^<]*)")
_TYPE = re.compile(rb"""\st\s*=\s*["'][^"'<>]*["']""")
_ERROR = re.compile(rb"""\st\s*=\s*["']e["']""")
_CELL = re.compile(
    rb"<((?:[\w.-]+:)?)c(\s[^<>/]*)?"  # prefix, attributes
    rb"(?:/>|>([^<]*(?:<(?!/?\1c[\s/>])[^<]*)*+)</\1c\s*>)"  # elements within
)


class Row(NamedTuple):
    """One row: its number in the sheet, from 1, and its cells: text (empty where blank), float, bool or a time.

    An error is its text (`#REF!`), and a formula without a stored value is its own text and a remark.
    """

    number: int
    cells: Sequence[object]


def read_sheet(path: Path, sheet: str, header: Sequence[str]) -> list[Row]:
    """The rows of a sheet below its header, blank rows left out.

    Args:
        path: the workbook.
        sheet: name of the sheet; other sheets are not read.
        header: the texts of row 1, empty for a column without name. Columns in another order are refused, though they
            could be told apart by name: such a file was not written by the authors.

    Raises:
        InputError: no file, no workbook, a workbook protected by a password, one that holds a document type or would
            take too much memory; no sheet of that name; another header.
    """
    import python_calamine

    content = _checked_content(path)
    try:
        with python_calamine.CalamineWorkbook.from_filelike(content) as workbook:
            names = workbook.sheet_names
            if sheet not in names:
                advice = f"rename it back to {sheet}" if names else _AGAIN
                listing = ", ".join(map(shown, names)) or "none"
                raise InputError(Problem(str(path), "", "sheets", listing, f"a sheet {shown(sheet)}", advice))
            cells = workbook.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except python_calamine.WorksheetNotFound:
        found = "no part that holds its cells"
        raise InputError(Problem(str(path), f"sheet {shown(sheet)}", "", found, _NO_WORKBOOK, _AGAIN)) from None
    except (python_calamine.CalamineError, OSError, ValueError) as failure:
        raise InputError(Problem(str(path), "", "", shown(str(failure)), _NO_WORKBOOK)) from None
    _check_header(path, [str(cell).strip() for cell in cells[0]] if cells else [], list(header))
    return [Row(number, row) for number, row in enumerate(cells[1:], 2) if not all(map(is_blank, row))]


def is_blank(cell: object) -> bool:
    """Whether a cell is empty, or of white space only."""
    return isinstance(cell, str) and not cell.strip()


def _check_header(path: Path, found: list[str], header: list[str]) -> None:
    if found == header:
        return
    lacking, strange = [n for n in header if n not in found], [n for n in found if n not in header]
    if lacking or strange or len(found) != len(header):
        advice = "; ".join(
            f"{what} {', '.join(map(shown, names))}"
            for what, names in (("missing:", lacking), ("unknown:", strange))
            if names
        )
    else:
        advice = "the same columns in another order: restore the order"
    raise InputError(Problem(str(path), "row 1", "", shown(found), f"the columns {header}", advice))


def _checked_content(path: Path) -> io.BytesIO:
    """The workbook, packed again from its parts, none of which hides its size, makes cells of nothing or hides one."""
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(path, _PACKED_LIMIT))) as packed:
            parts = _unpacked(path, packed)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as failure:
        raise InputError(Problem(str(path), "", "", shown(str(failure)), _NO_WORKBOOK)) from None
    for name, content in parts.items():
        _check_part(path, name, content)
    parts = {name: _with_failures(content) for name, content in parts.items()}
    texts = [pieces for content in parts.values() if len(pieces := _SHARED_TEXT.split(content)) > 1]
    longest = max((len(piece) for pieces in texts for piece in pieces), default=0)
    memory = longest * sum(len(_VALUE.findall(content)) for content in parts.values())
    if memory > _TEXT_LIMIT:
        found = f"texts of up to {longest:,} bytes in so many cells that they could take {memory:,} bytes"
        raise InputError(Problem(str(path), "", "", found, f"at most {_TEXT_LIMIT:,}"))
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w") as again:
        for name, content in parts.items():
            again.writestr(name, content)
    result.seek(0)
    return result


def _unpacked(path: Path, packed: zipfile.ZipFile) -> dict[str, bytes]:
    """The parts by name. `zipfile` never gives more bytes of a part than the size that was counted here."""
    members = packed.infolist()
    total = sum(member.file_size for member in members)
    if total > _UNPACKED_LIMIT or len(members) > _MOST_PARTS:
        expected = f"at most {_UNPACKED_LIMIT:,} in {_MOST_PARTS:,}"
        raise InputError(Problem(str(path), "", "", f"{total:,} bytes unpacked in {len(members):,} parts", expected))
    for member in members:
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(
                Problem(str(path), f"part {shown(member.filename)}", "", "encrypted or oddly packed", _NO_WORKBOOK)
            )
    return {member.filename: packed.read(member) for member in members if not member.is_dir()}


def _check_part(path: Path, name: str, content: bytes) -> None:
    record = f"part {shown(name)}"
    unsafe = _UNSAFE.search(content) if b"<!" in content or b"\0" in content else None
    if unsafe:
        advice = "document types can read other files or exhaust memory, the others hide cells; remove it"
        raise InputError(Problem(str(path), record, "", shown(unsafe[0]), "plain elements only", advice))
    far = _FAR.search(content)
    if far:
        advice = "remove everything beyond the table, its formats too"
        raise InputError(Problem(str(path), record, "", f"a cell at {shown(far[1])}", "cells up to Z99999", advice))


def _with_failures(content: bytes) -> bytes:
    """A part with its cells' errors, and its formulas without value, as texts: calamine reads them as blank."""
    return _CELL.sub(_as_text, content) if _ERROR.search(content) or _FORMULA.search(content) else content


def _as_text(cell: re.Match[bytes]) -> bytes:
    prefix, attributes, elements = cell.groups(b"")
    error, formula, value = _ERROR.search(attributes), _FORMULA.search(elements), _TEXT_OF_VALUE.search(elements)
    if not error and (value or not formula):
        return cell[0]
    remark = b"=%b without a value" % formula[1] if formula else b"an error without a name"
    text = value[1] if value else remark
    return b'<%bc%b t="str"><%bv>%b</%bv></%bc>' % (prefix, _TYPE.sub(b"", attributes), prefix, text, prefix, prefix)
