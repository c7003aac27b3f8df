"""All checks of a manifest, one after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchwright.auditing.result import Audit
from benchwright.checks.context import Context
from benchwright.checks.finding import SEVERITIES, Check, Evidence, Failure, Finding, Findings, Need
from benchwright.checks.grades import audited, judged
from benchwright.checks.registry import all_checks
from benchwright.checks.sources import source_findings
from benchwright.checks.thresholds import thresholds_of
from builders.engine.registry import named_recipe, recipe_names, recipe_of
from builders.engine.variants import Variants, variants_of
from schemas.errors import BenchwrightError, UsageError
from schemas.manifest import Manifest, open_manifest
from scorers.leaderboard.ranking import runs_of
from scorers.leaderboard.sources import Sources
from scorers.options import Options
from scorers.registry import scorer_of
from scorers.task import Progress, Task, silent, task_of


def opened(
    name: str, source: Path | None, given: Mapping[str, Path] | None = None, recipe: Path | None = None
) -> tuple[Manifest, Variants | None]:
    """A manifest by its path, or a benchmark built by its name; and further builds of it where raw files are given.

    Args:
        name: path of a manifest, or name of a benchmark.
        source: folder of the raw files, which a benchmark that is named needs.
        given: paths of single sources that are not below it.
        recipe: the Python file of a recipe that is neither bundled nor installed.

    Raises:
        BenchwrightError: a manifest that cannot be read, or is not what its recipe makes of these files.
    """
    if source is None and name in recipe_names() and not Path(name).exists():
        raise UsageError(f"{name} is a benchmark: --source names its raw files; or name the folder of its manifest")
    if source is None:
        return open_manifest(name), None
    if not Path(name).exists():
        variants = Variants(named_recipe(name, recipe), source, given)
        return variants.build(), variants
    manifest = open_manifest(name)
    identity = manifest.identity
    known = recipe_of(identity, [], trusted=False) if recipe is None else named_recipe(identity.name, recipe)
    return manifest, variants_of(manifest, known, source, given)


def findings(
    manifest: Manifest,
    predictions: Sources | None = None,
    against: Manifest | None = None,
    split: str | None = None,
    *,
    variants: Variants | None = None,
    audit: Audit | None = None,
    thresholds: Mapping[str, object] | None = None,
    progress: Progress = silent,
) -> Findings:
    """Run every check that fits the manifest; one that raises is named, and the others go on.

    Args:
        manifest: to look at.
        predictions: of the systems, as in `leaderboard`.
        against: another manifest of the same kind, to look for leaks, and to fit guesses on.
        split: of the predictions.
        variants: builds of the same benchmark, for checks of candidates and the grades of other settings.
        audit: of the same manifest, whose grades are taken; without it, alternatives are judged by the predictions.
        thresholds: by `CHECK.THRESHOLD`, others than the defaults.
        progress: of the checks.

    Raises:
        BenchwrightError: a manifest or a run cannot be read, no scorer knows the manifest, the audit is of other rows,
            or a threshold is unknown.
    """
    context = context_of(manifest, predictions, against, split, variants)
    return findings_in(context, audit, thresholds, progress)


def statements(manifest: Manifest) -> list[str]:
    """What the checks find in the rows alone, as sentences; none where no scorer knows such rows.

    What the build itself remarked of its sources is not among them: the identity has it, with names.
    """
    try:
        return [f"{each.id}: {each.statement}" for each in findings(manifest).findings if each.kind != "source"]
    except BenchwrightError:
        return []


def context_of(
    manifest: Manifest,
    predictions: Sources | None = None,
    against: Manifest | None = None,
    split: str | None = None,
    variants: Variants | None = None,
) -> Context:
    """What checks and reports look at; arguments and errors as of `findings`."""
    kind = scorer_of(manifest).kind
    if against is not None and (other := scorer_of(against).kind) != kind:
        raise UsageError(f"{against.path} is a manifest of {other}, {manifest.path} one of {kind}: no comparison")
    if predictions is None:
        return Context(manifest, against, variants=variants)
    task = _task(manifest, split)
    runs = runs_of(task, predictions)[0]
    read = {name: task.read(source) for name, source in runs.items()}
    return Context(manifest, against, runs, read, task, variants)


def findings_in(
    context: Context,
    audit: Audit | None = None,
    thresholds: Mapping[str, object] | None = None,
    progress: Progress = silent,
) -> Findings:
    """Run every check that fits what there is to look at; see `findings`."""
    known, failures = all_checks()
    own = thresholds_of(known, thresholds or {})
    grades = None if audit is None else audited(context, audit)
    checks = [each for each in known.values() if _fits(each, context)]
    lacks = {each.id: _lacks(each, context) for each in checks}
    with progress("checks", len(checks) + 1) as step:
        found, failed = _evidence([each for each in checks if not lacks[each.id]], context, own, step)
        step("grades")
        if grades is None:
            grades = judged(context, [evidence for _, evidence in found])
    failures += failed
    identity = context.manifest.identity
    told = source_findings(identity)
    for each, evidence in found:
        try:
            told.append(each.finding(_parted(each, evidence, context), grades.get(evidence.key or "")))
        except Exception as failure:  # a template that its numbers do not fill
            failures.append(_failed(each, failure))
    return Findings(
        benchmark=identity.name,
        rows={name: each.rows for name, each in identity.splits.items()},
        checks=len(checks),
        findings=sorted(told, key=_gravest_first),
        failures=failures,
        not_checked={key: f"needs {' and '.join(lack)}" for key, lack in lacks.items() if lack},
        digests={name: each.digest for name, each in identity.splits.items()},
    )


def _evidence(
    checks: Sequence[Check], context: Context, own: Mapping[str, dict[str, Any]], step: Callable[[str], None]
) -> tuple[list[tuple[Check, Evidence]], list[Failure]]:
    """What checks find with their own thresholds, and those that raise."""
    found, failures = [], []
    for each in checks:
        step(each.id)
        try:
            evidence = each.run(context, **own.get(each.id, {}))
        except (Exception, SystemExit) as failure:  # whatever a check of somebody's own may raise
            failures.append(_failed(each, failure))
            continue
        found += [] if evidence is None else [(each, evidence)]
    return found, failures


def _parted(each: Check, evidence: Evidence, context: Context) -> Evidence:
    """With the count of each split, where it is of rows of several."""
    if each.kind not in ("truth", "annotators", "text", "sampling") or evidence.numbers.get("count") != len(
        evidence.rows
    ):
        return evidence
    splits = context.splits_of(evidence.rows)
    return evidence if splits is None else replace(evidence, numbers={**evidence.numbers, "splits": splits})


def _task(manifest: Manifest, split: str | None) -> Task:
    """What predictions are scored on, by the metrics of the card."""
    options: dict[str, Any] = {} if split is None else {"split": split}
    card = manifest.card
    if card is not None and card.audit.metrics:
        options["metrics"] = card.audit.metrics
    return task_of(manifest, options, Options)


def _fits(each: Check, context: Context) -> bool:
    if not any(split.rows for split in context.manifest.identity.splits.values()):
        return False
    return each.of in ("any", context.kind) and each.columns <= set(context.manifest.column_names)


def _lacks(each: Check, context: Context) -> list[str]:
    given: dict[Need, bool] = {
        "predictions": bool(context.runs) and not (context.task and context.task.empty),
        "against": context.against is not None,
        "others": context.against is not None or len(context.manifest.splits) > 1,
        "source": context.variants is not None,
        "ledger": context.manifest.has_ledger,
        "published": context.manifest.card is None or context.is_published,
    }
    named = {"ledger": "a ledger", "others": "--against", "published": "the rows that the paper counts"}
    return [named.get(need, f"--{need}") for need in each.needs if not given[need]]


def _failed(each: Check, failure: BaseException) -> Failure:
    return Failure(each.id, f"{type(failure).__name__}: {failure}")


def _gravest_first(finding: Finding) -> tuple[int, bool]:
    """Of equals the remarks of a build come last, as they are told elsewhere, too."""
    return SEVERITIES.index(finding.severity), finding.kind == "source"
