"""Options of verbs: those that several share, and those of scoring as `scorers.options` declares them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from schemas.errors import UsageError
from schemas.paths import home_filled
from scorers.declarations import OptionError, declared, flag_of, types_of

Json = Annotated[bool, typer.Option("--json", help="Print data for machines instead of tables.")]
ManifestPath = Annotated[Path, typer.Argument(help="Folder that a build wrote.", show_default=False)]
PredictionPath = Annotated[
    Path, typer.Argument(help="Prediction file, of any format that the documentation lists.", show_default=False)
]
BenchmarkOrManifest = Annotated[
    str,
    typer.Argument(
        metavar="NAME|MANIFEST",
        help="Folder of a manifest; with --source also the name of a benchmark.",
        show_default=False,
    ),
]
SystemPredictions = Annotated[
    list[str] | None,
    typer.Option(
        "--predictions",
        help="Predictions of the systems: a folder of them, a file, or NAME=PATH.",
        metavar="DIR|FILE|NAME=PATH",
    ),
]
RawFiles = Annotated[
    list[str],
    typer.Option(
        "--source", help="Folder below which the raw files are; NAME=PATH names one source.", metavar="DIR|NAME=PATH"
    ),
]
RecipeFile = Annotated[
    Path | None, typer.Option("--recipe", help="A Python file that defines RECIPE; its code is run.", metavar="FILE.py")
]
SplitOption = Annotated[
    str | None, typer.Option("--split", help="Split to read.", show_default="the only one, or test")
]


def benchmark_names(begun: str) -> list[str]:
    """Names of benchmarks that begin so, for the shell's completion."""
    from builders.engine.registry import recipe_names

    return [name for name in recipe_names() if name.startswith(begun)]


def with_options(options: type, **parsers: Callable[[list[str]], Any]) -> Callable[[Callable[..., None]], Any]:
    """Give a verb the options that a class of `scorers.options` declares, in place of its `**options`.

    Args:
        options: the class.
        parsers: for options that are mappings, from the texts of the command line to their value;
            `NAME=NUMBER` pairs unless another is given.
    """
    known = declared(options)

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        def call(**given: Any) -> None:
            options = {name: _parsed(name, given[name], hint, parsers) for name, (hint, _) in known.items()}
            try:
                verb(**given | options)
            except OptionError as failure:
                raise UsageError(f"{flag_of(failure.option, known[failure.option][1])}{failure.said}") from None

        own = [p for p in inspect.signature(verb, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
        added = [_parameter(name, hint, option) for name, (hint, option) in known.items()]
        parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in own] + added
        call.__name__, call.__doc__ = verb.__name__, verb.__doc__
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call

    return decorate


def _parameter(name: str, hint: Any, option: Any) -> inspect.Parameter:
    kinds = types_of(hint)
    several = Mapping in kinds or Sequence in kinds
    # Paths come as texts: of an empty one typer would make the folder `.`.
    kind: Any = list[str] if several else next((kind for kind in (bool, int, float) if kind in kinds), str)
    shown = typer.Option(
        flag_of(name, option),
        help=option.help.replace("[", r"\["),  # which is markup to rich
        show_default=option.default or False,
        metavar=option.metavar or None,
        min=option.minimum,
        max=option.maximum,
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, shown]
    )


def _parsed(name: str, value: Any, hint: Any, parsers: Mapping[str, Callable[[list[str]], Any]]) -> Any:
    kinds = types_of(hint)
    if value and Mapping in kinds:
        return parsers.get(name, numbers_of)(value)
    if value and Path in kinds:
        return home_filled(value)
    return None if value == [] else value


def refuse_overwriting(out: Path | None, *inputs: Path | None) -> None:
    """Refuse, before anything is read, an output that is also an input or another output, or is inside a manifest.

    What a verb does not know yet, such as files in a folder of predictions, is refused where the output is written.

    Raises:
        UsageError: two of the paths are one file; the folder of the output was written by a build.
    """
    if out is not None:
        from schemas.guard import refuse_inside_manifest, refuse_losing
        from schemas.paths import real_path

        refuse_losing(out, [path for path in inputs if path is not None])
        refuse_inside_manifest(out, real_path(out) / "any")
        for other in inputs:
            if other is not None and real_path(out) == real_path(other):
                raise UsageError(f"{out} is read or written already; name another file to write")


def pairs_of(texts: list[str]) -> dict[str, str]:
    """`NAME=VALUE` texts as a mapping; a name given twice is an error, as one of the two would be ignored."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text!r}: expected NAME=VALUE")
        if name in pairs:
            raise UsageError(f"{name} is given twice: {pairs[name]} and {value}")
        pairs[name] = value
    return pairs


def sources_of(texts: list[str]) -> tuple[Path, dict[str, Path]]:
    """The one folder to look in, and the sources named one by one."""
    if "" in texts:
        raise UsageError("--source is empty; expected a folder, or NAME=PATH")
    folders = [text for text in texts if "=" not in text or Path(text).exists()]
    if len(folders) > 1:
        raise UsageError(f"several source folders ({', '.join(folders)}): give one, and single files as NAME=PATH")
    given = {
        name: home_filled(path) for name, path in pairs_of([text for text in texts if text not in folders]).items()
    }
    return Path(folders[0]) if folders else Path(), given


def sources_if_given(texts: list[str] | None, recipe: Path | None = None) -> tuple[Path | None, dict[str, Path]]:
    """The same where `--source` may be left out, unless there is the file of a `recipe`, which builds from it."""
    if texts:
        return sources_of(texts)
    if recipe is not None:
        raise UsageError("--recipe needs --source: the raw files to build from")
    return None, {}


def numbers_of(texts: list[str]) -> dict[str, float]:
    """`NAME=NUMBER` texts as a mapping."""
    numbers = {}
    for name, text in pairs_of(texts).items():
        try:
            numbers[name] = float(text)
        except ValueError:
            raise UsageError(f"{name}={text}: expected a number") from None
    return numbers
