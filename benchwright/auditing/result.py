"""What an audit gives, as `audit --json` prints it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from benchwright.auditing.effect import Effect, Grade, Standing
from benchwright.differences.result import LevelChange
from schemas.cards import Kind, Published
from schemas.identity import Value
from schemas.input.json import read_written


class Variant(msgspec.Struct, frozen=True):
    """The benchmark with one thing changed.

    Attributes:
        key: `RULE.PARAMETER=VALUE`, `lift RULE`, or what is changed of the scoring.
        kind: what the alternative is; see `schemas.cards.Kind`.
        settings: of the build, where other than the default.
        scoring: options of scoring, where others than the default.
        rows: of the split that is scored.
        gained, lost, changed: rows that it has more, lacks, or has with other values; things in rows count, too.
        gained_rows, lost_rows: the names of the first 1,000 of them.
        judged: the gained rows of the scored split that all prediction files name; the others are not scored.
        levels: rows by level, changed columns with sizes, and the reasons by the ledgers; empty where nothing differs.
        effects: by metric; empty without predictions.
        grade: the gravest; null without predictions.
        about: what is chosen, in words.
    """

    key: str
    kind: Kind
    settings: dict[str, Value]
    scoring: dict[str, str]
    rows: int
    gained: int = 0
    lost: int = 0
    changed: int = 0
    gained_rows: list[str] = []
    lost_rows: list[str] = []
    judged: int = 0
    levels: list[LevelChange] = []
    effects: dict[str, Effect] = {}
    grade: Grade | None = None
    about: str = ""


class NotJudged(msgspec.Struct, frozen=True):
    """An alternative without scores, and why; `variants` have its rows, unless it cannot be built."""

    key: str
    kind: Kind
    reason: str


class Masked(msgspec.Struct, frozen=True):
    """A choice that gains no row alone, but more together with another than the other alone.

    Attributes:
        key: the choice.
        by: the other.
        alone: rows gained by the other alone.
        together: rows gained by both, beyond those.
    """

    key: str
    by: str
    alone: int
    together: int


class Overlap(msgspec.Struct, frozen=True):
    """Candidates that exactly these rules would drop, if each were asked of all; those of no rule pass."""

    rules: list[str]
    rows: int


class Combination(msgspec.Struct, frozen=True):
    """Scores under several alternatives at once.

    Attributes:
        changed: their keys; of none the benchmark is as it is.
        scores: of the systems in the order of `Audit.systems`; null where the metric has no value.
    """

    changed: list[str]
    scores: list[float | None]


class Curve(msgspec.Struct, frozen=True):
    """The scores by one metric under combinations of choices.

    Attributes:
        choices: those that explain 0.5 % of the variance or more, the most telling first.
        combinations: of these alone, all other choices being as they are.
        firsts: by system, in how many of all scored combinations it is first, alone or tied; others are never.
        orders: how many orders of the systems all scored combinations have.
    """

    choices: list[str]
    combinations: list[Combination]
    firsts: dict[str, int]
    orders: int


class Factorial(msgspec.Struct, frozen=True):
    """Combinations of the choices that change a score alone, but for lifted rules and other benchmarks.

    Attributes:
        combinations: how many there are.
        scored: how many of them were: all, or of too many those of at most two choices; then shares are as if three did
            nothing that two of them do not.
        choices: by parameter or factor, the alternatives to the default.
        explained: by metric, the share of the variance of its scores that each choice explains by itself, the mean over
            systems; what the shares lack to 1, choices do together.
        curves: by metric, the scores themselves.
    """

    combinations: int
    scored: int
    choices: dict[str, list[str]]
    explained: dict[str, dict[str, float]]
    curves: dict[str, Curve]


class Clusters(msgspec.Struct, frozen=True):
    """What is resampled: the name, how many, how often, by which seed."""

    name: str
    count: int
    resamples: int
    seed: int


class Printed(msgspec.Struct, frozen=True):
    """What a paper prints of a system, beside the audited ones.

    Attributes:
        published: the scores, as texts with the paper's digits, and their source.
        equal: audited systems whose scores print so, by every metric of both.
    """

    published: Published
    equal: list[str]


class MetricScale(msgspec.Struct, frozen=True):
    """The unit of a metric, and whether higher values are better; null where neither is."""

    unit: str
    higher_is_better: bool | None


class Audit(msgspec.Struct, frozen=True):
    """What each choice behind a benchmark does to its rows and to its leaderboard.

    Attributes:
        benchmark: its name.
        digests: of the default build by split, and of the sources, by `source NAME`.
        settings: of the default, where other than the recipe's own.
        recipe_version: of the recipe.
        tool_version: of Benchwright.
        split: the one that is scored.
        protocol: by which it is scored.
        systems: names of the runs; empty without predictions.
        metrics: by name.
        clusters: null without predictions.
        default: the benchmark as it is: its effects hold the scores that all others are compared with.
        baselines: trivial guesses, and people who were asked, by name and metric; they have no rank.
        published: what papers print, if it is the split and the protocol of the papers that are scored.
        variants: each alternative by itself, and each rule lifted.
        not_judged: the others.
        masked: choices whose effect others hide.
        factorial: null where fewer than two choices change a score, or too many combinations would have to be tried;
            `not_judged` says so.
        overlaps: candidates by the rules that would drop them; empty where rules cannot be asked of all.
        idle_rules: those that drop nothing, so that there is nothing to lift.
        warnings: of the predictions.
        seconds: what it took.
    """

    benchmark: str
    digests: dict[str, str]
    settings: dict[str, Value]
    recipe_version: int
    tool_version: str
    split: str
    protocol: str
    systems: list[str]
    metrics: dict[str, MetricScale]
    clusters: Clusters | None
    default: Variant
    baselines: dict[str, dict[str, Standing]]
    published: list[Printed]
    variants: list[Variant]
    not_judged: list[NotJudged]
    masked: list[Masked]
    factorial: Factorial | None
    overlaps: list[Overlap]
    idle_rules: list[str]
    warnings: list[str]
    seconds: float


def read_audit(path: Path) -> Audit:
    """What `audit --out` wrote.

    Raises:
        InputError: it cannot be read, or is something else.
    """
    return read_written(path, Audit, "what `audit --out` writes")
