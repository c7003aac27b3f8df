from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.raw.charades_sta import read_durations, read_queries, read_reannotations

CSV_HEADER = "id,subject,scene,quality,relevance,verified,script,objects,descriptions,actions,length\n"
CSV_ROW = '{id},S1,Kitchen,6,7,Yes,"A person cooks, then eats.",pan;spoon,"first; ""second""",c001 0.00 5.20,{length}\n'
REANNOTATION_HEADER = "HITId,video_id,description,start,end\n"


def test_the_sample(samples: Path) -> None:
    queries = read_queries(samples / "charades_sta" / "charades_sta_test.txt")
    assert queries["line"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert queries.iloc[1].tolist() == [2, "T4MQB", 7.7, 19.2, "person sits down and reads the book."]
    assert queries.dtypes[["line", "start_s", "end_s"]].astype(str).tolist() == ["int64", "float64", "float64"]
    train = read_queries(samples / "charades_sta" / "charades_sta_train.txt")
    durations = read_durations(samples / "charades_sta" / "charades.json").set_index("video")["duration_s"]
    excess = train["end_s"] - train["video"].map(durations)
    assert (len(train), (excess > 0).sum(), (excess > 0.1).sum()) == (12, 4, 1)
    assert set(queries["video"]) <= set(durations.index)


@given(
    st.lists(
        st.tuples(
            st.from_regex(r"[A-Z0-9]{5}", fullmatch=True),
            st.integers(0, 5000),
            st.integers(1, 5000),
            st.from_regex(r"[a-z][a-z ,'#]{0,20}\.", fullmatch=True).filter(lambda text: "##" not in text),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_lines_are_read_back(tmp_path_factory, rows: list[tuple[str, int, int, str]]) -> None:
    path = tmp_path_factory.mktemp("charades") / "a.txt"
    spans = [(video, start / 10, (start + length) / 10, sentence) for video, start, length, sentence in rows]
    path.write_text("\n".join(f"{video} {start} {end}##{sentence}" for video, start, end, sentence in spans))
    assert list(read_queries(path).drop(columns="line").itertuples(index=False, name=None)) == spans


@pytest.mark.parametrize(
    ("line", "field", "expected"),
    [
        ("", "", "video start end##sentence"),
        ("AAAAA 0.0 1.0 person sits.", "", "video start end##sentence"),
        ("AAAAA 0.0##person sits.", "", "video start end##sentence"),
        ("AAAAA  0.0 1.0##person sits.", "", "video start end##sentence"),
        (" 0.0 1.0##person sits.", "", "video start end##sentence"),
        ("AAAAA\t0.0 1.0##person sits.", "", "video start end##sentence"),
        ("AAAAA 0.0 1.0##person sits.##again.", "sentence", "one ## in a line"),
        ("AAAAA 0.0 1.0## ", "sentence", "words, without control characters"),
        ("AAAAA 0.0 1.0##person\x07 sits.", "sentence", "words, without control characters"),
        ("AAAAA -1.0 1.0##person sits.", "start", "seconds as a decimal number >= 0"),
        ("AAAAA nan 1.0##person sits.", "start", "seconds as a decimal number >= 0"),
        ("AAAAA 0.0 inf##person sits.", "end", "seconds as a decimal number >= 0"),
        ("AAAAA 0.0 1e3##person sits.", "end", "seconds as a decimal number >= 0"),
        ("AAAAA 0.0 1_0##person sits.", "end", "seconds as a decimal number >= 0"),
        (f"AAAAA 0.0 {'9' * 400}##person sits.", "end", "seconds as a decimal number >= 0"),
        ("AAAAA x 1.0##person sits.", "start", "seconds as a decimal number >= 0"),
        ("AAAAA 2.0 1.0##person sits.", "end", "an end after the start"),
        ("AAAAA 1.0 1.0##person sits.", "end", "an end after the start"),
    ],
)
def test_bad_lines(text_file, refused, line: str, field: str, expected: str) -> None:
    good = "BBBBB 0.0 1.0##person sits.\n"
    (problem,) = refused(read_queries, text_file(good + line + "\n" + good))
    assert (problem.record, problem.field, problem.expected) == ("line 2", field, expected)


def test_every_bad_line_is_reported(text_file, refused) -> None:
    assert len(refused(read_queries, text_file("x\n" * 30))) == 30


def test_durations_from_json(samples: Path, json_file) -> None:
    durations = read_durations(samples / "charades_sta" / "charades.json")
    assert (len(durations), durations["duration_s"].dtype) == (12, "float64")
    assert durations.iloc[0].tolist() == ["QX7LM", 15.42]
    assert read_durations(json_file({"A": {"duration": 3}}))["duration_s"].tolist() == [3.0]


def test_durations_from_csv(text_file) -> None:
    path = text_file(CSV_HEADER + CSV_ROW.format(id="AAAAA", length="24.83") + CSV_ROW.format(id="BBBBB", length="7"))
    durations = read_durations(path)
    assert durations.to_dict("list") == {"video": ["AAAAA", "BBBBB"], "duration_s": [24.83, 7.0]}


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"duration": 0}, "duration"),
        ({"duration": -3.0}, "duration"),
        ({"duration": "three"}, "duration"),
        ({"duration": "inf"}, "duration"),
        ({}, "duration"),
        (7, ""),
    ],
)
def test_bad_durations_in_json(json_file, refused, record: Any, field: str) -> None:
    (problem,) = refused(read_durations, json_file({"A": {"duration": 1.0}, "B": record}))
    assert (problem.record, problem.field) == ('video "B"', field)


