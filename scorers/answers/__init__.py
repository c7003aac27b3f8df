"""Free model answers to time spans: named patterns, time scales, statuses, review by a person."""

from scorers.answers.mentions import TimeScale, time_scale
from scorers.answers.official import OFFICIAL, PATTERNS, select_patterns
from scorers.answers.parse import ANSWER_SCHEMA, STATUSES, parse_answers
from scorers.answers.patterns import GENERAL, Pattern
from scorers.answers.review import REVIEW_SCHEMA, apply_edits, needs_review, review_table, with_failures

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
    "parse_answers",
    "review_table",
    "select_patterns",
    "time_scale",
    "with_failures",
]
