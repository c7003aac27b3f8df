"""Which key frame and which person a row of predictions is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, integers
from schemas.errors import InputError, Problem, UsageError, shown
from schemas.input.columns import NULL, decoded, is_text, names_of, whole_numbers
from schemas.manifest import Manifest
from scorers.activity.formats import Part
from scorers.activity.frames import Truth
from scorers.activity.lookup import rows_of
from scorers.activity.parts import KEYS
from scorers.activity.sets import Integers

_EXAMPLES = 3
_DIGITS = r"^\d{1,9}$"
_SAMPLE_ID = r"^(?P<sequence>.*)/(?P<frame>\d{1,18})$"

Names = Callable[[Integers], list[str]]
"""The sample ids that some rows of predictions name."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Key frames and people that exist but are not scored here: predictions on them are left out, not refused.

    Attributes:
        frames: sample ids of key frames of other splits, or dropped by the build.
        people: sample id and person id of people dropped by the build.
        sequences: names of the sequences of other splits, by their number in the label files.
        splits: the split of each key frame of another split, by sample id.
    """

    frames: frozenset[str] = frozenset()
    people: frozenset[tuple[str, int]] = frozenset()
    sequences: Mapping[int, str] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)


class Placed(NamedTuple):
    """Row of each row's key frame in the truth, -1 for key frames that exist elsewhere; and what rows name."""

    rows: Integers
    names: Names


def elsewhere_of(manifest: Manifest, split: str) -> Elsewhere:
    """What a manifest knows beside a split: its other splits, and what its ledger says was dropped.

    Raises:
        InputError: a file of the manifest is missing or damaged.
    """
    splits: dict[str, str] = {}
    sequences: dict[int, str] = {}
    for other in manifest.splits:
        if other != split:
            rows = manifest.table(other, ["sample_id", "sequence", "sequence_index"])
            splits |= dict.fromkeys(rows["sample_id"].to_pylist(), other)
            sequences |= dict(zip(rows["sequence_index"].to_pylist(), rows["sequence"].to_pylist(), strict=True))
    if manifest.path.is_file():  # a lone split has no ledger
        return Elsewhere(frozenset(splits), frozenset(), sequences, splits)
    ledger = manifest.ledger()
    dropped = ledger.filter(pc.equal(ledger["action"], "dropped"))
    frames = {*splits, *dropped.filter(pc.is_null(dropped["child_key"]))["key"].to_pylist()}
    people = dropped.filter(pc.equal(dropped["level"], "persons"))
    keys = zip(people["key"].to_pylist(), map(int, people["child_key"].to_pylist()), strict=True)
    return Elsewhere(frozenset(frames), frozenset(keys), sequences, splits)


def placed(part: Part, truth: Truth, elsewhere: Elsewhere) -> Placed:
    """The key frame of each row.

    Raises:
        InputError: key frames that do not exist; a sample id beside the sequence or the frame of another.
    """
    if "sample_id" in part.table.column_names:
        found = _by_name(part, truth)
        if {"sequence", "frame"} & set(part.table.column_names):
            _refuse_contradiction(part, truth, elsewhere)
    else:
        found = _by_number(part, truth, elsewhere)
    strangers = np.flatnonzero(found.rows < 0)
    if len(strangers):
        unknown = sorted(set(found.names(strangers)) - elsewhere.frames)
        if unknown:
            told = f"{len(unknown):,} that do not exist ({_some(unknown[:_EXAMPLES], len(unknown))})"
            expected = f"key frames of the manifest, such as {truth.names[0].as_py()}" if truth.frames else "no rows"
            column = "sample_id" if "sample_id" in part.table.column_names else "frame"
            raise InputError(Problem(part.file, "", column, told, expected))
    return found


def refuse_other_splits(frames: Sequence[Placed], elsewhere: Elsewhere) -> None:
    """Refuse predictions of which not one is on a key frame that is scored.

    Raises:
        UsageError: says how many key frames of which split there are.
    """
    if not any(len(found.rows) for found in frames) or any((found.rows >= 0).any() for found in frames):
        return
    names = {name for found in frames for name in found.names(np.arange(len(found.rows)))}
    counts = Counter(elsewhere.splits.get(name, "") for name in names)
    held = [f"{count:,} are of split {split}" for split, count in sorted(counts.items()) if split]
    held += [f"{counts['']:,} were dropped by the build"] if counts[""] else []
    advice = "".join(f"; use --split {split}" for split in [max(counts, key=counts.__getitem__)] if split)
    raise UsageError(f"no key frame of the predictions is scored: {', '.join(held)}{advice}")


