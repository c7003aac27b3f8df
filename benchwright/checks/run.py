"""All checks of a manifest, one after another."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from benchwright.checks.context import Context
from benchwright.checks.finding import CHECKS, SEVERITIES, Check, Failure, Finding, Findings, installed
from builders.engine.recipe import Recipe
from builders.engine.variants import Variants
from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers.leaderboard.ranking import runs_of
from scorers.leaderboard.sources import Sources
from scorers.options import Options
from scorers.registry import scorer_of
from scorers.task import Progress, silent, task_of

_BUNDLED = ("spans", "annotators", "splits", "boxes", "activities", "groups", "predictions")


def built(recipe: Recipe, source: Path, given: Mapping[str, Path] | None = None) -> Manifest:
    """The manifest of a recipe, in memory."""
    return Variants(recipe, source, given).build()


def findings(
    manifest: Manifest,
    predictions: Sources | None = None,
    against: Manifest | None = None,
    split: str | None = None,
    progress: Progress = silent,
) -> Findings:
    """Run every check that fits the manifest; one that raises is named, and the others go on.

    Args:
        manifest: to look at.
        predictions: of the systems, as in `leaderboard`.
        against: another manifest of the same kind, to look for leaks, and to fit guesses on.
        split: of the predictions.
        progress: of the checks.

    Raises:
        BenchwrightError: a manifest or a run cannot be read, or no scorer knows the manifest.
    """
    return findings_in(context_of(manifest, predictions, against, split), progress)


def context_of(
    manifest: Manifest,
    predictions: Sources | None = None,
    against: Manifest | None = None,
    split: str | None = None,
) -> Context:
    """What checks and reports look at; arguments and errors as of `findings`."""
    task = None if predictions is None else task_of(manifest, {} if split is None else {"split": split}, Options)
    runs = {} if task is None or predictions is None else runs_of(task, predictions)[0]
    kind = scorer_of(manifest).kind
    if against is not None and (other := scorer_of(against).kind) != kind:
        raise UsageError(f"{against.path} is a manifest of {other}, {manifest.path} one of {kind}: no comparison")
    read = {} if task is None else {name: task.read(source) for name, source in runs.items()}
    return Context(manifest, against, runs, read, task)


def findings_in(context: Context, progress: Progress = silent) -> Findings:
    """Run every check that fits what there is to look at; see `findings`."""
    for name in _BUNDLED:
        import_module(f"benchwright.checks.{name}")
    others, failures = installed()
    checks = [each for each in (*CHECKS.values(), *others.values()) if _fits(each, context)]
    given = {"predictions": bool(context.runs), "against": context.against is not None}
    lacks = {each.id: [name for name in each.needs if not given[name]] for each in checks}
    found: list[Finding] = []
    with progress("checks", len(checks)) as step:
        for each in checks:
            step(each.id)
            if not lacks[each.id]:
                made = _run(each, context)
                if isinstance(made, Failure):
                    failures.append(made)
                elif made is not None:
                    found.append(made)
    identity = context.manifest.identity
    return Findings(
        benchmark=identity.name,
        rows={name: each.rows for name, each in identity.splits.items()},
        checks=len(checks),
        findings=sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)),
        failures=failures,
        not_checked={key: f"needs --{' and --'.join(lack)}" for key, lack in lacks.items() if lack},
    )


def _fits(each: Check, context: Context) -> bool:
    return each.of in ("any", context.kind) and each.columns <= set(context.manifest.column_names)


def _run(each: Check, context: Context) -> Finding | Failure | None:
    try:
        evidence = each.run(context)
        return None if evidence is None else each.finding(evidence)
    except Exception as failure:  # whatever a check of somebody's own may raise
        return Failure(each.id, f"{type(failure).__name__}: {failure}")
