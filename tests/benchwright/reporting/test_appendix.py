"""The report as an appendix: the same content, nothing of others is markup or command, and LaTeX takes it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchwright.reporting.appendix import appendix, sign_of
from benchwright.reporting.blocks import Beside, Page, RowTable, Tabs, each_block
from benchwright.reporting.drawing import Drawing, Label
from benchwright.reporting.html import html
from benchwright.reporting.latex import _code as latex_code
from benchwright.reporting.latex import latex
from benchwright.reporting.markdown import markdown
from benchwright.reporting.pdf import pdf

Written = tuple[str, dict[str, bytes]]


@pytest.fixture(scope="module")
def written(page: Page) -> Written:
    """The report in LaTeX, and its figures."""
    return latex(page, "report-pdf")


def test_markdown_has_the_tables_and_figures(page: Page) -> None:
    text, files = markdown(page, "report-svg")
    assert list(files) == ["figure-1.svg", "figure-2.svg", "figure-3.svg"]
    assert all(content.startswith(b"<svg xmlns=") for content in files.values())
    assert "(<report-svg/figure-1.svg>)" in text
    assert "- **44\\.6 %**" in text or "- **44.6 %**" in text
    assert "| kept | 40 |\n| dropped by agreement | 20,000 |" in text
    assert "| ★ 1† |" in text  # significant without its colour
    widths = {line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("| ")}
    assert widths == {3, 4}


def test_no_text_is_markup(page: Page) -> None:
    text, _ = markdown(page, "svg")
    bare = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)  # code spans hold no markup
    assert re.findall(r"(?<!\\)(?:\\\\)*<(?!br>|svg/)", bare) == []
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_pages_and_appendices_have_the_same_numbers(page: Page, written: Written) -> None:
    for number in ("44.6", "1,589", "+3", "20,000"):
        assert number in html(page)
        assert number in markdown(page, "svg")[0]
        assert number.replace("-", "-{}") in written[0]


def test_an_appendix_has_nothing_to_click(page: Page) -> None:
    blocks = list(each_block(block for section in appendix(page).sections for block in section.blocks))
    assert not any(isinstance(block, (Beside, Tabs, RowTable)) for block in blocks)


def test_colours_of_keys_are_said() -> None:
    assert [sign_of(entry) for entry in ("system 2", "degree 3", "kept", "axis", "★")] == ["▲", "‡", "blue:", "", "★"]


def test_drawings_as_pdf_are_the_same_for_the_same_shapes(written: Written, hostile: str) -> None:
    held = Drawing(520, 100, (Label(4, 40, hostile, "system 1"),), "")
    assert pdf(held).startswith(b"%PDF")
    assert pdf(held) == pdf(held)
    assert [content[:4] for content in written[1].values()] == [b"%PDF"] * 3


def test_code_in_latex_breaks_between_its_words() -> None:
    assert latex_code("onset.pick=median") == r"\texttt{onset.\allowbreak{}pick=\allowbreak{}median}"
    assert latex_code("max_notfound") == r"\texttt{max\_\allowbreak{}notfound}"
    assert latex_code("{}.") == r"\texttt{\{\}.}"


def test_latex_is_ascii(written: Written) -> None:
    assert written[0].isascii()


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX")
def test_latex_itself_takes_every_block(written: Written, tmp_path: Path) -> None:
    text, files = written
    (tmp_path / "report-pdf").mkdir()
    for name, content in files.items():
        (tmp_path / "report-pdf" / name).write_bytes(content)
    (tmp_path / "report.tex").write_text(text)
    packages = r"\usepackage{array,booktabs,graphicx,longtable}"
    before = [r"\documentclass{article}", packages, r"\begin{document}", r"\input{report}", r"\end{document}"]
    (tmp_path / "paper.tex").write_text("\n".join(before))
    command = ["pdflatex", "-halt-on-error", "-no-shell-escape", "-interaction=nonstopmode", "paper.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:].decode(errors="replace")
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000
