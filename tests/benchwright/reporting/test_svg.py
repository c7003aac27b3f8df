"""Drawings as SVG, on a page and as files."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from benchwright.reporting.drawing import Drawing, Label, Line, Marker, Rectangle
from benchwright.reporting.palette import DARK, LIGHT
from benchwright.reporting.svg import svg, svg_file

NAMESPACE = "{http://www.w3.org/2000/svg}"


def luminance(colour: str) -> float:
    """Relative luminance; WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio; WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrasts() -> None:
    marks = ["kept", "gone", "guess", *(f"system {number}" for number in range(5))]
    texts = ["strong", "soft", "link", "change", "limit", "good"]
    for theme in (LIGHT, DARK):
        assert min(contrast(theme[name], theme["ground"]) for name in marks) >= 4.2
        assert min(contrast(theme[name], theme[ground]) for name in texts for ground in ("ground", "panel")) >= 4.5
        assert min(contrast(theme["strong"], theme[f"degree {number}"]) for number in (1, 2, 3)) >= 4.5
    assert set(LIGHT) == set(DARK)


def test_a_file_is_xml_with_its_own_colours(hostile: str) -> None:
    held = Drawing(
        520,
        80,
        (Marker(9, 9, "diamond", "system 3", hostile), Label(1, 2, hostile, "system 3"), Rectangle(0, 0, -3, 5, "bar")),
        hostile,
    )
    root = ElementTree.fromstring(svg_file(held))
    assert root.get("viewBox") == "0 0 520 80"
    style = root.find(f"{NAMESPACE}style")
    assert style is not None
    assert f".system-3{{color:{LIGHT['system 3']}}}" in (style.text or "")
    title = root.find(f"{NAMESPACE}polygon/{NAMESPACE}title")
    assert title is not None
    assert (title.text or "").startswith("</script><img src=x")
    label, box = root.find(f"{NAMESPACE}text"), root.find(f"{NAMESPACE}rect")
    assert label is not None
    assert label.get("class") == "strong"  # coloured text would have too little contrast
    assert box is not None
    assert (box.get("class"), box.get("width")) == ("bar", "0")


def test_what_is_wider_than_a_page_has_larger_text() -> None:
    assert 'font-size="12"' in svg(Drawing(520, 80, (), ""))
    assert 'class="wide" viewBox="0 0 2080 80" font-size="24"' in svg(Drawing(2080, 80, (), ""))


def test_lines_and_hollow_markers() -> None:
    text = svg(
        Drawing(
            10,
            10,
            (Line(((0, 1.256), (3, 4)), "hair", dashed=True, width=2.2), Marker(5, 5, "square", "guess", hollow=True)),
            "",
        )
    )
    line = 'points="0,1.26 3,4" fill="none" stroke="currentColor" stroke-width="2.2" stroke-dasharray="2 3"'
    assert re.findall("<polyline[^>]*>", text) == [f'<polyline class="hair" {line}/>']
    ground, mark = re.findall("<polygon[^>]*>", text)
    assert 'class="ground"' in ground
    assert 'fill="none"' in mark
