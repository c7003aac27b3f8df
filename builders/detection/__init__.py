"""The benchmarks of person and body-part detection: their shared candidates and rules, a recipe each."""
