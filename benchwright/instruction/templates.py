"""Files of templates: by task, questions and answers in several variants (`docs/instruct.md` has the format)."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from benchwright.checks.context import folded
from benchwright.instruction.places import Place, Where, pieces_of
from schemas.errors import InputError, Problem, UsageError, nearest, shown
from schemas.identity import SourceIdentity
from schemas.input.files import read_bytes
from schemas.manifest import Manifest
from schemas.paths import home_filled

Pieces = Sequence[str | Place]
BUNDLED = Path(__file__).parent / "bundled"


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table of a file of templates.

    Attributes:
        questions, answers: variants, one of each is drawn for a row.
        denials: of `verify`, answers where the span is a wrong one.
        weight: how often this template is drawn beside others of its task.
        share: of the rows, those that get this task at all; of the task's first template.
        wrong: of `verify`, share of the rows whose span is a wrong one.
        foreign: of `verify`, share of the rows whose text is one of another video.
        max_overlap: of `verify`, the largest IoU of a wrong span with a true one of the same video and text.
        option: of `choose`, one of the options.
        item: of boxes, one of them.
        between: what stands between options or items.
    """

    questions: list[str]
    answers: list[str]
    denials: list[str] = []
    weight: float = 1.0
    share: float = 1.0
    wrong: float = 0.5
    foreign: float = 0.0
    max_overlap: float = 0.0
    option: str = "({letter}) {description}"
    item: str = "[{x1:.0f}, {y1:.0f}, {x2:.0f}, {y2:.0f}]"
    between: str | None = None


@dataclass(frozen=True)
class Parsed:
    """A template with its texts in pieces.

    Attributes:
        id: task and number, as `localise-1`.
        task: what is asked.
        given: as it stands in the file.
        pieces: by the name of a text, `questions[1]` or `item`.
        file: of the template, for messages.
    """

    id: str
    task: str
    given: Template
    pieces: Mapping[str, Pieces]
    file: str

    def where(self, text: str) -> Where:
        return Where(self.file, f"{self.id}.{text}")

    def variants(self, kind: str) -> list[str]:
        """Names of the texts of `questions`, `answers` or `denials`."""
        return [f"{kind}[{number}]" for number in range(1, len(getattr(self.given, kind)) + 1)]


@dataclass(frozen=True)
class Templates:
    """The templates of each task, in the order of the file, and which file that was."""

    by_task: dict[str, list[Parsed]]
    source: SourceIdentity


def read_templates(path: Path, tasks: Sequence[str]) -> Templates:
    """The templates of a file.

    Args:
        path: TOML, a table or an array of tables for each task.
        tasks: those that the manifest's kind knows.

    Raises:
        InputError: it cannot be read, is no TOML, or has unknown tasks, fields, filters, or unbalanced braces.
    """
    content = read_bytes(path)
    try:
        tables = tomllib.loads(content.decode("utf-8-sig"))  # Notepad writes the mark
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        raise InputError(Problem(str(path), "", "", str(failure), "templates in TOML")) from None
    return _templates(tables, str(path), tasks, SourceIdentity(path.name, hashlib.sha256(content).hexdigest()))


def paper_templates(manifest: Manifest, tasks: Sequence[str]) -> Templates:
    """The paper's question and answer for spans: those that the manifest was built with, if it was, else as published.

    Source: Hasnat79/uag : scripts/oops_training_data_builder.py.
    """
    from builders.oops.oops_uag_instruct import ANSWER, QUESTION

    given = [manifest.identity.parameters.get(f"conversation.{name}") for name in ("question", "answer")]
    question, answer = (str(text or known) for text, known in zip(given, (QUESTION, ANSWER), strict=True))
    digest = hashlib.sha256(f"{question}\0{answer}".encode()).hexdigest()
    tables = {"localise": {"questions": [question], "answers": [answer]}}
    return _templates(tables, "paper", tasks, SourceIdentity("paper", digest))


def bundled_names() -> list[str]:
    """Names of the files of templates that come with the toolkit."""
    return sorted(path.stem for path in BUNDLED.glob("*.toml"))


