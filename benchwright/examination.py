"""What the verbs that examine a benchmark do, as functions. Modules are imported when they are needed, as in `api`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from benchwright.api import open_manifest
from benchwright.arguments import check, path_of, path_or, recipe_and_sources
from scorers.declarations import documented
from scorers.options import Options

if TYPE_CHECKING:
    from benchwright.arguments import AnyManifest, Predictions
    from benchwright.auditing.result import Audit
    from benchwright.checks.finding import Findings
    from builders.engine.recipe import Recipe
    from builders.engine.variants import Variants


@documented
def audit(
    benchmark: str | Recipe,
    source: Path | str,
    predictions: Mapping[str, Predictions] | Sequence[Path | str] | Path | str | None = None,
    *,
    sources: Mapping[str, Path | str] | None = None,
    grid: Mapping[str, Sequence[object]] | None = None,
    settings: Mapping[str, object] | None = None,
    **options: Unpack[Options],
) -> Audit:
    """Change each choice behind a benchmark by itself, as the verb `audit` does.

    Args:
        benchmark: a name of `list_benchmarks`, or a recipe of your own.
        source: folder below which the raw files are.
        predictions: of the systems, as `runs` of `leaderboard`; without them rows alone are compared.
        sources: paths of single sources, by name, that are not below `source`.
        grid: values of parameters to try, by `rule.parameter`, of those that may have any, or in place of the usual.
        settings: of the benchmark as it is, by `rule.parameter`, where other than the defaults.

    Returns:
        Of every alternative the rows gained, lost and changed, the scores with intervals, parts and ranks, and a grade
        that says whether it matters; which rules mask others; what could not be judged, and why.

    Raises:
        BenchwrightError: anything wrong with the call, the raw files or the predictions.

    >>> found = audit("uag-oops", "tests/samples")
    >>> {each.key: each.gained for each in found.variants if each.gained}
    {'single_scene.by=skip': 3, 'lift single_scene': 3}
    """
    from benchwright.auditing.audit import audit as audit_recipe
    from schemas.identity import written

    check("grid", grid, (Mapping, type(None)), 'values by parameter, as {"rule.parameter": [1, 2]}')
    recipe, folder, given = recipe_and_sources(benchmark, source, sources)
    values = {key: [written(value) for value in several] for key, several in (grid or {}).items()}
    check("settings", settings, (Mapping, type(None)), 'values by parameter, as {"rule.parameter": 1}')
    return audit_recipe(recipe, folder, given, predictions, values, options, settings=settings)


def findings(
    manifest: AnyManifest,
    predictions: Mapping[str, Predictions] | Sequence[Path | str] | Path | str | None = None,
    *,
    against: AnyManifest | None = None,
    split: str | None = None,
    builds: Variants | None = None,
    audit: Audit | Path | str | None = None,
    thresholds: Mapping[str, object] | None = None,
) -> Findings:
    """Look for what is wrong with a benchmark, as the verb `findings` does.

    Args:
        manifest: opened, in memory (`variants(...).build()`), or the folder of one.
        predictions: of the systems, as `runs` of `leaderboard`.
        against: another manifest of the same kind, such as the training set, to look for leaks and to fit guesses on.
        split: of the predictions; the only one, or `test`.
        builds: of the same benchmark, by `variants(...)`, for checks of candidates and the grades of other settings.
        audit: of the same manifest, or the file that `audit --out` wrote, to take grades from.
        thresholds: others than the defaults, as `{"disagreement.seconds": 2}`.

    Returns:
        Findings with numbers, sentences, the rows that they are of, and a severity; checks that failed or lacked
        something.

    Raises:
        BenchwrightError: anything wrong with the call, a manifest or the predictions.

    >>> from tempfile import mkdtemp
    >>> from benchwright import build
    >>> found = findings(build("uag-ssbd", "tests/samples", out=mkdtemp()))
    >>> [each.id for each in found.findings if each.id == "coarse-times"]
    ['coarse-times']
    """
    from benchwright.auditing.result import read_audit
    from benchwright.checks.run import findings as run_checks

    return run_checks(
        open_manifest(manifest),
        predictions,
        None if against is None else open_manifest(against),
        split,
        variants=builds,
        audit=read_audit(path_of("audit", audit)) if isinstance(audit, str | Path) else audit,
        thresholds=thresholds,
    )


def report(
    manifest: AnyManifest,
    out: Path | str,
    predictions: Mapping[str, Predictions] | Sequence[Path | str] | Path | str | None = None,
    *,
    audit: Audit | Path | str | None = None,
    findings: Findings | Path | str | None = None,
    builds: Variants | None = None,
    against: AnyManifest | None = None,
    to: str | None = None,
    split: str | None = None,
    media: Path | str | None = None,
    parts: Predictions | None = None,
    force: bool = False,
) -> Path:
    """Write what a benchmark's rules do, what is wrong with it, and its rows, as the verb `report` does.

    Args:
        manifest: opened, in memory, or the folder of one.
        out: the file to write.
        predictions: of the systems, as `runs` of `leaderboard`.
        audit: of the same manifest, or the file that `audit --out` wrote.
        findings: of the same manifest, or what `findings --json` printed; looked for unless they are given.
        builds: of the same benchmark, by `variants(...)`, to audit it where no audit is given.
        against: another manifest of the same kind, such as the training set, for findings.
        to: `html`, `markdown` or `latex`; by the suffix of `out` unless it is given, else `html`.
        split: of the predictions.
        media: folder of the images, for thumbnails of rows.
        parts: detections of body parts, by which detectors of persons are monitored.
        force: whether a file that is there is replaced.

    Returns:
        The file; figures of `markdown` and `latex` are in a folder beside it.

    Raises:
        BenchwrightError: something is there already, the audit or the findings are of other rows, or anything is wrong
            with the call, a manifest or the predictions.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from benchwright import variants
    >>> ssbd = variants("uag-ssbd", "tests/samples").build()
    >>> report(ssbd, Path(mkdtemp()) / "ssbd.html").name
    'ssbd.html'
    """
    from benchwright.auditing.result import read_audit
    from benchwright.checks.finding import read_findings
    from benchwright.reporting.report import report as write
    from benchwright.reporting.report import target_of

    target = target_of(path_of("out", out), to, force)
    write(
        target,
        open_manifest(manifest),
        builds,
        predictions,
        read_audit(path_of("audit", audit)) if isinstance(audit, str | Path) else audit,
        read_findings(path_of("findings", findings)) if isinstance(findings, str | Path) else findings,
        None if against is None else open_manifest(against),
        split,
        None if media is None else path_of("media", media),
        None if parts is None else path_or(parts),
    )
    return target.file
