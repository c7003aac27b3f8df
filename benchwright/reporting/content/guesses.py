"""Guesses that see no video or image: those of the scorer, and those that findings fit on other rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchwright.auditing.effect import Interval, Standing
from benchwright.reporting.content.family import Material

PEOPLE = "human"
"""The baseline that is no guess: a person who was asked."""


class Fitted(NamedTuple):
    """A guess of a finding: in words, where it was fitted, and what it reaches by metric."""

    words: str
    on: str
    values: Mapping[str, float]


def fitted(material: Material, protocol: str, split: str) -> dict[str, Fitted]:
    """By the id of the finding: the guesses that were scored on these rows by this protocol."""
    context = material.context
    found = {each.id: each.numbers for each in material.findings.findings if "by_metric" in each.numbers}
    if not found:
        return {}
    task = context.task or context.task_of([])
    rows = context.manifest.identity.splits[split].rows if split in context.manifest.identity.splits else None
    if task.protocol != protocol or task.split != split:
        return {}
    return {
        name: Fitted(
            str(numbers["guess"]),
            str(numbers["on"]),
            {metric: each["value"] for metric, each in numbers["by_metric"].items() if each["value"] is not None},
        )
        for name, numbers in found.items()
        if numbers["of"] == rows
    }


def told(found: Mapping[str, Fitted]) -> str:
    """What the guesses are, and that the findings tell of them; empty where there are none."""
    if not found:
        return ""
    names = "; ".join(f"{name} answers each row with {each.words}, fitted on {each.on}" for name, each in found.items())
    return f" Guesses of the findings: {names}."


def guesses(material: Material) -> dict[str, dict[str, Standing]]:
    """The guesses beside the systems of the audit, by name and metric; those of findings have no intervals here."""
    audit = material.audit
    if audit is None:
        return {}
    found = {name: dict(by_metric) for name, by_metric in audit.baselines.items() if name != PEOPLE}
    for name, guess in fitted(material, audit.protocol, audit.split).items():
        found[name] = {
            metric: Standing(guess.values.get(metric), Interval(None, None), None) for metric in audit.metrics
        }
    return found


def named(material: Material, name: str) -> str:
    """A guess in words, where its finding has them."""
    numbers = next((each.numbers for each in material.findings.findings if each.id == name), {})
    return str(numbers.get("guess", name))
