"""Metrics, one folder per family, and what all of them share: the pipeline, its options, the score, uncertainty."""
