"""Numbers of boxes: areas and the rule that looks at them, shapes, boxes per image, flags."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchwright.reporting.frames.labels import unnested
from schemas.arrays import booleans, floats
from schemas.manifest import Manifest

FLAGS = ("crowd", "ignored", "difficult")
RATIOS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Width by height: the edges between tall and wide boxes."""


@dataclass(frozen=True, eq=False)
class Areas:
    """Areas of boxes, and the rule about small ones.

    Attributes:
        rule: its name, empty where the benchmark has none.
        label: the class that it looks at; of all where the boxes have no such class.
        source: the area that counts: `annotation`, `box` or `mask`.
        on_small: what it does about small ones; `off` for nothing.
        least: the least area that stays; null where no rule looks at it.
        touched: how many images fall, boxes are dropped by themselves, or boxes are left out of scoring, by `on_small`.
        kept: of the boxes of this class in the manifest, NaN where unknown.
        gone: of those that it dropped, as far as the ledger has them: of an image that falls, its first small box.
    """

    rule: str
    label: str
    source: str
    on_small: str
    least: float | None
    touched: int
    kept: NDArray[np.float64]
    gone: NDArray[np.float64]


def areas_of(manifest: Manifest) -> Areas:
    """The areas of boxes; the line is the parameter `min_area` of the build, whatever it was."""
    parameters = manifest.identity.parameters
    rule = next((name.removesuffix(".min_area") for name in parameters if name.endswith(".min_area")), "")
    given = {name: parameters.get(f"{rule}.{name}", "") for name in ("on_small", "area", "min_area")}
    on_small = str(given["on_small"]) if rule else "off"
    source = str(given["area"] or "annotation")
    table, label = manifest.table(), rule.removeprefix("small_")
    classes = unnested(table, "objects.category")[1]
    of_class = pc.equal(classes, label)
    whole = not pc.any(of_class).as_py()
    mask = np.full(len(classes), True) if whole else booleans(of_class)
    least = None if on_small == "off" else float(given["min_area"])
    gone = _dropped_areas(manifest, rule) if rule and manifest.has_ledger else np.zeros(0)
    touched = _touched(manifest, rule, on_small)
    return Areas(rule, "" if whole else label, source, on_small, least, touched, _areas(table, source)[mask], gone)


def _touched(manifest: Manifest, rule: str, on_small: str) -> int:
    root = next(iter(manifest.identity.levels), "")
    own = {count.level == root: count for count in manifest.identity.counts if count.rule == rule}
    of_level = own.get(on_small == "drop_image")
    if of_level is None:
        return 0
    return of_level.changed if on_small == "ignore" else of_level.dropped - of_level.with_parent


def _areas(table: pa.Table, source: str) -> NDArray[np.float64]:
    if source == "box":
        return floats(unnested(table, "objects.width")[1]) * floats(unnested(table, "objects.height")[1])
    return floats(unnested(table, "objects.area")[1])


def _dropped_areas(manifest: Manifest, rule: str) -> NDArray[np.float64]:
    ledger = manifest.ledger()
    ledger = ledger.filter(pc.and_(pc.equal(ledger["rule"], rule), pc.equal(ledger["action"], "dropped")))
    names, numbers = (unnested(ledger, f"values.{field}")[1] for field in ("name", "value"))
    return floats(numbers.filter(pc.equal(names, "area")))


def shapes(table: pa.Table) -> dict[str, int]:
    """How many boxes are how tall or wide: width by height between `RATIOS`; boxes without an extent are by themselves.

    A box on an edge is with the wider ones.
    """
    width, height = (floats(unnested(table, f"objects.{side}")[1]) for side in ("width", "height"))
    real = (width > 0) & (height > 0)
    ratio = width[real] / height[real]
    found = np.bincount(np.searchsorted(RATIOS, ratio, side="right"), minlength=len(RATIOS) + 1).tolist()
    names = ("tall, below 1:4", "1:4 to 1:2", "1:2 to 1:1", "1:1 to 2:1", "2:1 to 4:1", "wide, from 4:1")
    named = dict(zip(names, found, strict=True))
    return named | ({"no area": int((~real).sum())} if not real.all() else {})


def flags(table: pa.Table) -> dict[str, tuple[int, int]]:
    """How many boxes are a crowd, left out of scoring, or difficult, and of how many that is known."""
    values = {name: unnested(table, f"objects.{name}")[1] for name in FLAGS}
    return {name: (int(booleans(each).sum()), len(each) - each.null_count) for name, each in values.items()}
