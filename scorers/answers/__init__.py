"""Free model answers to time spans: named patterns, time scales, statuses, review by a person."""

from scorers.answers.parse import ANSWER_SCHEMA, STATUSES, parse_answers
from scorers.answers.patterns import GENERAL
from scorers.answers.reading import Pattern
from scorers.answers.reply import OFFICIAL, PATTERNS, select_patterns
from scorers.answers.review import REVIEW_SCHEMA, apply_edits, needs_review, review_table
from scorers.answers.scales import TimeScale, time_scale

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
]
