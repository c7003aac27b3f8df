"""Instruction data: conversations about the rows of a manifest, from templates, and split without leaks."""
