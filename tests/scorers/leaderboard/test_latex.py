"""Leaderboards as LaTeX: by structure always, by LaTeX itself where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.leaderboard.board import Leaderboard
from scorers.leaderboard.latex import escaped

# Control words that escaped texts may have; every other backslash is before a character that is special.
KNOWN = {
    *(
        "textbackslash",
        "textasciicircum",
        "textasciitilde",
        "ensuremath",
        "char",
        "ldots",
        "ss",
        "o",
        "O",
        "ae",
        "AE",
        "oe",
    ),
    *("OE", "l", "L", "times", "pm", "mu", "geq", "leq", "cdot", "uparrow", "downarrow"),
    *(
        "circ",
        "bullet",
        "dag",
        "ddag",
        "rightarrow",
        "star",
        "surd",
        "rule",
        "triangle",
        "nabla",
        "diamond",
        "textdegree",
    ),
}
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi pi rho sigma tau upsilon phi chi psi omega"


def test_a_table_has_a_line_per_row_and_one_of_intervals(strange: Leaderboard) -> None:
    text = strange.to_latex()
    assert text.isascii()
    for environment in ("table*", "tabular"):
        assert text.count(rf"\begin{{{environment}}}") == text.count(rf"\end{{{environment}}}") == 1
    for rule in ("toprule", "midrule", "bottomrule"):
        assert text.count(f"\\{rule}") == 1
    body = text.partition("\\midrule\n")[2].partition("    \\bottomrule")[0].splitlines()
    assert len(body) == 2 * len(strange.rows)
    columns = re.search(r"\\begin\{tabular\}\{([rl]+)\}", text)
    assert columns
    for line in body:
        assert len(re.findall(r"(?<!\\)&", line)) == len(columns[1]) - 1
        assert line.endswith(r" \\")
    assert body[0].strip().startswith(r"1 (1-{}2) & plain & a & \textbf{50.25} & \textbf{3.00}")
    assert body[1].strip() == r"& & & {\scriptsize [48.75, 51.75]} & {\scriptsize [1.50, 4.50]} \\"
    assert r"R1(iou\ensuremath{\geq}0.5)" in text
    assert r"\label{tab:our-own-test}" in text


@given(st.text())
def test_no_text_is_a_command_a_comment_or_anything_but_ascii(text: str) -> None:
    found = escaped(text)
    assert found.isascii()
    words = re.findall(r"\\([A-Za-z]+)", found)
    assert set(words) <= KNOWN | set(GREEK.split()) | set("rvcuH")
    plain = re.sub(r"\\ensuremath\{[<>|]\}|\\[{}$&#_%`'^~\"=.]|\\[A-Za-z]+", "", found)
    assert not set(plain) & set('\\$&#_%^~|<>"`\n')
    depth = 0
    for brace in re.findall(r"[{}]", re.sub(r"\\[{}]", "", found)):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX")
@pytest.mark.parametrize("languages", ["", r"\usepackage[T1]{fontenc}"])
def test_latex_itself_takes_every_name(strange: Leaderboard, tmp_path: Path, languages: str) -> None:
    before = [r"\documentclass{article}", languages, r"\usepackage{booktabs,graphicx}", r"\begin{document}"]
    (tmp_path / "paper.tex").write_text("\n".join([*before, strange.to_latex(), r"\end{document}", ""]))
    command = ["pdflatex", "-halt-on-error", "-no-shell-escape", "-interaction=nonstopmode", "paper.tex"]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120, errors="replace"
    )
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "Overfull" not in ran.stdout
    assert "Missing character" not in (tmp_path / "paper.log").read_text(errors="replace")
