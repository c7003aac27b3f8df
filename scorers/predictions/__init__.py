"""Prediction files in the shapes that people have: `spans`, `answers` in free text, `detections`, `activities`."""
