"""Sources: found below a folder by their names, never entered twice, known by their bytes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from builders.engine.sources import Sources
from schemas.cards import Source
from schemas.errors import InputError, UsageError
from schemas.input.files import digest_of, read_bytes, recorded_digests


def source(name: str, *files: str, optional: bool = False) -> Source:
    return Source(name=name, files=list(files), what="a file", obtain="write it", optional=optional)


TIMES = source("times", "times.json", "times_fixed.json")
NAMES = source("names", "lists/names.txt", "names.txt")
XML = source("xml", "ssbd/Annotations/v_*.xml", "Annotations/v_*.xml", "v_*.xml")
EXTRA = source("extra", "extra.csv", optional=True)


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def sources(folder: Path, **given: Path) -> Sources:
    return Sources([TIMES, NAMES, XML, EXTRA], folder, given)


@pytest.mark.parametrize("depth", ["", "a", "a/b", "a/b/c"])
def test_finds_files_down_to_the_fourth_level(tmp_path: Path, depth: str) -> None:
    make(tmp_path / depth, "times.json")
    assert sources(tmp_path)["times"] == tmp_path / depth / "times.json"


def test_looks_no_deeper_and_not_into_hidden_folders(tmp_path: Path) -> None:
    make(tmp_path / "a/b/c/d", "times.json")
    make(tmp_path / ".git", "times.json")
    assert sources(tmp_path).find("times") is None


def test_enters_links_to_folders_once_even_where_they_go_round(tmp_path: Path) -> None:
    """People link data sets together; a link to a folder above must not make its files ambiguous."""
    make(tmp_path / "elsewhere/oops", "times.json")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/oops").symlink_to(tmp_path / "elsewhere/oops")
    (tmp_path / "data/again").symlink_to(tmp_path / "elsewhere/oops")
    (tmp_path / "data/up").symlink_to(tmp_path / "data")
    assert sources(tmp_path / "data").find("times") == tmp_path / "data/again/times.json"


def test_a_folder_that_may_not_be_entered_holds_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as lost+found on a data disk; as root no permission bites, so the refusal is made here."""
    make(tmp_path / "oops", "times.json")
    make(tmp_path / "lost+found", "other.json")
    exists = Path.exists

    def refusing(path: Path, **options: bool) -> bool:
        if "lost+found" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return exists(path, **options)

    monkeypatch.setattr(Path, "exists", refusing)
    assert sources(tmp_path).find("times") == tmp_path / "oops/times.json"


def test_the_nearest_wins_then_the_earlier_pattern(tmp_path: Path) -> None:
    make(tmp_path, "a/times.json", "times_fixed.json", "lists/names.txt", "names.txt")
    found = sources(tmp_path)
    assert found["times"] == tmp_path / "times_fixed.json"
    assert found["names"] == tmp_path / "lists/names.txt"
    make(tmp_path, "times.json")
    assert sources(tmp_path)["times"] == tmp_path / "times.json"


def test_a_pattern_means_the_folder_that_holds_such_files(tmp_path: Path) -> None:
    make(tmp_path, "data/ssbd/Annotations/v_1.xml", "data/voc/Annotations/2007.xml")
    for top in ("data", "data/ssbd", "data/ssbd/Annotations", ""):
        assert sources(tmp_path / top)["xml"] == tmp_path / "data/ssbd/Annotations"


def test_two_at_one_depth_are_for_the_user_to_choose(tmp_path: Path) -> None:
    make(tmp_path, "a/times.json", "b/times.json")
    with pytest.raises(UsageError, match=r"source 'times' is ambiguous: .*a/times.json, .*b/times.json; name one with"):
        sources(tmp_path).find("times")
    given = tmp_path / "b/times.json"
    assert sources(tmp_path, times=given)["times"] == given


def test_a_missing_source_says_where_it_was_looked_for_and_how_to_name_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        sources(tmp_path)["times"]
    assert str(caught.value) == (
        f"source 'times' not found: looked for times.json or times_fixed.json below {tmp_path}, three folders deep "
        "(name it with --source times=PATH; `benchwright show` says how to obtain it)"
    )


def test_folders_that_do_not_exist_and_files_are_refused(tmp_path: Path) -> None:
    make(tmp_path, "file")
    with pytest.raises(UsageError, match="none does not exist"):
        sources(tmp_path / "none")
    with pytest.raises(UsageError, match="file is not a folder"):
        sources(tmp_path / "file")


def test_a_source_of_another_name_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown source 'time'; did you mean times\?"):
        sources(tmp_path, time=tmp_path)


def test_is_a_mapping_of_what_was_declared(tmp_path: Path) -> None:
    make(tmp_path, "times.json")
    found = sources(tmp_path)
    assert (list(found), len(found)) == (["times", "names", "xml", "extra"], 4)
    assert [name in found for name in ("times", "names", "extra", "none")] == [True, False, False, False]
    assert 7 not in found
    assert found.missing() == ["names", "xml"]