def people_of(
    part: Part, column: str, frame: Integers, identity: Integers, truth: Truth, elsewhere: Elsewhere
) -> Integers:
    """Row of each person in `Truth.person_frame`, -1 for those who exist elsewhere; shape (people,).

    Args:
        part, column: what they stand in, for messages.
        frame: row of the key frame of each, shape (people,).
        identity: as in the label files, shape (people,).
        truth: the key frames.
        elsewhere: what else exists.

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
            expected = "persons whom the manifest has in that key frame"
            raise InputError(Problem(part.file, "", part.called(column), found, expected))
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


def _by_name(part: Part, truth: Truth) -> Placed:
    names = decoded(part.table["sample_id"])
    if not is_text(names.type):
        raise InputError(Problem(part.file, "", "sample_id", f"a column of {names.type}", "sample ids"))
    _refuse_nothing(part, "sample_id", booleans(pc.is_null(names)), "a sample id")
    names = names.cast(pa.string()).combine_chunks()
    row = integers(pc.index_in(names, value_set=truth.names), null=-1)
    return Placed(row, lambda rows: names.take(pa.array(rows)).to_pylist())


def _by_number(part: Part, truth: Truth, elsewhere: Elsewhere) -> Placed:
    frame = whole_numbers(part.table["frame"], part.file, "frame", place=part.row)
    code, distinct = names_of(part.table["sequence"], part.file, "sequence")
    _refuse_nothing(part, "sequence", code < 0, "a name or number")
    names = _sequence_names(distinct, part.file, truth, elsewhere)
    places = {name: place for place, name in enumerate(truth.sequences)}
    sequence = np.array([places.get(name, -1) for name in names], np.int64)[code]
    row = rows_of((truth.sequence, truth.frame), (sequence, frame))
    return Placed(row, lambda rows: [f"{names[code[place]]}/{frame[place]:06d}" for place in rows])


def _refuse_nothing(part: Part, column: str, null: NDArray[np.bool_], expected: str) -> None:
    if null.any():
        raise InputError(Problem(part.file, part.row(int(null.argmax())), column, "nothing", expected))


def _refuse_contradiction(part: Part, truth: Truth, elsewhere: Elsewhere) -> None:
    """Refuse a sequence or a frame beside the sample id of another; nothing in either contradicts nothing."""
    # The records of a nested row share its keys.
    rows = np.arange(len(part.table)) if part.origin is None else np.flatnonzero(np.diff(part.origin, prepend=-1))
    held = [name for name in KEYS if name in part.table.column_names]
    keys = part.table.select(held).take(pa.array(rows))
    names = decoded(keys["sample_id"]).cast(pa.string()).combine_chunks()
    pieces = pc.extract_regex(names, _SAMPLE_ID)
    told: dict[str, tuple[pa.Array, pa.Array]] = {}
    if "sequence" in held:
        code, distinct = names_of(keys["sequence"], part.file, "sequence")
        known = pa.array(_sequence_names(distinct, part.file, truth, elsewhere), pa.string())
        told["sequence"] = pc.struct_field(pieces, "sequence"), known.take(pa.array(code, mask=code < 0))
    if "frame" in held:
        frame = whole_numbers(
            keys["frame"], part.file, "frame", optional=True, place=lambda row: part.row(int(rows[row]))
        )
        told["frame"] = pc.struct_field(pieces, "frame").cast(pa.int64()), pa.array(frame, mask=frame == NULL)
    for column, (named, beside) in told.items():
        other = pc.fill_null(pc.not_equal(named, beside), False)
        if pc.any(other).as_py():
            row = pc.index(other, True).as_py()
            found = f"{shown(beside[row].as_py())} beside the sample_id {shown(names[row].as_py())}"
            raise InputError(Problem(part.file, part.row(int(rows[row])), column, found, "the same key frame"))


def _sequence_names(distinct: pa.Array, file: str, truth: Truth, elsewhere: Elsewhere) -> list[str]:
    """The name of each sequence, given as name or as number; a number without a name stays as it is."""
    known = dict(elsewhere.sequences) | dict(zip(truth.sequence_index.tolist(), truth.sequences, strict=True))
    if is_text(distinct.type):
        number = pc.match_substring_regex(distinct, _DIGITS).to_pylist()
        texts = distinct.to_pylist()
        return [known.get(int(text), text) if digits else text for text, digits in zip(texts, number, strict=True)]
    return [known.get(index, str(index)) for index in whole_numbers(distinct, file, "sequence").tolist()]
