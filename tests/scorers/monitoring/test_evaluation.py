"""The evaluation of a monitor on cases made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from schemas.errors import UsageError
from scorers.detection.boxes import Boxes, Detections
from scorers.monitoring.evaluation import Setup, evaluate
from scorers.monitoring.judgement import judge, match
from scorers.monitoring.metrics import NAMES, TOLERANCES, Metric, best_tolerances, parse_metrics
from scorers.monitoring.scorer import PROTOCOLS
from scorers.scorer import Evaluation

Row = tuple[int, float, float, float, float]  # image, x, y, width, height
PERSON, ELSEWHERE = (0, 0.0, 0.0, 10.0, 20.0), (0, 50.0, 0.0, 10.0, 20.0)


def truth_of(*rows: Row) -> Boxes:
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 5).T
    image = columns[0].astype(np.int64)
    return Boxes(image, np.zeros_like(image), *columns[1:])


def found(*rows: Row, scores: list[float] | None = None) -> Detections:
    boxes = truth_of(*rows)
    score = np.array([0.9] * len(rows) if scores is None else scores)
    return Detections(boxes.image, boxes.category, boxes.x, boxes.y, boxes.width, boxes.height, score)


def setup(persons: Detections, parts: Detections) -> Setup:
    return Setup("person", persons, parts)


def at(o: float) -> list[Metric]:
    """Every metric at one tolerance."""
    return [metric for metric in dict.fromkeys(parse_metrics([])) if metric.tolerance in (None, o)]


def both(truth: Boxes, persons: Detections, parts: Detections, images: int = 1) -> list[Evaluation]:
    return [evaluate(truth, setup(persons, parts), images, at(0.01), protocol) for protocol in PROTOCOLS]


def named(run: Evaluation) -> dict[str, float]:
    return {metric.name: value for metric, value in run.values.items()}


def numbers(run: Evaluation, *names: str) -> tuple[float, ...]:
    return tuple(named(run)[name] for name in names)


def declares_miss(run: Evaluation) -> bool:
    """Whether the only image is declared to miss a person."""
    return bool(sum(numbers(run, "image_TP(FN)", "image_FP(FN)")))


def test_duplicates_are_true_in_paper_and_false_in_strict() -> None:
    paper, strict = both(truth_of(PERSON), found(PERSON, PERSON), found())
    assert numbers(paper, "D_TP", "D_FP", "D_FN") == (2, 0, 0)
    assert numbers(strict, "D_TP", "D_FP", "D_FN") == (1, 1, 0)
    assert (numbers(paper, "rejected_TP"), numbers(strict, "rejected_TP")) == ((2,), (1,))


def test_a_detection_finds_the_best_person_alone_in_paper_and_the_best_free_one_in_strict() -> None:
    truth = truth_of(PERSON, (0, 0.0, 0.0, 10.0, 24.0))
    paper, strict = both(truth, found(PERSON, PERSON), found())
    assert numbers(paper, "D_TP", "D_FN") == (2, 1)
    assert numbers(strict, "D_TP", "D_FN") == (2, 0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_of_equally_good_persons_the_last_in_the_file_is_found(protocol: str) -> None:
    _, matched = match(truth_of(PERSON, ELSEWHERE, PERSON), found(PERSON), 1, protocol)
    assert matched.tolist() == [False, False, True]


def test_strict_goes_by_falling_score_then_file_order_and_lets_the_refused_ask_again() -> None:
    truth = truth_of((0, 0.0, 0.0, 10.0, 10.0), (0, 0.0, 4.0, 10.0, 10.0))
    wide, first, second = (0, 0.0, 0.0, 10.0, 12.0), (0, 0.0, 0.0, 10.0, 10.0), (0, 0.0, 0.0, 10.0, 9.0)
    correct, matched = match(truth, found(second, wide, first, scores=[0.5, 0.5, 0.9]), 1, "strict")
    # `first` takes the first person; `second`, earlier in the file, finds no other; `wide` settles for the second.
    assert (correct.tolist(), matched.tolist()) == ([False, True, True], [True, True])


def test_an_iou_of_just_the_threshold_matches() -> None:
    half, less = (0, 0.0, 0.0, 10.0, 10.0), (0, 0.0, 0.0, 10.0, 9.99)
    for protocol in PROTOCOLS:
        assert match(truth_of(PERSON), found(half), 1, protocol)[0].all()
        assert not match(truth_of(PERSON), found(less), 1, protocol)[0].any()


def test_a_declaring_part_in_a_found_person_is_neither_a_detection_nor_a_ghost() -> None:
    tall = (0, 0.0, 0.0, 10.0, 12.0)  # finds the person, but not its foot
    for run in both(truth_of(PERSON), found(tall), found((0, 0.0, 0.0, 4.0, 4.0), (0, 0.0, 16.0, 4.0, 4.0))):
        assert numbers(run, "D_FN", "detected_FN", "ghost_parts", "image_FP(FN)") == (0, 0, 0, 1)


def test_a_missed_person_is_detected_once_however_many_parts_declare_it() -> None:
    parts = [(0, x, 2.0, 2.0, 2.0) for x in (1.0, 4.0, 7.0)]
    for run in both(truth_of(PERSON), found(), found(*parts, (0, 50.0, 0.0, 2.0, 2.0))):
        assert numbers(run, "detected_FN", "ghost_parts", "balance(FN)", "image_TP(FN)") == (1, 1, 0, 1)


STICKS_OUT = (0, 5.0, 0.0, 10.0, 10.0)  # half of it lies in PERSON
SPECK, HAND = (0, 50.0, 50.0, 2.0, 2.0), (0, 50.0, 50.0, 1.0, 1.0)  # a tiny person with a part in it
HEAD = (0, 1.0, 1.0, 2.0, 2.0)


def test_the_area_of_the_last_person_hides_a_declared_miss_from_paper() -> None:
    arguments = truth_of(PERSON, SPECK, ELSEWHERE), found(PERSON, SPECK), found(HEAD, HAND, STICKS_OUT)
    paper, strict = both(*arguments)
    assert (declares_miss(paper), declares_miss(strict)) == (False, True)
    changed = [name for name in NAMES if "(FP)" not in name and numbers(paper, name) != numbers(strict, name)]
    assert changed[:2] == ["image_TP(FN)", "precision(FN)"]  # object by object there is no slip


def test_the_last_person_is_the_one_at_whom_the_loop_before_stopped() -> None:
    stray = (0, 90.0, 90.0, 10.0, 10.0)  # a person without a part: the first one rejected
    stops_at_one_of_size = [(PERSON, stray, SPECK), (PERSON, SPECK, stray), (SPECK, PERSON)]
    for persons, slips in [(persons, False) for persons in stops_at_one_of_size] + [((PERSON, SPECK), True)]:
        paper, strict = both(truth_of(PERSON), found(*persons), found(HEAD, HAND, STICKS_OUT))
        assert declares_miss(strict)
        assert declares_miss(paper) is not slips


def test_the_slip_stays_within_its_image() -> None:
    other = [(1, *box[1:]) for box in (SPECK, HAND)]
    arguments = truth_of(PERSON), found(PERSON, other[0]), found(HEAD, STICKS_OUT, other[1])
    counts = judge(*arguments, 2, "paper", np.array([0.01]))
    assert (counts["image_TP(FN)"] | counts["image_FP(FN)"]).tolist() == [[True], [False]]


def test_a_box_without_area_agrees_with_its_whole_image_in_paper_and_with_nothing_in_strict() -> None:
    flat = (0, 90.0, 5.0, 0.0, 4.0)
    paper, strict = both(truth_of(PERSON), found(PERSON), found(flat))
    assert numbers(paper, "rejected_TP", "ghost_parts") == (0, 0)
    assert numbers(strict, "rejected_TP", "ghost_parts") == (1, 1)
    paper, strict = both(truth_of(flat), found(flat), found(HEAD))
    assert numbers(paper, "detected_FP", "ghost_parts", "image_FP(FN)") == (0, 0, 0)
    assert numbers(strict, "detected_FP", "ghost_parts", "image_TP(FN)") == (1, 1, 1)


def test_rounding_gives_no_area_to_a_box_without() -> None:
    narrow, line = (0, 0.2, 0.0, 0.5, 10.0), (0, 0.4, 1.0, 0.0, 2.0)  # (0.2 + 0.5) - 0.2 < 0.5
    _, strict = both(truth_of(narrow), found(narrow), found(line))
    assert numbers(strict, "rejected_TP", "ghost_parts") == (1, 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_boxes_thinner_than_their_coordinates_match_nothing(protocol: str) -> None:
    thread = (0, 1000.0, 0.0, 1e-15, 10.0)
    assert not match(truth_of(thread), found(thread), 1, protocol)[0].any()


def test_nothing_to_see_has_its_own_words() -> None:
    for run in both(truth_of(), found(), found(), images=0):
        assert all(map(math.isnan, numbers(run, "precision(FP)", "recall(FN)", "MCC(FN)")))
        best = best_tolerances(run.values)
        assert (best["MCC(FP)"], best["balance(FP)"], run.warnings[0]) == (None, 0.01, "there are no images")
    for run in both(truth_of(PERSON), found(), found(HEAD)):
        assert numbers(run, "D_TP", "D_FP", "D_FN", "detected_FN", "image_TP(FN)", "image_TP(FP)") == (0, 0, 1, 1, 1, 0)
        assert run.warnings[0] == "there are no detected persons: every part declares a miss"
    for run in both(truth_of(), found(PERSON), found(HEAD)):
        assert numbers(run, "D_FP", "detected_FP", "ghost_parts") == (1, 0, 0)
        assert run.warnings[0] == "there are no true persons: every detected person is a false positive"
    for run in both(truth_of(PERSON), found(PERSON, ELSEWHERE), found()):
        assert numbers(run, "detected_FP", "rejected_TP", "image_TP(FP)", "image_TP(FN)") == (1, 1, 1, 0)
        assert run.warnings[0].startswith("there are no parts: every detected person is declared false")


def test_quotients_of_nothing_are_null_in_strict_and_0_in_paper_with_a_warning() -> None:
    paper, strict = both(truth_of(PERSON), found(PERSON), found(HEAD))
    names = [f"{name}({error})" for error in ("FP", "FN") for name in ("precision", "recall", "MCC")]
    assert numbers(paper, *names) == (0.0,) * 6
    assert all(math.isnan(value) for value in numbers(strict, *names))
    assert [warning.split(" is")[0] for warning in strict.warnings] == names
    assert strict.warnings[0] == "precision(FP) is undefined at o = 0.01: no image is declared to have an FP"
    assert paper.warnings[0] == f"{strict.warnings[0]}; the authors' code gives 0"
    assert [best_tolerances(run.values)["MCC(FP)"] for run in (paper, strict)] == [0.01, None]


def test_no_tolerance_is_the_best_where_all_are_equal() -> None:
    tied = {Metric("MCC(FP)", tolerance): 0.0 for tolerance in TOLERANCES}
    assert best_tolerances(tied)["MCC(FP)"] is None
    assert best_tolerances(tied | {Metric("MCC(FP)", 0.3): 0.1})["MCC(FP)"] == 0.3
    assert best_tolerances({Metric("MCC(FP)", 0.3): 0.0})["MCC(FP)"] == 0.3


def test_the_best_tolerance_is_the_smallest_of_the_best() -> None:
    seen = setup(found(PERSON, ELSEWHERE), found(STICKS_OUT))
    run = evaluate(truth_of(PERSON), seen, 1, parse_metrics(["balance(FP)", "balance(FN)"]), "paper")
    assert list(run.values.values())[: len(TOLERANCES)] == [0] * 5 + [1] * 6
    best = best_tolerances(run.values)
    assert (best["balance(FP)"], best["balance(FN)"]) == (0.5, 0.5)


def test_weights_count_an_image_as_often_as_they_say() -> None:
    rows = [(image, *box[1:]) for image, box in enumerate((PERSON, ELSEWHERE, PERSON, HEAD))]
    chosen = [0, 0, 2, 3, 3, 3]  # images, as often as the weights say

    def repeated(*boxes: Row) -> list[Row]:
        return [(place, *box[1:]) for place, image in enumerate(chosen) for box in boxes if box[0] == image]

    truth, persons, parts = rows[:3], rows[1:], rows[:2]
    for protocol in PROTOCOLS:
        seen = setup(found(*persons), found(*parts))
        weighted = evaluate(truth_of(*truth), seen, 4, at(0.1), protocol).statistics()
        again = setup(found(*repeated(*persons)), found(*repeated(*parts)))
        expected = evaluate(truth_of(*repeated(*truth)), again, len(chosen), at(0.1), protocol)
        assert callable(weighted)
        np.testing.assert_equal(weighted(np.array([2.0, 0.0, 1.0, 3.0])), list(expected.values.values()))


def test_metrics_print_and_parse_back() -> None:
    everything = parse_metrics([])
    assert parse_metrics([str(metric) for metric in everything]) == everything
    assert len(everything) == 5 + (len(NAMES) - 5) * len(TOLERANCES)
    assert [metric.unit for metric in parse_metrics(["D_TP", "MCC(FP)[o=0.5]"])] == ["count", "fraction"]
    assert [str(metric) for metric in parse_metrics(["MCC(FP) [o = .15]", "MCC(FP)[o=0.15]"])] == ["MCC(FP)[o=0.15]"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MCC", r"unknown metric 'MCC'; did you mean MCC\(FP\)"),
        ("D_TP[o=0.1]", "D_TP is the same at every tolerance"),
        ("MCC(FP)[o=1]", "tolerance 1.0, expected a number from 0 to below 1"),
        ("MCC(FP)[o=-0.1]", "tolerance -0.1, expected"),
        ("MCC(FP)[o=1e]", r"expected a tolerance, as in MCC\(FP\)\[o=0.1\]"),
        ("MCC(FP)[o=]", "unknown metric"),
    ],
)
def test_what_is_no_metric_is_refused(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_metrics([name])
