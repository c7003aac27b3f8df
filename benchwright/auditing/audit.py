"""Audit a benchmark: each choice behind it changed by itself, and what that does to its rows and its leaderboard."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.auditing.alternatives import Alternative, of_lifting, of_settings
from benchwright.auditing.effect import gravest
from benchwright.auditing.effects import effects, steps
from benchwright.auditing.factorial import factorial
from benchwright.auditing.guesses import guesses
from benchwright.auditing.masking import masking
from benchwright.auditing.published import published
from benchwright.auditing.result import Audit, MetricScale, NotJudged, Variant
from benchwright.auditing.scores import Judge, Judged
from benchwright.differences.comparison import diff
from builders.engine.recipe import Recipe
from builders.engine.sources import MissingSourceError
from builders.engine.variants import Variants
from schemas.cards import AuditCard
from schemas.errors import BenchwrightError, UsageError
from schemas.manifest import Manifest
from scorers.declarations import OptionError
from scorers.leaderboard.ranking import runs_of
from scorers.leaderboard.sources import Sources
from scorers.metric import direction
from scorers.options import Options
from scorers.run import rough
from scorers.task import Progress, silent, task_of

_MOST_NAMES = 1_000  # of rows gained, and of those lost


class _Found(NamedTuple):
    """A variant so far, and its runs where they can be judged."""

    variant: Variant
    judged: Judged | None


def audit(
    recipe: Recipe,
    source: Path,
    given: Mapping[str, Path] | None = None,
    runs: Sources | None = None,
    grid: Mapping[str, Sequence[str]] | None = None,
    options: Options | None = None,
    progress: Progress = silent,
    settings: Mapping[str, object] | None = None,
) -> Audit:
    """Audit a benchmark.

    Args:
        recipe: of the benchmark.
        source: folder of its raw files.
        given: paths of single sources that are not below it.
        runs: predictions, as in `leaderboard`; without them rows alone are compared.
        grid: values to try of parameters, by `RULE.PARAMETER`.
        options: how to score.
        progress: of builds, pairs of rules, and draws.
        settings: of the benchmark as it is, `RULE.PARAMETER` -> value, where other than the defaults.

    Raises:
        BenchwrightError: the default cannot be built or scored; a run cannot be read; a value that a rule refuses.
    """
    return audit_of(Variants(recipe, source, given, settings), runs, grid, options, progress)


def audit_of(
    variants: Variants,
    runs: Sources | None = None,
    grid: Mapping[str, Sequence[str]] | None = None,
    options: Options | None = None,
    progress: Progress = silent,
) -> Audit:
    """Audit a benchmark whose sources are at hand; arguments and errors as of `audit`."""
    started = time.perf_counter()
    recipe, now = variants.recipe, variants.settings
    changes = of_settings(recipe, grid or {}, now)
    default = variants.build()
    judge = None if runs is None else _judge(default, runs, options or {})
    dropped = {count.rule for count in default.identity.counts if count.dropped}
    droppers = [rule.name for rule in recipe.rules if rule.name in dropped]
    changes += of_lifting(droppers)
    with progress("alternatives", len(changes)) as step:
        found, not_judged = _variants(variants, default, changes, judge, step)
    crossed = None
    whole = Variant("default", "equivalent", {}, {}, _rows(default, judge))
    if judge is not None:
        scoring = judge.alternatives()
        scored, unscored = _scorings(default, scoring, judge, progress)
        not_judged += unscored
        whole, *graded = _with_effects([_Found(whole, judge.default), *found, *scored], judge, progress)
        changing = {each.key for each in graded if each.grade not in (None, "none")}
        try:
            several = [each for each in (*changes, *scoring) if each.key in changing]
            crossed = factorial(variants, judge, several, progress)
        except BenchwrightError as failure:
            not_judged.append(NotJudged("combinations", "equivalent", str(failure)))
    else:
        graded = [each.variant for each in found]
    masks = masking(variants, changes, droppers, progress)
    identity = default.identity
    sources = {f"source {name}": each.sha256 for name, each in identity.sources.items()}
    return Audit(
        benchmark=recipe.name,
        digests={name: split.digest for name, split in identity.splits.items()} | sources,
        settings=dict(now),
        recipe_version=recipe.version,
        tool_version=identity.tool_version,
        split=judge.task.split if judge else "",
        protocol=judge.task.protocol if judge else "",
        systems=list(judge.sources) if judge else [],
        metrics={str(m): MetricScale(m.unit, direction(m)) for m in judge.task.metrics} if judge else {},
        clusters=judge.clusters if judge else None,
        default=whole,
        baselines=guesses(judge) if judge else {},
        published=published(judge) if judge else [],
        variants=graded,
        not_judged=not_judged,
        masked=masks.masked,
        factorial=crossed,
        overlaps=masks.overlaps,
        idle_rules=[rule.name for rule in recipe.rules if rule.name not in dropped],
        warnings=[*judge.warnings, *rough(judge.clusters.count, judge.clusters.name)] if judge else [],
        seconds=round(time.perf_counter() - started, 3),
    )


def _judge(default: Manifest, runs: Sources, options: Options) -> Judge:
    if options.get("on") is not None:
        raise OptionError("on", ": an audit scores all rows")
    if options.get("resamples") == 0:
        raise UsageError("an audit needs bootstrap resamples, 1 or more")
    card = default.card
    named = {**options}
    if card is not None and card.audit.metrics and not options.get("metrics"):
        named["metrics"] = card.audit.metrics
    task = task_of(default, named, Options)
    if task.empty:
        raise UsageError(f"{default.identity.name} has no rows in {task.split}, so that nothing can be scored")
    try:
        return Judge(task, runs_of(task, runs)[0], card.audit if card else AuditCard())
    except OptionError as failure:
        if failure.option != "on":
            raise
        lacks = (
            f"the scorer of {task.scorer.kind} has no `names`, `answered` and `only`, which an audit of scores needs"
        )
        raise UsageError(f"{lacks}; without predictions rows alone are compared") from None


def _variants(
    variants: Variants,
    default: Manifest,
    changes: Sequence[Alternative],
    judge: Judge | None,
    step: Callable[[str], None],
) -> tuple[list[_Found], list[NotJudged]]:
    """The default with other settings: rows, and scores where there can be some."""
    found, failures = [], []
    for each in changes:
        step(each.key)
        try:
            manifest = variants.build(each.settings)
        except MissingSourceError as failure:
            failures.append(NotJudged(each.key, each.kind, f"needs {failure.source}"))
            continue
        except BenchwrightError as failure:
            failures.append(NotJudged(each.key, each.kind, str(failure)))
            continue
        variant = _compared(default, manifest, each, judge)
        judged = None
        if judge is not None:
            try:
                judged = judge.judge(manifest, each)
            except BenchwrightError as failure:
                failures.append(NotJudged(each.key, each.kind, str(failure)))
        found.append(_Found(variant, judged))
    return found, failures


def _compared(default: Manifest, manifest: Manifest, alternative: Alternative, judge: Judge | None) -> Variant:
    """The rows of a variant beside those of the default."""
    found = diff(default, manifest)
    levels = found.summary.levels
    return Variant(
        key=alternative.key,
        kind=alternative.kind,
        settings=dict(alternative.settings),
        scoring={},
        rows=_rows(manifest, judge),
        gained=sum(level.added for level in levels),
        lost=sum(level.removed for level in levels),
        changed=sum(level.changed for level in levels),
        gained_rows=found.names("added", _MOST_NAMES),
        lost_rows=found.names("removed", _MOST_NAMES),
        levels=[level for level in levels if level.added or level.removed or level.changed],
        about=alternative.about,
    )


def _scorings(
    default: Manifest, choices: Sequence[Alternative], judge: Judge, progress: Progress
) -> tuple[list[_Found], list[NotJudged]]:
    """The same rows, scored otherwise."""
    found, failures = [], []
    with progress("ways of scoring", len(choices)) as step:
        for each in choices:
            step(each.key)
            variant = Variant(each.key, each.kind, {}, dict(each.scoring), _rows(default, judge), about=each.about)
            try:
                found.append(_Found(variant, judge.judge(default, each)))
            except BenchwrightError as failure:
                failures.append(NotJudged(each.key, each.kind, str(failure)))
    return found, failures


def _rows(manifest: Manifest, judge: Judge | None) -> int:
    """The rows of the split that is scored, of all without scores."""
    splits = manifest.identity.splits
    return sum(split.rows for name, split in splits.items() if judge is None or name == judge.task.split)


def _with_effects(found: Sequence[_Found], judge: Judge, progress: Progress) -> list[Variant]:
    """The variants with what they do to the leaderboard, the default first; the gravest effect is the grade."""
    judged = [each.judged for each in found if each.judged is not None]
    with progress("bootstrap", steps(judge, judged)) as step:
        by_metric = iter(effects(judge, judged, step))
    graded = []
    for variant, runs in found:
        own = next(by_metric) if runs is not None else {}
        new = runs.judged if runs is not None else 0
        graded.append(msgspec.structs.replace(variant, judged=new, effects=own, grade=gravest(own.values())))
    return graded
