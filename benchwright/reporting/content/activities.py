"""What a report says of activities: a key frame, who is left out, labels split by split, and the row table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.reporting.blocks import Beside, Figure, Key, Link, Paragraph, Row, Section
from benchwright.reporting.charts.by_split import by_split, key_of
from benchwright.reporting.charts.outlines import outline
from benchwright.reporting.content.evidence import wanted
from benchwright.reporting.content.family import Material
from benchwright.reporting.content.labels import MOST, label_figure, told
from benchwright.reporting.content.media import pictures, said_of
from benchwright.reporting.frames.labels import (
    activity_labels,
    label_name,
    lengths,
    list_lengths,
    sizes,
    split_codes,
)
from benchwright.reporting.frames.losses import by_row
from benchwright.reporting.frames.outlines import key_frame, person_outlines, shown
from benchwright.reporting.frames.thumbnails import Thumbnails
from schemas.manifest import Manifest

THINGS = {
    "actions": ("individual actions", "actions of persons"),
    "social": ("social activities", "activities of groups"),
    "global": ("global activities", "labels of frames"),
}


columns: tuple[str, ...] = ("people", "groups", "left out", "scene")
numeric = frozenset({1, 2, 3})


def lead(material: Material) -> str:
    """How many frames, people and groups there are."""
    levels = material.context.manifest.identity.levels
    kept = {level: each.kept for level, each in levels.items()}
    frames = sum(split.rows for split in material.context.manifest.identity.splits.values())
    sequences = material.context.frame["sequence"].nunique()
    return (
        f"{frames:,} key frames of {sequences:,} sequences: {kept.get('persons', 0):,} people with their actions, "
        f"{kept.get('groups', 0):,} groups with their activities, and the labels of the scene. "
        "This page says who is in, who is not, and what the labels can carry."
    )


def sections(material: Material) -> list[Section]:
    """A key frame, and the labels split by split."""
    manifest = material.context.manifest
    return [
        *_frame(material),
        _labels(manifest),
    ]


def names_of(manifest: Manifest, space: str) -> Sequence[str]:
    """The names of a label space of the card, from class 1."""
    lists = {given.name: given.labels for given in manifest.card.label_lists} if manifest.card else {}
    return lists.get(space, [])


def _frame(material: Material) -> list[Section]:
    manifest = material.context.manifest
    table = manifest.table()
    place = key_frame(table)
    if place is None:
        return []
    row = table.slice(place, 1)
    (picture,) = person_outlines(row, names_of(manifest, "actions"))
    sample = row["sample_id"][0].as_py()
    grouped = sum(box[4] >= 0 for box in picture.boxes)
    groups = len(row["groups"][0])
    title = f"{len(picture.boxes):,} people, {grouped:,} of them in {groups:,} groups"
    words = f"{sample}: every box is a person, a colour and a number are a group, grey is nobody's group. "
    words += f"Of all {table.num_rows:,} it has the most groups, of equals the most people in groups. Open others in "
    said = Paragraph((words, Link("the table", "rowtable"), "."))
    caption = " ".join(notes(manifest, row)[0])
    media = said_of(_pictures(material), table.num_rows)
    drawing = outline(picture, f"{sample}: {title}")
    return [
        Section(
            "frame",
            "One key frame",
            "A key frame",
            (said, Figure(title, drawing, caption), *media),
        )
    ]


def notes(manifest: Manifest, table: pa.Table) -> list[tuple[str, ...]]:
    """Of each row in words: the scene, then the groups with their sizes and activities."""
    social, scenes = names_of(manifest, "social"), names_of(manifest, "global")

    def named(ids: Sequence[int], names: Sequence[str]) -> str:
        return ", ".join(label_name(names, number) for number in ids) or "not labelled"

    return [
        (
            f"Scene: {named(scene, scenes)}.",
            "; ".join(
                f"Group {group['group_id']} ({len(group['member_ids'])}): {named(group['activities'], social)}"
                for group in groups
            )
            + "."
            if groups
            else "No groups.",
        )
        for scene, groups in zip(table["global_activities"].to_pylist(), table["groups"].to_pylist(), strict=True)
    ]


def _labels(manifest: Manifest) -> Section:
    splits, table = manifest.splits, manifest.table()
    frames = {name: split.rows for name, split in manifest.identity.splits.items()}
    said = "Each label as a share of all labels of its kind in a split, so that splits can be compared: "
    said += ", ".join(f"{name} has {rows:,} frames" for name, rows in frames.items()) + "."
    found = activity_labels(manifest)
    figures = [label_figure(counts, *THINGS[space], len(names_of(manifest, space))) for space, counts in found.items()]
    of_rows = split_codes(manifest, table)
    rows, members = list_lengths(table, "groups", "member_ids")
    figures.insert(2, _size_figure("groups", "members", splits, of_rows[rows], members))
    figures.append(_size_figure("key frames", "people", splits, of_rows, lengths(table, "persons")))
    blocks = (Paragraph(said), Key(key_of(splits)), Beside(tuple(figures)), Paragraph(_scenes(table, splits)))
    return Section("labels", f"Labels, {' and '.join(splits)}", "Labels", blocks)


def _size_figure(
    of: str, things: str, splits: Sequence[str], of_items: NDArray[np.int64], values: NDArray[np.int64]
) -> Figure:
    """How many things there are in each; the title says how many at most by split."""
    found = sizes(splits, of_items, values)
    most = {split: int(values[of_items == code].max(initial=0)) for code, split in enumerate(splits)}
    counts = [f"{n:,}{'' if place else f' {things}'} in {split}" for place, (split, n) in enumerate(most.items())]
    title = f"{of.capitalize()} have up to {', '.join(counts)}"
    medians = [
        f"{np.median(values[of_items == code]):g} in {split}" for code, split in enumerate(splits) if most[split]
    ]
    caption = f"{of.capitalize()} by their {things}; the numbers count those in {splits[-1]}."
    caption += f" Median: {', '.join(medians)}." if medians else ""
    larger = int((values > most[splits[-1]]).sum())
    if larger and len(splits) > 1:
        caption += f" {larger:,} {of} of other splits are larger than any in {splits[-1]}."
    return Figure(title, by_split(found, of, MOST, f"{title}: {told(found)}"), caption)


def _scenes(table: pa.Table, splits: Sequence[str]) -> str:
    """On how many sequences and different sets of global labels the frames of each split rest."""
    sets = [tuple(sorted(ids)) for ids in table["global_activities"].to_pylist()]
    found = list(zip(table["split"].to_pylist(), table["sequence"].to_pylist(), sets, strict=True))
    parts = []
    for split in splits:
        own = [(sequence, scene) for of, sequence, scene in found if of == split]
        sequences, scenes = len({sequence for sequence, _ in own}), len({scene for _, scene in own})
        constant = sequences == len(set(own))
        parts.append(
            f"the {len(own):,} frames of {split} are of {sequences:,} sequences with {scenes:,} different sets of "
            "global labels" + (", the same in all frames of a sequence" if constant else "")
        )
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _shown(material: Material) -> NDArray[np.int64]:
    """Places of the rows that the table of a page has."""
    table = material.context.manifest.table()
    return shown(lengths(table, "persons"), wanted(material.findings, table))


def _pictures(material: Material) -> Thumbnails:
    table = material.context.manifest.table()
    first = key_frame(table)
    return pictures(material, table, [] if first is None else [first], _shown(material).tolist())


def rows(material: Material) -> list[Row]:
    """The key frames with outlines of all boxes; an even sample where they are too many for a page."""
    manifest = material.context.manifest
    table = manifest.table()
    lost = by_row(manifest, "persons")
    table, media = table.take(_shown(material)), _pictures(material).urls
    ids, splits = table["sample_id"].to_pylist(), table["split"].to_pylist()
    pictures = person_outlines(table, names_of(manifest, "actions"))
    words = notes(manifest, table)
    groups = lengths(table, "groups").tolist()
    return [
        Row(
            name,
            "kept",
            (f"{len(picture.boxes):,}", f"{count:,}", f"{lost.get(name, 0):,}", said[0].removeprefix("Scene: ")),
            split,
            picture,
            said,
            media.get(name),
        )
        for name, split, picture, count, said in zip(ids, splits, pictures, groups, words, strict=True)
    ]
