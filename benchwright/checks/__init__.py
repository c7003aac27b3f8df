"""What is wrong with a benchmark: checks by kind of manifest, and the findings that they make."""
