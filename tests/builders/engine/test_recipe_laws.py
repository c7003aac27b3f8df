"""The engine against a model of it: random recipes over key frames with persons and groups, images with objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.engine.recipe import Candidates
from builders.engine.rules import ROOT, Outcome, Rule, rule
from builders.engine.run import Build
from schemas.columns import column, table_schema

RunRules = Callable[..., Build]

# Child levels of the two invented recipes: what their keys are made of.
LEVELS = {
    "image": {"objects": int},
    "key frame": {"persons": int, "groups": str},
}


@dataclass
class Step:
    """One random rule: it drops the rows numbered in `drops`, and touches those in `touches`."""

    level: str
    kind: str
    drops: set[int]
    touches: set[int]
    reasons: list[str]


@dataclass
class Case:
    """A random recipe: rows are (number,) at the root and (number, parent, key) below; and the rules."""

    level: str
    root: list[int]
    children: dict[str, list[tuple[int, int, Any]]]
    steps: list[Step]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    level = draw(st.sampled_from(sorted(LEVELS)))
    root = list(range(draw(st.integers(0, 6))))
    children: dict[str, list[tuple[int, int, Any]]] = {}
    for name, kind in LEVELS[level].items():
        parents = draw(st.lists(st.sampled_from(root), max_size=9)) if root else []
        children[name] = [(number, parent, kind(number % 4)) for number, parent in enumerate(parents)]
    numbers = st.sets(st.integers(0, 8))
    kinds = st.sampled_from(["drop", "note", "change", "derive", "drop and derive", "nothing"])
    levels = st.sampled_from([ROOT, *children])
    steps = st.builds(Step, levels, kinds, numbers, numbers, st.lists(st.sampled_from(["odd", "even"]), max_size=1))
    return Case(level, root, children, draw(st.lists(steps, max_size=5)))


def made_rule(order: int, step: Step) -> Rule:
    """The rule of a step; its column `value` is ten times the row's number, plus the rule's order."""

    def function(rows: pd.DataFrame) -> Outcome:
        number = rows["number"]
        drops, touches = number.isin(step.drops), number.isin(step.touches)
        reason: Any = step.reasons[0] if step.reasons else ["even" if n % 2 == 0 else "odd" for n in number]
        values = {"number": number, "order": order}
        columns = {"value": number * 10 + order}
        if step.kind == "change":
            columns = {"value": columns["value"].where(touches, rows["value"])}
        return {
            "drop": Outcome(keep=~drops, touched=touches, reason=reason, values=values),
            "note": Outcome(touched=touches.to_numpy(), reason=reason, values=values),
            "change": Outcome(columns=columns, touched=touches, reason=reason, values=values),
            "derive": Outcome(columns=columns),
            "drop and derive": Outcome(keep=~drops, columns=columns, reason=reason, values=values),
            "nothing": Outcome(),
        }[step.kind]

    return rule(f"rule {order}", cites="nobody", level=step.level, reasons={"odd": "", "even": ""})(function)


def candidates_of(case: Case) -> Candidates:
    root = pd.DataFrame({"number": case.root, "value": 0}, dtype="int64")
    root["sample_id"] = [f"row {number}" for number in case.root]
    root["split"] = ["test" if number % 3 else "train" for number in case.root]
    children = {
        name: pd.DataFrame(rows, columns=["number", "parent", "key"]).assign(value=0)
        for name, rows in case.children.items()
    }
    return Candidates(root, children)


def schema_of(case: Case) -> pa.Schema:
    columns = [
        column("sample_id", pa.string(), "name"),
        column("split", pa.string(), "split"),
        column("value", pa.int64(), "derived"),
    ]
    for name, kind in LEVELS[case.level].items():
        key = column("key", pa.int64() if kind is int else pa.string(), "name in its sample")
        record = pa.struct([key, column("value", pa.int64(), "derived")])
        columns.append(column(name, pa.list_(pa.field("item", record, nullable=False)), "what it holds"))
    return table_schema("invented", 1, columns)


class Model:
    """What a case must give, row by row in plain Python."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.alive = {ROOT: dict.fromkeys(case.root, 0)}
        self.alive |= {name: {number: 0 for number, *_ in rows} for name, rows in case.children.items()}
        self.entries: list[tuple[Any, ...]] = []
        self.counts: list[tuple[Any, ...]] = []
        for order, step in enumerate(case.steps, 1):
            self.apply(order, step)

    def name(self, level: str) -> str:
        return self.case.level if level == ROOT else level

    def enter(self, order: int, level: str, number: int, action: str, reason: str, values: dict[str, float]) -> None:
        key, child = f"row {number}", None
        if level != ROOT:
            _, parent, name = self.case.children[level][number]
            key, child = f"row {parent}", str(name)
        self.entries.append((self.name(level), key, child, f"rule {order}", order, action, reason, values))

    def apply(self, order: int, step: Step) -> None:
        rows = self.alive[step.level]
        before, tally = list(rows), {"dropped": 0, "changed": 0, "noted": 0}
        derives = step.kind in ("derive", "drop and derive")
        for number in before:
            reason = step.reasons[0] if step.reasons else ("even" if number % 2 == 0 else "odd")
            values = {"number": float(number), "order": float(order)}
            if step.kind in ("drop", "drop and derive") and number in step.drops:
                del rows[number]
                action = "dropped"
            elif step.kind in ("drop", "note", "change") and number in step.touches:
                action = "changed" if step.kind == "change" else "noted"
            else:
                continue
            tally[action] += 1
            self.enter(order, step.level, number, action, reason, values)
        for number in rows:
            if derives or (step.kind == "change" and number in step.touches):
                rows[number] = number * 10 + order
        changed = len(rows) if derives else tally["changed"]
        self.counts.append(
            (self.name(step.level), f"rule {order}", order, len(before), tally["dropped"], 0, changed, tally["noted"])
        )
        if step.level == ROOT and tally["dropped"]:
            self.drop_children(order)

    def drop_children(self, order: int) -> None:
        for level, rows in self.case.children.items():
            before = list(self.alive[level])
            fallen = [number for number in before if rows[number][1] not in self.alive[ROOT]]
            for number in fallen:
                del self.alive[level][number]
                self.enter(order, level, number, "dropped", "via=parent", {})
            self.counts.append((level, f"rule {order}", order, len(before), len(fallen), len(fallen), 0, 0))

    def rows(self, split: str) -> list[dict[str, Any]]:
        return [
            {"sample_id": f"row {number}", "split": split, "value": value}
            | {level: self.records(level, number) for level in self.case.children}
            for number, value in self.alive[ROOT].items()
            if split == ("test" if number % 3 else "train")
        ]

    def records(self, level: str, parent: int) -> list[dict[str, Any]]:
        rows = self.case.children[level]
        alive = self.alive[level].items()
        return [{"key": rows[number][2], "value": value} for number, value in alive if rows[number][1] == parent]


