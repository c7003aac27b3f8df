"""jrdb-par: key frames with persons and groups; on the samples and on the published files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from builders.engine.build import build
from builders.engine.registry import card_of, find_recipe
from builders.engine.run import Build
from builders.raw.jrdb_par_sheets import HEADER
from schemas.claims import measured
from schemas.errors import InputError, UsageError

BuildOf = Callable[..., Build]
NAME = "jrdb-par"
CAFE, CLARK, TEST = "bytes-cafe-2019-02-07_0", "clark-center-2019-02-28_0", "clark-center-2019-02-28_1"


def rows_of(build: Build) -> dict[str, dict[str, Any]]:
    return {row["sample_id"]: row for table in build.splits.values() for row in table.to_pylist()}


def people(row: dict[str, Any]) -> list[int]:
    return [person["person_id"] for person in row["persons"]]


def groups(row: dict[str, Any]) -> dict[int, tuple[list[int], list[int]]]:
    return {group["group_id"]: (group["member_ids"], group["activities"]) for group in row["groups"]}


def told(build: Build, rule: str) -> dict[tuple[str, str | None], tuple[str, dict[str, float]]]:
    """Reason and values of everything that a rule dropped or changed, by sample and key within it."""
    return {
        (entry["key"], entry["child_key"]): (entry["reason"], {v["name"]: v["value"] for v in entry["values"]})
        for entry in build.ledger.to_pylist()
        if entry["rule"] == rule
    }


def test_a_row_is_a_key_frame_with_its_persons_and_groups(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert {split: table["sample_id"].to_pylist() for split, table in build.splits.items()} == {
        "train": [f"{CAFE}/000015", f"{CAFE}/000030", f"{CAFE}/000045", f"{CLARK}/000015", f"{CLARK}/000030"],
        "test": [f"{TEST}/000015", f"{TEST}/000030", f"{TEST}/000045"],
    }
    row = rows_of(build)[f"{CAFE}/000015"]
    assert {name: value for name, value in row.items() if name not in ("persons", "groups")} == {
        "sample_id": f"{CAFE}/000015",
        "split": "train",
        "sequence": CAFE,
        "sequence_index": 0,
        "frame": 15,
        "file_name": f"{CAFE}/000015.jpg",
        "width": 3760,
        "height": 480,
        "global_activities": [3, 5, 6],
    }
    assert people(row) == [3, 12, 7, 5, 6]
    assert row["persons"][0] == {
        "person_id": 3,
        "x": 2900,
        "y": 60,
        "width": 200,
        "height": 410,
        "actions": [{"id": 4, "difficult": False}, {"id": 6, "difficult": True}],
        "social": [{"id": 4, "difficult": False}, {"id": 28, "difficult": False}],
        "group_id": 1,
        "group_difficult": False,
    }
    assert groups(row) == {1: ([3, 12], [4, 28]), 4: ([5, 6], [2])}


def test_the_ledger_says_of_every_person_left_out_why(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert told(build, "people") == {
        (f"{CAFE}/000015", "21"): ("no_activity", {"actions": 1, "social": 0}),
        (f"{CAFE}/000015", "9"): ("no_activity", {"actions": 2, "social": 0}),
        (f"{CAFE}/000030", "3"): ("no_activity", {"actions": 1, "social": 0}),
        (f"{CAFE}/000030", "12"): ("no_activity", {"actions": 1, "social": 0}),
        (f"{CAFE}/000030", "8"): ("group_only", {"actions": 0, "social": 0}),
        (f"{CAFE}/000030", "30"): ("no_activity", {"actions": 1, "social": 0}),
        (f"{CAFE}/000045", "10"): ("group_only", {"actions": 0, "social": 0}),
        (f"{CLARK}/000015", "0"): ("no_action", {"actions": 0, "social": 1}),
    }
    persons = build.identity.levels["persons"]
    assert (persons.candidates, persons.kept) == (28, 20)


def test_groups_lose_the_members_left_out(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert told(build, "members") == {
        (f"{CAFE}/000015", "3"): ("single_left_out", {"annotated": 1, "left": 0}),
        (f"{CAFE}/000015", "4"): ("thinned", {"annotated": 3, "left": 2}),
        (f"{CAFE}/000030", "1"): ("nobody_left", {"annotated": 2, "left": 0}),
        (f"{CAFE}/000030", "2"): ("thinned", {"annotated": 2, "left": 1}),
        (f"{CAFE}/000045", "5"): ("single_left_out", {"annotated": 1, "left": 0}),
        (f"{CLARK}/000015", "1"): ("single_left_out", {"annotated": 1, "left": 0}),
    }
    small = told(build, "group_size")
    assert small.pop((f"{CAFE}/000030", "2")) == ("too_small", {"annotated": 2, "left": 1})
    assert {reason for reason, _ in small.values()} == {"alone"}
    assert build.identity.levels["groups"].kept == 7
    assert rows_of(build)[f"{CLARK}/000030"]["groups"] == []


@pytest.mark.parametrize(
    ("keep", "kept", "thinned", "of_group_4"),
    [
        ("action_and_activity", 20, 2, ([5, 6], [2])),
        ("action", 25, 1, ([5, 6, 9], [2])),
        ("all", 28, 0, ([5, 6, 9], [2])),
    ],
)
def test_who_is_kept(build_of: BuildOf, reasons, keep: str, kept: int, thinned: int, of_group_4: object) -> None:
    build = build_of(NAME, people__keep=keep)
    assert build.identity.levels["persons"].kept == kept
    assert reasons(build).get(("members", "changed", "thinned"), 0) == thinned
    assert groups(rows_of(build)[f"{CAFE}/000015"])[4] == of_group_4


def test_a_group_whose_first_member_has_no_social_label_has_those_of_the_next(build_of: BuildOf) -> None:
    frame = rows_of(build_of(NAME, people__keep="all"))[f"{CAFE}/000030"]
    assert groups(frame) == {1: ([3, 12], []), 2: ([7, 8], [1])}
    assert [person["group_id"] for person in frame["persons"]] == [1, 1, 2, 2, None]
    assert frame["persons"][4]["group_difficult"] is None


def test_members_may_be_all_who_were_annotated(build_of: BuildOf) -> None:
    build = build_of(NAME, members__of="annotated")
    frame = rows_of(build)[f"{CAFE}/000015"]
    assert groups(frame)[4] == ([5, 6, 9], [2])
    assert people(frame) == [3, 12, 7, 5, 6]
    assert told(build, "members") == {}


def test_groups_stand_in_the_order_of_their_first_kept_members(build_of: BuildOf, own_samples: Path) -> None:
    folder = own_samples / "jrdb_par/annotated_txt"
    group, activity = (folder / f"gt_{name}.txt" for name in ("group", "activity"))
    changed = {3: 1, 12: 4, 7: 4, 5: 1, 6: 1}
    text = group.read_text()
    for line in text.splitlines():
        words = line.split()
        if line.startswith("0 15 ") and int(words[9]) in changed:
            text = text.replace(line, " ".join([*words[:6], str(changed[int(words[9])]), *words[7:]]))
    group.write_text(text)
    lines = activity.read_text().splitlines(keepends=True)
    activity.write_text("".join(line for line in lines if not (line.startswith("0 15 ") and line.endswith(" 3\n"))))

    def order(**settings: object) -> list[tuple[int, tuple[list[int], list[int]]]]:
        return list(groups(rows_of(build_of(NAME, own_samples, **settings))[f"{CAFE}/000015"]).items())

    assert order() == [(4, ([12, 7], [4, 28])), (1, ([5, 6], [2]))]
    assert order(people__keep="all") == [(1, ([3, 5, 6], [2])), (4, ([12, 7, 9], [4, 28]))]
    assert order(members__of="annotated") == [(1, ([3, 5, 6], [2])), (4, ([12, 7, 9], [4, 28]))]
    thinned = told(build_of(NAME, own_samples), "members")
    assert thinned[f"{CAFE}/000015", "1"] == ("thinned", {"annotated": 3, "left": 2})
    assert thinned[f"{CAFE}/000015", "4"] == ("thinned", {"annotated": 3, "left": 2})


def test_groups_of_one(build_of: BuildOf) -> None:
    frame = rows_of(build_of(NAME, group_size__minimum=1))[f"{CAFE}/000030"]
    assert groups(frame) == {2: ([7], [1])}
    assert build_of(NAME, group_size__minimum=3).identity.levels["groups"].kept == 1


@pytest.mark.parametrize(
    ("space", "person_7", "person_43"), [("all32", [3, 1], [29]), ("observed12", [1], [29]), ("split", [], [29])]
)
def test_label_spaces(build_of: BuildOf, space: str, person_7: list[int], person_43: list[int]) -> None:
    rows = rows_of(build_of(NAME, social_labels__space=space))

    def social(sample: str, number: int) -> list[int]:
        (person,) = [person for person in rows[sample]["persons"] if person["person_id"] == number]
        return [label["id"] for label in person["social"]]

    assert social(f"{CAFE}/000045", 7) == person_7
    assert social(f"{TEST}/000015", 43) == person_43


def test_the_label_space_of_a_split_is_what_its_groups_have(build_of: BuildOf) -> None:
    build = build_of(NAME, social_labels__space="split", group_size__minimum=1)
    rows = rows_of(build)
    # Label 1 belongs to a single person in train, and to a pair in test.
    assert groups(rows[f"{CAFE}/000015"])[2] == ([7], [])
    assert groups(rows[f"{TEST}/000045"])[82] == ([40], [1])
    assert told(build, "social_labels")[f"{CAFE}/000015", "2"] == ("outside", {"labels": 1, "left": 0})


def test_global_labels_are_those_of_frame_15_or_of_the_frame(build_of: BuildOf) -> None:
    build = build_of(NAME)
    assert [row["global_activities"] for row in rows_of(build).values()] == [[3, 5, 6]] * 3 + [[4, 2]] * 2 + [[5]] * 3
    assert told(build, "global_labels") == {}
    own = build_of(NAME, global_labels__of="own_frame")
    assert told(own, "global_labels") == {
        (f"{CAFE}/000045", None): ("no_row", {}),
        (f"{CLARK}/000030", None): ("blank", {}),
    }
    assert [row["global_activities"] for row in rows_of(own).values()][2:5] == [[], [4, 2], []]


@pytest.mark.parametrize("row", [["", "1", "16", "1", 1, "4 2", ""], ["", "1", "15", "1", 1, "", ""]])
def test_a_sequence_whose_frame_15_has_no_global_labels_is_an_error(
    build_of: BuildOf, own_samples: Path, workbook: Callable[..., Path], row: list[object]
) -> None:
    path = own_samples / "jrdb_par/annotated_excel/seq_1_3.xlsx"
    workbook([HEADER, row, ["", "1", "30", "1", 1, "4 2", ""]]).replace(path)
    with pytest.raises(InputError) as caught:
        build_of(NAME, own_samples)
    assert str(caught.value) == (
        f"{path}: sequence 1 ({CLARK}): global_labels: found none for frame 15: 2 frames without, expected "
        "labels there, which are those of the whole sequence (mend the workbook, or set global_labels.of=own_frame)"
    )
    own = rows_of(build_of(NAME, own_samples, global_labels__of="own_frame"))
    assert [own[f"{CLARK}/{frame}"]["global_activities"] for frame in ("000015", "000030")] == [[], [4, 2]]
    assert rows_of(build_of(NAME, own_samples, key_frames__first=45))


def test_rows_of_unknown_frames_and_labels_that_change_within_a_sequence_are_counted(
    build_of: BuildOf, own_samples: Path, workbook: Callable[..., Path]
) -> None:
    rows = [["", "1", "15", "1", 1, "4 2", ""], ["", "1", "16", "1", 1, 5, ""], ["", "1", "30", "1", 1, "2", ""]]
    workbook([HEADER, *rows]).replace(own_samples / "jrdb_par/annotated_excel/seq_1_3.xlsx")
    findings = build_of(NAME, own_samples).identity.findings
    assert findings["sheet rows of frames that no label file has"] == 1
    assert findings["frames whose global labels are not those of frame 15"] == 1


def test_key_frames(build_of: BuildOf) -> None:
    build = build_of(NAME, key_frames__step=30, key_frames__first=15)
    assert [row["frame"] for row in rows_of(build).values()] == [15, 45, 15, 15, 45]
    assert told(build, "key_frames")[f"{CAFE}/000030", None] == ("between", {"frame": 30})
    assert len(rows_of(build_of(NAME, key_frames__first=30))) == 5
    nothing = build_of(NAME, key_frames__first=99, social_labels__space="split")
    assert {split: table.num_rows for split, table in nothing.splits.items()} == {"train": 0, "test": 0}
    for settings in ({"key_frames__step": 0}, {"key_frames__step": 10**30}, {"key_frames__first": -1}):
        with pytest.raises(UsageError, match="expected steps from 1"):
            build_of(NAME, **settings)


def test_the_split_is_by_sequence(build_of: BuildOf) -> None:
    build = build_of(NAME, split__test="0, 2")
    assert {split: table.num_rows for split, table in build.splits.items()} == {"train": 2, "test": 6}
    assert told(build, "split")[f"{CAFE}/000015", None] == ("test", {"sequence": 0})
    assert build_of(NAME, split__test="").splits["test"].num_rows == 0
    for unknown in ("27", "-1", "02", "cafe"):
        with pytest.raises(UsageError, match=f"split.test: '{unknown}' is not a sequence"):
            build_of(NAME, split__test=unknown)


def test_oddities_are_counted(build_of: BuildOf) -> None:
    assert build_of(NAME).identity.findings == {
        "sheet rows that do not name their sequence, which is that of their workbook": 2,
        "sheet rows without social labels": 1,
        "sheet rows without global labels": 1,
        "sheet rows of groups that gt_group does not have": 1,
        "sheet rows whose social labels are not those of gt_activity": 2,
        "frames without a sheet row": 1,
        "groups that are difficult for some members only": 1,
    }


def test_members_who_disagree_are_counted_and_the_first_one_speaks(build_of: BuildOf, own_samples: Path) -> None:
    path = own_samples / "jrdb_par/annotated_txt/gt_activity.txt"
    path.write_text(path.read_text().replace("0 15 3110 70 3300 465 1 28 0 12", "0 15 3110 70 3300 465 1 2 0 12"))
    build = build_of(NAME, own_samples)
    assert build.identity.findings["groups whose members have different social labels"] == 1
    assert groups(rows_of(build)[f"{CAFE}/000015"])[1] == ([3, 12], [4, 28])


def test_a_sequence_without_workbook_is_named(build_of: BuildOf, own_samples: Path) -> None:
    (own_samples / "jrdb_par/annotated_excel/seq_1_3.xlsx").unlink()
    with pytest.raises(
        InputError, match="annotated_excel: seq_id: found none of sequence 1, expected a workbook of each"
    ):
        build_of(NAME, own_samples)


def test_a_workbook_of_frames_that_no_label_file_names_changes_nothing(
    build_of: BuildOf, own_samples: Path, workbook: Callable[..., Path]
) -> None:
    path = workbook([HEADER, ["", "25", "15", "1", 1, 5, ""]])
    path.rename(own_samples / "jrdb_par/annotated_excel/seq_25_1.xlsx")
    build = build_of(NAME, own_samples)
    assert build.splits == build_of(NAME).splits
    assert build.identity.findings["sheet rows of groups that gt_group does not have"] == 2


def test_a_rebuild_is_the_same_to_the_last_byte(samples: Path, tmp_path: Path) -> None:
    folders = [build(find_recipe(NAME), samples, tmp_path / name).path for name in ("one", "two")]
    one, two = ({path.name: path.read_bytes() for path in sorted(f.rglob("*.*"))} for f in folders)
    assert one == two
    assert "test-00000-of-00001.parquet" in one


def test_claims_about_candidates_count_persons_and_groups(build_of: BuildOf) -> None:
    assert build_of(NAME, people__keep="all", key_frames__first=99).identity.aggregates == {
        "persons in any file": 28,
        "persons in gt_action": 25,
        "persons in gt_activity": 21,
        "persons in gt_group": 27,
        "annotated groups of two or more": 9,
    }


def test_label_lists_of_the_card() -> None:
    lists = {given.name: given for given in card_of(find_recipe(NAME)).label_lists}
    assert {name: len(given.labels) for name, given in lists.items()} == {"actions": 27, "social": 32, "global": 7}
    assert lists["social"].labels[:27] == lists["actions"].labels
    assert {int(number) for number in lists["social"].renamed} == {1, 2, 4, 7, 30}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Build]:
    """Builds of the published files, by their settings."""
    return {}


@pytest.fixture
def real(build_of: BuildOf, real_data: Path, published: dict[str, Build]) -> Callable[..., Build]:
    """The build of the published files, made once."""

    def call(**settings: object) -> Build:
        key = repr(settings)
        if key not in published:
            published[key] = build_of(NAME, real_data, **settings)
        return published[key]

    return call


@pytest.mark.real_data
def test_the_published_files_give_every_count_of_the_authors_loader(real: Callable[..., Build], reasons) -> None:
    build = real()
    assert {split: table.num_rows for split, table in build.splits.items()} == {"train": 1439, "test": 411}
    assert {name: (level.candidates, level.kept) for name, level in build.identity.levels.items()} == {
        "frame": (1850, 1850),
        "persons": (48_330, 36_554),
        "groups": (32_543, 6_872),
    }
    assert reasons(build) == {
        ("split", "changed", "test"): 411,
        ("people", "dropped", "no_activity"): 11_581,
        ("people", "dropped", "no_action"): 28,
        ("people", "dropped", "group_only"): 167,
        ("members", "dropped", "nobody_left"): 582,
        ("members", "dropped", "single_left_out"): 7_883,
        ("members", "changed", "thinned"): 27 + 52,
        ("group_size", "dropped", "too_small"): 52,
        ("group_size", "dropped", "alone"): 17_206 - 52,
    }
    assert build.identity.findings == {
        "sheet rows that do not name their sequence, which is that of their workbook": 9,
        "sheet rows without social labels": 328,
        "sheet rows without global labels": 2,
        "sheet rows of groups that gt_group does not have": 924,
        "sheet rows whose social labels are not those of gt_activity": 7,
        "frames without a sheet row": 33,
        "groups that are difficult for some members only": 152,
    }


@pytest.mark.real_data
def test_published_groups_stand_in_the_order_of_their_first_members(real: Callable[..., Build]) -> None:
    for row in rows_of(real()).values():
        place = {person: number for number, person in enumerate(people(row))}
        firsts = [place[members[0]] for members, _ in groups(row).values()]
        assert firsts == sorted(firsts)


@pytest.mark.real_data
def test_every_claim_holds_and_the_eleven_classes_differ_as_the_card_says(real: Callable[..., Build]) -> None:
    build = real()
    table = pa.concat_tables(build.splits.values())
    wrong = {}
    for claim in card_of(find_recipe(NAME)).claims:
        value = build.identity.aggregates[claim.name] if claim.scope == "candidates" else measured(claim, table)
        if value != claim.paper:
            wrong[claim.name] = (claim.paper, value, claim.expected)
    assert wrong == {"social activity classes": (11, 12, "differs")}


@pytest.mark.real_data
def test_sizes_of_published_frames_and_groups(real: Callable[..., Build]) -> None:
    splits = real().splits
    train, test = (pc.list_value_length(table["groups"]).to_pylist() for table in (splits["train"], splits["test"]))
    assert (train.count(0), test.count(0)) == (38, 16)
    persons = [pc.list_value_length(table["persons"]) for table in splits.values()]
    assert max(pc.max(counts).as_py() for counts in persons) == 54

    for split, largest in (("train", 28), ("test", 8)):
        members = pc.struct_field(pc.list_flatten(splits[split]["groups"]), "member_ids")
        assert pc.min_max(pc.list_value_length(members)).as_py() == {"min": 2, "max": largest}


@pytest.mark.real_data
def test_how_many_actions_the_published_persons_have(real: Callable[..., Build]) -> None:
    persons = pc.list_flatten(pa.concat_tables(real(people__keep="action").splits.values())["persons"])
    counts = pc.list_value_length(pc.struct_field(persons, "actions")).to_pylist()
    assert (min(counts), max(counts), counts.count(1), sum(counts)) == (1, 6, 31_764, 75_360)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("settings", "persons", "groups_kept"),
    [
        ({"people__keep": "action"}, 48_135, 7_504),
        ({"people__keep": "all"}, 48_330, 7_506),
        ({"members__of": "annotated"}, 36_554, 7_506),
        ({"group_size__minimum": 1}, 36_554, 6_872 + 17_206),
        ({"social_labels__space": "observed12"}, 36_554, 6_872),
        ({"social_labels__space": "split"}, 36_554, 6_872),
        ({"global_labels__of": "own_frame"}, 36_554, 6_872),
    ],
    ids=str,
)
def test_every_alternative_on_the_published_files(
    real: Callable[..., Build], settings: dict[str, object], persons: int, groups_kept: int
) -> None:
    build = real(**settings)
    assert (build.identity.levels["persons"].kept, build.identity.levels["groups"].kept) == (persons, groups_kept)
    for name, level in build.identity.levels.items():
        assert level.candidates == level.kept + sum(
            count.dropped for count in build.identity.counts if count.level == name
        )
    activities = {
        label
        for table in build.splits.values()
        for row in table["groups"].to_pylist()
        for group in row
        for label in group["activities"]
    }
    if "social_labels__space" in settings:
        assert activities == {1, 2, 4, 7, 9, 11, 18, 28, 29, 30, 31, 32}
