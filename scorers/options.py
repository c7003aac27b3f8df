"""The options of scoring, declared once: the command line, the Python functions and their help derive from here."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypedDict, TypeVar, Union, get_args, get_origin, get_type_hints

from schemas.errors import UsageError, unknown_name


class Option(NamedTuple):
    """One option as people read it.

    Attributes:
        help: what it means, in a sentence.
        kinds: kinds of manifests that it is for, all if empty.
        default: what happens without it.
        flag: its name on the command line, where that is not its own with hyphens.
        metavar: what a value looks like.
        minimum, maximum: bounds of a whole number.
    """

    help: str
    kinds: tuple[str, ...] = ()
    default: str = ""
    flag: str = ""
    metavar: str = ""
    minimum: int | None = None
    maximum: int | None = None


Split = Annotated[str | None, Option("Split to score.", default="the only one, or test")]
ProtocolName = Annotated[
    str | None,
    Option(
        "Spans: paper (what the authors' evaluator does) or strict. Boxes: coco, voc2007 or voc2010. "
        "Activities: paper, description or strict.",
        default="the first",
    ),
]
Metrics = Annotated[
    Sequence[str],
    Option(
        "As R1(iou>=0.5), R5(iou>=0.5), R1(td<=3), onset(<=1), mIoU, mTD; AP50(person), mAP50, AP, AR100; F_i, F_a.",
        default="the usual ones",
        flag="--metric",
        metavar="NAME",
    ),
]
Format = Annotated[
    str | None, Option("Format of the prediction files.", ("boxes", "spans"), default="found by content")
]
Resamples = Annotated[
    int | None, Option("Bootstrap resamples; 0 for no intervals.", default="by kind: 200 to 10000", minimum=0)
]
Seed = Annotated[int, Option("Seed of the bootstrap.", default="12345", minimum=0)]
TruthChoice = Annotated[
    str | None,
    Option(
        "Spans: start, any (onset, or re-annotated span), or annotator:1 to annotator:5.", ("spans",), default="start"
    ),
]
CategoryBase = Annotated[
    int | None,
    Option("Boxes in COCO results: number of the first category.", ("boxes",), default="ids of the source", minimum=0),
]
Classes = Annotated[
    Path | str | None,
    Option(
        "Boxes: names of the classes in the order of their numbers, one per line.",
        ("boxes",),
        default="the source's",
        metavar="NAMES.txt",
    ),
]
LabelThresholds = Annotated[
    Mapping[str, float] | None,
    Option(
        "Activities: scores strictly above it are labels; of actions, social or global.",
        ("activities",),
        default="0.6, 0.6, 0.5",
        flag="--label-threshold",
        metavar="TASK=SCORE",
    ),
]
ClassThresholds = Annotated[
    Mapping[str, float] | None,
    Option(
        "Score threshold of a class, or a file that `thresholds` wrote.",
        default="0.5",
        flag="--class-threshold",
        metavar="CLASS=SCORE|FILE",
    ),
]
Parts = Annotated[Path | str | object | None, Option("Detected parts, for MultiDet.", metavar="PATH")]
SecondDetector = Annotated[
    Path | str | object | None, Option("Persons of a second detector, for Baseline.", metavar="PATH")
]
PersonClass = Annotated[str | None, Option("Class of the persons; all others are parts.", default="person")]
ReaderProtocol = Annotated[
    str | None,
    Option("paper (what the authors' code does) or strict (what a careful reader expects).", default="paper"),
]
MonitorMetrics = Annotated[
    Sequence[str],
    Option(
        "As D_TP, ghost_parts, balance(FP), MCC(FN), or at one tolerance MCC(FN)[o=0.1].",
        default="all",
        flag="--metric",
        metavar="NAME",
    ),
]
Samples = Annotated[
    Path | str | None,
    Option("Spans: write the results of each row there.", ("spans",), flag="--rows", metavar="FILE.parquet|csv|json"),
]
Engine = Annotated[
    str | None, Option("Boxes: pycocotools, to check every value against it.", ("boxes",), default="our own alone")
]

DrawnFor = Annotated[
    Sequence[str],
    Option("For random-paper: the metric that the spans are drawn for.", ("spans",), flag="--metric", metavar="NAME"),
]
Annotator = Annotated[
    int | None,
    Option(
        "For human on a re-annotated benchmark: which re-annotator, 1 to 5.",
        ("spans",),
        default="1",
        minimum=1,
        maximum=5,
    ),
]


class Options(TypedDict, total=False):
    """How to compare runs; what is not given has its default."""

    split: Split
    protocol: ProtocolName
    metrics: Metrics
    format: Format
    resamples: Resamples
    seed: Seed
    truth: TruthChoice
    category_base: CategoryBase
    classes: Classes
    label_thresholds: LabelThresholds


class ScoreOptions(Options, total=False):
    """How to score one run."""

    rows: Samples
    engine: Engine


class MonitorOptions(TypedDict, total=False):
    """How to evaluate the monitoring of a detector."""

    parts: Parts
    second: SecondDetector
    person: PersonClass
    split: Split
    protocol: ReaderProtocol
    metrics: MonitorMetrics
    resamples: Resamples
    seed: Seed
    category_base: CategoryBase
    classes: Classes
    class_thresholds: ClassThresholds


class ThresholdOptions(TypedDict, total=False):
    """How to find the score thresholds of a detector."""

    split: Split
    protocol: ReaderProtocol
    format: Format
    category_base: CategoryBase
    classes: Classes


class BaselineOptions(TypedDict, total=False):
    """Which rows a baseline is for; `metrics` and `annotator` are for baselines that depend on them."""

    split: Split
    metrics: DrawnFor
    annotator: Annotator


@cache
def declared(options: type) -> dict[str, tuple[Any, Option]]:
    """The type and the declaration of each option of a class above, by name.

    >>> declared(ScoreOptions)["seed"][1].help
    'Seed of the bootstrap.'
    """
    hints = get_type_hints(options, include_extras=True)
    return {name: (get_args(hint)[0], get_args(hint)[1]) for name, hint in hints.items()}


Function = TypeVar("Function", bound=Callable[..., Any])


def documented(function: Function) -> Function:
    """Show the options that a function takes as `**options: Unpack[...]` in its signature and its docstring."""
    signature = inspect.signature(function)
    *own, keywords = signature.parameters.values()
    options = globals()[re.findall(r"\w+", str(keywords.annotation))[-1]]
    known = declared(options)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, (hint, _) in known.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    lines = [f"    {name}: {option.help}" for name, (_, option) in known.items()]
    function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Options:", *lines])
    return function


def checked(given: Mapping[str, Any], options: type, kind: str) -> dict[str, Any]:
    """The options that are not None.

    Raises:
        UsageError: an unknown name, a value of another type or too small, an option of another kind of manifest.
    """
    known = declared(options)
    kept = {name: value for name, value in given.items() if value is not None}
    for name, value in kept.items():
        if name not in known:
            raise unknown_name("option", name, list(known))
        hint, option = known[name]
        if option.kinds and kind not in option.kinds:
            raise UsageError(f"{flag_of(name, option)}: for {' and '.join(option.kinds)}; this manifest holds {kind}")
        if not _fits(value, hint) or not _within(value, option):
            bounds = "" if option.minimum is None else f" from {option.minimum}"
            bounds += "" if option.maximum is None else f" to {option.maximum}"
            raise UsageError(f"{name}={value!r}: expected {_words(hint)}{bounds}")
    return kept


def flag_of(name: str, option: Option) -> str:
    """The name of an option on the command line."""
    return option.flag or f"--{name.replace('_', '-')}"


def types_of(hint: Any) -> list[Any]:
    """The classes that a hint admits, None left out."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return [get_origin(part) or part for part in parts if part is not type(None)]


_WORDS = {
    str: "text",
    int: "a whole number",
    Path: "a path",
    Sequence: "a list of names",
    Mapping: 'numbers by name, as {"actions": 0.6}',
}


def _fits(value: Any, hint: Any) -> bool:
    kinds = types_of(hint)
    if object in kinds:  # predictions, which their reader checks
        return True
    if isinstance(value, str):
        return str in kinds
    if isinstance(value, Mapping):
        numbers = [number for number in value.values() if isinstance(number, (int, float)) and number == number]
        return Mapping in kinds and len(numbers) == len(value)
    if isinstance(value, Sequence):
        return Sequence in kinds and all(isinstance(each, str) for each in value)
    if isinstance(value, bool):
        return False
    return isinstance(value, tuple(kinds)) or (Path in kinds and isinstance(value, os.PathLike))


def _within(value: Any, option: Option) -> bool:
    return (option.minimum is None or value >= option.minimum) and (option.maximum is None or value <= option.maximum)


def _words(hint: Any) -> str:
    kinds = types_of(hint)
    return _WORDS[Path if Path in kinds else kinds[0]]
