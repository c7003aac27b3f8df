"""READMEs of exports: lines to paste do what they say, whatever folders and names hold."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from benchwright.exporters import export
from benchwright.exporters.training import TRAINERS
from schemas.manifest import Manifest
from tests.benchwright.exporters.training.conftest import Make, rows

FOLDER = 'it\'s $HOME: "mine" #1, \\ {names}'


def blocks(folder: Path) -> list[tuple[str, str]]:
    """Language and lines of each block of code."""
    return re.findall(r"^```(\w+)\n(.*?)^```", (folder / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def texts_of(language: str, code: str) -> list[str]:
    """The texts that a shell, Python or YAML finds in code."""
    if language == "bash":
        return [part for word in shlex.split(code, comments=True) for part in (word, word.partition("=")[2])]
    if language == "yaml":
        found = yaml.safe_load(code)
        return [str(value) for value in found.get("build_info", found).values()]
    code = code if not code.startswith('"') else f"{{{code}}}"
    return [
        each.value
        for each in ast.walk(ast.parse(code))
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


@pytest.mark.parametrize("name", TRAINERS)
def test_lines_to_paste_name_the_folders(instruction: Make, media: Path, tmp_path: Path, name: str) -> None:
    held = media.rename(tmp_path / "my media")
    out = tmp_path / FOLDER
    export(instruction(), name, out, media=held)
    lines, command = blocks(out)
    found = texts_of(*lines)
    assert any(text == str(out) or text.startswith(f"{out}/") for text in found), found
    assert shlex.split(command[1])[-3:] == [str(out), "--media", str(held)]
    assert "{first}" not in lines[1]


def test_names_are_none_that_a_configuration_takes_apart(instruction: Make, media: Path, tmp_path: Path) -> None:
    made = instruction()
    named = Manifest(made.path, msgspec.structs.replace(made.identity, name="my, data%50"), made._stored, made._checked)
    export(named, "llama-factory", tmp_path / "out", media=media)
    names = json.loads((tmp_path / "out" / "dataset_info.json").read_text())
    ((_, lines), _) = blocks(tmp_path / "out")
    assert yaml.safe_load(lines)["dataset"].split(",") == list(names) == ["my_data_50_train", "my_data_50_validation"]


def test_the_longest_row_fits(instruction: Make, media: Path, tmp_path: Path) -> None:
    given = [each | {"duration_s": 20.5} for each in rows()]
    given[0]["turns"][0]["text"] += "?" * 1000
    export(instruction(given), "llama-factory", tmp_path / "a", media=media)
    settings = yaml.safe_load(blocks(tmp_path / "a")[0][1])
    assert (settings["cutoff_len"], settings["video_maxlen"]) == (1000 + len(texts(rows()[0])) + 81 * 21, 21)
    unknown = [each | {"duration_s": None} for each in rows()]
    export(instruction(unknown), "llama-factory", tmp_path / "b", media=media)
    assert yaml.safe_load(blocks(tmp_path / "b")[0][1])["cutoff_len"] == "TOKENS"
    assert "an unknown length" in (tmp_path / "b" / "README.md").read_text()


def texts(row: dict[str, Any]) -> str:
    return "".join(turn["text"] for turn in row["turns"])


@pytest.mark.parametrize("name", ["llama-factory", "ms-swift", "llava", "qwen-finetune", "videollama3", "chat"])
def test_of_images_nothing_is_said_on_videos(instruction: Make, tmp_path: Path, name: str) -> None:
    images = [each | {"media_kind": "image", "span": None} for each in rows()]
    export(instruction(images), name, tmp_path / "out", missing="keep")
    said = (tmp_path / "out" / "README.md").read_text()
    assert not re.search(r"longest|seconds of the whole|video_fps:|\[video\]|video is", said)
    assert "Boxes are those of the whole image" in said
