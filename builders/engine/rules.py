"""Rules: named, cited, parameterised steps that keep, drop or change the rows of one table.

A rule is a plain function with the decorator `rule`. Its first argument is the table of its level, a pandas frame; any
further positional argument is named after another level, or `sources`. Keyword arguments are its parameters: the
annotation gives type and meaning, the default is what the authors did. The tables are the rule's own copies: what it
edits in place is not in the manifest, only what it returns.

    @rule("agreement", cites="Section 3.1", reasons={"no_failure_seen": "{n_notfound:g} annotators saw no failure"})
    def agreement(clips, *, max_notfound: Annotated[Literal[0, 1, 2], "annotators who may have seen none"] = 0):
        return Outcome(keep=clips.n_notfound <= max_notfound, reason="no_failure_seen", values={"n_notfound": ...})
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from schemas.errors import UsageError, printable, shown, unknown_name
from schemas.identity import Value, written

ROOT = "root"
# The step that a reader with parameters is.
READER = "source"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a rule.

    Attributes:
        name: name within its rule.
        kind: `bool`, `int`, `float` or `str`; the type of the alternatives where there are some.
        default: what the published data show.
        about: one sentence on the meaning.
        alternatives: every value it may take, empty for free numbers and texts.
    """

    name: str
    kind: type
    default: Value
    about: str
    alternatives: tuple[Value, ...]

    def parse(self, text: object, rule_name: str) -> Value:
        """The value that a person wrote.

        Raises:
            UsageError: it is none of the alternatives, or not of the parameter's type.
        """
        given = written(text)
        for choice in self.alternatives:
            if written(choice) == given:
                return choice
        if not self.alternatives:
            try:
                value: Value = self.kind(given)
            except ValueError:
                pass
            else:
                if not isinstance(value, float) or math.isfinite(value):
                    return value
        raise UsageError(printable(f"{rule_name}.{self.name}={given}: expected {self._expected()}"))

    def with_default(self, value: object, rule_name: str) -> Parameter:
        """The same parameter with another default; `TypeError` or `ValueError` where it cannot take that value."""
        if not isinstance(value, bool | int | float | str):
            raise TypeError(f"{rule_name}.{self.name}={shown(value)}: expected {self._expected()}")
        try:
            return replace(self, default=self.parse(value, rule_name))
        except UsageError as failure:
            raise ValueError(str(failure)) from None

    def _expected(self) -> str:
        kind = "a text" if self.kind is str else f"a finite {self.kind.__name__}"
        return " | ".join(map(written, self.alternatives)) or kind


# What every rule can do beside its own parameters; among the settings of a build only where it does.
LIFT = Parameter("lift", bool, False, "run the rule, but let it drop nothing", (False, True))


@dataclass
class Outcome:
    """What a rule did to the table it was given, row by row.

    Attributes:
        keep: boolean mask of the rows that stay; None keeps all.
        columns: new or replaced columns, of the length of the table.
        touched: mask of the rows to enter in the ledger besides the dropped: changed if there are `columns`, else
            noted. None with `columns` means that every row got them, which needs no entry.
        reason: reason code of dropped and touched rows, one for all or one per row.
        values: the numbers compared, for the ledger: one for all or one per row.
        level: the level whose rows it is about, where other than the rule's.

    What is given per row is a list or array in the order of the table's rows, or a Series with the table's row labels.
    """

    keep: Any = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    touched: Any = None
    reason: Any = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    level: str = ""


Outcomes = Outcome | Sequence[Outcome]
"""One outcome, or one per level: that of the children before that of their parents."""


@dataclass(frozen=True)
class Rule:
    """A step of a recipe.

    `reasons` maps each reason code to the sentence that `why` renders from the values compared; `gives` is that on the
    columns which it gives to every row, from the columns of the row.
    """

    name: str
    level: str
    about: str
    cites: str
    parameters: tuple[Parameter, ...]
    reasons: Mapping[str, str]
    function: Callable[..., Outcomes]
    tables: tuple[str, ...]
    gives: str = ""

    def __call__(self, *tables: Any, **parameters: Value) -> Outcomes:
        return self.function(*tables, **parameters)

    def with_defaults(self, **defaults: Value) -> Rule:
        """The same rule with other defaults, for a benchmark whose authors decided otherwise.

        Raises:
            TypeError, ValueError: the rule has no such parameter, or one that cannot take the value.
        """
        unknown = sorted(set(defaults) - {parameter.name for parameter in self.parameters})
        if unknown:
            raise TypeError(f"rule {self.name!r} has no parameters {unknown}")
        changed = (p.with_default(defaults[p.name], self.name) if p.name in defaults else p for p in self.parameters)
        return replace(self, parameters=tuple(changed))

    def parameter(self, name: str) -> Parameter:
        known = [*self.parameters, *[LIFT] * (self.name != READER)]
        for parameter in known:
            if parameter.name == name:
                return parameter
        raise unknown_name(f"parameter of rule {self.name!r}", name, [parameter.name for parameter in known])


