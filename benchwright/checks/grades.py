"""How much the alternatives that findings name matter: as an audit graded them, else judged here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchwright.auditing.alternatives import Alternative
from benchwright.auditing.effect import Grade, gravest
from benchwright.auditing.effects import effects
from benchwright.auditing.result import Audit
from benchwright.auditing.scores import Judge
from benchwright.checks.context import Context
from benchwright.checks.finding import Evidence
from schemas.cards import AuditCard
from schemas.errors import BenchwrightError, UsageError
from schemas.identity import written


def audited(context: Context, audit: Audit) -> Mapping[str, Grade | None]:
    """The grades of a finished audit by the key of the alternative.

    Raises:
        UsageError: it is of other rows than those that are checked.
    """
    identity = context.manifest.identity
    digests = {name: split.digest for name, split in identity.splits.items()}
    if audit.benchmark != identity.name:
        raise UsageError(f"the audit is of {audit.benchmark}, {context.manifest.path} a manifest of {identity.name}")
    if any(audit.digests.get(name) != each for name, each in digests.items()):
        own = "".join(f" --set {name}={written(identity.parameters[name])}" for name in identity.changed_parameters)
        advice = f"audit its sources{' with' if own else ', without --set'}{own}"
        raise UsageError(f"the audit is of another build of {audit.benchmark} than {context.manifest.path}: {advice}")
    return {each.key: each.grade for each in audit.variants}


def judged(context: Context, found: Iterable[Evidence]) -> Mapping[str, Grade | None]:
    """The grades of the alternatives that evidence names, by their keys, where there are predictions to judge by."""
    if context.task is None or context.task.empty or not context.runs:
        return {}
    scorings = context.task.scorer.alternatives(context.task.truth, context.task.protocol)
    wanted = {}
    for each in found:
        key, parameter, value = each.key, each.parameter, each.alternative
        if key is not None and key in scorings:
            wanted[key] = Alternative(key, "equivalent", {}, scorings[key])
        elif key is not None and parameter and value is not None and context.variants is not None:
            wanted[key] = Alternative(key, "equivalent", {parameter: value})
    return _graded(context, list(wanted.values())) if wanted else {}


def _graded(context: Context, alternatives: list[Alternative]) -> dict[str, Grade | None]:
    assert context.task is not None
    card = context.manifest.card
    judge = Judge(context.task, context.runs, card.audit if card else AuditCard())
    keys, several = [], [judge.default]
    for each in alternatives:
        try:
            manifest = context.built(each.settings) if each.settings else context.manifest
            several.append(judge.judge(manifest, each))
            keys.append(each.key)
        except BenchwrightError:  # not judged, as an audit says, too
            continue
    by_metric = effects(judge, several, lambda _: None)[1:]
    return {key: gravest(own.values()) for key, own in zip(keys, by_metric, strict=True)}
