"""The options of scoring, declared once: the command line, the Python functions and their help derive from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Protocol, TypedDict, runtime_checkable

from scorers.declarations import Option

Split = Annotated[str | None, Option("Split to score.", default="the only one, or test")]
ProtocolName = Annotated[
    str | None,
    Option(
        "Spans: paper (what the authors' evaluator does), strict, or with other factors, as paper,null=miss. "
        "Boxes: coco, voc2007 or voc2010. Activities: paper, description or strict.",
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
InputFormat = Annotated[
    str | None, Option("Format of the prediction files.", ("boxes", "spans"), default="found by content")
]
Resamples = Annotated[
    int | None,
    Option("Bootstrap resamples; 0 for no intervals.", default="by kind: 200 to 10000", minimum=0, maximum=1_000_000),
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
        "Boxes: names of the classes in the order of their numbers, one per line, or a data.yaml.",
        ("boxes",),
        default="the source's",
        metavar="NAMES.txt",
    ),
]
OnRows = Annotated[
    Path | str | object | None,
    Option(
        "Rows to score: common for those that every run answered, or a manifest for those that it has too.",
        default="all",
        metavar="common|MANIFEST",
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
        example='{"actions": 0.6}',
    ),
]


@runtime_checkable
class ClassScores(Protocol):
    """What `benchwright.thresholds` finds."""

    @property
    def scores(self) -> Mapping[str, float]:
        """The score threshold of each class."""


ClassThresholds = Annotated[
    Mapping[str, float] | Path | str | ClassScores | None,
    Option(
        "Score threshold of a class, or a file that `thresholds` wrote.",
        default="0.5",
        flag="--class-threshold",
        metavar="CLASS=SCORE|FILE",
        example='{"person": 0.43}',
    ),
]
Parts = Annotated[Path | str | object | None, Option("Detected parts, for MultiDet.", metavar="PATH")]
SecondDetector = Annotated[
    Path | str | object | None, Option("Persons of a second detector, for Baseline.", metavar="PATH")
]
SecondThreshold = Annotated[
    float | None,
    Option("Baseline: score threshold of the second detector.", default="that of the persons", metavar="SCORE"),
]
PersonClass = Annotated[str, Option("Class of the persons; all others are parts.", default="person")]
ReaderProtocol = Annotated[
    str,
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
    Option("Write the results of each row there.", metavar="FILE.parquet|csv|json"),
]
Engine = Annotated[
    str | None,
    Option("Another implementation to check every value against; boxes: pycocotools.", default="our own alone"),
]

PerClass = Annotated[
    bool | None,
    Option(
        "Boxes: also each class by itself, what is confused with what, and the errors by kind, with what each costs.",
        ("boxes",),
        default="no",
        flag="--per-class",
    ),
]
ScoreThreshold = Annotated[
    float | None,
    Option(
        "Boxes: detections with this score or a higher one count for precision, recall, F1 and confusion; "
        "with it, --per-class is meant.",
        ("boxes",),
        default="0.5",
        metavar="SCORE",
    ),
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
    input_format: InputFormat
    resamples: Resamples
    seed: Seed
    truth: TruthChoice
    category_base: CategoryBase
    classes: Classes
    label_thresholds: LabelThresholds
    on: OnRows


class ScoreOptions(Options, total=False):
    """How to score one run."""

    rows: Samples
    engine: Engine
    per_class: PerClass
    score_threshold: ScoreThreshold


class MonitorOptions(TypedDict, total=False):
    """How to evaluate the monitoring of a detector."""

    parts: Parts
    second: SecondDetector
    second_threshold: SecondThreshold
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
    input_format: InputFormat
    category_base: CategoryBase
    classes: Classes


class BaselineOptions(TypedDict, total=False):
    """Which rows a baseline is for; `metrics` and `annotator` are for baselines that depend on them."""

    split: Split
    metrics: DrawnFor
    annotator: Annotator
