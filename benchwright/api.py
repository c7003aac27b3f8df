"""What the verbs of manifests do, as functions; others are in `evaluation` (predictions) and `examination` (audits).

Modules are imported when they are needed, so that `import benchwright` is quick.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from benchwright.arguments import check, given_paths, path_of, recipe_and_sources
from schemas.paths import home_filled

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.arguments import AnyManifest
    from benchwright.differences.result import Diff
    from benchwright.story import Story
    from builders.engine.recipe import Recipe
    from builders.engine.variants import Variants
    from schemas.claims import Judgement
    from schemas.manifest import Manifest
    from schemas.validation import Notice


def list_benchmarks() -> list[str]:
    """Names of all benchmarks that `build` knows, those of installed packages included.

    >>> list_benchmarks()[:2]
    ['charades-sta', 'coco-person']
    """
    from builders.engine.registry import recipe_names

    return recipe_names()


def build(
    benchmark: str | Recipe,
    source: Path | str,
    out: Path | str = "manifests",
    *,
    settings: Mapping[str, object] | None = None,
    sources: Mapping[str, Path | str] | None = None,
) -> Manifest:
    """Build the manifest of a benchmark below `out`.

    Args:
        benchmark: a name of `list_benchmarks`, or a recipe of your own.
        source: folder below which the raw files are.
        out: folder that holds the manifests.
        settings: `rule.parameter` -> value, where other than the default.
        sources: paths of single sources, by name, that are not below `source`.

    Raises:
        BenchwrightError: anything wrong with the call or the raw files; the message says what and where.

    >>> from tempfile import mkdtemp
    >>> build("uag-ssbd", "tests/samples", out=mkdtemp()).splits
    ['test']
    """
    from benchwright.checks.run import statements
    from builders.engine.build import build as build_recipe

    check("settings", settings, (Mapping, type(None)), 'values by parameter, as {"rule.parameter": 3}')
    recipe, folder, given = recipe_and_sources(benchmark, source, sources)
    out_folder = path_of("out", out)
    return build_recipe(recipe, folder, out_folder, settings=settings, given=given, findings=statements)


def variants(
    benchmark: str | Recipe, source: Path | str, *, sources: Mapping[str, Path | str] | None = None
) -> Variants:
    """Builds of a benchmark in memory with any settings, from sources that are read once; arguments as of `build`.

    >>> ssbd = variants("uag-ssbd", "tests/samples")
    >>> ssbd.build({"availability.by": "all"})
    <Manifest uag-ssbd at uag-ssbd (in memory): test: 13 rows>
    >>> {rule: manifest.identity.splits["test"].rows for rule, manifest in ssbd.leave_one_out().items()}
    {'availability': 13, 'time': 8, 'description': 8}
    """
    from builders.engine.variants import Variants

    return Variants(*recipe_and_sources(benchmark, source, sources))


def open_manifest(path: AnyManifest) -> Manifest:
    """Open the folder of a manifest, or one of its Parquet files alone; one that is open is given back.

    Raises:
        UsageError: neither a path nor a manifest.
        InputError: no manifest is there, or it cannot be read.
    """
    from schemas.manifest import Manifest
    from schemas.manifest import open_manifest as open_folder

    check("manifest", path, (str, os.PathLike, Manifest), "the folder of one, or what open_manifest gives")
    return path if isinstance(path, Manifest) else open_folder(home_filled(path))


def verify(manifest: AnyManifest) -> list[Judgement]:
    """Compare a manifest with the paper: each claim, the rebuilt value, the verdict and why."""
    from benchwright.verification import verify as judge

    return judge(open_manifest(manifest))


def diff(
    a: AnyManifest,
    b: AnyManifest,
    *,
    source: Path | str | None = None,
    sources: Mapping[str, Path | str] | None = None,
    recipe: Recipe | None = None,
    split: str | None = None,
) -> Diff:
    """Compare two manifests row by row, as the verb `diff` does.

    Args:
        a, b: manifests, opened, in memory, or the folders or single Parquet files of them; or a file that the authors
            of a benchmark published, with the ending `.json`.
        source: folder of raw files to build A from with each parameter of B, which tells what rows are due to.
        sources: paths of single sources, by name, that are not below it.
        recipe: of A, where it is of a file of your own.
        split: one split, all that can be compared when None.

    Raises:
        BenchwrightError: anything wrong with the call, the manifests or the raw files.

    >>> oops = variants("uag-oops", "tests/samples")
    >>> found = diff(oops.build(), oops.build({"onset.pick": "latest"}), source="tests/samples")
    >>> found.summary.explained
    {'onset.pick': 12}
    """
    from benchwright.differences.comparison import diff as compare_rows
    from schemas.manifest import Manifest

    check("split", split, (str, type(None)), "the name of a split")
    one, other = (side if isinstance(side, Manifest) else path_of(name, side) for name, side in (("a", a), ("b", b)))
    folder = None if source is None else path_of("source", source)
    return compare_rows(one, other, source=folder, given=given_paths(sources), recipe=recipe, split=split)


def why(
    manifest: AnyManifest,
    key: str | int,
    *,
    source: Path | str | None = None,
    sources: Mapping[str, Path | str] | None = None,
    recipe: Recipe | None = None,
) -> list[Story]:
    """What happened to one row, or thing in a row, rule by rule; with sources also what other choices would have done.

    Args:
        manifest: opened, or the folder of one.
        key: a sample, or the id of a thing in samples; ids that are numbers may be given as such.
        source: folder of the raw files.
        sources: paths of single files that are not below it.
        recipe: of the manifest, where it is neither bundled nor installed.

    >>> from tempfile import mkdtemp
    >>> manifest = build("uag-oops", "tests/samples", out=mkdtemp())
    >>> clip = "Snow Day, No Way! - Winter Wobbles (January 2020) _ SlipCity3"
    >>> (story,) = why(manifest, clip, source="tests/samples")
    >>> next(each.sentence for each in story.alternatives if each.key == "onset.pick=latest")
    'start_s becomes 7.7531, is 6.25'
    """
    from benchwright.auditing.fates import with_alternatives
    from benchwright.explanation import stories
    from builders.engine.registry import recipe_of

    check("key", key, (str, Integral), "a sample id, or the id of a thing in a sample")
    opened = open_manifest(manifest)
    found = stories(opened, str(key), recipe.texts if recipe else ())
    if source is None and not sources:
        return found
    folder = Path() if source is None else path_of("source", source)
    known = recipe or recipe_of(opened.identity, [], trusted=False)
    return with_alternatives(opened, found, known, folder, given_paths(sources))


def ledger(
    manifest: AnyManifest, *, rule: str | None = None, reason: str | None = None, action: str | None = None
) -> pa.Table:
    """The rows that rules dropped, changed or noted, an Arrow table, each with its reason, values and a sentence `why`.

    Args:
        manifest: opened, or the folder of one.
        rule: entries of one rule.
        reason: entries with one reason code.
        action: `dropped`, `changed` or `noted`.

    >>> from tempfile import mkdtemp
    >>> manifest = build("uag-oops", "tests/samples", out=mkdtemp())
    >>> ledger(manifest, rule="agreement")["why"][0].as_py()
    '1 of 3 annotators saw no failure, more than 0'
    """
    from benchwright.entries import entries

    for name, value in (("rule", rule), ("reason", reason), ("action", action)):
        check(name, value, (str, type(None)), "a name")
    return entries(open_manifest(manifest), rule, reason, action)


def validate(manifest: AnyManifest) -> list[Notice]:
    """Check a manifest against its own identity and its values against common sense.

    Of a folder of manifests all are checked; the places of findings then begin with the manifest's path.
    """
    from schemas.manifest import Manifest
    from schemas.validation import manifests_below, validate_all
    from schemas.validation import validate as findings_of

    folder = None if isinstance(manifest, Manifest) else path_of("manifest", manifest)
    if folder is not None and (below := manifests_below(folder)):
        found = validate_all(below)
        return [
            msgspec.structs.replace(finding, place=f"{path}: {finding.place}")
            for path, findings in found.items()
            for finding in findings
        ]
    return findings_of(open_manifest(manifest))
