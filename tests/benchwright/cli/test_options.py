"""Options of verbs derive from their declaration; pairs on the command line."""

from __future__ import annotations

import re

import pytest

from benchwright.cli.options import numbers_of, pairs_of
from schemas.errors import UsageError
from scorers.declarations import declared, flag_of
from scorers.options import BaselineOptions, MonitorOptions, Options, ScoreOptions, ThresholdOptions

VERBS = {
    "score": ScoreOptions,
    "compare": Options,
    "baseline": BaselineOptions,
    "monitor": MonitorOptions,
    "thresholds": ThresholdOptions,
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_every_declared_option_with_its_help(run, verb: str) -> None:
    ran = run(verb, "--help")
    assert ran.code == 0
    text = " ".join(re.sub(r"[│╭╮╰╯─]", " ", ran.out).split())
    for name, (_, option) in declared(VERBS[verb]).items():
        assert f" {flag_of(name, option)} " in text
        assert " ".join(option.help.split()[:3]) in text


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_options_of_numbers_are_numbers(run, sample_manifest, write, verb: str) -> None:
    manifest = sample_manifest("uag-ssbd")
    runs = [write(manifest)] * (1 if verb == "score" else 2)
    wrong = [("--resamples", "-1", "0<=x<="), ("--resamples", "9" * 18, "0<=x<="), ("--seed", "much", "valid int")]
    for option, value, expected in wrong:
        ran = run(verb, manifest.path, *runs, option, value)
        assert ran.code == 2
        assert expected in ran.err


def test_pairs_have_a_name_and_a_value_once() -> None:
    assert pairs_of(["a=1", "b=c=2", "d="]) == {"a": "1", "b": "c=2", "d": ""}
    for texts, found in (("a", "'a': expected NAME=VALUE"), ("=1", "'=1'"), ("a=1 a=2", "given twice: 1 and 2")):
        with pytest.raises(UsageError, match=found):
            pairs_of(texts.split())


def test_numbers_by_name() -> None:
    assert numbers_of(["a=1", "b=0.5"]) == {"a": 1.0, "b": 0.5}
    with pytest.raises(UsageError, match="a=much: expected a number"):
        numbers_of(["a=much"])
