"""The schema of panoramic activity recognition: a key frame, the persons in it, their groups, what each does."""

from __future__ import annotations

import pyarrow as pa

from schemas.columns import column, table_schema

IDS = pa.list_(pa.field("item", pa.int64(), nullable=False))
LABEL = pa.struct(
    [
        column("id", pa.int64(), "id of the class, from 1; the card has the names"),
        column("difficult", pa.bool_(), "whether the annotators call this label difficult"),
    ]
)
LABELS = pa.list_(pa.field("item", LABEL, nullable=False))


def activity_schema(name: str, version: int) -> pa.Schema:
    """Key frames with individual actions, social activities of groups, and global activities."""
    person = [
        column("person_id", pa.int64(), "number of the person in its sequence"),
        column("x", pa.int64(), "left side of the box", unit="px"),
        column("y", pa.int64(), "top of the box", unit="px"),
        column("width", pa.int64(), "width of the box: its right side is x + width", unit="px"),
        column("height", pa.int64(), "height of the box", unit="px"),
        column("actions", LABELS, "individual actions"),
        column("social", LABELS, "social activities, as annotated for this person"),
        column("group_id", pa.int64(), "number of the person's group in its sequence, null in none", required=False),
        column("group_difficult", pa.bool_(), "whether its group is called difficult, null in none", required=False),
    ]
    group = [
        column("group_id", pa.int64(), "number of the group in its sequence"),
        column("member_ids", IDS, "person_id of each member"),
        column("activities", IDS, "ids of the social activities that its members share"),
    ]
    return table_schema(
        name,
        version,
        [
            column("sample_id", pa.string(), "sequence and frame, unique in the benchmark"),
            column("split", pa.string(), "split of the benchmark"),
            column("sequence", pa.string(), "name of the sequence"),
            column("sequence_index", pa.int64(), "place of the sequence among the sorted names, from 0"),
            column("frame", pa.int64(), "number of the frame in its sequence", unit="frames"),
            column("file_name", pa.string(), "the image, below the folder of images"),
            column("width", pa.int64(), "width of the image", unit="px"),
            column("height", pa.int64(), "height of the image", unit="px"),
            column("persons", _records(person), "the persons in the frame, in the order of the source"),
            column("groups", _records(group), "the groups in the frame, in the order of their first members"),
            column("global_activities", IDS, "ids of what the scene as a whole is about"),
        ],
    )


def _records(fields: list[pa.Field]) -> pa.DataType:
    return pa.list_(pa.field("item", pa.struct(fields), nullable=False))
