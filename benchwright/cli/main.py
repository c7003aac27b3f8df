"""The command line. Verbs import what they need when they run, so that `--help` and `list` answer at once."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli import console
from benchwright.cli.answers import register as register_answers
from benchwright.cli.detectors import register as register_detectors
from benchwright.cli.options import Json, ManifestPath, pairs_of, refuse_overwriting
from benchwright.cli.scoring import register as register_scoring
from schemas.errors import BenchwrightError, UsageError, shown

if TYPE_CHECKING:
    from builders.engine.recipe import Recipe
    from schemas.claims import Judgement
    from schemas.manifest import Manifest

app = typer.Typer(
    help="Rebuild vision benchmarks from their raw annotations, explain every row, score predictions on the result.",
    epilog="Start with: benchwright list",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

_INTERRUPTED = 130

RecipeFile = Annotated[
    Path | None, typer.Option("--recipe", help="A Python file that defines RECIPE.", metavar="FILE.py")
]


def main() -> None:
    """Entry point: bad input ends in one clear message and exit code 2, never in a traceback."""
    # A closed stream is None; what is printed then goes nowhere.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 (open until the end)
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII alone
    try:
        for argument in sys.argv[1:]:
            if any("\ud800" <= letter <= "\udfff" for letter in argument):
                raise UsageError(f"argument {argument!r} is not UTF-8 text")
        app()
    except BenchwrightError as failure:
        console.complain(str(failure))
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as failure:
        console.complain(f"{shown(failure.filename)}: {failure.strerror}" if failure.filename else str(failure))
        sys.exit(2)
    except MemoryError:
        console.complain("not enough memory for these files; nothing was changed")
        sys.exit(2)
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:  # typer turns Ctrl-C into this code and says nothing
            console.complain("stopped; no file was left half written")
        raise


@app.command("list", epilog="Example: benchwright list --json")
def list_benchmarks(as_json: Json = False) -> None:
    """List all benchmarks: rows, sources needed, licence."""
    from benchwright.cli.catalogue import line_of, overview

    rows = overview()
    if as_json:
        console.as_json(rows)
        return
    headings = ["name", "rows", "splits", "sources needed", "licence"]
    console.table("Benchmarks", headings, [line_of(row) for row in rows], right=[1], whole=[0, 3])


@app.command(epilog="Example: benchwright show uag-oops")
def show(
    name: Annotated[str, typer.Argument(help="Name of a benchmark, or path of a manifest.", show_default=False)],
    recipe: RecipeFile = None,
    as_json: Json = False,
) -> None:
    """Show a benchmark's card: sources, rules with parameters and citations, claims, columns."""
    from benchwright.cli.catalogue import show_benchmark, show_manifest

    if Path(name).exists() and recipe is None:
        show_manifest(Path(name), as_json)
    else:
        show_benchmark(_recipe(name, recipe), as_json)


@app.command(epilog="Example: benchwright build uag-oops --source ~/data/oops --set onset.pick=median")
def build(
    name: Annotated[str, typer.Argument(help="Name of a benchmark, or `all`.", show_default=False)],
    source: Annotated[
        list[str],
        typer.Option(help="Folder below which the raw files lie; NAME=PATH names one source.", metavar="DIR|NAME=PATH"),
    ],
    out: Annotated[Path, typer.Option(help="Folder that holds the manifests.")] = Path("manifests"),
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another value for a rule's parameter.", metavar="RULE.PARAM=VALUE"),
    ] = None,
    recipe: RecipeFile = None,
    as_json: Json = False,
) -> None:
    """Build a manifest from raw annotations, with an account of every row dropped or changed."""
    from benchwright.cli.building import build_all, build_one

    refuse_overwriting(out)
    folder, given = _sources(source)
    if name == "all":
        if settings or given or recipe:
            raise UsageError("`build all` takes no --set, NAME=PATH or --recipe: they belong to one benchmark")
        raise typer.Exit(build_all(folder, out, as_json))
    build_one(_recipe(name, recipe), folder, given, out, pairs_of(settings or []), as_json)


@app.command(epilog="Example: benchwright verify manifests/uag-oops")
def verify(manifest: ManifestPath, recipe: RecipeFile = None, as_json: Json = False) -> None:
    """Compare a manifest with the paper: each claim, the rebuilt value, the verdict and why."""
    from benchwright.verify import source_notes
    from benchwright.verify import verify as judge
    from builders.engine.registry import card_of
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    card = card_of(_recipe_of(opened, recipe))
    lines = judge(opened, card)
    if as_json:
        console.as_json(lines)
    else:
        headings = ["claim", "paper", "rebuilt", "verdict", "where, and how to read it"]
        cells = [
            [f"{line.claim} ({line.unit})", _digits(line.paper), _digits(line.value), line.verdict, _remark(line)]
            for line in lines
        ]
        console.table(f"{card.title}: claims", headings, cells, right=[1, 2])
    for note in source_notes(opened.identity, card):
        console.complain(note, "note")
    raise typer.Exit(0 if all(line.as_expected for line in lines) else 1)


