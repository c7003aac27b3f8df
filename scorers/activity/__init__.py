"""Panoramic activity recognition: individual actions, social groups and their activities, global activities.

From tables to a score, one idea to a file:

* `sets`: label sets as the bits of a number; `lookup`: rows by their keys.
* `frames`: key frames, people and groups as flat columns; the truth of a manifest.
* `labels`, `placing`, `predicted`, `predicted_groups`, `merging`: tables of predictions, placed on the truth.
* `samples`: precision, recall and F1 of label sets; `groups`: which groups match; `links`: who stands with whom.
* `protocols`: `paper`, `description` and `strict`, as sums over sequences; `evaluation`: all metrics under each;
  `reasons`: why they differ.
* `baselines`: what the same labels for everybody reach; `scoring`: the score object; `writing`: prediction files.

The unit inside is the fraction; a score is in percent.
"""

from __future__ import annotations

from scorers.activity.alignment import Elsewhere, elsewhere_of
from scorers.activity.baselines import KINDS, baseline
from scorers.activity.evaluation import METRICS, Difference, Evaluation, differences, evaluate, metric_named
from scorers.activity.frames import COLUMNS, Groups, Predictions, Truth, truth_from
from scorers.activity.labels import THRESHOLDS
from scorers.activity.predicted import predictions_from
from scorers.activity.protocols import PROTOCOLS
from scorers.activity.writing import write_activities

__all__ = [
    "COLUMNS",
    "KINDS",
    "METRICS",
    "PROTOCOLS",
    "THRESHOLDS",
    "Difference",
    "Elsewhere",
    "Evaluation",
    "Groups",
    "Predictions",
    "Truth",
    "baseline",
    "differences",
    "elsewhere_of",
    "evaluate",
    "metric_named",
    "predictions_from",
    "truth_from",
    "write_activities",
]
