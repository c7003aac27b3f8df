"""Recipes of one's own, as docs/recipes.md shows them: built, verified, explained and scored; and what may go wrong."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import benchwright
from builders.engine import registry

PAGE = (Path(__file__).parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")
MOMENTS, DAMAGE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
((MOMENTS_JSON,), (IMAGES_CSV, BOXES_CSV)) = (
    re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) for language in ("json", "csv")
)
Run = Callable[..., object]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page in the current folder, the sources in a folder `raw`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").mkdir()
    files = {
        "my_moments.py": MOMENTS,
        "road_damage.py": DAMAGE,
        "raw/moments.json": MOMENTS_JSON,
        "raw/images.csv": IMAGES_CSV,
        "raw/boxes.csv": BOXES_CSV,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def build(run: Run, folder: Path) -> Run:
    """Build `my-moments` by the recipe of the page, with changes: text -> other text."""

    def call(changes: dict[str, str] | None = None, *arguments: object) -> object:
        text = MOMENTS
        for old, new in (changes or {}).items():
            assert old in text
            text = text.replace(old, new)
        (folder / "my_moments.py").write_text(text, encoding="utf-8")
        return run("build", "my-moments", "--recipe", "my_moments.py", "--source", "raw", *arguments)

    return call


@pytest.mark.parametrize("recipe", [MOMENTS, DAMAGE])
def test_a_recipe_takes_at_most_40_lines_and_one_import(recipe: str) -> None:
    assert len(recipe.splitlines()) <= 40
    imports = [line for line in recipe.splitlines() if re.match(r"\s*(import|from) ", line)]
    assert [line.split()[1] for line in imports] == ["benchwright.recipes"]


def test_spans_are_built_verified_explained_and_scored_without_the_recipe(run: Run, build: Run, folder: Path) -> None:
    built = build(None, "--json").json
    assert (built["splits"]["test"]["rows"], built["parameters"]) == (1, {"length.least_s": 1.0})
    (folder / "my_moments.py").unlink()
    assert run("verify", "manifests/my-moments", "--json").json == []
    assert run("validate", "manifests/my-moments", "--json").json == []
    (story,) = run("why", "manifests/my-moments", "m2", "--json").json
    assert story["fate"] == "dropped"
    assert story["steps"][0]["sentence"] == "it lasts 0.5 s, less than 1"
    assert story["steps"][0]["cites"] == "our paper, section 3"
    (folder / "p.json").write_text('[{"sample_id": "m1", "start_s": 1.5, "end_s": 4}]')
    scored = run("score", "manifests/my-moments", "p.json", "--metric", "mIoU", "--json").json
    assert scored["metrics"]["mIoU"]["value"] == 1.0


def test_boxes_of_classes_of_ones_own_are_built_and_scored(run: Run, folder: Path) -> None:
    built = run("build", "road-damage", "--recipe", "road_damage.py", "--source", "raw", "--json").json
    assert built["splits"]["test"]["rows"] == 1
    (folder / "road_damage.py").unlink()
    assert run("verify", "manifests/road-damage", "--json").json == []
    assert run("validate", "manifests/road-damage", "--json").json == []
    (story,) = run("why", "manifests/road-damage", "road2.jpg", "--json").json
    assert [step["sentence"] for step in story["steps"] if step["action"] == "dropped"] == ["it shows no damage"]
    (kept,) = run("why", "manifests/road-damage", "road1.jpg", "--json").json
    assert [box["category"] for box in kept["row"]["objects"]] == ["crack"]
    assert [part["sentence"] for part in kept["parts"]] == ["damage 1 has area 120 < 200"]
    box = "sample_id,category,x,y,width,height,score\nroad1.jpg,crack,10,20,200,40,0.9\n"
    (folder / "p.csv").write_text(box)
    scored = run("score", "manifests/road-damage", "p.csv", "--metric", "AP50(crack)", "--json").json
    assert scored["metrics"]["AP50(crack)"]["value"] == pytest.approx(1)


def test_an_installed_recipe_is_a_benchmark_like_any_other(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(folder)
    points = EntryPoints([EntryPoint("my-moments", "my_moments:RECIPE", registry.GROUP)])
    monkeypatch.setattr(registry, "entry_points", lambda group: points.select(group=group))
    assert [row["name"] for row in run("list", "--json").json][-1] == "my-moments"
    assert run("build", "my-moments", "--source", "raw").code == 0
    assert run("verify", "manifests/my-moments").code == 0
    assert "recipe my_moments:RECIPE of" in run("show", "manifests/my-moments").out
    assert run("build", "manifests/my-moments", "--source", "raw", "--out", "again").code == 0
    built = run("build", "all", "--source", "raw", "--out", "all", "--json")
    assert {line["name"]: line["status"] for line in built.json}["my-moments"] == "built"


def test_a_recipe_is_shown_and_must_be_the_one_asked_for(run: Run, refused: Callable[..., str], folder: Path) -> None:
    shown = run("show", "my-moments", "--recipe", "my_moments.py").out
    assert shown.startswith("my-moments: My moments: find when a sentence")
    message = refused("build", "yours", "--recipe", "my_moments.py", "--source", "raw")
    assert message == "my_moments.py defines the benchmark 'my-moments', not 'yours'"


def test_a_manifest_names_its_recipe_but_no_folder(build: Run, folder: Path) -> None:
    build()
    first = {path.name: path.read_bytes() for path in Path("manifests").rglob("*") if path.is_file()}
    identity = json.loads(first["manifest.json"])
    assert identity["recipe"]["file"] == "my_moments.py"
    assert len(identity["recipe"]["sha256"]) == 64
    assert identity["card"]["title"] == "My moments"
    assert str(folder) not in first["manifest.json"].decode()


def test_a_manifest_is_built_again_by_its_own_recipe_with_consent(
    run: Run, refused: Callable[..., str], build: Run, folder: Path
) -> None:
    assert build(None, "--set", "length.least_s=0.25").code == 0
    again = ["build", "manifests/my-moments", "--source", "raw", "--out", "again"]
    assert "my-moments was built by the code in my_moments.py, which is not run unasked" in refused(*again)
    assert run(*again, "--trust-recipe").code == 0
    contents = [Path(top, "my-moments/manifest.json").read_bytes() for top in ("manifests", "again")]
    assert contents[0] == contents[1]
    assert json.loads(contents[0])["parameters"] == {"length.least_s": 0.25}
    (folder / "my_moments.py").write_text(MOMENTS + "\n")
    assert "my_moments.py changed: its SHA-256 is" in refused(*again, "--trust-recipe")
    assert run(*again, "--recipe", "my_moments.py").code == 0
    (folder / "my_moments.py").unlink()
    assert "name it with --recipe FILE.py" in refused(*again, "--trust-recipe")


def test_an_untrusted_manifest_names_no_file_of_another_folder(
    refused: Callable[..., str], build: Run, folder: Path
) -> None:
    build()
    document = folder / "manifests/my-moments/manifest.json"
    (folder.parent / "evil.py").write_text("raise SystemExit('ran')")
    document.write_text(document.read_text().replace('"my_moments.py"', '"../evil.py"'))
    (folder / "my_moments.py").unlink()
    (folder / "sub").mkdir()
    message = refused("build", "manifests/my-moments", "--source", "raw", "--trust-recipe")
    assert "evil.py" in message


def test_a_recipe_built_from_python_has_no_file(refused: Callable[..., str], folder: Path) -> None:
    """Built from Python, a recipe has no file; the manifest explains itself all the same."""
    names: dict[str, object] = {}
    exec(compile(MOMENTS, "cell", "exec"), names)
    manifest = benchwright.build(names["RECIPE"], folder / "raw", folder / "manifests")
    assert manifest.identity.recipe is None
    assert benchwright.verify(manifest) == []
    assert benchwright.why(manifest, "m2")[0].steps[0].sentence == "it lasts 0.5 s, less than 1"
    message = refused("build", "manifests/my-moments", "--source", "raw", "--trust-recipe")
    assert message == "my-moments is neither bundled nor installed; name its file with --recipe FILE.py"


IN_READER, IN_RULE = "my_moments.py, line {line}, reader: ", "my_moments.py, line {line}, rule length: "
MISTAKES = {
    "syntax": ({"def read(sources):": "def read(sources)"}, "my_moments.py, line 7: SyntaxError: expected ':'"),
    "import": ({"read_records, rule": "read_recrods, rule"}, "my_moments.py, line 1: ImportError: cannot import name"),
    "exit": (
        {"def read(sources):": "raise SystemExit('enough')\ndef read(sources):"},
        "my_moments.py, line 7: SystemExit: enough",
    ),
    "no recipe": ({"RECIPE = Recipe": "RECEIPT = Recipe"}, "my_moments.py: found no RECIPE, expected RECIPE = Recipe"),
    "card": ({'name="my-moments",': 'name="my moments",'}, "my_moments.py, line 20: ValueError: name 'my moments'"),
    "field of the card": ({"licence=": "license="}, "my_moments.py, line 20: TypeError: Unexpected keyword argument"),
    "no tuple of rules": (
        {"rules=(length,)": "rules=(length)"},
        "my_moments.py, line 19: TypeError: its rules are the rule 'length' alone, expected a tuple",
    ),
    "no decorator": (
        {"rules=(length,)": "rules=(read,)"},
        "my_moments.py, line 19: TypeError: its rules are with read",
    ),
    "no rules": ({"rules=(length,)": "rules=None"}, "my_moments.py, line 19: TypeError: its rules are None, expected"),
    "no schema": (
        {'temporal_schema("my-moments", 1)': "None"},
        "my_moments.py, line 19: TypeError: its schema is None; make it with",
    ),
    "no reader": ({"read=read": "read=None"}, "my_moments.py, line 19: TypeError: its reader is None, expected"),
    "type in the card": (
        {'splits=["test"]': 'splits="test"'},
        "my_moments.py, line 19: TypeError: its card: Expected `array`, got",
    ),
    "name in a reader": ({"moments.rename": "moment.rename"}, IN_READER + "NameError: name 'moment' is not defined"),
    "exit in a reader": ({"moments = ": "exit(3); moments = "}, IN_READER + "SystemExit: 3"),
    "source": ({'sources["moments"]': 'sources["moment"]'}, IN_READER + "KeyError: 'moment'; did you mean moments?"),
    "column left out": ({'"id": "sample_id", ': ""}, IN_READER + "its table has no column 'sample_id' (columns: id,"),
    "no candidates": ({"return Candidates(": "return ("}, IN_READER + "it gives DataFrame, expected Candidates"),
    "type of a field": (
        {'"video": str,': '"video": dict,'},
        IN_READER + "TypeError: the type <class 'dict'>: expected",
    ),
    "name in a rule": ({"length_s >= least_s": "length_s >= lest_s"}, IN_RULE + "NameError: name 'lest_s' is not"),
    "column in a rule": ({'["end_s"]': '["ends"]'}, IN_RULE + "KeyError: 'ends'; did you mean end_s?"),
    "mask of another type": ({"keep=length_s >= least_s": "keep=length_s"}, IN_RULE + "its keep has type float64"),
    "short mask": (
        {"length_s >= least_s,": "(length_s >= least_s)[:1],"},
        IN_RULE + "its keep has 1 entries, the table 2 rows",
    ),
    "no outcome": ({"return Outcome(": "return dict("}, IN_RULE + "it gives dict, expected an Outcome"),
    "reason": ({'reason="short"': 'reason="shrt"'}, IN_RULE + "it gives the reason 'shrt' (declared: short)"),
    "value in a sentence": ({"less than {least_s:g}": "less than {lest_s:g}"}, IN_RULE + "its sentence 'it lasts"),
    "values": (
        {'{"length_s": length_s}': '{"length_s": [1.0]}'},
        IN_RULE + "its value 'length_s' has 1 entries, the table 2",
    ),
    "division": ({"least_s: float = 1.0": "least_s: float = 1.0 / 0"}, "my_moments.py, line 13: ZeroDivisionError"),
    "column that nobody makes": ({'"end": "end_s"': '"end": "stop_s"'}, IN_RULE + "KeyError: 'end_s'"),
    "column of the schema": (
        {'"text": "description"': '"text": "descriptions"'},
        IN_READER
        + "the schema has a column 'description' that neither it nor a rule makes; did they mean 'descriptions'?",
    ),
    "split": (
        {'split="test"': 'split="tset"'},
        IN_READER + "1 rows are in no split of the card (test), such as sample 'm1' in 'tset'; did you mean 'test'?",
    ),
    "name twice": (
        {'split="test"': 'split="test", sample_id="m1"'},
        "raw/moments.json: moment 'm1': sample_id: found the same name twice",
    ),
    "table that no level is": (
        {"length(moments, *": "length(moments, momentz, *"},
        IN_RULE + "unknown table 'momentz'; did you mean moment? (known: moment, sources)",
    ),
    "level that there is not": (
        {'@rule("length", ': '@rule("length", level="objects", '},
        IN_RULE + "unknown level 'objects'",
    ),
    "default of another type": (
        {"least_s: float = 1.0": 'least_s: float = "abc"'},
        "my_moments.py, line {line}: ValueError: length.least_s=abc: expected a finite float",
    ),
    "other default": (
        {"rules=(length,)": 'rules=(length.with_defaults(least_s="abc"),)'},
        "my_moments.py, line {line}: ValueError: length.least_s=abc: expected a finite float",
    ),
    "exit in a rule": ({"length_s = mom": "exit(3); length_s = mom"}, IN_RULE + "SystemExit: 3"),
    "rows in another order": (
        {"length_s = moments[": 'moments = moments.sort_values("end_s", ascending=False); length_s = moments['},
        IN_RULE + "its keep is a Series with other row labels than the table, or in another order",
    ),
    "reason of no row": (
        {"keep=length_s >= least_s": 'columns={"start_s": 0.0}'},
        IN_RULE + "it gives a reason or values, but neither keep nor touched says for which rows",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_reported_with_file_line_and_part(run: Run, build: Run, name: str) -> None:
    changes, said = MISTAKES[name]
    before, _, after = said.partition("{line}")
    ran = build(changes)
    assert (ran.code, ran.out) == (2, "")
    assert "Traceback" not in ran.err
    pattern = re.escape(before) + (r"\d+" if after else "") + re.escape(after)
    assert re.match(f"error: {pattern}", ran.err), ran.err
    assert not Path("manifests").exists()


def test_the_line_is_the_one_that_failed(build: Run) -> None:
    line = MOMENTS.splitlines().index('    length_s = moments["end_s"] - moments["start_s"]') + 1
    error, note = build({'["start_s"]': '["strat_s"]'}).err.splitlines()
    assert error == f"error: my_moments.py, line {line}, rule length: KeyError: 'strat_s'; did you mean start_s?"
    assert note == "note: `benchwright --traceback VERB ...` shows the calls that led to it"


def test_the_traceback_is_shown_when_asked_for(run: Run, build: Run) -> None:
    build({'["start_s"]': '["strat_s"]'})
    ran = run("--traceback", "build", "my-moments", "--recipe", "my_moments.py", "--source", "raw")
    assert ran.code == 2
    assert ran.err.startswith("Traceback (most recent call last):")
    assert 'File "my_moments.py", line' in ran.err
    assert ran.err.splitlines()[-1].startswith("error: my_moments.py, line")


def test_a_bad_cell_names_sample_column_and_who_made_it(build: Run) -> None:
    made = {', reason="short"': ', reason="short", columns={"end_s": ["late"] * len(moments)}'}
    (error,) = build(made).err.splitlines()
    assert re.fullmatch(
        r"error: my_moments.py, line \d+, rule length: sample 'm1': end_s: found 'late', expected double", error
    )
    (error,) = build({'.assign(split="test")': '.assign(split="test", description=[7, "x"])'}).err.splitlines()
    assert re.fullmatch(
        r"error: my_moments.py, line \d+, reader: sample 'm1': description: found 7, expected string", error
    )
    (error,) = build({'.assign(split="test")': '.assign(split="test", video=None)'}).err.splitlines()
    assert "reader: sample 'm1': video: found nothing" in error


def test_bad_records_of_a_source_are_all_named(build: Run, folder: Path) -> None:
    (folder / "raw/moments.json").write_text(MOMENTS_JSON.replace("1.5", '"early"').replace('"it lands"', "null"))
    first, second = build().err.splitlines()
    assert "raw/moments.json: record 1: begin: found 'early', expected a number" in first
    assert "raw/moments.json: record 2: text: found null, expected text" in second


DAMAGE_MISTAKES = {
    "image twice": ({}, {"images": "road1.jpg,640,480\n"}, "raw/images.csv: image 3: sample_id: found 'road1.jpg'"),
    "unknown image": (
        {},
        {"boxes": "road9.jpg,crack,1,1,5,5\n"},
        "raw/boxes.csv: object 4: sample_id: found",
    ),
    "negative side": (
        {},
        {"boxes": "road1.jpg,crack,1,1,-12,5\n"},
        "raw/boxes.csv: crack of image 'road1.jpg': width: found -12, expected",
    ),
    "column left out": (
        {'"label": "category", ': ""},
        {},
        "road_damage.py, line 10, reader: objects: category: found only the columns sample_id, label, x",
    ),
    "two words": (
        {'rules_for("damage"': 'rules_for("road damage"'},
        {},
        "road_damage.py, line 13: ValueError: the",
    ),
    "a text for a list": (
        {'CLASSES = ["crack", "pothole"]': 'CLASSES = "crack"'},
        {},
        "road_damage.py, line 13: Type",
    ),
    "unknown alternative": (
        {'on_small="drop_damage"': 'on_small="drop_dmg"'},
        {},
        "road_damage.py, line 35: ValueError: small_damage.on_small=drop_dmg: expected drop_image | drop_",
    ),
    "no alternative": (
        {'on_small="drop_damage"': "on_small=None"},
        {},
        "road_damage.py, line 35: TypeError: small_d",
    ),
}


@pytest.mark.parametrize("name", DAMAGE_MISTAKES)
def test_a_mistake_about_boxes_names_the_file_of_the_user(refused: Callable[..., str], folder: Path, name: str) -> None:
    changes, rows, said = DAMAGE_MISTAKES[name]
    text = DAMAGE
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "road_damage.py").write_text(text)
    for source, added in rows.items():
        with (folder / f"raw/{source}.csv").open("a") as file:
            file.write(added)
    message = refused("build", "road-damage", "--recipe", "road_damage.py", "--source", "raw")
    assert message.startswith(said)


@pytest.mark.parametrize(
    "slip", [("rules=(length,)", "rules=(length)"), ("read=read", "read=None"), ("schema=t", "schema=None and t")]
)
def test_a_slip_in_an_installed_recipe_is_a_note_of_the_list(
    run: Run, refused: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch, slip: tuple[str, str]
) -> None:
    (folder / "slipped_moments.py").write_text(MOMENTS.replace(*slip))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "slipped_moments", raising=False)
    points = EntryPoints([EntryPoint("my-moments", "slipped_moments:RECIPE", registry.GROUP)])
    monkeypatch.setattr(registry, "entry_points", lambda group: points.select(group=group))
    place = "slipped_moments.py, line 19, entry point 'my-moments' of benchwright.recipes: TypeError: its "
    listed = run("list", "--json")
    assert listed.json
    assert f"note: {place}" in listed.err
    assert refused("show", "my-moments").startswith(place)
    assert refused("build", "my-moments", "--source", "raw").startswith(place)


def test_what_a_recipe_prints_is_not_in_the_json(run: Run, build: Run, folder: Path) -> None:
    printing = {
        "FIELDS =": "print('as it is loaded')\nFIELDS =",
        "moments = read_records": "print('as it reads'); moments = read_records",
        "length_s = mom": "print('as a rule'); length_s = mom",
    }
    built = build(printing, "--json")
    assert built.json["splits"]["test"]["rows"] == 1
    assert [line for line in built.err.splitlines() if line.startswith("as ")] == [
        "as it is loaded",
        "as it reads",
        "as a rule",
    ]
    assert run("show", "my-moments", "--recipe", "my_moments.py", "--json").json["card"]["name"] == "my-moments"


def test_a_rule_that_fails_in_a_module_beside_the_recipe_names_both(build: Run, folder: Path) -> None:
    (folder / "lengths.py").write_text("def length_of(moments):\n    return moments['ends']\n")
    said = build(
        {"FIELDS =": "from lengths import length_of\n\nFIELDS =", 'moments["end_s"] -': "length_of(moments) -"}
    ).err
    pattern = r"error: my_moments.py, line \d+, rule length: lengths.py, line 2: KeyError: 'ends'; did you mean end_s\?"
    assert re.match(pattern, said), said


def test_a_manifest_of_a_recipe_with_a_module_beside_it_is_built_again_with_consent(
    run: Run, refused: Callable[..., str], build: Run, folder: Path
) -> None:
    (folder / "titles.py").write_text("TITLE = 'My moments'\n")
    changes = {"FIELDS =": "from titles import TITLE\n\nFIELDS =", 'title="My moments"': "title=TITLE"}
    assert build(changes).code == 0
    again = ["build", "manifests/my-moments", "--source", "raw", "--out", "again"]
    assert "its own bytes are checked, not modules that it imports" in refused(*again)
    assert run(*again, "--trust-recipe").code == 0


def test_reversed_spans_are_swapped_with_an_entry_each(run: Run, build: Run, folder: Path) -> None:
    """The rule that the page shows for `touched`."""
    (swap,) = re.findall(r"^(@rule\(\"order\".*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    (folder / "raw/moments.json").write_text(MOMENTS_JSON.replace('"begin": 1.5, "end": 4', '"begin": 4, "end": 1.5'))
    assert (
        build({'@rule("length"': f'{swap}\n\n\n@rule("length"', "rules=(length,)": "rules=(order, length)"}).code == 0
    )
    (story,) = run("why", "manifests/my-moments", "m1", "--json").json
    step = story["steps"][0]
    assert (step["action"], step["sentence"]) == ("changed", "it ends at 1.5 s, begins at 4 s")
    assert (story["row"]["start_s"], story["row"]["end_s"]) == (1.5, 4)
