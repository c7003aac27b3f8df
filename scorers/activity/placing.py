"""Which key frame and which person a row of predictions is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import integers
from schemas.errors import InputError, Problem
from schemas.manifest import Manifest
from scorers.activity.frames import Truth
from scorers.activity.lookup import rows_of
from scorers.activity.sets import Integers
from scorers.predictions.activities import Part
from scorers.predictions.columns import decoded, is_text, names_of, whole_numbers

_EXAMPLES = 3
_DIGITS = r"^\d{1,9}$"

Names = Callable[[Integers], list[str]]
"""The sample ids that some rows of predictions name."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Key frames and people that exist but are not scored here: predictions on them are left out, not refused.

    Attributes:
        frames: sample ids of key frames of other splits, or dropped by the build.
        people: sample id and person id of people dropped by the build.
        sequences: names of the sequences of other splits, by their number in the label files.
    """

    frames: frozenset[str] = frozenset()
    people: frozenset[tuple[str, int]] = frozenset()
    sequences: Mapping[int, str] = field(default_factory=dict)


def elsewhere_of(manifest: Manifest, split: str) -> Elsewhere:
    """What a manifest knows beside a split: its other splits, and what its ledger says was dropped.

    Raises:
        InputError: a file of the manifest is missing or damaged.
    """
    frames: set[str] = set()
    sequences: dict[int, str] = {}
    for other in manifest.splits:
        if other != split:
            rows = manifest.table(other, ["sample_id", "sequence", "sequence_index"])
            frames.update(rows["sample_id"].to_pylist())
            sequences |= dict(zip(rows["sequence_index"].to_pylist(), rows["sequence"].to_pylist(), strict=True))
    if manifest.path.is_file():  # a lone split has no ledger
        return Elsewhere(frozenset(frames), frozenset(), sequences)
    ledger = manifest.ledger()
    dropped = ledger.filter(pc.equal(ledger["action"], "dropped"))
    frames.update(dropped.filter(pc.is_null(dropped["child_key"]))["key"].to_pylist())
    people = dropped.filter(pc.equal(dropped["level"], "persons"))
    keys = zip(people["key"].to_pylist(), map(int, people["child_key"].to_pylist()), strict=True)
    return Elsewhere(frozenset(frames), frozenset(keys), sequences)


def frames_of(part: Part, truth: Truth, elsewhere: Elsewhere) -> Integers:
    """Row of each row's key frame in the truth, -1 for key frames that exist elsewhere; shape (rows,).

    Raises:
        InputError: key frames that do not exist.
    """
    row, names = _by_name(part, truth) if "sample_id" in part.table.column_names else _by_number(part, truth, elsewhere)
    strangers = np.flatnonzero(row < 0)
    if len(strangers):
        unknown = sorted(set(names(strangers)) - elsewhere.frames)
        if unknown:
            found = f"{len(unknown):,} that do not exist ({_some(unknown[:_EXAMPLES], len(unknown))})"
            expected = f"key frames of the manifest, such as {truth.names[0].as_py()}" if truth.frames else "no rows"
            raise InputError(Problem(part.file, "", "frame", found, expected))
    return row


def people_of(file: str, frame: Integers, identity: Integers, truth: Truth, elsewhere: Elsewhere) -> Integers:
    """Row of each person in `Truth.person_frame`, -1 for those who exist elsewhere; shape (rows,).

    Raises:
        InputError: people who do not exist.
    """
    row = rows_of((truth.person_frame, truth.person_id), (frame, identity))
    strangers = np.flatnonzero((row < 0) & (frame >= 0))
    if len(strangers):
        names = truth.names.take(pa.array(frame[strangers])).to_pylist()
        unknown = sorted(set(zip(names, identity[strangers].tolist(), strict=True)) - elsewhere.people)
        if unknown:
            examples = [f"{person} in {name}" for name, person in unknown[:_EXAMPLES]]
            found = f"{len(unknown):,} who do not exist ({_some(examples, len(unknown))})"
            raise InputError(Problem(file, "", "person", found, "persons whom the manifest has in that key frame"))
    return row


def people_named(truth: Truth, people: Integers) -> str:
    """The first few of some people, for messages."""
    first = people[:_EXAMPLES]
    frames = truth.names.take(pa.array(truth.person_frame[first])).to_pylist()
    pairs = zip(truth.person_id[first].tolist(), frames, strict=True)
    return _some([f"person {person} in {frame}" for person, frame in pairs], len(people))


def frames_named(truth: Truth, frames: Integers) -> str:
    """The first few of some key frames, for messages."""
    return _some(truth.names.take(pa.array(frames[:_EXAMPLES])).to_pylist(), len(frames))


def _some(examples: Sequence[str], count: int) -> str:
    return ", ".join(examples) + (", ..." if count > len(examples) else "")


def _by_name(part: Part, truth: Truth) -> tuple[Integers, Names]:
    names = decoded(part.table["sample_id"])
    if not is_text(names.type) or names.null_count:
        found = f"nothing in {names.null_count:,} rows" if is_text(names.type) else f"a column of {names.type}"
        raise InputError(Problem(part.file, "", "sample_id", found, "sample ids"))
    names = names.cast(pa.string()).combine_chunks()
    row = integers(pc.index_in(names, value_set=truth.names), null=-1)
    return row, lambda rows: names.take(pa.array(rows)).to_pylist()


def _by_number(part: Part, truth: Truth, elsewhere: Elsewhere) -> tuple[Integers, Names]:
    frame = whole_numbers(part.table["frame"], part.file, "frame")
    code, distinct = names_of(part.table["sequence"], part.file, "sequence")
    if (code < 0).any():
        place = f"row {(code < 0).argmax() + 1}"
        raise InputError(Problem(part.file, place, "sequence", "nothing", "a name or number"))
    names = _sequence_names(distinct, part.file, truth, elsewhere)
    places = {name: place for place, name in enumerate(truth.sequences)}
    sequence = np.array([places.get(name, -1) for name in names], np.int64)[code]
    row = rows_of((truth.sequence, truth.frame), (sequence, frame))
    return row, lambda rows: [f"{names[code[place]]}/{frame[place]:06d}" for place in rows]


def _sequence_names(distinct: pa.Array, file: str, truth: Truth, elsewhere: Elsewhere) -> list[str]:
    """The name of each sequence, given as name or as number; a number without a name stays as it is."""
    known = dict(elsewhere.sequences) | dict(zip(truth.sequence_index.tolist(), truth.sequences, strict=True))
    if is_text(distinct.type):
        number = pc.match_substring_regex(distinct, _DIGITS).to_pylist()
        texts = distinct.to_pylist()
        return [known.get(int(text), text) if digits else text for text, digits in zip(texts, number, strict=True)]
    return [known.get(index, str(index)) for index in whole_numbers(distinct, file, "sequence").tolist()]
