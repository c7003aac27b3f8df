"""Temporal localisation: metrics, alignment of predicted spans with a manifest, prediction files, baselines."""
