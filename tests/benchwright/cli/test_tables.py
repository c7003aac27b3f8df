"""Every table of every verb loses nothing at 80, 100 and 120 columns and in a pipe, with names of 60 characters too."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.cells import cell_len

import benchwright
from benchwright.auditing import audit
from benchwright.cli import console
from benchwright.cli.layout import Column
from benchwright.cli.main import app
from benchwright.cli.score_tables import show_parts
from builders.engine.registry import named_recipe
from schemas.errors import printable
from schemas.manifest import open_manifest
from scorers.registry import scorer_named
from scorers.score import Table

CLIP = "A clip whose name has sixty characters (Ep. 4), and spaces 10"
CLASS = "a_class_whose_name_has_sixty_characters_and_not_a_single_blank"
RUNS = ("a_folder_of_runs/" * 3 + "the_model_of_july_with_seed_1.json", "another/the_model_of_july_with_seed_2.json")
WITHOUT_TABLES = {"baseline", "convert", "export", "prompts", "report"}
# Of what a verb says under --json, the texts that it must say to people, too.
TEXTS = {"name", "title", "citation", "licence", "access", "sources", "splits", "what", "obtain", "files", "about"}
TEXTS |= {"claim", "where", "reason", "verdict", "severity", "check", "message", "sentence", "cites", "metric", "key"}
TEXTS |= {"paper", "value", "file", "sha256", "digest", "content_digest", "rule"}
COMMANDS = {
    "list": "list",
    "show": "show uag-oops",
    "show activities": "show jrdb-par",
    "show a manifest": "show {m}/coco-person",
    "show a recipe": "show {recipe} --recipe {w}/own.py",
    "build a recipe": "build {recipe} --recipe {w}/own.py --source {w} --out {w}/own",
    "verify a recipe": "verify {w}/built/{recipe}",
    "why of a recipe": "why {w}/built/{recipe} {clip}",
    "build": "build uag-oops --source {w}/samples --out {w}/again",
    "build all": "build all --source {w}/samples --out {w}/all",
    "verify": "verify {m}/uag-oops",
    "verify activities": "verify {m}/jrdb-par",
    "why of a kept row": "why {m}/uag-oops {clip}",
    "why of a dropped row": "why {m}/uag-oops {dropped}",
    "why of boxes": "why {m}/coco-person 700603",
    "why of activities": "why {m}/jrdb-par {frame}",
    "ledger": "ledger {m}/uag-oops",
    "ledger of boxes": "ledger {m}/coco-person",
    "validate": "validate {m}/charades-sta",
    "validate a folder": "validate {m}",
    "validate boxes": "validate {m}/coco-person",
    "diff spans": "diff {m}/uag-oops {w}/what-if/uag-oops --source {w}/samples",
    "diff boxes": "diff {w}/what-if/coco-person {m}/coco-person --source {w}/samples",
    "diff activities": "diff {m}/jrdb-par {w}/what-if/jrdb-par",
    "audit spans": "audit uag-oops --source {w}/samples --predictions {w}/{run} --resamples 9",
    "audit boxes": "audit coco-person --source {w}/samples --predictions {w}/boxes.json --resamples 9",
    "audit activities": "audit jrdb-par --source {w}/samples --predictions {w}/nearest --resamples 9",
    "push": "push {m}/uag-oops {recipe}/{recipe} --dry-run --i-have-the-right",
    "instruct": "instruct {m}/uag-oops --templates spans --out {w}/conversations --force",
    "findings of spans": "findings {m}/uag-oops --predictions {w}/{run} --against {m}/uag-oops",
    "findings of activities": "findings {m}/jrdb-par",
    "score spans": "score {m}/uag-oops {w}/{run} --resamples 9",
    "score boxes": "score {m}/coco-person {w}/boxes.json --resamples 9",
    "score boxes by class": "score {m}/coco-person {w}/boxes.json --per-class --resamples 9",
    "score activities": "score {m}/jrdb-par {w}/nearest --resamples 9",
    "leaderboard of spans": "score {m}/uag-oops {w}/{run} {w}/{other} --resamples 99",
    "leaderboard of boxes": "score {m}/coco-person {w}/boxes.json {w}/fewer.json --resamples 9",
    "leaderboard of activities": "score {m}/jrdb-par {recipe}={w}/nearest {w}/nearest --resamples 9",
    "compare spans": "compare {m}/uag-oops {w}/{run} {w}/{other} --resamples 9",
    "compare boxes": "compare {m}/coco-person {w}/boxes.json {w}/fewer.json --resamples 9",
    "monitor": "monitor {m}/coco-person {w}/boxes.json --resamples 0 --person person",
    "thresholds": "thresholds {m}/coco-person {w}/boxes.json",
    "reproduce": "reproduce ual-bench --manifests {m} --predictions {w}",
    "parse": "parse {m}/uag-oops {w}/answers.json --out {w}/parsed.csv",
}

# Their JSON has more than their tables, or other words.
OTHERWISE = {
    *("build", "build all", "build a recipe", "ledger", "ledger of boxes", "leaderboard of spans", "monitor", "parse"),
    *("audit spans", "audit boxes", "audit activities", "instruct"),
    *("show a manifest", "validate a folder"),
}

RECIPE = "a-benchmark-whose-name-has-sixty-characters-without-any-blank"
OWN = f"""
from benchwright.recipes import *