def test_a_json_list_is_no_table_of_durations(json_file, refused) -> None:
    (problem,) = refused(read_durations, json_file([1, 2]))
    assert (problem.found, problem.expected) == ("a list", "an object")


@pytest.mark.parametrize(
    ("rows", "record", "field"),
    [
        ([("A", "1.0"), ("B", "")], "row 2", "length"),
        ([("A", "1.0"), ("B", "nan")], "row 2", "length"),
        ([("A", "1.0"), ("B", "c080 13.00 18.00")], "row 2", "length"),
        ([("A", "1.0"), ("B", "0.0")], 'video "B"', "length"),
        ([("A", "1.0"), ("A", "1.0")], "row 2", "id"),
    ],
)
def test_bad_durations_in_csv(text_file, refused, rows: list[tuple[str, str]], record: str, field: str) -> None:
    text = CSV_HEADER + "".join(CSV_ROW.format(id=video, length=length) for video, length in rows)
    (problem,) = refused(read_durations, text_file(text))
    assert (problem.record, problem.field) == (record, field)


def test_a_text_without_the_columns_is_refused(text_file, refused) -> None:
    (problem,) = refused(read_durations, text_file("AAAAA 0.0 1.0##person sits.\n"))
    assert (problem.field, problem.found) == ("id", "only the columns AAAAA 0.0 1.0##person sits.")


def test_reannotations(text_file) -> None:
    text = REANNOTATION_HEADER + 'H1,AAAAA.mp4,person sits.,0,100\nH1,AAAAA.mp4,"person sits, reads.",4,18\n'
    moments = read_reannotations(text_file(text))
    assert list(moments.columns) == ["hit", "video", "description", "start_percent", "end_percent"]
    assert moments.iloc[1].tolist() == ["H1", "AAAAA", "person sits, reads.", 4, 18]
    assert moments["start_percent"].dtype == "int64"


@pytest.mark.parametrize(
    ("start", "end", "field"),
    [
        ("1.5", "3", "start"),
        ("-1", "3", "start"),
        ("1", "101", "end"),
        ("1", "", "end"),
        ("5", "4", "end"),
        ("5", "5", "end"),
    ],
)
def test_bad_reannotations(text_file, refused, start: str, end: str, field: str) -> None:
    text = f"{REANNOTATION_HEADER}H,A.mp4,person sits.,0,9\nH,A.mp4,person sits.,{start},{end}\n"
    (problem,) = refused(read_reannotations, text_file(text))
    assert (problem.record, problem.field) == ("row 2", field)


@pytest.mark.real_data
def test_real_queries_and_durations(real_data: Path) -> None:
    folder = real_data / "charades_sta"
    train, test = (read_queries(folder / f"charades_sta_{split}.txt") for split in ("train", "test"))
    assert (len(train), train["video"].nunique()) == (12_408, 5_338)
    assert (len(test), test["video"].nunique()) == (3_720, 1_334)
    durations = read_durations(folder / "charades.json").set_index("video")["duration_s"]
    known = durations.reindex([*train["video"].unique(), *test["video"].unique()])
    assert (len(known), known.notna().sum()) == (6_672, 6_672)
    assert known.mean() == pytest.approx(30.5893, abs=0.00005)
    excess = test["end_s"] - test["video"].map(durations)
    assert ((excess > 0).sum(), (excess > 0.1).sum(), (excess > 1).sum()) == (562, 546, 228)
    assert (train["end_s"] > train["video"].map(durations)).sum() == 1_802


@pytest.mark.real_data
def test_real_reannotations_are_percentages(real_data: Path) -> None:
    folder = real_data / "charades_sta"
    queries = read_queries(folder / "charades_sta_test.txt").drop_duplicates(["video", "sentence"])
    durations = read_durations(folder / "charades.json")
    for number, n_rows in (("00", 1_500), ("01", 1_500), ("02", 2_000)):
        moments = read_reannotations(folder / f"mayu_reannotated_test_{number}.csv")
        assert len(moments) == n_rows
        assert moments["end_percent"].max() == 100
        joined = moments.merge(queries, left_on=["video", "description"], right_on=["video", "sentence"]).merge(
            durations
        )
        assert len(joined) == n_rows
        middle = (joined["start_percent"] + joined["end_percent"]) / 200 * joined["duration_s"]
        published = (joined["start_s"] + joined["end_s"]) / 2
        assert (middle - published).abs().median() < 3.0
