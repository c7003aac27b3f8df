"""The README of an export: how it was made, what it holds, what the trainer must be told."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchwright.exporters.training.target import Target
from benchwright.exporters.training.writing import Export
from schemas.errors import counted
from schemas.paths import real_path


def counts_of(export: Export, absent_from: Sequence[str] = ()) -> list[str]:
    """What was written and what was not, as sentences; `absent_from` names benchmarks that share nothing with it."""
    summary = export.summary
    media = counted(summary.media, f"{summary.kind}s")
    if export.opened is None:
        state = "nobody looked whether they are there"
    elif export.missing:
        state = f"{export.missing:,} of them missing or broken"
    else:
        state = (
            "all found and opened" if export.opened else "all found; none was opened, which takes benchwright[media]"
        )
    none = "".join(f", none of them in {name}" for name in absent_from)
    said = [f"{counted(export.rows, 'rows')}, {media}, {state}{none}"]
    said += [f"{counted(count, 'rows')} left out: {reason}" for reason, count in export.dropped.items()]
    if export.escaped:
        said.append(
            f"{counted(export.escaped, 'rows')} with a token such as `<video>` in a text, written as `&lt;video>`"
        )
    said += [f"split {name} left out: it has no row, and no loader reads an empty file" for name in export.empty_splits]
    return said


def readme(
    export: Export,
    target: Target,
    command: str,
    folder: Path,
    media: Path | None,
    signature: str,
    absent_from: Sequence[str] = (),
) -> str:
    """Text of the README.

    Args:
        export: what was written.
        target: for which trainer.
        command: that made it.
        folder: of the export.
        media: folder of the media, None where nobody looked.
        signature: of the instruction data.
        absent_from: benchmarks that share no video, title or text with it.
    """
    where = str(real_path(media)) if media is not None else "MEDIA"
    words = export.summary.words(real_path(folder), where)
    rows = "\n".join(f"| `{name}` | {count:,} |" for name, count in export.summary.rows.items())
    said = "\n".join(f"- {sentence}" for sentence in counts_of(export, absent_from))
    paths = (
        f"Paths are relative to this folder; `{target.below}` links to `{where}`."
        if target.below
        else f"Paths are relative to the folder of the media, `{where}`."
    )
    return textwrap.dedent(
        """\
        # {benchmark} for {version}

        {said}

        {paths} Times are seconds of the whole file; which frames are seen is the trainer's choice.

        | file | rows |
        |---|---|
        {rows}

        ## Training

        {notes}
        ## How it was made

        ```bash
        {command}
        ```

        {signature}

        `bw_id` is the name of the row in the manifest, `bw_span` its true span in seconds; trainers ignore both.
        """
    ).format(
        benchmark=export.summary.benchmark,
        version=target.version,
        said=said,
        paths=paths,
        rows=rows,
        notes=_filled(target.notes, words),
        command=command,
        signature=signature,
    )


def _filled(notes: str, words: Mapping[str, str]) -> str:
    """Notes with the words put in; other braces are code."""
    for name, word in words.items():
        notes = notes.replace("{" + name + "}", word)
    return notes
