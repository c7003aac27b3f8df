"""What tells two manifests apart, row by row, and what made the difference."""
