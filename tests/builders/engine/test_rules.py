"""Rules: declared by a function's signature, their parameters read from what people write."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.engine.rules import ROOT, Outcome, Parameter, Rule, mask_of, rule, settings_of
from schemas.errors import UsageError


@rule("size", cites="our paper", reasons={"small": "it is {width:g} px wide"})
def size(
    images: pd.DataFrame,
    sources: object,
    *,
    least: Annotated[int, "least width in pixels"] = 64,
    by: Annotated[Literal["width", "height"], "the side"] = "width",
    factor: Annotated[float, "a factor"] = 1.0,
    strict: bool = False,
    label: str = "small",
) -> Outcome:
    """Keep images that are
    wide enough.

    More for readers of the code.
    """
    return Outcome(keep=images["width"] >= least, reason="small")


@rule("bare", cites="nobody", level="objects")
def bare(objects: pd.DataFrame) -> Outcome:
    """Do nothing."""
    return Outcome()


def test_a_rule_is_what_its_function_says() -> None:
    assert isinstance(size, Rule)
    assert (size.name, size.cites, size.level, size.tables) == ("size", "our paper", ROOT, ("sources",))
    assert size.about == "Keep images that are wide enough."
    assert size.reasons == {"small": "it is {width:g} px wide"}
    assert (bare.level, bare.tables, bare.parameters, bare.reasons) == ("objects", (), (), {})


def test_parameters_carry_type_default_meaning_and_alternatives() -> None:
    assert size.parameters == (
        Parameter("least", int, 64, "least width in pixels", ()),
        Parameter("by", str, "width", "the side", ("width", "height")),
        Parameter("factor", float, 1.0, "a factor", ()),
        Parameter("strict", bool, False, "", (False, True)),
        Parameter("label", str, "small", "", ()),
    )


def test_a_rule_can_be_called_like_its_function() -> None:
    outcome = size(pd.DataFrame({"width": [1, 9]}), None, least=5)
    assert outcome.keep.tolist() == [False, True]


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("least", "7", 7),
        ("least", 7, 7),
        ("least", "-7", -7),
        ("by", "height", "height"),
        ("factor", "2", 2.0),
        ("factor", 29.97, 29.97),
        ("factor", "1e-3", 0.001),
        ("strict", "true", True),
        ("strict", "false", False),
        ("strict", True, True),
        ("label", "", ""),
        ("label", "a=b, c", "a=b, c"),
    ],
)
def test_reads_what_people_write(name: str, written: object, value: object) -> None:
    parsed = size.parameter(name).parse(written, "size")
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        ("least", "many", "size.least=many: expected a finite int"),
        ("least", "7.5", "size.least=7.5: expected a finite int"),
        ("least", True, "size.least=true: expected a finite int"),
        ("by", "depth", r"size.by=depth: expected width \| height"),
        ("factor", "nan", "size.factor=nan: expected a finite float"),
        ("factor", "-inf", "size.factor=-inf: expected a finite float"),
        ("factor", "", "size.factor=: expected a finite float"),
        ("strict", "True", r"size.strict=True: expected false \| true"),
        ("strict", "1", r"size.strict=1: expected false \| true"),
        ("by", "\x1b[31m", r"size.by=\\x1b\[31m: expected width"),
    ],
)
def test_refuses_other_values_and_lists_what_exists(name: str, written: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        size.parameter(name).parse(written, "size")


@rule("levels", cites="x")
def levels(rows: pd.DataFrame, *, most: Literal[0, 1, 2] = 0) -> Outcome:
    return Outcome()


def test_alternatives_keep_their_type() -> None:
    assert [levels.parameter("most").parse(written, "levels") for written in ("2", 1)] == [2, 1]
    with pytest.raises(UsageError, match=r"levels.most=3: expected 0 \| 1 \| 2"):
        levels.parameter("most").parse("3", "levels")


@given(st.data())
def test_every_alternative_and_default_reads_back_from_its_own_text(data: st.DataObject) -> None:
    parameter = data.draw(st.sampled_from(size.parameters))
    value = data.draw(st.sampled_from(parameter.alternatives or (parameter.default,)))
    assert parameter.parse(value, "size") == parameter.parse(str(value).lower(), "size") == value


def test_other_defaults_make_another_rule() -> None:
    tall = size.with_defaults(by="height", least=9)
    assert [parameter.default for parameter in tall.parameters[:2]] == [9, "height"]
    assert size.parameter("by").default == "width"
    with pytest.raises(TypeError, match=r"rule 'size' has no parameters \['most'\]"):
        size.with_defaults(most=1)


def test_settings_are_the_defaults_but_for_the_overrides() -> None:
    rules = (size, bare, levels)
    defaults = {
        "size.least": 64,
        "size.by": "width",
        "size.factor": 1.0,
        "size.strict": False,
        "size.label": "small",
        "levels.most": 0,
    }
    assert settings_of(rules, {}) == defaults
    assert settings_of(rules, {"levels.most": "2", "size.strict": True}) == defaults | {
        "levels.most": 2,
        "size.strict": True,
    }


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("sise.by", r"unknown rule 'sise'; did you mean size\? \(known: size, levels\)"),
        ("size.bye", r"unknown parameter of rule 'size' 'bye'; did you mean by or label\? \(known: least, by, factor"),
        ("size.by.x", r"unknown parameter of rule 'size' 'by.x'"),
        ("by", r"'by': expected RULE.PARAMETER=VALUE \(known: size.least, size.by"),
        ("", "expected RULE.PARAMETER=VALUE"),
    ],
)
def test_unknown_rules_and_parameters_list_what_exists(key: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        settings_of((size, levels), {key: "width"})


@pytest.mark.parametrize(
    "values",
    [
        [True, False],
        np.array([True, False]),
        pd.Series([True, False], index=[7, 3]),
        pd.Series([True, False], dtype="boolean"),
        pd.Series([3, 1], dtype="Int64") > 2,
        pd.array([True, False], dtype="boolean"),
    ],
)
def test_a_mask_is_taken_row_by_row(values: Any) -> None:
    mask = mask_of(values, pd.DataFrame({"a": [1, 2]}))
    assert mask.dtype == np.bool_
    assert mask.tolist() == [True, False]


@pytest.mark.parametrize(
    "values",
    [
        [True],
        [1, 0],
        True,
        ["a", "b"],
        pd.Series([True, None], dtype="boolean"),
        pd.Series([True, None]),
        [[True, False]],
    ],
)
def test_what_is_no_mask_of_the_table_is_an_error_of_the_rule(values: Any) -> None:
    with pytest.raises(TypeError, match=r"its mask has type .* and shape .*, expected bool and \(2,\)"):
        mask_of(values, pd.DataFrame({"a": [1, 2]}))


def test_a_parameter_needs_a_plain_type_and_a_default() -> None:
    def without_default(rows: pd.DataFrame, *, least: int) -> Outcome:
        return Outcome()

    def of_many_types(rows: pd.DataFrame, *, least: int | None = None) -> Outcome:
        return Outcome()

    for function in (without_default, of_many_types):
        with pytest.raises(TypeError, match="parameter 'least': expected bool, int, float, str or Literal, and a def"):
            rule("a", cites="x")(function)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("least", "many", "size.least=many: expected a finite int"),
        ("least", 7.5, "size.least=7.5: expected a finite int"),
        ("least", True, "size.least=true: expected a finite int"),
        ("least", None, "size.least=None: expected a finite int"),
        ("by", "depth", r"size.by=depth: expected width \| height"),
        ("by", None, r"size.by=None: expected width \| height"),
        ("factor", "abc", "size.factor=abc: expected a finite float"),
        ("factor", float("nan"), "size.factor=nan: expected a finite float"),
        ("strict", "maybe", r"size.strict=maybe: expected false \| true"),
        ("label", None, "size.label=None: expected a text"),
        ("label", ["small"], "size.label=\\['small'\\]: expected a text"),
    ],
)
def test_other_defaults_are_values_that_the_parameter_takes(name: str, value: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        size.with_defaults(**{name: value})


def test_other_defaults_have_the_type_of_the_parameter() -> None:
    default = size.with_defaults(factor=2).parameter("factor").default
    assert (default, type(default)) == (2.0, float)


def test_a_default_is_a_value_that_the_parameter_takes() -> None:
    def of_another_type(rows: pd.DataFrame, *, least: float = "abc") -> Outcome:  # type: ignore[assignment]
        return Outcome()

    def no_alternative(rows: pd.DataFrame, *, by: Literal["width", "height"] = "depth") -> Outcome:  # type: ignore[assignment]
        return Outcome()

    with pytest.raises(ValueError, match=r"a.least=abc: expected a finite float"):
        rule("a", cites="x")(of_another_type)
    with pytest.raises(ValueError, match=r"a.by=depth: expected width \| height"):
        rule("a", cites="x")(no_alternative)


def test_a_parameter_without_annotation_has_the_type_of_its_default() -> None:
    @rule("a", cites="x")
    def bare_parameters(rows, *, least=1.5, strict=False, by="width"):  # type: ignore[no-untyped-def]
        return Outcome()

    assert [(p.kind, p.default, p.alternatives) for p in bare_parameters.parameters] == [
        (float, 1.5, ()),
        (bool, False, (False, True)),
        (str, "width", ()),
    ]

    def without_type(rows, *, least=None):  # type: ignore[no-untyped-def]
        return Outcome()

    with pytest.raises(TypeError, match="parameter 'least': expected bool, int, float, str or Literal, and a default"):
        rule("a", cites="x")(without_type)
