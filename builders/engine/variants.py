"""What a benchmark would be with other settings: manifests in memory, from sources that are read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from builders.engine.recipe import Recipe
from builders.engine.registry import card_of
from builders.engine.rules import LIFT, ROOT
from builders.engine.run import Progress, Runs, silent
from builders.engine.sources import Sources
from schemas.errors import BenchwrightError, UsageError, unknown_name
from schemas.manifest import Manifest, manifest_in_memory

Settings = Mapping[str, object]


class Variants:
    """Builds of a benchmark in memory: the tables that `build` writes, by the same code.

    The sources are read once. Builds that share the settings of their first rules run these once, if they follow one
    another, as they do in `builds`.
    """

    def __init__(
        self, recipe: Recipe, source: Path, given: Mapping[str, Path] | None = None, settings: Settings | None = None
    ) -> None:
        """
        Args:
            recipe: what to build.
            source: folder that holds the raw files, up to three folders deep.
            given: paths of single sources that are not below `source`, by source name.
            settings: of all builds that do not say otherwise.

        Raises:
            UsageError: there is no such folder, or the card names no such source.
        """
        card = card_of(recipe)
        self.recipe = recipe
        full = recipe.settings(settings or {})
        self.settings = {name: full[name] for name in settings or {}}
        self._runs = Runs(recipe, Sources(card.sources, source, given), card)

    def build(self, settings: Settings | None = None, progress: Progress = silent) -> Manifest:
        """The manifest with these settings, in memory.

        Args:
            settings: `rule.parameter` -> value, where other than the default; `{"rule.lift": True}` lifts a rule: it
                runs, but drops nothing.
            progress: called with the name of each step before it starts.

        Raises:
            BenchwrightError: as of `benchwright.build`; or a rule cannot be lifted, as a later one fails without it.
        """
        build = self._runs.run(self._all(settings), progress)
        return manifest_in_memory(build.identity, build.splits, build.ledger)

    def builds(self, several: Iterable[Settings]) -> Iterator[tuple[Settings, Manifest | BenchwrightError]]:
        """Each of several settings with its manifest, or with the error where there can be none.

        They come in the order of the recipe's parameters, in which they share most work, and not in that given.
        """
        for settings in sorted(several, key=self._order):
            yield settings, self._attempt(settings)

    def leave_one_out(self, settings: Settings | None = None) -> dict[str, Manifest | BenchwrightError]:
        """By rule the manifest with that rule lifted, or the error that says why it cannot be."""
        names = [rule.name for rule in self.recipe.rules]
        # From the last to the first, each shares all rules before its own with the one before.
        found = {name: self._attempt({**(settings or {}), f"{name}.{LIFT.name}": True}) for name in reversed(names)}
        return {name: found[name] for name in names}

    def rows(self, after: str = "", settings: Settings | None = None, level: str = ROOT) -> pd.DataFrame:
        """The rows of one level as they are after a rule, before the first where none is named.

        Args:
            after: name of the rule.
            settings: as of `build`.
            level: `root`, or the name of a child level such as `objects`.

        Raises:
            UsageError: there is no such rule or level.
        """
        names = [rule.name for rule in self.recipe.rules]
        if after and after not in names:
            raise unknown_name("rule", after, names)
        last = names.index(after) + 1 if after else 0
        tables = self._runs.after(last, self.recipe.settings(self._all(settings))).tables
        if level not in tables:
            raise unknown_name("level", level, list(tables))
        return tables[level].copy()

    def kept(self, settings: Settings | None = None) -> dict[str, pd.Index]:
        """The numbers of the candidates that the rules keep, by level, `root` first; errors as of `build`."""
        tables = self._runs.after(len(self.recipe.rules), self.recipe.settings(self._all(settings))).tables
        return {level: rows.index for level, rows in tables.items()}

    def _all(self, settings: Settings | None) -> Settings:
        return {**self.settings, **(settings or {})}

    def _attempt(self, settings: Settings) -> Manifest | BenchwrightError:
        try:
            return self.build(settings)
        except BenchwrightError as failure:
            return failure

    def _order(self, settings: Settings) -> list[str]:
        """By the first rules first; a parameter's values in the order in which they are written."""
        try:
            full = self.recipe.settings(self._all(settings))
        except BenchwrightError:
            return []
        names = [f"{step.name}.{p.name}" for step in self.recipe.steps for p in (*step.parameters, LIFT)]
        return [repr(full.get(name)) for name in names]


def variants_of(manifest: Manifest, recipe: Recipe, source: Path, given: Mapping[str, Path] | None = None) -> Variants:
    """Builds of what a manifest was built from, with its settings where others are not given.

    Args:
        manifest: the folder that a build wrote.
        recipe: that it was built with.
        source, given: as of `Variants`.

    Raises:
        UsageError: the build has other rows than the manifest.
        BenchwrightError: it cannot be built from these sources.
    """
    identity = manifest.identity
    own = {name: identity.parameters[name] for name in identity.changed_parameters}
    variants = Variants(recipe, source, given, own)
    splits = variants.build().identity.splits
    if any(name not in splits or splits[name].digest != each.digest for name, each in identity.splits.items()):
        raise UsageError(f"{source} gives other rows than {manifest.path} has: name the files that it was built from")
    return variants
