from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.raw.ssbd import read_annotations, span_seconds

BEHAVIOUR = (
    '<behaviour id="{name}"><time>{time}</time><bodypart>hand</bodypart><category>{category}</category>'
    "<intensity>{intensity}</intensity><modality>video</modality></behaviour>"
)
VIDEO = (
    '<video id="{video}" keyword=""><duration>{duration}</duration>'
    '<behaviours count="{count}">{behaviours}</behaviours></video>'
)


def behaviour(name: str = "b_01", time: str = "0001:0002", category: str = "spinning", intensity: str = "low") -> str:
    return BEHAVIOUR.format(name=name, time=time, category=category, intensity=intensity)


def write(
    folder: Path, *behaviours: str, video: str = "v_1", duration: str = "90s", count: str = "1", stem: str = "v_1"
) -> Path:
    text = VIDEO.format(video=video, duration=duration, count=count, behaviours="".join(behaviours))
    (folder / f"{stem}.xml").write_text(text)
    return folder


def test_the_sample(samples: Path) -> None:
    behaviours = read_annotations(samples / "ssbd" / "Annotations")
    assert behaviours.dtypes[["start_s", "end_s", "duration_s", "n_declared"]].astype(str).tolist() == [
        "float64", "float64", "float64", "int64",
    ]  # fmt: skip
    assert (behaviours["video"] + "/" + behaviours["behaviour_id"]).tolist() == [
        "v_ArmFlapping_01/b_01", "v_ArmFlapping_01/b_02", "v_ArmFlapping_06/b_01", "v_ArmFlapping_16/b_01",
        "v_ArmFlapping_23/b_01", "v_ArmFlapping_23/b_02", "v_ArmFlapping_23/b_03", "v_HeadBanging_08/b_01",
        "v_HeadBanging_19/b_01", "v_HeadBanging_19/b_02", "v_Spinning_07/b_01", "v_Spinning_07/b_02",
        "v_Spinning_18/b_01",
    ]  # fmt: skip
    two_digits, hyphen = behaviours.iloc[0], behaviours.iloc[11]
    assert (two_digits.time_text, two_digits.start_s, two_digits.end_s) == ("09:15", 9.0, 15.0)
    assert (hyphen.time_text, hyphen.start_s, hyphen.end_s) == ("0040-0106", 40.0, 66.0)
    assert (two_digits.bodypart, two_digits.category, two_digits.intensity, two_digits.modality) == (
        "hand", "armflapping", "high", "video",
    )  # fmt: skip
    durations = behaviours.groupby("video")["duration_s"].first()
    assert (durations["v_ArmFlapping_16"], durations["v_Spinning_18"], durations["v_Spinning_07"]) == (75, 212, 66)
    assert behaviours.groupby("video")["n_declared"].first()["v_ArmFlapping_23"] == 1


@pytest.mark.parametrize(
    ("text", "span"),
    [("0145:0208", (105, 128)), ("0145-0208", (105, 128)), ("18:24", (18, 24)), ("18:0124", (18, 84))],
)
def test_spans(text: str, span: tuple[int, int]) -> None:
    assert span_seconds(text) == span


