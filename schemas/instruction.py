"""The schema of instruction data: conversations about videos and images, made from the rows of another manifest.

A kind of its own: no scorer knows it, as what a model says is scored on the manifest that the conversations are of.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, integers
from schemas.columns import column, table_schema
from schemas.identity import Identity
from schemas.input.columns import flat

INSTRUCTION = "instruction"
"""What the identity of such a manifest says as `schema`."""

NUMBER = pa.struct(
    [
        column("name", pa.string(), "what it is: a column of the source manifest, such as start_s, or a side of a box"),
        column("value", pa.float64(), "the number itself, before it was rounded or put on another scale"),
        column("unit", pa.string(), "unit of the value: s, px, ...; empty for none"),
        column("begin", pa.int64(), "where the text states it: its first character, from 0", unit="characters"),
        column("end", pa.int64(), "behind its last character", unit="characters"),
    ]
)
TURN = pa.struct(
    [
        column("role", pa.string(), "system, user or assistant; user and assistant take turns, user first"),
        column("text", pa.string(), "what is said, without any token for the media"),
        column("numbers", pa.list_(pa.field("item", NUMBER, nullable=False)), "numbers in the text, in its order"),
    ]
)
# Fields may be null, too: Parquet refuses the others below a null record that was read.
SPAN = pa.struct(
    [
        column("start_s", pa.float64(), "start of the span", unit="s", required=False),
        column("end_s", pa.float64(), "end of the span", unit="s", required=False),
    ]
)
PROVENANCE = pa.struct(
    [
        column("benchmark", pa.string(), "name of the source manifest"),
        column("parameters", pa.string(), "its rule parameters that are not the defaults, as `RULE.PARAM=VALUE; ...`"),
        column("digest", pa.string(), "its content digest"),
    ]
)

INSTRUCTION_SCHEMA = table_schema(
    INSTRUCTION,
    1,
    [
        column("sample_id", pa.string(), "name of the conversation, unique in the manifest"),
        column("split", pa.string(), "split of the conversation"),
        column("source_id", pa.string(), "sample_id of the row of the source manifest that it is about"),
        column("group", pa.string(), "what rows that may not be parted by a split share, such as a compilation"),
        column("media", pa.string(), "name of the video, or file of the image, as the source manifest gives it"),
        column("media_kind", pa.string(), "video or image"),
        column("duration_s", pa.float64(), "length of the video, null where not known", unit="s", required=False),
        column("width", pa.int64(), "width of the image, null where not known", unit="px", required=False),
        column("height", pa.int64(), "height of the image, null where not known", unit="px", required=False),
        column("span", SPAN, "the true span in the video, null where there is none", required=False),
        column("turns", pa.list_(pa.field("item", TURN, nullable=False)), "the conversation"),
        column("task", pa.string(), "what is asked: localise, caption, verify, choose, ground, ..."),
        column("template", pa.string(), "template and its variants, as localise-1:q2:a1"),
        column("negative", pa.bool_(), "whether the question names what is not so, and the answer denies it"),
        column("others", pa.list_(pa.string()), "source_id of each row that lent a wrong choice"),
        column("provenance", PROVENANCE, "the source manifest"),
    ],
)
"""One row a conversation. Times are in seconds of the whole video, boxes in pixels of the whole image."""


_OPTIONS = {
    "fill.templates": "--templates",
    "split.of": "--split",
    "split.validation": "--validation",
    "split.group_by": "--group-by",
    "split.stratify": "--stratify",
    "split.leaks": "--leaks",
    "draw.seed": "--seed",
    "split.seed": "--seed",
}


def command_of(identity: Identity) -> str:
    """The command that made such a manifest, with the names of what it read in the place of paths."""
    parameters = identity.parameters
    trainer = parameters.get("import.of")
    said = ["benchwright instruct", "MANIFEST" if trainer is None else f"FILE --from {trainer}"]
    said += [
        f"{option} {quote(str(parameters[name]))}"
        for name, option in _OPTIONS.items()
        if name in identity.changed_parameters or (name in parameters and name == "fill.templates")
    ]
    others = str(parameters.get("split.against", ""))
    said += [f"--against {each.partition(' ')[0]}" for each in others.split(", ") if each]
    return " ".join(said)


def broken_turns(turns: pa.ChunkedArray) -> Iterator[tuple[str, str, NDArray[np.int64]]]:
    """What no conversation does: check, what is wrong in words, and the rows where it is."""
    said, row = flat(turns)
    first = np.diff(row, prepend=-1) != 0
    roles = said.field("role").to_numpy(zero_copy_only=False)
    system = roles == "system"
    # A system turn may come first; behind it users and assistants take turns.
    speaks = row[~system]
    place = np.arange(len(speaks)) - np.searchsorted(speaks, speaks)
    out_of_turn = roles[~system] != np.where(place % 2 == 0, "user", "assistant")
    odd = np.bincount(speaks, minlength=len(turns)) % 2 == 1
    none = np.bincount(speaks, minlength=len(turns)) == 0
    wrong = np.concatenate([speaks[out_of_turn], row[system & ~first], np.flatnonzero(odd | none)])
    yield "turns", "conversations in which user and assistant do not take turns, user first", np.unique(wrong)
    blank = booleans(pc.equal(pc.utf8_trim_whitespace(said.field("text")), ""))
    yield "turns", "turns without a word", row[blank]
    numbers, turn = flat(said.field("numbers"))
    begin, end = (integers(numbers.field(name)) for name in ("begin", "end"))
    length = integers(pc.utf8_length(said.field("text")))[turn]
    yield (
        "numbers",
        "numbers that stand outside of their text",
        row[turn][(begin < 0) | (end <= begin) | (end > length)],
    )
