"""The evaluation of a monitor on cases made by hand."""

from __future__ import annotations

import doctest
import importlib
import math
from dataclasses import replace

import numpy as np
import pytest

from schemas.errors import UsageError
from scorers import monitoring
from scorers.monitoring import PROTOCOLS, Boxes, Detections, Evaluation, Setup, differences, evaluate
from scorers.monitoring.matching import MATCHINGS
from scorers.monitoring.summary import per_image, per_object

Row = tuple[int, float, float, float, float]  # image, x, y, width, height
PERSON, ELSEWHERE = (0, 0.0, 0.0, 10.0, 20.0), (0, 50.0, 0.0, 10.0, 20.0)


def truth_of(*rows: Row) -> Boxes:
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 5).T
    return Boxes(columns[0].astype(np.int64), *columns[1:])


def found(*rows: Row, scores: list[float] | None = None, classes: list[int] | None = None) -> Detections:
    boxes = truth_of(*rows)
    score = np.array([0.9] * len(rows) if scores is None else scores)
    category = np.array([0] * len(rows) if classes is None else classes, dtype=np.int64)
    return Detections(boxes.image, boxes.x, boxes.y, boxes.width, boxes.height, score, category)


def both(truth: Boxes, persons: Detections, parts: Detections, images: int = 1, o: float = 0.01) -> list[Evaluation]:
    setup = Setup("MultiDet", persons, parts)
    return [evaluate(truth, setup, images, protocol=protocol, tolerances=[o]) for protocol in ("paper", "strict")]


def numbers(run: Evaluation, *names: str) -> tuple[float, ...]:
    return tuple(run.metrics[name].item() for name in names)


def test_duplicates_are_true_in_paper_and_false_in_strict() -> None:
    paper, strict = both(truth_of(PERSON), found(PERSON, PERSON), found())
    assert numbers(paper, "D_TP", "D_FP", "D_FN") == (2, 0, 0)
    assert numbers(strict, "D_TP", "D_FP", "D_FN") == (1, 1, 0)
    changed = differences(paper, strict)
    assert (changed[0], changed[3]) == (("D_TP", None, 2, 1, -1), ("rejected_TP", 0.01, 2, 1, -1))


