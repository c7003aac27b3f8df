"""The rule engine: recipes, rules, ledger, sources, and the build that writes a manifest."""
