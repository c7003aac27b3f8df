"""What a person asks of a scorer, and which scorer answers for a manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from schemas.errors import UsageError, unknown_name
from schemas.manifest import Manifest


@dataclass(frozen=True)
class Request:
    """How to score a file of predictions; None is the default of the scorer.

    Attributes:
        split: the only one, or `test`, when None.
        protocol: how the metrics are defined.
        metrics: their names.
        form: form of the predictions, found out when None.
        resamples: of the bootstrap, 0 for no intervals.
        seed: of the bootstrap.
        truth: spans: other annotations to score against.
        rows: spans: file to write per-row results to.
        category_base: boxes: number of the first class in COCO results.
        classes: boxes: file of the names of the classes in the order of their numbers.
        engine: boxes: another implementation to check every value against.
        threshold: activities: from which score on a label is predicted, strictly above, by task.
    """

    split: str | None = None
    protocol: str | None = None
    metrics: Sequence[str] = ()
    form: str | None = None
    resamples: int | None = None
    seed: int = 12345
    truth: str | None = None
    rows: Path | None = None
    category_base: int | None = None
    classes: Path | None = None
    engine: str | None = None
    threshold: Mapping[str, float] | None = None


def request_of(options: Mapping[str, Any]) -> Request:
    """A request from options by name.

    Raises:
        UsageError: an unknown name, or metrics as one text.
    """
    known = [field.name for field in fields(Request)]
    for name in options:
        if name not in known:
            raise unknown_name("option", name, known)
    if isinstance(options.get("metrics"), str):
        raise UsageError(f"metrics={options['metrics']!r}: expected a list of names")
    resamples, threshold = options.get("resamples"), options.get("threshold")
    if resamples is not None and (not isinstance(resamples, int) or resamples < 0):
        raise UsageError(f"resamples={resamples!r}: expected a whole number from 0")
    if threshold is not None and not isinstance(threshold, Mapping):
        raise UsageError(f'threshold={threshold!r}: expected scores by task, as {{"actions": 0.6}}')
    base = options.get("category_base")
    if base is not None and (not isinstance(base, int) or base < 0):
        raise UsageError(f"category_base={base!r}: expected a whole number from 0")
    paths = {name: Path(options[name]) for name in ("rows", "classes") if options.get(name) is not None}
    return Request(**{**options, **paths})


class Kind(NamedTuple):
    """A kind of manifests: the column that only they have, the module of their scorer, options that not all take.

    The module has `score_file(manifest, path, request)`, `compare_files(manifest, paths, request)` and
    `show_score(title, score)`.
    """

    column: str
    module: str
    options: tuple[str, ...]


KINDS = {
    "boxes": Kind("objects", "benchwright.detection_scoring", ("form", "category_base", "classes", "engine")),
    "spans": Kind("start_s", "benchwright.scoring", ("form", "truth", "rows")),
    "activities": Kind("global_activities", "benchwright.activity_scoring", ("threshold",)),
}


def kind_of(manifest: Manifest) -> str | None:
    """The name of a manifest's kind, None if no scorer knows such a manifest."""
    columns = manifest.column_names
    return next((name for name, kind in KINDS.items() if kind.column in columns), None)


def scorer_for(manifest: Manifest, request: Request) -> ModuleType:
    """The scorer of a manifest's kind; one kind's modules alone are imported, which keeps the answer quick.

    Raises:
        UsageError: no scorer knows such a manifest; the request has an option of another scorer.
    """
    kind = kind_of(manifest)
    if kind is None:
        names = ", ".join(manifest.column_names)
        raise UsageError(f"{manifest.path}: no scorer for a manifest of the columns {names}")
    for option in dict.fromkeys(option for of in KINDS.values() for option in of.options):
        if getattr(request, option) is not None and option not in KINDS[kind].options:
            others = " and ".join(name for name, of in KINDS.items() if option in of.options)
            flag = "format" if option == "form" else option.replace("_", "-")
            raise UsageError(f"--{flag}: for {others}, and this manifest holds {kind}")
    return import_module(KINDS[kind].module)