def test_only_what_was_used_has_an_identity(tmp_path: Path) -> None:
    make(tmp_path, "times.json", "names.txt", "extra.csv")
    found = sources(tmp_path)
    assert "extra" in found
    found["times"]
    assert {name: (one.file, one.sha256) for name, one in found.identities().items()} == {
        "times": ("times.json", hashlib.sha256(b"times.json").hexdigest())
    }


@pytest.mark.parametrize("place", [".", "ssbd", "ssbd/Annotations", "ssbd/Annotations/below"])
def test_a_folder_has_its_own_name_from_wherever_it_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    make(tmp_path, "ssbd/Annotations/v_1.xml", "ssbd/Annotations/below/readme.txt")
    monkeypatch.chdir(tmp_path / place)
    found = sources(Path("..") if place.endswith("below") else Path())
    assert found["xml"].samefile(tmp_path / "ssbd/Annotations")
    assert found.identities()["xml"].file == "Annotations"


def test_the_digest_of_a_folder_sees_names_and_bytes_of_its_files_alone(tmp_path: Path) -> None:
    make(tmp_path / "a", "b.xml", "a.xml")
    lines = "".join(f"{hashlib.sha256(name.encode()).hexdigest()} {name}\n" for name in ("a.xml", "b.xml"))
    assert digest_of(tmp_path / "a") == hashlib.sha256(lines.encode()).hexdigest()
    before = digest_of(tmp_path / "a")
    make(tmp_path / "a", ".DS_Store", "below/c.xml")
    assert digest_of(tmp_path / "a") == before
    make(tmp_path / "a", "c.xml")
    assert digest_of(tmp_path / "a") != before


def test_a_file_name_that_is_no_text_is_no_obstacle(tmp_path: Path) -> None:
    make(tmp_path, "v_1.xml")
    before = digest_of(tmp_path)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.xml")).write_text("x")
    assert digest_of(tmp_path) != before


def test_all_that_a_reader_goes_on_to_is_missed_in_one_error(tmp_path: Path) -> None:
    make(tmp_path, "a/names.txt", "b/names.txt")
    with pytest.raises(UsageError) as caught:
        sources(tmp_path).require("times", "names", "xml")
    assert [line.partition(":")[0] for line in str(caught.value).split("\n")] == [
        "source 'times' not found",
        "source 'names' is ambiguous",
        "source 'xml' not found",
    ]
    make(tmp_path, "times.json")
    assert sources(tmp_path).require("times", "names", "xml") == tmp_path / "times.json"


def test_the_part_of_a_source_that_is_read_has_the_digest(tmp_path: Path) -> None:
    make(tmp_path, "ssbd/Annotations/v_1.xml")
    found = sources(tmp_path, xml=tmp_path / "ssbd")
    found.use("xml", found["xml"] / "Annotations")
    assert found["xml"] == tmp_path / "ssbd/Annotations"
    one = found.identities()["xml"]
    assert (one.file, one.sha256) == ("Annotations", digest_of(tmp_path / "ssbd/Annotations"))


@pytest.mark.parametrize(("name", "odd"), [("lists_val.txt", True), ("my_train_7.txt", False)])
def test_a_given_file_whose_name_says_another_split_is_a_finding(tmp_path: Path, name: str, odd: bool) -> None:
    make(tmp_path, name, "times.json")
    declared = [source("list", "lists_{split}.txt"), TIMES]
    found = Sources(declared, tmp_path, {"list": tmp_path / name}, {"split": "train", "size": 3})
    assert found.findings() == {}
    assert [found["list"], found["times"]]
    told = {"source files not named after the split train (lists_val.txt): 1"} if odd else set()
    assert {f"{text}: {count}" for text, count in found.findings().items()} == told


def test_a_name_that_is_no_text_is_told_by_its_bytes(tmp_path: Path) -> None:
    """The identity is JSON, which holds text alone."""
    path = tmp_path / "times\udcff.json"
    path.write_text("x")
    found = sources(tmp_path, times=path)
    assert found["times"] == path
    assert found.identities()["times"].file == "times\\xff.json"


@pytest.mark.parametrize("change", ["replace", "cut", "add", "remove"])
@pytest.mark.parametrize("read", [True, False])
def test_a_source_that_changes_before_its_digest_is_taken_is_refused(tmp_path: Path, change: str, read: bool) -> None:
    """Whether or not its reader reads it through `schemas.input`."""
    folder = tmp_path / "a"
    folder.mkdir()
    for name in ("1.xml", "2.xml"):
        (folder / name).write_text("<a/>")
    found = Sources([source("a", "a")], tmp_path)
    with recorded_digests():
        path = found["a"] / "1.xml"
        if read:
            read_bytes(path)
        assert found.identities()["a"].file == "a"
        if change == "replace":
            (tmp_path / "new").write_text("<b/>")
            (tmp_path / "new").replace(path)
        elif change == "cut":
            os.truncate(path, 1)
        elif change == "add":
            (folder / "3.xml").write_text("<a/>")
        else:
            path.unlink()
        with pytest.raises(InputError, match="changed while it was read"):
            found.identities()
