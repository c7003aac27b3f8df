"""Which key frame of the truth, and which person, the records of predictions are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.arrays import array_of, integers, texts_of
from schemas.errors import InputError, Problem, UsageError, first_few, shown
from schemas.input.columns import NULL, decoded, is_text, names_of, row_named, whole_numbers
from scorers.activity.arrays import Integers, grouped, repeated, rows_of
from scorers.activity.frames import Truth
from scorers.activity.records import LongTable
from scorers.left_out import by_reason
from scorers.names import NONE, FoldedNames, told

_EXAMPLES = 3


def frames_of(table: LongTable, truth: Truth) -> tuple[Integers, list[str]]:
    """The key frame of each row of a source as a place in `Truth.names`, shape (rows,); warnings of names not exact.

    Raises:
        InputError: key frames that do not exist, or are there twice in rows of the manifest's shape; a sample id beside
            the sequence or the frame of another.
    """
    named = "sample_id" in table.keys.column_names
    column = "sample_id" if named else "frame"
    code, names = (_sample_ids if named else _joined_ids)(table, truth)
    found = integers(pc.index_in(names, value_set=truth.names), null=NONE).copy()
    left = np.flatnonzero(found < 0)
    if len(left):
        found[left] = FoldedNames([truth.names.to_pylist()]).rows(names.take(array_of(left)))
    row = found[code]
    unknown = int(np.count_nonzero(found < 0))
    if unknown:
        first = int((row < 0).argmax())
        fate = "does not exist" if row[first] == NONE else "may be any of several"
        missing = f"{names[int(code[first])].as_py()}, which {fate}{_more(unknown)}"
        example = f"a key frame of the manifest, such as {truth.names[0].as_py()}" if len(truth.names) else "no rows"
        raise _wrong(table, first, column, missing, example)
    if named:
        _refuse_contradiction(table, row, truth)
    again = repeated(row) if table.nested else row[:0]
    if len(again):
        name = shown(truth.names[int(row[again[0]])].as_py())
        raise _wrong(table, again[0], column, f"{name} again", "one row per key frame")
    pairs = [(names[n].as_py(), truth.names[int(found[n])].as_py()) for n in left.tolist()]
    return row, told("predictions", int(np.isin(code, left).sum()), pairs)


def warnings_of_others(frames: Sequence[Integers], truth: Truth) -> list[str]:
    """Warnings of predictions on key frames that are not scored, by the reason why they are not."""
    outside = [row[row >= truth.frames] - truth.frames for row in frames]
    places, names = np.concatenate([np.empty(0, np.int64), *outside]), truth.names.slice(truth.frames).to_pylist()
    return by_reason("predictions", "on key frames", places, names, truth.elsewhere)


def refuse_other_splits(frames: Sequence[Integers], truth: Truth) -> None:
    """Refuse predictions of which not one is on a key frame that is scored.

    Raises:
        UsageError: says how many key frames of which split there are.
    """
    if not any(len(row) for row in frames) or any((row < truth.frames).any() for row in frames):
        return
    counts = Counter(truth.elsewhere[place - truth.frames] for place in np.unique(np.concatenate(frames)).tolist())
    held = [f"{count:,} are {reason}" for reason, count in sorted(counts.items(), reverse=True)]
    split = max(counts, key=counts.__getitem__).partition("of split ")[2]
    advice = f"; use the split {split}" if split else ""
    raise UsageError(f"no key frame of the predictions is scored: {', '.join(held)}{advice}")


def persons_of(
    table: LongTable, column: str, frame: Integers, identity: Integers, record: Integers, truth: Truth
) -> Integers:
    """The row in `Truth.person_frame` of each person in a record's column, -1 for whom the build dropped.

    `frame`, `identity` (as in the label files) and `record` have shape (people,), and so has the result.

    Raises:
        InputError: people who do not exist.
    """
    row = rows_of((truth.person_frame, truth.person_id), (frame, identity))
    unknown = np.flatnonzero((row < 0) & (frame < truth.frames))
    if len(unknown):
        first = unknown[0]
        name = truth.names[int(frame[first])].as_py()
        found = f"{identity[first]}, who does not exist in {name}{_more(len(unknown))}"
        raise table.error(column, found, "a person of that key frame", record[first])
    return np.where(row < truth.people, row, -1)


def named_persons(truth: Truth, people: Integers) -> str:
    """The first few of some people, for messages."""
    first = people[:_EXAMPLES]
    frames = truth.names.take(array_of(truth.person_frame[first])).to_pylist()
    pairs = zip(truth.person_id[first].tolist(), frames, strict=True)
    return first_few([f"person {person} in {frame}" for person, frame in pairs], len(people))


def named_frames(truth: Truth, frames: Integers) -> str:
    """The first few of some key frames, for messages."""
    return first_few(truth.names.take(array_of(frames[:_EXAMPLES])).to_pylist(), len(frames))


def _more(count: int) -> str:
    return f" (and {count - 1:,} more)" if count > 1 else ""


def _wrong(table: LongTable, row: int | np.integer, column: str, found: str, expected: str) -> InputError:
    return InputError(Problem(table.file, row_named(int(row)), column, found, expected))


def _sample_ids(table: LongTable, _: Truth) -> tuple[Integers, pa.Array]:
    """The place of each row's sample id among the different ones, and these."""
    kind = decoded(table.keys["sample_id"]).type
    if not is_text(kind):
        raise InputError(Problem(table.file, "", "sample_id", f"a column of {kind}", "sample ids"))
    code, names = names_of(table.keys["sample_id"], table.file, "sample_id")
    _refuse_nothing(table, "sample_id", code, "a sample id")
    return code, names.cast(pa.string())