def entries_of(build: Build) -> list[tuple[Any, ...]]:
    rows = build.ledger.to_pylist()
    for row in rows:
        row["values"] = {value["name"]: value["value"] for value in row["values"]}
    return [tuple(row.values()) for row in rows]


def ran(run_rules: RunRules, card: Callable[..., Any], case: Case) -> Build:
    rules = [made_rule(order, step) for order, step in enumerate(case.steps, 1)]
    made = card(["train", "test"])
    return run_rules(candidates_of(case), rules, schema_of(case), level=case.level, card=made)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_a_run_gives_what_the_model_gives(run_rules: RunRules, card: Callable[..., Any], case: Case) -> None:
    build, model = ran(run_rules, card, case), Model(case)
    assert sorted(entries_of(build), key=repr) == sorted(model.entries, key=repr)
    assert [tuple(getattr(c, f) for f in c.__struct_fields__) for c in build.identity.counts] == model.counts
    assert {split: table.to_pylist() for split, table in build.splits.items()} == {
        split: model.rows(split) for split in ("train", "test")
    }
    assert all(table.schema.equals(schema_of(case), check_metadata=True) for table in build.splits.values())


@settings(max_examples=40, deadline=None)
@given(cases())
def test_the_account_adds_up_at_every_level(run_rules: RunRules, card: Callable[..., Any], case: Case) -> None:
    build = ran(run_rules, card, case)
    sizes = {case.level: len(case.root)} | {level: len(rows) for level, rows in case.children.items()}
    drops = [entry for entry in entries_of(build) if entry[5] == "dropped"]
    for level, size in build.identity.levels.items():
        counts = [count for count in build.identity.counts if count.level == level]
        assert size.candidates == sizes[level] == size.kept + sum(count.dropped for count in counts)
        left = size.candidates
        for count in counts:
            assert count.rows_in == left
            left -= count.dropped
            entries = [entry for entry in drops if (entry[0], entry[4]) == (level, count.order)]
            assert len(entries) == count.dropped
            assert sum(entry[6] == "via=parent" for entry in entries) == count.with_parent
        assert left == size.kept
    roots = [entry[1] for entry in drops if entry[2] is None]
    assert len(set(roots)) == len(roots)
    assert sum(table.num_rows for table in build.splits.values()) == build.identity.levels[case.level].kept
