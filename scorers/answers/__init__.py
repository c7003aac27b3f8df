"""Free model answers to time spans: named patterns, time scales, statuses, review by a person."""

from scorers.answers.found import Pattern
from scorers.answers.official import official_set
from scorers.answers.parse import ANSWER_SCHEMA, STATUSES, parse_answers
from scorers.answers.patterns import GENERAL, OFFICIAL, PATTERNS, select_patterns
from scorers.answers.review import REVIEW_SCHEMA, apply_edits, needs_review, review_table
from scorers.answers.units import TimeScale, time_scale

__all__ = [
    "ANSWER_SCHEMA",
    "GENERAL",
    "OFFICIAL",
    "PATTERNS",
    "REVIEW_SCHEMA",
    "STATUSES",
    "Pattern",
    "TimeScale",
    "apply_edits",
    "needs_review",
    "official_set",
    "parse_answers",
    "review_table",
    "select_patterns",
    "time_scale",
]
