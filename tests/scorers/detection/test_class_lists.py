"""Lists of classes: text and YAML, good and bad, and which of several counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorers.detection.class_lists import class_names, names_beside


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("classes.txt", "no\n1\ncable car\n\n"),
        ("classes.txt", "\ufeffno\r\n1\r\ncable car\r\n"),
        ("data.yaml", "nc: 3\nnames: [no, 1, cable car]\n"),
        ("data.yml", "path: ../x\ntrain: images\nnames:\n  0: no\n  1: 1\n  2: cable car\nkpt_shape: [17, 3]\n"),
        ("data.yaml", "names:\n- no\n- '1'\n- \"cable car\"\n"),
        ("DATA.YAML", "\ufeffnames: ['no', 1, cable car]"),
    ],
)
def test_names_are_read_from_text_and_yaml(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, newline="")
    assert class_names(path) == ["no", "1", "cable car"]


@pytest.mark.parametrize(
    ("content", "field", "found"),
    [
        ("nc: 2\n", "names", "nothing"),
        ("nc: 2\nnames: [a]\n", "nc", "'2'"),
        ("names: {1: a, 2: b}\n", "names", "['1', '2']"),
        ("names: person\n", "names", "'person'"),
        ("names: [[a], b]\n", "names", "[['a'], 'b']"),
        ("names: [a, a]\n", "", "['a', 'a']"),
        ("names: []\n", "", "[]"),
        ("- a\n- b\n", "names", "nothing"),
        ("just text", "names", "nothing"),
        ("names: [a\n", "", "did not find expected ',' or ']'"),
        ("names: !!python/object/apply:os.system ['true']\n", "", "['true']"),
        ("names: " + "[" * 3000, "", "endless nesting"),
    ],
)
def test_yaml_that_names_no_classes_is_refused(tmp_path: Path, refused, content: str, field: str, found: str) -> None:
    path = tmp_path / "data.yaml"
    path.write_text(content)
    if content.startswith("names: !!"):
        assert class_names(path) == ["true"]  # tags are not looked at: all scalars are text
        return
    (problem,) = refused(class_names, path)
    assert (problem.file, problem.field) == (str(path), field)
    assert problem.found == found or problem.record


def test_the_nearest_list_counts_and_two_that_differ_are_refused(tmp_path: Path, refused) -> None:
    labels = tmp_path / "labels" / "val"
    labels.mkdir(parents=True)
    assert names_beside(tmp_path, labels) == []
    (tmp_path / "data.yaml").write_text("names: [a, b]")
    assert names_beside(tmp_path, labels) == ["a", "b"]
    assert names_beside(labels, labels) == []
    (labels / "classes.txt").write_text("c\n")
    assert names_beside(tmp_path, labels) == ["c"]
    (labels / "data.yaml").write_text("names: [c]")
    assert names_beside(tmp_path, labels) == ["c"]
    (labels / "data.yaml").write_text("names: [c, d]")
    (problem,) = refused(names_beside, tmp_path, labels)
    assert (Path(problem.file).name, problem.advice) == ("classes.txt", "--classes says which list counts")