@rule("{CLASS}", cites="{RECIPE}/{RECIPE}", reasons={{"few": "{CLASS} {{n:g}}"}})
def size(rows, *, least: int = 5, {CLASS}_too: str = "{CLASS}"):
    "Keep what {CLASS} is."
    return Outcome(keep=rows["n"] >= least, reason="few", values={{"n": rows["n"]}})

def read(sources):
    return Candidates(read_csv(sources["{CLASS}"], {{"sample_id": str, "n": int}}).assign(split="test"))

about = dict.fromkeys(["title", "task", "citation", "licence", "access", "rows"], "{CLASS} of {CLIP}")
source = Source(name="{CLASS}", files=["{CLASS}.csv"], what="{CLIP}", obtain="https://{RECIPE}/{RECIPE}")
claim = Claim(
    name="{CLIP}", scope="manifest", aggregate="rows", unit="{CLASS}", paper=1234567, where="{RECIPE}", reason="{CLASS}"
)
columns = [column("sample_id", str, "{CLIP}"), column("split", str, "split"), column("n", int, "n", unit="{CLASS}")]
card = Card(name="{RECIPE}", splits=["test"], sources=[source], claims=[claim], **about)
RECIPE = Recipe(card, 1, "first version", "row", read, (size,), table_schema("own", 1, columns))
"""


class Shown(NamedTuple):
    """A table as a verb gave it."""

    columns: list[Column]
    rows: list[list[str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples with long names, the manifests built of them, and predictions for each."""
    folder = tmp_path_factory.mktemp("world")
    samples = shutil.copytree(Path(__file__).parents[2] / "samples", folder / "samples")
    for file in ("val_filtered.txt", "transition_times.json", "svos/val.json", "single_scene_val.json"):
        path = samples / "oops" / file
        path.write_text(path.read_text(encoding="utf-8").replace("Skate Park Surprises  (Ep. 4)0", CLIP))
    coco = samples / "coco" / "annotations" / "instances_val2014.json"
    coco.write_text(coco.read_text().replace('"dog"', f'"{CLASS}"'))
    (folder / "own.py").write_text(OWN)
    (folder / f"{CLASS}.csv").write_text(f'sample_id,n\n"{CLIP}",1\nkept,9\n')
    benchwright.build(named_recipe(RECIPE, folder / "own.py"), folder, folder / "built")
    built = {}
    for name, settings in (
        *((name, {}) for name in ("uag-oops", "uag-ssbd", "uag-funqa", "charades-sta", "jrdb-par")),
        ("coco-person", {"category.keep": "all", "small_person.on_small": "off"}),
    ):
        built[name] = benchwright.build(name, samples, folder / "manifests", settings=settings)
    for name, settings in (
        ("uag-oops", {"onset.pick": "latest", "single_scene.by": "skip", "description.use": "both"}),
        ("coco-person", {"category.keep": "all", "small_person.on_small": "ignore"}),
        ("jrdb-par", {"people.keep": "all"}),
    ):
        benchwright.build(name, samples, folder / "what-if", settings=settings)
    rows = built["uag-oops"].table("test").to_pylist()
    for run, by in zip(RUNS, (1, 20_000), strict=True):
        spans = [{"sample_id": r["sample_id"], "start_s": r["start_s"], "end_s": r["end_s"] + by} for r in rows[1:]]
        (folder / run).parent.mkdir(parents=True)
        (folder / run).write_text(json.dumps(spans))
    texts = ("from 1 to 2 s", "sorry, I cannot see it", "start: 3 s", "9 to 2 s")
    answers = {row["sample_id"]: texts[number % 4] for number, row in enumerate(rows)}
    (folder / "answers.json").write_text(json.dumps(answers))
    boxes = [
        {"image_id": row["image_id"], "category_id": item["category"], "score": 0.9 - shift / 100}
        | {"bbox": [item["x"] + shift, item["y"], item["width"], item["height"]]}
        for row in built["coco-person"].table("val2014").to_pylist()
        for item in row["objects"]
        for shift in (1, 30)
    ]
    (folder / "boxes.json").write_text(json.dumps(boxes))
    (folder / "fewer.json").write_text(json.dumps(boxes[::2]))
    benchwright.baseline(built["jrdb-par"], "nearest", folder / "nearest")
    return folder


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """The tables that verbs show while this is there."""
    shown: list[Shown] = []
    show = console.table

    def recorded(title: str, headings: Sequence[str | Column], rows: Sequence[Sequence[object]]) -> None:
        columns = [heading if isinstance(heading, Column) else Column(heading) for heading in headings]
        shown.append(Shown(columns, [[console._text(cell) for cell in row] for row in rows]))
        show(title, headings, rows)

    monkeypatch.setattr(console, "table", recorded)
    return shown


