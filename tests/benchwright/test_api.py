"""The functions that `import benchwright` gives: they do what the verbs do."""

from __future__ import annotations

import inspect
from pathlib import Path

import pandas
import pyarrow.parquet as pq
import pytest

import benchwright
from schemas.errors import UsageError


def test_scores_and_comparisons_are_those_of_the_verbs(run, sample_manifest, write, tmp_path: Path) -> None:
    manifest = sample_manifest("uag-oops")
    predictions = write(manifest)
    printed = run("score", manifest.path, predictions, "--protocol", "strict", "--metric", "mIoU", "--json").json
    for given in (manifest, manifest.path, str(manifest.path)):
        found = benchwright.score(given, str(predictions), protocol="strict", metrics=["mIoU"])
        assert found.signature == printed["signature"]
        assert found.metrics["mIoU"].value == printed["metrics"]["mIoU"]["value"]
    same = benchwright.compare(manifest, predictions, predictions, metrics=["mIoU"], resamples=10)
    assert same.metrics["mIoU"].difference == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": ["mIoU"]}, "unknown option 'metric'; did you mean metrics"),
        ({"metrics": "mIoU"}, "expected a list of names"),
        ({"resamples": -1}, "resamples=-1: expected a whole number from 0"),
        ({"threshold": 0.5}, "unknown option 'threshold'; did you mean score_threshold"),
        ({"engine": "pycocotools"}, "^engine='pycocotools': there is no other implementation of scores of spans"),
    ],
)
def test_other_options_are_refused(sample_manifest, write, options: dict[str, object], said: str) -> None:
    manifest = sample_manifest("uag-oops")
    with pytest.raises(UsageError, match=said):
        benchwright.score(manifest, write(manifest), **options)


def test_predictions_in_memory_score_as_their_file_does(sample_manifest, write) -> None:
    manifest = sample_manifest("uag-oops")
    path = write(manifest, name="p.parquet")
    table = pq.ParquetFile(path).read()
    of_file = benchwright.score(manifest, path, resamples=10)
    columns = {name: table[name].to_pylist() for name in table.column_names}
    in_order = {name: table[name].to_numpy() for name in ("start_s", "end_s")}
    for source in (table, table.to_pandas(), columns, in_order):
        assert benchwright.score(manifest, source, resamples=10) == of_file


@pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
def test_results_of_each_row_are_written(sample_manifest, write, tmp_path: Path, suffix: str) -> None:
    manifest, out = sample_manifest("uag-ssbd"), tmp_path / f"rows.{suffix}"
    benchwright.score(manifest, write(manifest), rows=out, resamples=0)
    read = {"parquet": pandas.read_parquet, "csv": pandas.read_csv, "json": pandas.read_json}[suffix]
    frame = read(out)
    assert len(frame) == 8
    assert frame["td_s"].tolist() == [2] * 8


def test_results_of_each_row_are_refused_where_a_family_has_none(sample_manifest, tmp_path: Path) -> None:
    nothing = {"sample_id": [], "label": []}
    with pytest.raises(UsageError, match=r"^rows: scores of activities by paper have no results by row"):
        benchwright.score(sample_manifest("jrdb-par"), {"global": nothing}, rows=tmp_path / "rows.csv")
    assert not (tmp_path / "rows.csv").exists()