def _templates(tables: dict[str, Any], file: str, tasks: Sequence[str], source: SourceIdentity) -> Templates:
    found: dict[str, list[Parsed]] = {}
    for task, given in tables.items():
        if task not in tasks:
            near = nearest(task, tasks)
            advice = f"did you mean {' or '.join(near)}?" if near else ""
            raise InputError(Problem(file, "", "", f"the task {shown(task)}", f"one of {', '.join(tasks)}", advice))
        listed = given if isinstance(given, list) else [given]
        if not listed:
            raise InputError(Problem(file, task, "", "no template", "questions and answers"))
        found[task] = [_template(task, number, each, file) for number, each in enumerate(listed, 1)]
    if not found:
        raise InputError(Problem(file, "", "", "no task", f"tables of {' or '.join(tasks)}"))
    return Templates(found, source)


def _template(task: str, number: int, table: object, file: str) -> Parsed:
    name = f"{task}-{number}"
    known = [field.name for field in msgspec.structs.fields(Template)]
    if isinstance(table, dict) and (unknown := [field for field in table if field not in known]):
        near = nearest(unknown[0], known)
        advice = f"did you mean {' or '.join(near)}?" if near else ""
        raise InputError(Problem(file, name, unknown[0], "an unknown field", f"one of {', '.join(known)}", advice))
    try:
        given = msgspec.convert(table, Template)
    except msgspec.ValidationError as failure:
        raise InputError(Problem(file, name, "", str(failure), "texts in lists, and numbers")) from None
    _check_numbers(given, name, file)
    if (task == "verify") != bool(given.denials):
        expected = "answers to a wrong span" if task == "verify" else "them in verify alone"
        raise InputError(Problem(file, name, "denials", "none" if task == "verify" else "some", expected))
    texts = {
        f"{kind}[{place}]": text
        for kind in ("questions", "answers", "denials")
        for place, text in enumerate(getattr(given, kind), 1)
    }
    texts |= {"option": given.option} if task == "choose" else {}
    texts |= {"item": given.item}
    pieces = {key: pieces_of(text, Where(file, f"{name}.{key}")) for key, text in texts.items()}
    return Parsed(name, task, given, pieces, file)


def _check_numbers(given: Template, name: str, file: str) -> None:
    for field in ("questions", "answers"):
        if not getattr(given, field):
            raise InputError(Problem(file, name, field, "no variant", "one or more texts"))
    agreed = {folded(text) for text in given.answers}
    if shared := [text for text in given.denials if folded(text) in agreed]:
        raise InputError(Problem(file, name, "denials", shown(shared[0]), "no text that is among the answers, too"))
    for field, most in (("weight", 1e6), ("share", 1.0)):
        if not 0 < getattr(given, field) <= most:
            raise InputError(Problem(file, name, field, shown(getattr(given, field)), f"above 0, at most {most:,g}"))
    for field, most in (("wrong", 1.0), ("foreign", 1.0 - given.wrong), ("max_overlap", 0.99)):
        if not 0 <= getattr(given, field) <= most:
            raise InputError(Problem(file, name, field, shown(getattr(given, field)), f"from 0 to {most:g}"))


def chosen_templates(manifest: Manifest, given: str | Path | None, tasks: Sequence[str], default: str) -> Templates:
    """The templates of a file, or the bundled ones of a name; the `default` of the manifest's kind if None.

    Raises:
        UsageError: neither a file nor a name.
        InputError: as of `read_templates`.
    """
    name = default if given is None else str(given)
    if name == "paper" and default == "paper":
        return paper_templates(manifest, tasks)
    if name in bundled_names() and not Path(name).exists():
        bundled = read_templates(BUNDLED / f"{name}.toml", tasks)
        return replace(bundled, source=SourceIdentity(name, bundled.source.sha256))
    path = home_filled(name)
    if not path.exists():
        names = [*["paper"] * (default == "paper"), *bundled_names()]
        near = nearest(name, names)
        guess = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"--templates {name}: no such file{guess} (bundled: {', '.join(names)})")
    return read_templates(path, tasks)
