"""The alternatives to what a benchmark's authors chose: other values, lifted rules, other ways of scoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builders.engine.recipe import Recipe
from builders.engine.registry import card_of
from builders.engine.rules import LIFT
from schemas.cards import AuditCard, Kind
from schemas.identity import Value, written
from scorers.scorer import Scorer


class Alternative(NamedTuple):
    """One thing changed.

    Attributes:
        key: what, as people read it.
        kind: see `schemas.cards.Kind`.
        settings: of the build.
        scoring: options of scoring.
        about: what is chosen, in words.
    """

    key: str
    kind: Kind
    settings: Mapping[str, Value] = {}
    scoring: Mapping[str, str] = {}
    about: str = ""

    @property
    def rule(self) -> str:
        """The rule whose setting it is, empty of scoring."""
        return next(iter(self.settings), "").partition(".")[0]

    @property
    def lifts(self) -> bool:
        """Whether it lifts a rule."""
        return any(name.endswith(f".{LIFT.name}") for name in self.settings)


def of_settings(
    recipe: Recipe, grid: Mapping[str, Sequence[str]], now: Mapping[str, Value] | None = None
) -> list[Alternative]:
    """Each declared value of a parameter other than it has now; of free numbers those of a grid.

    Args:
        recipe: with the parameters.
        grid: values of parameters, in place of those that the card names.
        now: values of parameters, the default of all others.

    Raises:
        UsageError: an unknown parameter, or a value that it cannot take.
    """
    card = card_of(recipe)
    current = recipe.settings(now or {})
    parameters = {f"{step.name}.{parameter.name}": parameter for step in recipe.steps for parameter in step.parameters}
    values: dict[str, list[Value]] = {key: list(parameter.alternatives) for key, parameter in parameters.items()}
    for key, texts in {**card.audit.grids, **grid}.items():
        values[key] = [recipe.settings({key: text})[key] for text in texts]
    return [
        Alternative(
            f"{key}={written(value)}",
            _kind(card.audit.kinds, f"{key}={written(value)}"),
            {key: value},
            about=parameters[key].about,
        )
        for key, choices in values.items()
        for value in dict.fromkeys(choices)
        if value != current[key]
    ]


def of_lifting(rules: Sequence[str]) -> list[Alternative]:
    """Each of these rules lifted."""
    return [Alternative(f"lift {rule}", "other benchmark", {f"{rule}.{LIFT.name}": True}) for rule in rules]


def of_scoring(scorer: Scorer[Any, Any, Any], truth: object, protocol: str, card: AuditCard) -> list[Alternative]:
    """What a scorer names; see `Scorer.alternatives` and `Scorer.kinds`, which a card may overrule."""
    known = {**scorer.kinds, **card.kinds}
    return [
        Alternative(
            key, _kind(known, key), {}, options, scorer.words.get(key, scorer.words.get(key.partition("=")[2], ""))
        )
        for key, options in scorer.alternatives(truth, protocol).items()
    ]


def _kind(kinds: Mapping[str, Kind], key: str) -> Kind:
    """The kind of an alternative, or of all values of what it sets."""
    return kinds.get(key, kinds.get(key.partition("=")[0], "equivalent"))
