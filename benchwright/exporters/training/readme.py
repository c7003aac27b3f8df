"""The README of an export: how it was made, what it holds, what the trainer must be told."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchwright.exporters.training.target import Target
from benchwright.exporters.training.writing import Export
from schemas.errors import counted, printable
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
    place = f"links to `{printable(where)}`" if media is not None else "is for the media, or a link to them"
    paths = (
        f"Paths are relative to this folder; `{target.below}` {place}."
        if target.below
        else f"Paths are relative to the folder of the media, `{printable(where)}`."
    )
    values = "Times are seconds of the whole file; which frames are seen is the trainer's choice."
    values = (
        values
        if export.summary.kind == "video"
        else "Boxes are those of the whole image, on the scale that the texts say."
    )
    return textwrap.dedent(
        """\
        # {benchmark} for {version}

        {said}

        {paths} {values}

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
        benchmark=printable(export.summary.benchmark),
        version=target.version,
        said=said,
        paths=paths,
        values=values,
        rows=rows,
        notes=_filled(target.notes, words),
        command=command,
        signature=signature,
    )


def _filled(notes: str, words: Mapping[str, str]) -> str:
    """Notes with the words put in, quoted as the language of a block of code asks; other braces are code."""
    language, lines = "", []
    for line in notes.splitlines(keepends=True):
        if not line.startswith(_OF_VIDEOS) or words["kind"] == "video":
            said = line.removeprefix(_OF_VIDEOS)
            language = said[3:].strip() if said.startswith("```") else language
            place, quoted = _QUOTES[language]
            parts = place.split(said)  # what stands between the places, and these, in turn
            parts[1::2] = [quoted(_put(part, words)) for part in parts[1::2]]
            lines.append("".join(parts))
    return "".join(lines)


def _put(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda place: words.get(place[1], place[0]), text)


def _in_quotes(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _yaml_text(text: str) -> str:
    """A text as it is where YAML takes it for one."""
    plain = re.fullmatch(r"[\w./]([\w./ ,-]*[\w./,-])?", text) is not None
    return text if plain else json.dumps(text, ensure_ascii=False)


_OF_VIDEOS = "[video] "
# By language, what of a line is quoted as one, and how.
_QUOTES: dict[str, tuple[re.Pattern[str], Callable[[str], str]]] = {
    "": (re.compile(r"(\{\w+\})"), printable),
    "bash": (re.compile(r"([^\s=]*\{\w+\}[^\s=]*)"), shlex.quote),
    "python": (re.compile(r"(?<=\")([^\"\n]*\{\w+\}[^\"\n]*)(?=\")"), _in_quotes),
    "yaml": (re.compile(r"(?<=: )(.*\{\w+\}.*)"), _yaml_text),
}
