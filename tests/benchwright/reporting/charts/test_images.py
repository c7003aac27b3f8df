"""Charts of images: each box, label and area is drawn once, where its number is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchwright.reporting.blocks import Outline
from benchwright.reporting.charts.areas import areas
from benchwright.reporting.charts.by_split import by_split, key_of
from benchwright.reporting.charts.lines import lines
from benchwright.reporting.charts.outlines import WIDE, colour_of, outline
from benchwright.reporting.drawing import Label, Line, Marker, Rectangle
from benchwright.reporting.frames.labels import Counts

FRAME = Outline(
    1000, 100, ((0, 0, 100, 50, 7, "walking"), (200, 10, 100, 50, 7, "sitting"), (500, 0, 9, 9, -1, "lying"))
)


def test_each_box_is_drawn_and_each_group_has_a_frame_and_a_number() -> None:
    made = outline(replace(FRAME, grouped=True), "a frame")
    boxes = [shape for shape in made.shapes if isinstance(shape, Rectangle) and shape.title]
    assert made.width == WIDE
    assert {box.title: box.colour for box in boxes} == {
        "walking; group 7": colour_of(0),
        "sitting; group 7": colour_of(0),
        "lying": "soft",
    }
    (frame,) = (shape for shape in made.shapes if isinstance(shape, Line))
    grouped = [box for box in boxes if "group" in box.title]
    assert frame.dashed
    assert min(x for x, _ in frame.points) < min(box.x for box in grouped)
    assert max(x for x, _ in frame.points) > max(box.x + box.width for box in grouped)
    assert max(y for _, y in frame.points) > max(box.y + box.height for box in grouped)
    assert [shape.text for shape in made.shapes if isinstance(shape, Label)] == ["7"]


def test_numbers_of_groups_that_crowd_do_not_cover_one_another() -> None:
    crowd = tuple((500.0 + 6 * n, 40.0 + n % 2, 5.0, 9.0, 100 + n // 2, "walking") for n in range(16))
    labels = [each for each in outline(Outline(1000, 100, crowd, True), "a crowd").shapes if isinstance(each, Label)]
    assert len(labels) == 8
    for place, one in enumerate(labels):
        for other in labels[place + 1 :]:
            assert abs(one.x - other.x) >= 8 * len(one.text) or abs(one.y - other.y) >= 12


def test_classes_have_no_frames() -> None:
    made = outline(FRAME, "an image")
    assert {shape.colour for shape in made.shapes if isinstance(shape, Rectangle)} == {"axis", colour_of(7), "soft"}
    assert not [shape for shape in made.shapes if isinstance(shape, Line | Label)]


def test_an_image_without_boxes_is_a_frame() -> None:
    assert len(outline(Outline(1, 1, ()), "nothing").shapes) == 1


def test_a_label_that_the_last_split_lacks_stands_out() -> None:
    found = Counts(("walking", "lying"), ("train", "test"), np.array([[30, 4], [10, 0]]))
    made = by_split(found, "labels", 9, "actions")
    marks = [shape for shape in made.shapes if isinstance(shape, Marker)]
    assert [(mark.title, mark.hollow) for mark in marks] == [
        ("walking: 30 labels in train, 75.0 %", True),
        ("walking: 4 labels in test, 100.0 %", False),
        ("lying: 10 labels in train, 25.0 %", True),
        ("lying: 0 labels in test, 0.0 %", False),
    ]
    assert [mark.colour for mark in marks if not mark.hollow] == ["kept", "gone"]
    assert marks[0].x < marks[1].x
    assert key_of(found.splits) == (("○", "train"), ("■", "test"))


def test_each_area_is_in_one_bar_and_the_line_is_between_what_stays_and_what_is_dropped() -> None:
    made = areas(np.array([3000.0, 4000.0, 1e5, np.nan]), np.array([100.0, 0.0]), 2247.5, "areas")
    bars = [shape for shape in made.shapes if isinstance(shape, Rectangle)]
    counted = {
        word: sum(int(bar.title.split(": ")[1].split()[0]) for bar in bars if bar.title.endswith(word))
        for word in ("stay", "dropped")
    }
    assert counted == {"stay": 3, "dropped": 2}
    line = next(shape for shape in made.shapes if isinstance(shape, Line) and shape.dashed).points[0][0]
    assert max(bar.x for bar in bars if bar.colour == "gone") < line
    assert min(bar.x + bar.width for bar in bars if bar.colour == "kept") > line
    assert "2,247.5 px²" in [shape.text for shape in made.shapes if isinstance(shape, Label)]


def test_areas_of_nothing_are_an_empty_chart() -> None:
    made = areas(np.zeros(0), np.zeros(0), None, "areas")
    assert not [shape for shape in made.shapes if isinstance(shape, Rectangle)]


def test_a_line_is_broken_where_it_has_no_value() -> None:
    made = lines({"a": {0.1: 1.0, 0.2: None, 0.3: 3.0, 0.4: 2.0}, "b": {0.1: None}}, "o", "sweep")
    drawn = [shape for shape in made.shapes if isinstance(shape, Line) and shape.colour.startswith("system")]
    assert [len(line.points) for line in drawn] == [1, 2]
    assert [mark.title for mark in made.shapes if isinstance(mark, Marker)] == [
        "a at 0.1 o: 1",
        "a at 0.3 o: 3",
        "a at 0.4 o: 2",
    ]
    marks = [mark.y for mark in made.shapes if isinstance(mark, Marker)]
    assert marks[1] < marks[2] < marks[0]