def rule(
    name: str,
    *,
    cites: str,
    level: str = ROOT,
    reasons: Mapping[str, str] | None = None,
    choices: Mapping[str, Sequence[Value]] | None = None,
    gives: str = "",
) -> Callable[[Callable[..., Outcomes]], Rule]:
    """Make a rule of a function; its docstring's first paragraph says what the rule does.

    Args:
        name: name of the rule, unique in its recipe.
        cites: where the authors say or do it.
        level: the level whose table is the function's first argument.
        reasons: reason code -> the sentence that `why` renders from the row's values.
        choices: parameter -> its alternatives, where they are only known at run time, so that no `Literal` has them.
        gives: the sentence that `why` renders of the columns that every row gets: `end_s = {end_s:.10g}, {of}`; a place
            is for a column of the manifest, or a parameter.
    """

    def make(function: Callable[..., Outcomes]) -> Rule:
        arguments = inspect.signature(function).parameters.values()
        hints = get_type_hints(function, include_extras=True)
        about = inspect.getdoc(function) or ""
        return Rule(
            name=name,
            level=level,
            about=" ".join(about.split("\n\n")[0].split()),
            cites=cites,
            parameters=tuple(
                _parameter(name, a, hints.get(a.name, type(a.default)), tuple((choices or {}).get(a.name, ())))
                for a in arguments
                if a.kind is a.KEYWORD_ONLY
            ),
            reasons=reasons or {},
            function=function,
            tables=tuple(a.name for a in arguments if a.kind is not a.KEYWORD_ONLY)[1:],
            gives=gives,
        )

    return make


def reader_step(read: Callable[..., Any]) -> Rule:
    """A reader as the step `source`, whose parameters are its keyword arguments."""
    return rule(READER, cites="")(read)


def _parameter(step: str, argument: inspect.Parameter, hint: Any, alternatives: tuple[Value, ...]) -> Parameter:
    """What a keyword argument declares; without an annotation, its type is that of its default."""
    kind, about = get_args(hint) if get_origin(hint) is Annotated else (hint, "")
    if get_origin(kind) is Literal:
        alternatives = get_args(kind)
        kind = type(alternatives[0])
    elif kind is bool:
        alternatives = (False, True)
    if argument.name == LIFT.name:
        raise TypeError(f"parameter {LIFT.name!r}: every rule has it already; expected another name")
    if kind not in (bool, int, float, str) or argument.default is argument.empty:
        raise TypeError(f"parameter {argument.name!r}: expected bool, int, float, str or Literal, and a default")
    return Parameter(argument.name, kind, argument.default, about, alternatives).with_default(argument.default, step)


def mask_of(values: Any, table: pd.DataFrame, what: str = "mask") -> np.ndarray[Any, np.dtype[np.bool_]]:
    """A mask as booleans, one for each row of `table`; a null is an error of the rule, not a False."""
    nullable = isinstance(getattr(values, "dtype", None), pd.BooleanDtype)
    mask = values.to_numpy(np.bool_) if nullable and not values.isna().any() else np.asarray(values)
    if mask.dtype != np.bool_ or mask.shape != (len(table),):
        found = f"type {mask.dtype} and shape {mask.shape}"
        raise TypeError(f"its {what} has {found}, expected bool and ({len(table)},), one for each row of the table")
    return mask


def settings_of(rules: tuple[Rule, ...], overrides: Mapping[str, object]) -> dict[str, Value]:
    """All parameters of a recipe's rules as `rule.parameter` -> value, defaults replaced by `overrides`.

    Raises:
        UsageError: an unknown rule or parameter, or a value that it cannot take; the message lists what exists.
    """
    by_name = {step.name: step for step in rules}
    settings = {f"{step.name}.{p.name}": p.default for step in rules for p in step.parameters}
    for key, value in overrides.items():
        rule_name, dot, name = key.partition(".")
        if not dot:
            raise UsageError(printable(f"{key!r}: expected RULE.PARAMETER=VALUE (known: {', '.join(settings)})"))
        if rule_name not in by_name:
            raise unknown_name("rule", rule_name, list(by_name))
        settings[key] = by_name[rule_name].parameter(name).parse(value, rule_name)
        if name == LIFT.name and not settings[key]:
            del settings[key]
    return settings
