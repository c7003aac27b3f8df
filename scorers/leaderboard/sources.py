"""Which runs are meant: files, folders that are one run, folders of runs, each with a name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.errors import UsageError, counted, first_few, printable, shown
from schemas.input.files import check_names, path_text
from schemas.paths import home_filled, real_path

SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""By which files of predictions are known in a folder; a file that is named itself may have any."""

_REVIEW = ".review.csv"  # what `parse` writes beside its predictions
_EXAMPLES = 5

IsRun = Callable[[Path], bool]
Sources = Mapping[str, Any] | Sequence[str | os.PathLike[str]] | str | os.PathLike[str]


def named_runs(given: Sources, is_run: IsRun) -> tuple[dict[str, object], list[str]]:
    """The source of each run by its name, and what was made of folders.

    A path is a run that has the name of the file without its suffix, or a folder: one run where the family reads
    folders and this looks like one (`Scorer.is_run`), else a folder of runs. `NAME=PATH` is one run in any case, unless
    a file of that whole name is there.

    Args:
        given: sources by name, each one run, which may be in memory; or paths, or `NAME=PATH`.
        is_run: whether a folder is one run.

    Raises:
        UsageError: no runs, a name twice or empty, a folder without runs.
        InputError: names of files that are not UTF-8.

    >>> named_runs(["a.json", "b=runs/a.json"], lambda _: False)
    ({'a': PosixPath('a.json'), 'b': PosixPath('runs/a.json')}, [])
    """
    pairs: list[tuple[str, object]] = []
    notes: list[str] = []
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        for path in given if isinstance(given, list | tuple) else [given]:
            found, said = _runs_of(path, is_run)
            pairs += found
            notes += said
    if not pairs:
        raise UsageError("no runs are given")
    runs: dict[str, object] = {}
    for name, source in pairs:
        if not isinstance(name, str) or not name.strip():
            raise UsageError(f"{shown(name)}: expected the name of a run")
        if name in runs:
            both = f"{_told(runs[name])} and {_told(source)}"
            example = (
                f"NAME=PATH, as {Path(source).absolute().parent.name}={source}" if isinstance(source, Path) else ""
            )
            raise UsageError(printable(f"two runs are named {name}: {both}; name them {example or 'otherwise'}"))
        if isinstance(source, str | os.PathLike):
            path = home_filled(source)
            check_names([path, *path.parents])
        runs[name] = path if isinstance(source, str | os.PathLike) else source
    return runs, notes


def _told(source: object) -> str:
    return os.fspath(source) if isinstance(source, str | os.PathLike) else f"a {type(source).__name__}"


def _runs_of(given: object, is_run: IsRun) -> tuple[list[tuple[str, object]], list[str]]:
    """The runs of one argument."""
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f'found a {type(given).__name__}, expected paths of runs, or runs by name: {{"NAME": ...}}')
    text = os.fspath(given)
    if not text:
        raise UsageError("'': expected the path of predictions")
    path = home_filled(text)
    name, equals, rest = text.partition("=")
    if equals and isinstance(given, str) and not path.exists():
        if not name.strip() or not rest:
            raise UsageError(f"{text!r}: expected NAME=PATH")
        return [(name, rest)], []
    if not path.is_dir():
        return [(path.stem or text, path)], []
    name = real_path(path).name or text
    if is_run(path):
        return [(name, path)], [f"{text}: one run"]
    found, skipped = _inside(path, is_run)
    if not found:
        expected = f"files that end in {', '.join(SUFFIXES)}, or folders with one"
        raise UsageError(f"{text}: a folder without runs; expected {expected}")
    others = f"; not read: {first_few(skipped[:_EXAMPLES], len(skipped))}" if skipped else ""
    return found, [f"{text}: a folder of {counted(len(found), 'runs')}{others}"]


def _inside(folder: Path, is_run: IsRun, deeper: bool = True) -> tuple[list[tuple[str, object]], list[str]]:
    """The runs in a folder, and what is left out; a folder below it with a single run gives it its name."""
    found: list[tuple[str, object]] = []
    skipped = []
    for child in sorted(folder.iterdir()):
        if child.name[0] in "._":
            continue
        if child.is_dir() and is_run(child):
            found.append((child.name, child))
        elif child.is_dir():
            within = _inside(child, is_run, False)[0] if deeper else []
            single = len(within) == 1
            found += [(child.name if single else f"{child.name}/{name}", path) for name, path in within]
            skipped += [] if within else [path_text(child.name)]
        elif child.suffix.lower() in SUFFIXES and not child.name.endswith(_REVIEW):
            found.append((child.stem, child))
        else:
            skipped.append(path_text(child.name))
    return found, skipped
