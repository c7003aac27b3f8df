"""The command line: one file per group of verbs; each parses options, calls a function and prints."""
