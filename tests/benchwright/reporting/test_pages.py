"""The pages of all benchmarks, from the samples, in headless Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchwright
from builders.engine.registry import recipe_names

# Labels that leave their drawing are cut; a tenth of a letter is not seen.
CUT = """
[...document.querySelectorAll("figure svg")].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter(text => {
    const own = text.getBoundingClientRect();
    return own.width && (own.left < box.left - 1 || own.right > box.right + 1);
  }).map(text => text.textContent);
})
"""


@pytest.mark.parametrize("name", recipe_names())
def test_every_benchmark_has_a_page(opened, sample_manifest, tmp_path: Path, name: str) -> None:
    manifest = sample_manifest(name)
    tab = opened(benchwright.report(manifest, tmp_path / "page.html"))
    first = tab.locator("#table-rows tr.r button").first
    shown = first.inner_text()
    first.click()
    assert tab.evaluate("document.activeElement.textContent").strip() == shown
    assert tab.locator("#table-rows .x").count() == 1
    assert tab.evaluate(CUT) == []
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    assert tab.evaluate(CUT) == []
