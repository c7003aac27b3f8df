"""What a report says of boxes: what the rules removed, areas and shapes, key images, classes, monitoring, the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.reporting.blocks import Beside, Block, Figure, Key, Link, Paragraph, Row, Section
from benchwright.reporting.charts.areas import areas
from benchwright.reporting.charts.bars import Bar, bars
from benchwright.reporting.charts.histogram import binned, histogram
from benchwright.reporting.charts.outlines import colour_of, outline
from benchwright.reporting.content.evidence import wanted
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.labels import label_figure
from benchwright.reporting.content.media import pictures, said_of
from benchwright.reporting.content.systems import by_class, monitoring
from benchwright.reporting.frames.boxes import Areas, areas_of, flags, shapes
from benchwright.reporting.frames.labels import box_labels, lengths, unnested
from benchwright.reporting.frames.outlines import key_images, object_outlines, shown
from benchwright.reporting.frames.thumbnails import Thumbnails
from schemas.arrays import booleans, floats
from schemas.errors import counted
from schemas.manifest import Manifest
from scorers.detection.images import labels_of

columns: tuple[str, ...] = ("boxes", "smallest, px²", "left out", "classes")
numeric = frozenset({1, 2, 3})


def lead(material: Material) -> str:
    """How many images, boxes and classes there are."""
    manifest = material.context.manifest
    images = sum(split.rows for split in manifest.identity.splits.values())
    counts = box_labels(manifest)
    classes = f"of {len(counts.labels):,} classes" if len(counts.labels) != 1 else f"all {counts.labels[0]}"
    return (
        f"{images:,} images with {counts.numbers.sum():,} boxes, {classes}. "
        "This page says what the rules removed, how large and how many the boxes are, and what scores rest on."
    )


def sections(material: Material) -> list[Section]:
    """Areas and shapes, key images; of predictions classes and monitoring."""
    manifest = material.context.manifest
    return [
        *_images(material),
        _numbers(manifest),
        *by_class(material.context),
        *monitoring(material.context, material.parts),
    ]


def _images(material: Material) -> list[Section]:
    manifest = material.context.manifest
    table = manifest.table()
    found = key_images(table)
    if not found:
        return []
    labels = labels_of(manifest, table)
    places = list(dict.fromkeys(found.values()))
    chosen = table.take(places)
    figures = []
    for place, picture, row in zip(places, object_outlines(chosen, labels), chosen.to_pylist(), strict=True):
        held = _classes([box[5] for box in picture.boxes])
        title = f"{', '.join(what for what in found if found[what] == place).capitalize()}: {row['sample_id']}"
        figures.append(Figure(title, outline(picture, f"{title}, {held}"), f"{held}. {_size(row)}"))
    seen = dict.fromkeys(f["category"] for row in chosen.to_pylist() for f in row["objects"])
    entries = [(colour_of(labels.index(name)), name) for name in seen if name in labels]
    words = "Every box an outline, coloured by its class, grey where scoring leaves it out; of equal images the first. "
    said = Paragraph((f"{words}Open others in ", Link("the table", "rowtable"), "."))
    media = said_of(_pictures(material), table.num_rows)
    blocks: tuple[Block, ...] = (said, Key((*entries, ("soft", "left out of scoring"))), Beside(tuple(figures)), *media)
    return [Section("images", "Key images", "Images", blocks)]


def _size(row: Mapping[str, object]) -> str:
    if row["width"] is None or row["height"] is None:
        return "The size of the image is not known."
    return f"{row['width']} × {row['height']} px."


def _classes(labels: Sequence[str]) -> str:
    """`2 person, 1 hand`, the most frequent first."""
    return ", ".join(f"{count:,} {label}" for label, count in Counter(labels).most_common()) or "no boxes"


def _numbers(manifest: Manifest) -> Section:
    table = manifest.table()
    figures = [_areas(areas_of(manifest)), _per_image(table), _shapes(table)]
    labels = box_labels(manifest)
    if len(labels.labels) > 1:
        figures.append(label_figure(labels, "classes", "boxes", len(labels.labels)))
    blocks = (_flags(table), Beside(tuple(figures)))
    return Section("boxes", "How large, how many, which", "Boxes", blocks)


def _areas(found: Areas) -> Figure:
    kept, unknown = found.kept[~np.isnan(found.kept)], int(np.isnan(found.kept).sum())
    half = f"half of the boxes that stay have {np.median(kept):,.0f} px² or more" if len(kept) else "no box has an area"
    title = f"{half[:1].upper()}{half[1:]}"
    if found.least is not None:
        what = {
            "drop_image": f"{found.touched:,} images fall over a box",
            "ignore": f"{found.touched:,} boxes are left out of scoring, as they are",
        }.get(found.on_small, f"{found.touched:,} boxes are dropped, as they are")
        title = f"{what} below {found.least:,.10g} px²; {half}"
    said = {"box": "width times height", "mask": "as annotated, while the rule looks at masks"}
    whose = f"boxes of the class {found.label}" if found.label else "all boxes"
    caption = f"Areas of {whose}: {said.get(found.source, 'as annotated')}; each bar is half a power of two wide."
    if found.rule and found.least is None:
        caption += f" The rule {found.rule} is off ({found.rule}.on_small=off)."
    elif found.rule:
        caption += f" The line is {found.rule}.min_area, which stays; what falls is on top."
        if found.on_small == "drop_image":
            caption += " Of an image that is dropped the ledger has its first small box alone."
    caption += f" {unknown:,} boxes have no area." if unknown else ""
    return Figure(title, areas(found.kept, found.gone, found.least, f"{title}. {caption}"), caption)


def _per_image(table: pa.Table) -> Figure:
    counts = lengths(table, "objects")
    middle = float(np.median(counts)) if len(counts) else 0.0
    title = f"Boxes per image: {middle:g} in the median, {counts.max(initial=0):,} at most"
    empty = int((counts == 0).sum())
    caption = "Images by their boxes, crowds and ignored ones among them"
    caption += f"; {counted(empty, 'images', 'have')} none." if empty else "."
    drawing = histogram(binned(counts), f"{title}. {caption}", "boxes", "images")
    return Figure(title, drawing, caption)


def _shapes(table: pa.Table) -> Figure:
    found = shapes(table)
    total = sum(found.values())
    tall = sum(found[name] for name in ("tall, below 1:4", "1:4 to 1:2", "1:2 to 1:1"))
    title = f"{_share(tall, total)} of the boxes are taller than wide"
    rows = [Bar(name, count, f"{count:,}") for name, count in found.items()]
    return Figure(title, bars(rows, title), f"Width by height of {total:,} boxes; a box on an edge is with the wider.")


def _flags(table: pa.Table) -> Paragraph:
    words = {"crowd": "are crowds", "ignored": "are left out of scoring", "difficult": "are called difficult"}
    told = [
        f"{_of(count, known)} {words[name]}" if known else f"whether they {words[name]} is not said"
        for name, (count, known) in flags(table).items()
    ]
    return Paragraph(f"Of {lengths(table, 'objects').sum():,} boxes {', '.join(told[:-1])}; {told[-1]}.")


def _of(count: int, whole: int) -> str:
    return f"{count:,} ({_share(count, whole)})" if count else "none"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


def _shown(material: Material) -> NDArray[np.int64]:
    """Places of the rows that the table of a page has."""
    table = material.context.manifest.table()
    return shown(lengths(table, "objects"), wanted(material.findings, table))


def _pictures(material: Material) -> Thumbnails:
    table = material.context.manifest.table()
    return pictures(material, table, list(key_images(table).values()), _shown(material).tolist())


def rows(material: Material) -> list[Row]:
    """The images with outlines of all boxes; an even sample where they are too many for a page."""
    manifest = material.context.manifest
    table = manifest.table()
    labels = labels_of(manifest, table)
    table, media = table.take(_shown(material)), _pictures(material).urls
    least, out = _least(table), _left_out(table)
    frame = zip(
        *(table[name].to_pylist() for name in ("sample_id", "split", "file_name")),
        object_outlines(table, labels),
        least,
        out,
        strict=True,
    )
    return [
        Row(
            name,
            "kept",
            (f"{len(picture.boxes):,}", small, f"{left:,}", _classes([box[5] for box in picture.boxes])),
            split,
            picture,
            (f"File {file}.",) if file else (),
            media.get(name),
        )
        for name, split, file, picture, small, left in frame
    ]


def _least(table: pa.Table) -> list[str]:
    """The area of the smallest box of each image, as its annotation has it."""
    owner, values = unnested(table, "objects.area")
    least = np.full(table.num_rows, np.inf)
    np.fmin.at(least, owner, floats(values))
    return [f"{value:,.0f}" if np.isfinite(value) else "" for value in least.tolist()]


def _left_out(table: pa.Table) -> list[int]:
    """How many boxes of each image scoring leaves out, crowds among them."""
    owner, ignored = unnested(table, "objects.ignored")
    out = booleans(ignored) | booleans(unnested(table, "objects.crowd")[1])
    counts: list[int] = np.bincount(owner[out], minlength=table.num_rows).tolist()
    return counts
