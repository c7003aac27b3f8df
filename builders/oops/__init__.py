"""The two benchmarks cut from the OOPS! data set: their shared candidates and rules, a recipe each."""
