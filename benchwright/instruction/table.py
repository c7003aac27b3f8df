"""Conversations as the tables of a manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.instruction.conversing import Conversations
from schemas.arrays import array_of, texts_of
from schemas.instruction import INSTRUCTION_SCHEMA, NUMBER, PROVENANCE, SPAN, TURN

Texts = NDArray[np.object_]


def conversations_table(
    table: pa.Table, split: Texts, group: Texts, made: Mapping[str, Conversations], provenance: Mapping[str, str]
) -> dict[str, pa.Table]:
    """The table of each split, in the order of the source's rows, of one row in that of the templates.

    Args:
        table: the source's rows.
        split, group: of each of them.
        made: conversations, `rows` positions in the table.
        provenance: of all.
    """
    parts = [_part(table, group, each, provenance) for each in made.values()]
    rows = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int64)])
    whole = pa.concat_tables([INSTRUCTION_SCHEMA.empty_table(), *(part[1] for part in parts)])
    names = split[rows]
    found = {}
    for name in dict.fromkeys(split.tolist()):
        mine = np.flatnonzero(names == name)
        taken = whole.take(array_of(mine[np.argsort(rows[mine], kind="stable")])).combine_chunks()
        place = INSTRUCTION_SCHEMA.get_field_index("split")
        field = INSTRUCTION_SCHEMA.field("split")
        found[name] = taken.set_column(place, field, texts_of([name] * len(taken)))
    return found


def _part(
    table: pa.Table, group: Texts, made: Conversations, provenance: Mapping[str, str]
) -> tuple[NDArray[np.int64], pa.Table]:
    at = np.flatnonzero(made.reason == "")
    rows = made.rows[at]
    size = len(at)
    own = table.take(array_of(rows))
    video = "video" in table.column_names
    media = own["video"] if video else own["file_name"]
    sample_ids: list[str] = table["sample_id"].to_pylist()
    nothing = pa.nulls(size, pa.int64())
    spans = _spans(own) if video else pa.nulls(size, SPAN)
    columns = {
        "sample_id": texts_of(made.ids[at].tolist()),
        "split": own["split"],
        "source_id": own["sample_id"],
        "group": texts_of(group[rows].tolist()),
        "media": media if video else image_files(own),
        "media_kind": texts_of(["video" if video else "image"] * size),
        "duration_s": own["duration_s"] if video else pa.nulls(size, pa.float64()),
        "width": nothing if video else own["width"],
        "height": nothing if video else own["height"],
        "span": spans,
        "turns": _turns(made, at),
        "task": texts_of([label.rpartition("-")[0] for label in made.template[at].tolist()]),
        "template": texts_of(made.template[at].tolist()),
        "negative": pa.array(made.negative[at]),
        "others": pa.array(
            [[sample_ids[row] for row in made.others[place]] for place in at.tolist()], pa.list_(pa.string())
        ),
        "provenance": pa.StructArray.from_arrays(
            [texts_of([provenance[field.name]] * size) for field in PROVENANCE], fields=list(PROVENANCE)
        ),
    }
    return rows, pa.table(list(columns.values()), schema=INSTRUCTION_SCHEMA)


def image_files(own: pa.Table) -> pa.Array:
    """The image file of each row, its sample id where the source names none."""
    names = zip(own["file_name"].to_pylist(), own["sample_id"].to_pylist(), strict=True)
    return texts_of([file or sample for file, sample in names])


def _spans(own: pa.Table) -> pa.Array:
    sides = [own[name].combine_chunks() for name in ("start_s", "end_s")]
    return pa.StructArray.from_arrays(sides, fields=list(SPAN))


def _turns(made: Conversations, at: NDArray[np.int64]) -> pa.Array:
    """Lists of question and answer."""
    size = len(at)
    place = np.full(len(made.reason), -1)
    place[at] = np.arange(size)
    turns = [
        pa.StructArray.from_arrays(
            [
                texts_of([role] * size),
                texts_of(made.texts[side][at].tolist()),
                _numbers(made.numbers[side], place, size),
            ],
            fields=list(TURN),
        )
        for side, role in enumerate(("user", "assistant"))
    ]
    both = pa.concat_arrays(turns).take(array_of(np.arange(2 * size).reshape(2, -1).T.ravel()))
    offsets = array_of(np.arange(size + 1, dtype=np.int32) * 2)
    return pa.ListArray.from_arrays(offsets, both, type=INSTRUCTION_SCHEMA.field("turns").type)


def _numbers(numbers: pd.DataFrame, place: NDArray[np.int64], size: int) -> pa.Array:
    row = place[numbers["row"].to_numpy()] if len(numbers) else np.zeros(0, np.int64)
    kept = numbers.assign(row=row)[row >= 0].sort_values(["row", "begin"], kind="stable")
    counts = np.bincount(kept["row"].to_numpy(), minlength=size)
    offsets = array_of(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    texts: Sequence[pa.Array] = [texts_of(kept[name].tolist()) for name in ("name", "unit")]
    begin, end = (array_of(kept[name].to_numpy(np.int64)) for name in ("begin", "end"))
    value = array_of(kept["value"].to_numpy(np.float64))
    records = pa.StructArray.from_arrays([texts[0], value, texts[1], begin, end], fields=list(NUMBER))
    return pa.ListArray.from_arrays(offsets, records, type=TURN.field("numbers").type)
