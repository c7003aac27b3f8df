"""A scorer of an installed package: its attributes, and a message for whatever its methods should not give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BenchwrightError, UsageError
from schemas.manifest import Manifest
from scorers import task
from scorers.comparison import compare
from scorers.installed import installed_scorer
from scorers.metric import Named
from scorers.resampling import Ratio
from scorers.run import score, write_baseline
from scorers.scorer import Aligned, Evaluation, Scorer

HALF, WHOLE = Named("half"), Named("whole")
FILE = Path(__file__).name


class Halves(Scorer[Any, Any, Any]):
    """Scores that are the predictions themselves, one number per row."""

    kind = "halves"
    columns = frozenset({"sample_id"})
    protocols = ("plain",)
    clusters = "row"

    def metrics(self, names: Any, truth: Any, protocol: str) -> Any:
        return [HALF, WHOLE]

    def read(self, source: Any, truth: Any, metrics: Any, options: Any) -> Any:
        return Aligned(np.ones(len(truth)), {"rows": len(truth), "scored": len(truth)})

    def evaluate(self, truth: Any, predictions: Any, metrics: Any, protocol: str) -> Any:
        ratios = [Ratio(predictions, scale=scale) for scale in (50.0, 100.0)]
        return Evaluation({m: r.value for m, r in zip(metrics, ratios, strict=True)}, lambda: ratios)

    def baselines(self, truth: Any) -> Any:
        return {"nothing": np.zeros(len(truth))}


def with_attributes(**attributes: Any) -> Any:
    return type("Other", (Halves,), attributes)()


@pytest.mark.parametrize("columns", [["sample_id"], ("sample_id",), {"sample_id"}])
def test_columns_are_any_iterable_of_texts(columns: Any) -> None:
    assert installed_scorer(with_attributes(columns=columns)).columns == frozenset({"sample_id"})


def test_protocols_are_a_tuple_whatever_lists_them() -> None:
    assert installed_scorer(with_attributes(protocols=["plain"])).protocols == ("plain",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", None),
        ("kind", ""),
        ("kind", "spans"),
        ("columns", "sample_id"),
        ("columns", ()),
        ("columns", 3),
        ("columns", (3,)),
        ("protocols", "plain"),
        ("protocols", ()),
        ("protocols", None),
        ("side_by_side", ("plain", "other")),
        ("side_by_side", "plain"),
        ("clusters", None),
        ("resamples", "many"),
        ("comparison_resamples", 0.5),
        ("slack", "little"),
        ("primary", 3),
        ("layout", ["half"]),
        ("layout", {"a row": "half"}),
        ("kinds", {"protocol=other": "better"}),
        ("kinds", "repair"),
    ],
)
def test_an_attribute_of_another_type_is_named(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"^Other\.{name} is .*, expected "):
        installed_scorer(with_attributes(**{name: value}), taken=["spans"])


class WithoutAttributes(Scorer[Any, Any, Any]):
    metrics, read, evaluate = Halves.metrics, Halves.read, Halves.evaluate  # type: ignore[assignment]


def test_missing_attributes_are_named() -> None:
    with pytest.raises(UsageError, match=r"WithoutAttributes\.columns is missing"):
        installed_scorer(WithoutAttributes())  # type: ignore[abstract]


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        (3, "found 3, expected a benchwright.scoring.Scorer"),
        (Halves, r"the class Halves, expected an object of it: Halves\(\)"),
        (with_attributes(read=Scorer.read, evaluate=Scorer.evaluate), "Other lacks read, evaluate: these methods must"),
    ],
)
def test_what_is_not_a_whole_scorer_is_refused(scorer: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        installed_scorer(scorer)


@pytest.fixture
def scored(sample_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Score the sample manifest with `Halves`, some methods or attributes of which are others."""
    manifest = sample_manifest("uag-ssbd")

    def score_with(call: Callable[..., Any] = score, *arguments: Any, **attributes: Any) -> Any:
        scorer = installed_scorer(with_attributes(**attributes))
        monkeypatch.setattr(task, "scorer_of", lambda _: scorer)
        return call(manifest, *(arguments or [None]))

    return score_with


def test_a_scorer_that_keeps_the_contract_scores_and_compares(scored: Callable[..., Any]) -> None:
    found = scored()
    assert {name: value.value for name, value in found.metrics.items()} == {"half": 50, "whole": 100}
    assert found.counts == {"rows": 8, "scored": 8}
    assert found.baselines == {"nothing": {"half": 0, "whole": 0}}
    assert scored(compare, None, None).metrics["whole"].difference == 0


def evaluation(**parts: Any) -> Callable[..., Any]:
    def evaluate(self: Any, truth: Any, predictions: Any, metrics: Any, protocol: str) -> Any:
        whole = Halves.evaluate(self, truth, predictions, metrics, protocol)
        return Evaluation(**{"values": whole.values, "statistics": whole.statistics} | parts)

    return evaluate


