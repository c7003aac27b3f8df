"""What happened to a row, as people read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pyarrow as pa

from benchwright.cli import console, words
from benchwright.cli.layout import Name, named, numeric
from benchwright.story import Step, Story
from schemas.errors import counted

_FEW_FIELDS = 2


def show_story(story: Story) -> None:
    """Print one story as a table, the row's own values under it."""
    cells = [[step.order, step.rule, step.action, _reason(step)] for step in story.steps]
    title = f"{story.level} {story.key}: {story.fate}"
    console.table(title, ["", "rule", "what it did", "why"], cells)
    console.explain(words.RULES, [step.action for step in story.steps])
    console.table("sources of the rules", ["rule", "source"], [[step.rule, step.cites] for step in story.steps])
    if story.row:
        cells = [[name, _short(value)] for name, value in story.row.items() if not _is_records(value)]
        console.table("the row", ["column", "value"], cells)
        for name, value in story.row.items():
            if _is_records(value):
                console.table(name, list(value[0]), [list(map(_short, record.values())) for record in value])
    if story.parts:
        parts = [[part.level, part.key, part.action, part.rule, part.sentence] for part in story.parts]
        console.table("within it", ["level", "key", "what became of it", "rule", "why"], parts)
    _show_alternatives(story)
    if story.page:
        console.say(f"on the page: {story.page}")


def _show_alternatives(story: Story) -> None:
    """What other choices would have made of it."""
    unlike = [each for each in story.alternatives if each.fate not in ("same", "not judged")]
    if unlike:
        cells = [[Name(each.key), each.kind, each.sentence] for each in unlike]
        title = f"What another choice would have made of it: {story.fate} as it is"
        console.table(title, [named("choice"), "kind", "what becomes of it"], cells)
        console.explain(words.KINDS, [each.kind for each in unlike])
    same = [each.key for each in story.alternatives if each.fate == "same"]
    if same:
        console.say(f"no difference to it: {', '.join(same)}")
    for each in story.alternatives:
        if each.fate == "not judged":
            console.say(f"not tried: {each.key}: {each.sentence}")


def show_ledger(title: str, ledger: pa.Table) -> None:
    """The entries, then how many there are by rule, action and reason, which is what is left on the screen."""
    rows = ledger.to_pylist()
    if not rows:
        console.say(f"{title}: the ledger has no such rows")
        return
    cells: list[list[object]] = [[_key(row), row["rule"], row["action"], row["why"]] for row in rows]
    console.table(title, ["key", "rule", "action", "why"], cells)
    console.explain(words.RULES, [row["action"] for row in rows])
    counts = Counter((row["level"], row["rule"], row["action"], row["reason"]) for row in rows)
    cells = [[*of, count] for of, count in counts.items()]
    if "page" in rows[0]:
        console.say(f"on the page, the first of them: {rows[0]['page']} (all with --json or --out)")
    console.table(counted(len(rows), "rows"), ["level", "rule", "action", "reason", numeric("rows")], cells)


def _key(row: Mapping[str, str | None]) -> str:
    """What `why` knows an entry by."""
    return f"{row['child_key']} of {row['key']}" if row["child_key"] is not None else str(row["key"])


def _is_records(value: object) -> bool:
    """Whether a value is a list of records with more to say than a label has."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and len(value[0]) > _FEW_FIELDS


def _short(value: object) -> str:
    """A value in a cell: of a list its items, of a record its values, and the names of what is true."""
    if isinstance(value, list):
        return ", ".join(map(_short, value)) or "none"
    if isinstance(value, dict):
        return " ".join(name if field is True else str(field) for name, field in value.items() if field is not False)
    return str(value)


def _reason(step: Step) -> str:
    if step.action == "not reached":
        return ""
    settings = ", ".join(f"{name}={console.plain(value)}" for name, value in step.parameters.items())
    return "; ".join(part for part in (step.sentence, settings) if part)
