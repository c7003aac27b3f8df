"""Recipes (one file per benchmark), the rule engine, and one parser per raw format."""