def aligned(**parts: Any) -> Callable[..., Any]:
    return lambda *_: Aligned(**{"predictions": np.ones(8), "counts": {"rows": 8, "scored": 8}} | parts)


def giving(value: Any) -> Callable[..., Any]:
    return lambda *_: value


@pytest.mark.parametrize(
    ("method", "other", "said"),
    [
        ("metrics", giving(None), "gives None, expected a list"),
        ("metrics", giving([]), "gives [], expected a list of one metric or more"),
        ("metrics", giving(["half"]), "gives 'half', expected hashable metrics, each with a unit"),
        ("metrics", giving([Named("half", "people")]), "unit='people'"),  # type: ignore[arg-type]
        ("metrics", giving([Named("half", higher_is_better="yes")]), "higher_is_better 'yes'"),  # type: ignore[arg-type]
        ("read", giving(None), "gives None, expected an Aligned"),
        ("read", aligned(counts=5), "gives counts 5"),
        ("read", aligned(counts={"rows": "many"}), "gives counts {'rows': 'many'}"),
        ("read", aligned(counts={"row": 8, "scored": 8}), "expected rows among them"),
        ("read", aligned(counts={}), "expected rows and scored among them"),
        ("read", aligned(warnings="a warning"), "gives warnings 'a warning', expected a list"),
        ("read", aligned(settings=["a"]), "gives settings ['a']"),
        ("evaluate", giving(None), "gives None, expected an Evaluation"),
        ("evaluate", evaluation(values=[1, 2]), "gives values [1, 2]"),
        ("evaluate", evaluation(values={HALF: 1.0}), "gives values for half, expected a number for whole"),
        ("evaluate", evaluation(values={HALF: "1", WHOLE: 1}), "gives values '1', expected a number for half"),
        ("evaluate", evaluation(statistics=[]), "gives statistics []"),
        ("evaluate", evaluation(statistics=giving(None)), "gives statistics None"),
        ("evaluate", evaluation(statistics=giving([Ratio(np.ones(8))])), "statistics 1 of them, expected 2"),
        ("evaluate", evaluation(statistics=giving([Ratio(np.ones(7))] * 2)), "over 7 rows, expected 8"),
        ("evaluate", evaluation(statistics=giving(giving([1.0]))), "gives statistics [1.0], expected 2 numbers"),
        ("numbered_clusters", giving(np.arange(8) * 2), "expected clusters numbered 0, 1, ... without gaps"),
        ("numbered_clusters", giving(np.arange(8) - 1), "expected clusters numbered 0, 1, ... without gaps"),
        ("numbered_clusters", giving(pa.array(["a"] * 8)), "expected whole numbers"),
        ("numbered_clusters", giving(np.zeros((8, 1), int)), "int64 of the shape (8, 1)"),
        ("baselines", giving([1]), "gives [1], expected predictions by name"),
        ("remarks", giving("a remark"), "gives 'a remark', expected a list of texts"),
    ],
)
def test_what_a_method_should_not_give_is_named_with_file_class_and_method(
    scored: Callable[..., Any], method: str, other: Any, said: str
) -> None:
    with pytest.raises(UsageError) as failure:
        scored(**{method: other})
    place, _, found = str(failure.value).partition(", scorer halves: ")
    assert f"{FILE}, line " in place
    assert found.startswith(f"Other.{method} gives ")
    assert said in found


def test_a_baseline_that_is_not_written_is_named(scored: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="predictions of halves cannot be written"):
        scored(write_baseline, "nothing", tmp_path / "p.csv")
    with pytest.raises(UsageError, match=r"Other\.write gives None, expected how many were written"):
        scored(write_baseline, "nothing", tmp_path / "p.csv", write=giving(None))


@pytest.mark.parametrize("name", ["metrics", "read", "evaluate", "baselines", "truth", "numbered_clusters"])
def test_a_method_that_fails_is_named_with_its_line(scored: Callable[..., Any], name: str) -> None:
    def failing(*_: Any) -> Any:
        raise SystemExit(3)

    with pytest.raises(BenchwrightError, match=rf"{FILE}, line {failing.__code__.co_firstlineno + 1}, scorer halves: "):
        scored(**{name: failing})


@pytest.mark.parametrize("part", ["statistics", "samples"])
def test_what_an_evaluation_makes_later_is_named_too(scored: Callable[..., Any], part: str, tmp_path: Path) -> None:
    def failing() -> Any:
        raise KeyError("box")

    def made(manifest: Manifest, _: object) -> Any:
        return getattr(task.task_of(manifest, {}).evaluate(np.ones(8)), part)()

    line = failing.__code__.co_firstlineno + 1
    with pytest.raises(BenchwrightError, match=f"{FILE}, line {line}, scorer halves: KeyError"):
        scored(made, None, evaluate=evaluation(**{part: failing}))