@app.command(epilog='Example: benchwright why manifests/uag-oops "FailArmy After Dark (Ep. 10)93"')
def why(
    manifest: ManifestPath,
    key: Annotated[str, typer.Argument(help="Name of a row: kept, dropped, or suspected.", show_default=False)],
    recipe: RecipeFile = None,
    as_json: Json = False,
) -> None:
    """Tell what happened to one row, rule by rule."""
    from benchwright.cli.story_tables import show_story
    from benchwright.why import stories
    from builders.engine.registry import card_of
    from schemas.manifest import open_manifest

    opened = open_manifest(manifest)
    steps = _recipe_of(opened, recipe)
    told = stories(opened, key, steps.rules, card_of(steps).aliases)
    if as_json:
        console.as_json(told)
    else:
        for story in told:
            show_story(story)


@app.command(epilog="Example: benchwright validate manifests/uag-oops")
def validate(manifest: ManifestPath, as_json: Json = False) -> None:
    """Check a manifest against its own identity; exit 1 on errors."""
    from schemas.manifest import open_manifest
    from schemas.validation import validate as findings_of

    opened = open_manifest(manifest)
    findings = findings_of(opened)
    if as_json:
        console.as_json(findings)
    elif findings:
        cells = [[finding.severity, finding.check, finding.place, finding.message] for finding in findings]
        console.table(f"{manifest}: findings", ["severity", "check", "where", "message"], cells)
    else:
        console.say(f"{manifest}: nothing to report; content digest {opened.identity.content_digest}")
    raise typer.Exit(1 if any(finding.severity == "error" for finding in findings) else 0)


@app.command(epilog="Example: benchwright export manifests/uag-oops --to official --out oops_uag_paper_version.json")
def export(
    manifest: ManifestPath,
    to: Annotated[
        str, typer.Option(help="official (the authors' own file), coco (instances JSON) or yolo.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="File to write; for yolo and jrdb-par a new folder.", show_default=False)],
    split: Annotated[
        str | None, typer.Option(help="Split to write.", show_default="official: the only one or test; else all")
    ] = None,
    category_base: Annotated[int, typer.Option(help="For coco: id of the first category.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Write a manifest in the shape that other tools expect."""
    from benchwright.export import export as write
    from benchwright.export.coco import other_numbers
    from builders.engine.sources import digest_of
    from schemas.manifest import open_manifest

    refuse_overwriting(out)
    opened = open_manifest(manifest)
    written = write(opened, to, out, split, category_base)
    if to == "coco" and other_numbers(opened, split, category_base):
        told = f"categories are numbered from {category_base}, not as in the source"
        console.complain(f"{told}: score results of these numbers with --category-base {category_base}", "note")
    if written.get("ignored"):
        console.complain("pycocotools counts ignored boxes, which only crowds are not: AP by it will differ", "warning")
    digest = {"sha256": digest_of(out)} if out.is_file() else {}
    if as_json:
        console.as_json({"file": str(out), **written, **digest})
    else:
        counts = [f"{count:,} {what}" for what, count in written.items()]
        console.say(f"{out}: " + ", ".join([*counts, *(f"SHA-256 {value}" for value in digest.values())]))


register_scoring(app)
register_detectors(app)
register_answers(app)


def _recipe(name: str, file: Path | None) -> Recipe:
    """The recipe of a name, or of a file that must bear that name."""
    from builders.engine.registry import find_recipe, load_recipe

    if file is None:
        return find_recipe(name)
    recipe = load_recipe(file)
    if recipe.name != name:
        raise UsageError(f"{file} defines the benchmark {recipe.name!r}, not {name!r}")
    return recipe


def _recipe_of(manifest: Manifest, file: Path | None) -> Recipe:
    """The recipe that a manifest was built with."""
    from builders.engine.registry import recipe_names

    name = manifest.identity.name
    if file is None and name not in recipe_names():
        raise UsageError(f"{name} is no bundled benchmark; name the file of its recipe with --recipe FILE.py")
    return _recipe(name, file)


def _sources(texts: list[str]) -> tuple[Path, dict[str, Path]]:
    """The one folder to look in, and the sources named one by one."""
    if "" in texts:
        raise UsageError("--source is empty; expected a folder, or NAME=PATH")
    folders = [text for text in texts if "=" not in text or Path(text).exists()]
    if len(folders) > 1:
        raise UsageError(f"several source folders ({', '.join(folders)}): give one, and single files as NAME=PATH")
    given = {
        name: Path(path).expanduser()
        for name, path in pairs_of([text for text in texts if text not in folders]).items()
    }
    return Path(folders[0]) if folders else Path(), given


def _remark(line: Judgement) -> str:
    return f"{line.where}: {line.reason}" if line.reason else line.where


def _digits(value: float | str | None) -> str:
    """A number, or the first characters of a digest."""
    if isinstance(value, str):
        return value[:12]
    return console.number(value, 0 if isinstance(value, float) and value.is_integer() else 2)