def _joined_ids(table: LongTable, truth: Truth) -> tuple[Integers, pa.Array]:
    """The same, of the sample ids that sequence and frame make."""
    frame = whole_numbers(table.keys["frame"], table.file, "frame")
    sequence, names = _sequences(table, truth)
    _refuse_nothing(table, "sequence", sequence, "a name or number")
    first, code = grouped(sequence, frame)
    number = pc.utf8_lpad(array_of(frame[first]).cast(pa.string()), 6, "0")
    return code, pc.binary_join_element_wise(names.take(array_of(sequence[first])), number, texts_of(["/"])[0])


def _sequences(table: LongTable, truth: Truth) -> tuple[Integers, pa.Array]:
    """The place of each row's sequence, -1 for null, among the names of the different ones, given as name or number."""
    code, names = names_of(table.keys["sequence"], table.file, "sequence")
    if not is_text(names.type):
        numbers = whole_numbers(names, table.file, "sequence", place=lambda n: row_named(int((code == n).argmax())))
        names = array_of(numbers).cast(pa.string())
    known = {str(number): name for number, name in truth.sequence_names.items()}
    texts = names.cast(pa.string()).to_pylist()
    return code, texts_of([known.get(text.lstrip("0") or text[:1], text) for text in texts])


def _refuse_nothing(table: LongTable, column: str, code: Integers, expected: str) -> None:
    if (code < 0).any():
        raise _wrong(table, (code < 0).argmax(), column, "nothing", expected)


def _refuse_contradiction(table: LongTable, row: Integers, truth: Truth) -> None:
    """Refuse a sequence or a frame beside the sample id of another; nothing in either contradicts nothing."""
    scored = np.flatnonzero(row < truth.frames)
    beside: dict[str, tuple[Integers, Integers]] = {}
    if "sequence" in table.keys.column_names:
        code, names = _sequences(table, truth)
        place = FoldedNames([truth.sequences]).rows(names)
        beside["sequence"] = np.append(place, NULL)[code], truth.sequence
    if "frame" in table.keys.column_names:
        beside["frame"] = whole_numbers(table.keys["frame"], table.file, "frame", optional=True), truth.frame
    for column, (given, expected) in beside.items():
        other = scored[(given[scored] != NULL) & (given[scored] != expected[row[scored]])]
        if len(other):
            first = int(other[0])
            name = shown(truth.names[int(row[first])].as_py())
            found = f"{shown(table.keys[column][first].as_py())} beside the sample_id {name}"
            raise _wrong(table, first, column, found, "the same key frame")