@given(st.integers(0, 99 * 60 + 59), st.integers(0, 99 * 60 + 59), st.sampled_from(":-"))
def test_spans_written_as_minutes_and_seconds_are_read_back(start: int, end: int, separator: str) -> None:
    sides = (f"{seconds // 60:02}{seconds % 60:02}" for seconds in (start, end))
    assert span_seconds(separator.join(sides)) == (start, end)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("99:61", "MMSS with seconds below 60"),
        ("0160:0210", "MMSS with seconds below 60"),
        ("0010:0099", "MMSS with seconds below 60"),
        ("6:10", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("010:0020", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("00010:00020", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("0010:0020:0030", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("0010::0020", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("0010", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("٠٠١٠:٠٠٢٠", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("nan:nan", "MMSS:MMSS, MMSS-MMSS or SS:SS"),
        ("0020:0010", "an end after the start"),
        ("0010:0010", "an end after the start"),
        ("0100:0131", "an end within the duration, 90 s"),
    ],
)
def test_bad_times(tmp_path: Path, refused, time: str, expected: str) -> None:
    (problem,) = refused(read_annotations, write(tmp_path, behaviour(time=time)))
    assert (problem.file, problem.record, problem.field) == (str(tmp_path / "v_1.xml"), "behaviour b_01", "time")
    assert (problem.found, problem.expected) == (repr(time), expected)


def test_plain_seconds_are_recognised_as_ssbd_plus(tmp_path: Path, refused) -> None:
    (problem,) = refused(read_annotations, write(tmp_path, behaviour(time="6:10")))
    assert problem.advice.startswith("SSBD+")


def test_an_end_at_the_end_of_the_video_is_fine(tmp_path: Path) -> None:
    assert read_annotations(write(tmp_path, behaviour(time="0100:0130")))["end_s"].tolist() == [90.0]


@pytest.mark.parametrize("count", ["0", "7"])
def test_the_elements_count_not_the_attribute(tmp_path: Path, count: str) -> None:
    behaviours = read_annotations(write(tmp_path, behaviour(), behaviour("b_02"), count=count))
    assert behaviours["n_declared"].tolist() == [int(count)] * 2


@pytest.mark.parametrize(
    ("change", "record", "field", "found"),
    [
        ({"category": "jumping"}, "behaviour b_01", "category", "'jumping'"),
        ({"intensity": "High"}, "behaviour b_01", "intensity", "'High'"),
        ({"category": ""}, "behaviour b_01", "category", "nothing"),
        ({"time": " "}, "behaviour b_01", "time", "nothing"),
        ({"name": ""}, "", "behaviour/@id", "''"),
    ],
)
def test_bad_behaviours(tmp_path: Path, refused, change: dict[str, str], record: str, field: str, found: str) -> None:
    (problem,) = refused(read_annotations, write(tmp_path, behaviour(**change)))
    assert (problem.record, problem.field, problem.found) == (record, field, found)


@pytest.mark.parametrize("tag", ["time", "bodypart", "category", "intensity", "modality"])
def test_missing_elements(tmp_path: Path, refused, tag: str) -> None:
    (problem,) = refused(read_annotations, write(tmp_path, behaviour().replace(tag + ">", "other>")))
    assert (problem.record, problem.field, problem.found) == ("behaviour b_01", tag, "nothing")


def test_unknown_body_parts_and_modalities_are_accepted(tmp_path: Path) -> None:
    text = behaviour().replace("hand", "knee").replace(">video<", ">speech<")
    (row,) = read_annotations(write(tmp_path, text)).itertuples()
    assert (row.bodypart, row.modality) == ("knee", "speech")


@pytest.mark.parametrize(
    ("change", "field", "found"),
    [
        ({"video": "v_2"}, "video/@id", "'v_2'"),
        ({"duration": "1m30s"}, "duration", "'1m30s'"),
        ({"duration": "0s"}, "duration", "'0s'"),
        ({"duration": ""}, "duration", "nothing"),
        ({"count": "two"}, "behaviours/@count", "'two'"),
    ],
)
def test_bad_videos(tmp_path: Path, refused, change: dict[str, str], field: str, found: str) -> None:
    (problem,) = refused(read_annotations, write(tmp_path, behaviour(), **change))
    assert (problem.record, problem.field, problem.found) == ("", field, found)


def test_a_video_without_behaviours(tmp_path: Path, refused) -> None:
    (problem,) = refused(read_annotations, write(tmp_path))
    assert problem.found == "no behaviour element"


def test_repeated_behaviour_ids(tmp_path: Path, refused) -> None:
    (problem,) = refused(read_annotations, write(tmp_path, behaviour(), behaviour("b_02"), behaviour()))
    assert (problem.record, problem.found) == ("behaviour 3", "'b_01' again")


def test_the_problems_of_all_files_and_behaviours_are_collected(tmp_path: Path, refused) -> None:
    write(tmp_path, behaviour(time="6:10", category="x"), behaviour("b_02", intensity="x"))
    write(tmp_path, behaviour(), stem="v_0")
    (tmp_path / "v_2.xml").write_text("<other/>")
    problems = refused(read_annotations, tmp_path)
    assert [(Path(problem.file).stem, problem.field) for problem in problems] == [
        ("v_0", "video/@id"), ("v_1", "time"), ("v_1", "category"), ("v_1", "intensity"), ("v_2", "root element"),
    ]  # fmt: skip


def test_dot_files_and_other_files_are_no_annotations(tmp_path: Path) -> None:
    write(tmp_path, behaviour())
    (tmp_path / "._v_1.xml").write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / "readme.txt").write_text("hello")
    assert len(read_annotations(tmp_path)) == 1


def test_a_folder_named_like_a_file_is_refused(tmp_path: Path, refused) -> None:
    (tmp_path / "v_1.xml").mkdir()
    (problem,) = refused(read_annotations, tmp_path)
    assert problem.found == "a directory"


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE video [<!ENTITY x SYSTEM "file:///etc/passwd">]><video id="v_1">&x;</video>',
        '<!DOCTYPE video [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><video id="v_1">&b;</video>',
    ],
)
def test_entities_are_refused(tmp_path: Path, refused, text: str) -> None:
    (tmp_path / "v_1.xml").write_text(text)
    (problem,) = refused(read_annotations, tmp_path)
    assert problem.found == "<!DOCTYPE"


@pytest.mark.real_data
def test_real_annotations(real_data: Path) -> None:
    behaviours = read_annotations(real_data / "ssbd" / "Annotations")
    assert (len(behaviours), behaviours["video"].nunique()) == (133, 75)
    assert behaviours["category"].value_counts().to_dict() == {"armflapping": 61, "spinning": 38, "headbanging": 34}
    assert behaviours.groupby("video")["category"].nunique().eq(2).sum() == 4
    assert behaviours["time_text"].str.contains("-").sum() == 13
    assert behaviours["time_text"].str.len().eq(5).sum() == 6
    assert behaviours.groupby("video")["duration_s"].first().mean() == pytest.approx(86.53, abs=0.005)
    elements = behaviours.groupby("video")["video"].transform("size")
    assert behaviours.loc[elements != behaviours["n_declared"], "video"].unique().tolist() == ["v_ArmFlapping_23"]