def test_a_home_folder_is_filled_in_wherever_a_path_may_be(sample_manifest, write, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    manifest = sample_manifest("uag-ssbd")
    write(manifest)
    benchwright.score(manifest, "~/p.json", rows="~/rows.csv", resamples=0)
    assert (tmp_path / "rows.csv").is_file()
    (tmp_path / "names.txt").write_text("person\n")
    (tmp_path / "t.json").write_text('{"person": 0.9}')
    (tmp_path / "found.json").write_text("[]")
    options = {"classes": "~/names.txt", "class_thresholds": "~/t.json", "parts": "~/found.json"}
    found = benchwright.monitor(sample_manifest("coco-person"), "~/found.json", resamples=0, **options)
    assert found.thresholds == {"person": 0.9}


def test_an_empty_text_is_no_path(sample_manifest, refused) -> None:
    manifest = sample_manifest("coco-person")
    with pytest.raises(UsageError, match=r"^parts='': expected"):
        benchwright.monitor(manifest, "found.json", parts="")
    for option in ("--parts", "--classes"):
        assert refused("monitor", manifest.path, "found.json", option, "").startswith(f"{option}='': expected a path")


def test_the_command_line_names_options_as_it_does_itself(refused, sample_manifest, write) -> None:
    manifest = sample_manifest("uag-oops")
    path = write(manifest)
    message = refused("score", manifest.path, path, "--engine", "pycocotools")
    assert message.startswith("--engine='pycocotools': there is no other implementation")
    assert refused("score", manifest.path, path, "--protocol", "").startswith("--protocol='': expected text")
    message = refused("baseline", manifest.path, "random", "--metric", "mIoU", "--out", path.parent / "new.csv")
    assert message.startswith("--metric: for the baseline random-paper")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: benchwright.score(None, m.table()), "manifest=None: expected"),
        (lambda m: benchwright.score(5, m.table()), "manifest=5: expected"),
        (lambda m: benchwright.verify([m]), "manifest=.*: expected"),
        (lambda m: benchwright.score(m, None), "found NoneType, expected a path"),
        (lambda m: benchwright.score(m, 3), "found int, expected a path"),
        (lambda m: benchwright.score(m, m.table(), input_format="table"), "input_format='table': for files"),
        (
            lambda m: benchwright.compare(m, m.table(), m.table(), input_format="table"),
            "input_format='table': for files",
        ),
        (lambda _: benchwright.build(None, "raw"), "benchmark=None: expected a name"),
        (lambda _: benchwright.build("uag-oops", None), "source=None: expected a path"),
        (lambda _: benchwright.build("uag-oops", "raw", out=3), "out=3: expected a path"),
        (
            lambda _: benchwright.build("uag-oops", "raw", settings=["onset.pick=last"]),
            r"settings=\[.*: expected values",
        ),
        (lambda _: benchwright.build("uag-oops", "raw", sources="raw"), "sources='raw': expected paths"),
        (lambda _: benchwright.build("uag-oops", "raw", sources={"val": 3}), r"sources\['val'\]=3: expected a path"),
        (lambda m: benchwright.baseline(m, None, "out.csv"), "kind=None: expected the name"),
        (lambda m: benchwright.baseline(m, "random", None), "out=None: expected a path"),
        (lambda m: benchwright.export(m, None, "out"), "to=None: expected the name"),
        (lambda m: benchwright.export(m, "coco", None), "out=None: expected a path"),
        (lambda m: benchwright.export(m, "coco", "out", split=3), "split=3: expected text"),
        (lambda m: benchwright.export(m, "coco", "out", category_base="1"), "category_base='1': expected a whole"),
        (lambda m: benchwright.export(m, "official", "out", category_base=0), "is for coco"),
        (lambda m: benchwright.why(m, None), "key=None: expected a sample id"),
    ],
)
def test_arguments_of_other_types_are_refused(sample_manifest, tmp_path: Path, monkeypatch, call, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said):
        call(sample_manifest("uag-oops"))
    assert not list(tmp_path.iterdir())


def test_a_manifest_that_is_open_is_given_back(sample_manifest) -> None:
    manifest = sample_manifest("uag-oops")
    assert benchwright.open_manifest(manifest) is manifest


def test_ids_that_are_numbers_may_be_given_as_such(sample_manifest) -> None:
    manifest = sample_manifest("coco-person")
    number = manifest.table()["objects"][0][0]["annotation_id"].as_py()
    assert benchwright.why(manifest, number) == benchwright.why(manifest, str(number))


def test_thresholds_are_handed_on_as_they_are_found(sample_manifest) -> None:
    manifest = sample_manifest("coco-person")
    rows = [
        {"image_id": row["image_id"], "category": item["category"], "score": 0.8}
        | {side: item[side] for side in ("x", "y", "width", "height")}
        for row in manifest.table().to_pylist()
        for item in row["objects"]
    ]
    frame = pandas.DataFrame(rows)
    found = benchwright.thresholds(manifest, frame)
    assert found.scores == {"person": 0.8}
    assert found.to_pandas().loc["person", "score"] == 0.8
    assert repr(found).splitlines()[1].startswith("person: score 0.8000, f1 ")
    assert benchwright.monitor(manifest, frame, class_thresholds=found, resamples=0).thresholds["person"] == 0.8


def test_predictions_have_a_type() -> None:
    for function, names in (("score", ["predictions"]), ("compare", ["a", "b"]), ("monitor", ["persons"])):
        parameters = inspect.signature(getattr(benchwright, function)).parameters
        assert {parameters[name].annotation for name in names} == {"Predictions"}


def test_every_name_of_the_package_is_there() -> None:
    assert all(getattr(benchwright, name) is not None for name in benchwright.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        _ = benchwright.scores


def test_the_page_of_a_manifest_has_what_the_checks_find_in_its_rows(run, samples: Path, tmp_path: Path) -> None:
    manifest = benchwright.build("uag-oops", samples, out=tmp_path / "a")
    page = (manifest.path / "README.md").read_text(encoding="utf-8").partition("## Known findings\n")[2]
    found = benchwright.findings(manifest).findings
    assert found
    assert all(f"- {each.id}: " in page for each in found)
    assert run("build", "uag-oops", "--source", samples, "--out", tmp_path / "b").code == 0
    assert (tmp_path / "b" / "uag-oops" / "README.md").read_bytes() == (manifest.path / "README.md").read_bytes()
