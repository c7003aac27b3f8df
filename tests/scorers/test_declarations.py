"""Options declared once: what is refused, and that the functions of Python derive from the declaration."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import benchwright
from schemas.errors import UsageError
from scorers.declarations import checked, declared
from scorers.options import BaselineOptions, MonitorOptions, Options, ScoreOptions

FUNCTIONS = [
    ("score", ScoreOptions),
    ("leaderboard", ScoreOptions),
    ("compare", Options),
    ("baseline", BaselineOptions),
]


@pytest.mark.parametrize(("function", "options"), FUNCTIONS)
def test_a_function_of_python_has_every_option_as_a_keyword(function: str, options: type) -> None:
    called = getattr(benchwright, function)
    parameters = inspect.signature(called).parameters
    for name, (hint, option) in declared(options).items():
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].annotation == hint
        assert f"{name}: {option.help}" in called.__doc__
    assert not [p for p in parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]


def test_the_signature_shows_real_defaults() -> None:
    parameters = inspect.signature(benchwright.score).parameters
    assert [parameters[name].default for name in ("metrics", "seed", "resamples")] == [(), 12345, None]
    parameters = inspect.signature(benchwright.monitor).parameters
    assert [parameters[name].default for name in ("person", "protocol")] == ["person", "paper"]


def test_the_example_of_numbers_by_name_is_one_of_the_option() -> None:
    with pytest.raises(UsageError, match=r'numbers by name, as {"person": 0.43} or a path'):
        checked({"class_thresholds": 0.5}, MonitorOptions, "boxes")


def test_what_is_not_given_is_left_out() -> None:
    given = {"split": None, "seed": 0, "classes": Path("names.txt"), "metrics": ("mIoU",)}
    assert checked(given, ScoreOptions, "boxes") == {"seed": 0, "classes": Path("names.txt"), "metrics": ("mIoU",)}


def test_what_may_be_a_path_becomes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    given = {"parts": "~/parts.json", "second": [1], "class_thresholds": {"person": 0.5}, "person": "~"}
    assert checked(given, MonitorOptions, "boxes") == given | {"parts": Path("/home/someone/parts.json")}


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ({"metric": ["mIoU"]}, "metrics"),
        ({"threshold": {}}, "label_thresholds"),
        ({"resample": 1}, "resamples"),
        ({"rows": "rows.csv"}, "(known: "),
    ],
)
def test_unknown_names_are_refused_with_a_suggestion(given: dict[str, Any], known: str) -> None:
    with pytest.raises(UsageError) as failure:
        checked(given, Options, "spans")
    (name,) = given
    assert f"unknown option {name!r}" in str(failure.value)
    assert known in str(failure.value)


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("spans", {"metrics": "mIoU"}, "a list of names"),
        ("spans", {"split": 1}, "text"),
        ("spans", {"split": ""}, "text"),
        ("spans", {"protocol": ""}, "text"),
        ("boxes", {"classes": ""}, "a path"),
        ("spans", {"resamples": -1}, "a whole number from 0"),
        ("spans", {"resamples": 0.5}, "a whole number from 0"),
        ("spans", {"resamples": True}, "a whole number from 0"),
        ("spans", {"seed": "1"}, "a whole number from 0"),
        ("boxes", {"category_base": -1}, "a whole number from 0"),
        ("boxes", {"classes": 3}, "a path"),
        ("spans", {"metrics": ["mIoU", 1]}, "a list of names"),
        ("activities", {"label_thresholds": 0.5}, 'numbers by name, as {"actions": 0.6}'),
        ("activities", {"label_thresholds": {"actions": "much"}}, "numbers by name"),
        ("activities", {"label_thresholds": {"actions": float("nan")}}, "numbers by name"),
    ],
)
def test_values_of_other_types_are_refused(kind: str, given: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError) as failure:
        checked(given, ScoreOptions, kind)
    ((name, value),) = given.items()
    assert str(failure.value).startswith(f"{name}={value!r}: expected {expected}")


def test_a_number_may_have_an_upper_bound() -> None:
    assert checked({"annotator": 5}, BaselineOptions, "spans") == {"annotator": 5}
    with pytest.raises(UsageError, match="annotator=6: expected a whole number from 1 to 5"):
        checked({"annotator": 6}, BaselineOptions, "spans")


@pytest.mark.parametrize("name", [name for name, (_, option) in declared(ScoreOptions).items() if option.kinds])
def test_options_of_another_kind_are_refused(name: str) -> None:
    option = declared(ScoreOptions)[name][1]
    for kind in {"spans", "boxes", "activities"} - set(option.kinds):
        with pytest.raises(UsageError) as failure:
            checked({name: "value"}, ScoreOptions, kind)
        assert str(failure.value) == f"{name}: for {' and '.join(option.kinds)}; this manifest holds {kind}"