def test_a_detection_finds_the_best_person_alone_in_paper_and_the_best_free_one_in_strict() -> None:
    truth = truth_of(PERSON, (0, 0.0, 0.0, 10.0, 24.0))
    paper, strict = both(truth, found(PERSON, PERSON), found())
    assert numbers(paper, "D_TP", "D_FN") == (2, 1)
    assert numbers(strict, "D_TP", "D_FN") == (2, 0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_of_equally_good_persons_the_last_in_the_file_is_found(protocol: str) -> None:
    match = MATCHINGS[protocol](truth_of(PERSON, ELSEWHERE, PERSON), found(PERSON), 0.5)
    assert match.found.tolist() == [False, False, True]


def test_strict_goes_by_falling_score_then_file_order_and_lets_the_refused_ask_again() -> None:
    truth = truth_of((0, 0.0, 0.0, 10.0, 10.0), (0, 0.0, 4.0, 10.0, 10.0))
    wide, first, second = (0, 0.0, 0.0, 10.0, 12.0), (0, 0.0, 0.0, 10.0, 10.0), (0, 0.0, 0.0, 10.0, 9.0)
    match = MATCHINGS["strict"](truth, found(second, wide, first, scores=[0.5, 0.5, 0.9]), 0.5)
    # `first` takes the first person; `second`, earlier in the file, finds no other; `wide` settles for the second.
    assert (match.correct.tolist(), match.found.tolist()) == ([False, True, True], [True, True])


def test_an_iou_of_just_the_threshold_matches() -> None:
    half, less = (0, 0.0, 0.0, 10.0, 10.0), (0, 0.0, 0.0, 10.0, 9.99)
    for match in MATCHINGS.values():
        assert match(truth_of(PERSON), found(half), 0.5).correct.all()
        assert not match(truth_of(PERSON), found(less), 0.5).correct.any()


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
    assert (paper.counts.declares_miss.item(), strict.counts.declares_miss.item()) == (False, True)
    changed = [(row.metric, row.paper, row.strict) for row in differences(paper, strict) if "(FP)" not in row.metric]
    assert changed[:2] == [("image_TP(FN)", 0, 1), ("precision(FN)", 0, 1)]  # object by object there is no slip


def test_the_last_person_is_the_one_at_whom_the_loop_before_stopped() -> None:
    stray = (0, 90.0, 90.0, 10.0, 10.0)  # a person without a part: the first one rejected
    stops_at_one_of_size = [(PERSON, stray, SPECK), (PERSON, SPECK, stray), (SPECK, PERSON)]
    for persons, slips in [(persons, False) for persons in stops_at_one_of_size] + [((PERSON, SPECK), True)]:
        paper, strict = both(truth_of(PERSON), found(*persons), found(HEAD, HAND, STICKS_OUT))
        assert strict.counts.declares_miss.item()
        assert paper.counts.declares_miss.item() is not slips


def test_the_slip_stays_within_its_image() -> None:
    other = [(1, *box[1:]) for box in (SPECK, HAND)]
    paper, _ = both(truth_of(PERSON), found(PERSON, other[0]), found(HEAD, STICKS_OUT, other[1]), images=2)
    assert paper.counts.declares_miss.tolist() == [[True], [False]]


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
    assert not MATCHINGS[protocol](truth_of(thread), found(thread), 0.5).correct.any()


def test_nothing_to_see_has_its_own_words() -> None:
    for run in both(truth_of(), found(), found(), images=0):
        assert all(math.isnan(run.metrics[name].item()) for name in ("precision(FP)", "recall(FN)", "MCC(FN)"))
        assert (run.best["MCC(FP)"], run.best["balance(FP)"], run.warnings[0]) == (None, 0.01, "there are no images")
    for run in both(truth_of(PERSON), found(), found(HEAD)):
        assert numbers(run, "D_TP", "D_FP", "D_FN", "detected_FN", "image_TP(FN)", "image_TP(FP)") == (0, 0, 1, 1, 1, 0)
        assert run.warnings[0] == "there are no detected persons: every part declares a miss"
    for run in both(truth_of(), found(PERSON), found(HEAD)):
        assert numbers(run, "D_FP", "detected_FP", "ghost_parts") == (1, 0, 0)
        assert run.warnings[0] == "there are no true persons: every detected person is a false positive"
    for run in both(truth_of(PERSON), found(PERSON, ELSEWHERE), found()):
        assert numbers(run, "detected_FP", "rejected_TP", "image_TP(FP)", "image_TP(FN)") == (1, 1, 1, 0)
        assert run.warnings[0].startswith("there are no parts: every detected person is declared false")


def test_the_slack_of_the_reference_is_no_difference() -> None:
    paper, strict = both(truth_of(PERSON), found(PERSON, ELSEWHERE), found(HEAD, (0, 90.0, 90.0, 2.0, 2.0)))
    assert (numbers(paper, "precision(FP)"), numbers(strict, "precision(FP)")) == ((1 / (1 + 1e-8),), (1.0,))
    assert "precision(FP)" not in {difference.metric for difference in differences(paper, strict)}


def test_quotients_of_nothing_are_null_in_strict_and_0_in_paper_with_a_warning() -> None:
    paper, strict = both(truth_of(PERSON), found(PERSON), found(HEAD))
    names = [f"{name}({error})" for error in ("FP", "FN") for name in ("precision", "recall", "MCC")]
    assert numbers(paper, *names) == (0.0,) * 6
    assert all(math.isnan(value) for value in numbers(strict, *names))
    assert [warning.split(" is")[0] for warning in strict.warnings] == names
    assert strict.warnings[0] == "precision(FP) is undefined at o = 0.01: no image is declared to have an FP"
    assert paper.warnings[0] == f"{strict.warnings[0]}; the reference gives 0"
    assert (paper.best["MCC(FP)"], strict.best["MCC(FP)"]) == (0.01, None)


def test_the_best_tolerance_is_the_smallest_of_the_best() -> None:
    truth, setup = truth_of(PERSON), Setup("MultiDet", found(PERSON, ELSEWHERE), found(STICKS_OUT))
    run = evaluate(truth, setup, 1)
    assert run.metrics["balance(FP)"].tolist() == [0] * 5 + [1] * 6
    assert (run.best["balance(FP)"], run.best["balance(FN)"]) == (0.5, 0.5)


def test_setups_keep_scores_from_the_threshold_of_the_class() -> None:
    persons = found(PERSON, ELSEWHERE, scores=[0.5, 0.49])
    parts = found(HEAD, HAND, HAND, scores=[0.3, 0.3, 0.7], classes=[0, 1, 1])
    setup = monitoring.multi_detector(persons, parts, 0.5, [0.3, 0.6])
    assert (setup.name, setup.persons.score.tolist(), setup.parts.score.tolist()) == ("MultiDet", [0.5], [0.3, 0.7])
    setup = monitoring.single_detector(parts, [0.4, 0.3], person=1)
    assert (setup.name, setup.persons.score.tolist(), len(setup.parts)) == ("SingleDet", [0.3, 0.7], 0)
    setup = monitoring.baseline(persons, parts, 0.4, 0.5)
    assert (setup.name, len(setup.persons), setup.parts.score.tolist()) == ("Baseline", 2, [0.7])
    with pytest.raises(UsageError, match="class 1 has no score threshold, expected 0 to 0"):
        monitoring.multi_detector(persons, parts, 0.5, [0.3])


def test_weights_count_an_image_as_often_as_they_say() -> None:
    rows = [(image, *box[1:]) for image, box in enumerate((PERSON, ELSEWHERE, PERSON, HEAD))]
    counts = evaluate(truth_of(*rows[:3]), Setup("MultiDet", found(*rows[1:]), found(rows[0], rows[1])), 4).counts
    weights = np.array([2.0, 0.0, 1.0, 3.0])
    chosen = np.repeat(np.arange(4), weights.astype(int))
    assert per_object(counts, weights).ghost_parts.tolist() == counts.ghost_parts[chosen].sum(axis=0).tolist()
    for protocol in PROTOCOLS:
        arguments = counts.declares_false_positive, counts.false_positives > 0
        weighed = per_image(*arguments, protocol, weights)
        repeated = per_image(arguments[0][chosen], arguments[1][chosen], protocol)
        np.testing.assert_equal([weighed.precision, weighed.mcc], [repeated.precision, repeated.mcc])


def test_calls_that_do_not_fit_are_refused() -> None:
    truth, setup = truth_of(PERSON), Setup("MultiDet", found(PERSON), found(HEAD))
    with pytest.raises(UsageError, match="did you mean strict"):
        evaluate(truth, setup, 1, protocol="strickt")
    for tolerances in ([], [0.5, 0.5], [-0.1], [0.5, 1.0], [math.nan]):
        with pytest.raises(UsageError, match="rising numbers from 0 to below 1"):
            evaluate(truth, setup, 1, tolerances=tolerances)
    with pytest.raises(UsageError, match="IoU threshold 0"):
        evaluate(truth, setup, 1, iou=0)
    for change, message in (
        ({"image": np.array([1])}, "image 1 of box 0, expected 0 to 0"),
        ({"image": np.array([0.0])}, "expected integers"),
        ({"x": np.array([math.nan])}, "x nan of box 0, expected a finite number"),
        ({"height": np.array([-1.0])}, "height -1.0 of box 0, expected 0 or more"),
        ({"score": np.array([math.nan])}, "score nan of box 0, expected a number"),
        ({"width": np.array([1.0, 2.0])}, "expected one value per box"),
    ):
        with pytest.raises(UsageError, match=f"^persons: .*{message}"):
            evaluate(truth, replace(setup, persons=replace(setup.persons, **change)), 1)


def test_the_examples_in_the_documentation_hold() -> None:
    for name in ("boxes", "setups", "matching", "agreement", "judgement", "summary", "evaluation"):
        assert doctest.testmod(importlib.import_module(f"scorers.monitoring.{name}")).failed == 0
