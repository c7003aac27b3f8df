"""Rebuild vision benchmarks from raw annotations, explain every row, score predictions."""