@pytest.fixture(autouse=True)
def audited_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit takes seconds, and a test shows the same one at several widths."""
    found: list[Any] = []
    compute = audit.audit

    def once(*given: Any, **more: Any) -> Any:
        found.append(found[0] if found else compute(*given, **more))
        return found[0]

    monkeypatch.setattr(audit, "audit", once)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Make standard output a terminal of so many columns, or a pipe."""

    def call(width: int | None) -> None:
        monkeypatch.setenv("COLUMNS", str(width or 80))
        monkeypatch.setenv("TERM", "xterm")
        if width is None:
            monkeypatch.delenv("FORCE_COLOR", raising=False)
        else:
            monkeypatch.setenv("FORCE_COLOR", "1")

    return call


def arguments_of(command: str, world: Path) -> list[str]:
    manifests = world / "manifests"
    names = {"w": world, "m": manifests, "clip": CLIP, "run": RUNS[0], "other": RUNS[1], "recipe": RECIPE}
    names["dropped"] = "Skate Park Surprises  (Ep. 4)20"
    names["frame"] = open_manifest(manifests / "jrdb-par").table("test")["sample_id"][0].as_py()
    return [part.format(**names) for part in command.split()]


def texts_of(value: Any, key: str = "") -> Iterator[str]:
    """The texts of a JSON value that people must be told, too."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from texts_of(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item, key)
    elif isinstance(value, str) and key in TEXTS:
        yield value.replace("{split}", "val2014" if "instances" in value else "trainval")


def lost(shown: Shown, words: set[str], lines: list[str]) -> list[str]:
    """What of a table is not in the output: names in one line, numbers as words, words of texts."""
    found = []
    for row in [[column.heading for column in shown.columns], *shown.rows]:
        for cell, column in zip(row, shown.columns, strict=True):
            if column.kind == "name":
                found += [] if any(cell in line for line in lines) else [cell]
            else:
                found += [word for word in cell.split() if word not in words]
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_no_table_loses_anything(
    run: Any, world: Path, tables: list[Shown], terminal: Callable[[int | None], None], name: str
) -> None:
    arguments = arguments_of(COMMANDS[name], world)
    machine = [] if name in OTHERWISE else list(texts_of(run(*arguments, "--json").json))
    for width in (None, 80, 100, 120):
        tables.clear()
        terminal(width)
        ran = run(*arguments)
        assert ran.code in (0, 1), ran.err
        out = re.sub("\x1b[^m]*m", "", ran.out)
        lines, words = out.splitlines(), set(out.split())
        assert tables
        assert [each for shown in tables for each in lost(shown, words, lines)] == []
        assert [word for text in machine for word in printable(text).split() if word not in out] == []
        assert "\t" not in out
        if width is None:
            rows = [row for shown in tables for row in shown.rows]
            assert [row for row in rows if not any(all(cell in line for cell in row) for line in lines)] == []
        else:
            wide = [line for line in lines if cell_len(line) > width > 1.6 * max(map(cell_len, line.split()))]
            assert wide == [line for line in lines[-1:] if " | v:" in line]  # a signature, which people copy


def test_every_verb_with_tables_is_looked_at() -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert {command.split()[0] for command in COMMANDS.values()} == verbs - WITHOUT_TABLES


def test_long_tables_are_whole(terminal: Callable[[int | None], None], capsys: pytest.CaptureFixture[str]) -> None:
    terminal(80)
    rows: list[dict[str, str | int | float | None]] = [{"class": f"class {n}", "boxes": n} for n in range(1203)]
    show_parts({"classes": Table("classes", rows)}, (), scorer_named("boxes"))
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in shown if line.startswith("class ")] == [str(n) for n in range(1203)]
