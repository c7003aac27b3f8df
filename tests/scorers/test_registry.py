"""Which scorer a manifest has: by its columns, bundled or from an entry point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from types import SimpleNamespace
from typing import Any

import pytest

from schemas.errors import UsageError
from schemas.manifest import Manifest
from scorers import registry
from scorers.registry import BUNDLED, GROUP, scorer_named, scorer_of
from scorers.scorer import Scorer

Manifests = Callable[..., Manifest]


class CaptionScorer(Scorer[Any, Any, Any]):
    kind = "captions"
    columns = frozenset({"start_s", "end_s", "caption"})
    protocols = ("plain",)

    def metrics(self, names: Any, truth: Any, protocol: str) -> Any: ...
    def read(self, source: Any, truth: Any, metrics: Any, options: Any) -> Any: ...
    def evaluate(self, truth: Any, predictions: Any, metrics: Any, protocol: str) -> Any: ...


class WithoutKind(CaptionScorer):
    kind = None  # type: ignore[assignment]


class Failing(CaptionScorer):
    @property
    def protocols(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no weights")


WITHOUT_KIND, FAILING = WithoutKind(), Failing()
CAPTIONS, NO_SCORER = CaptionScorer(), object()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Make entry points known by name, each an attribute of this module."""

    def install(**entries: str) -> None:
        points = [EntryPoint(name, f"{__name__}:{attribute}", GROUP) for name, attribute in entries.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints(points).select(group=group))
        registry._installed.cache_clear()

    yield install
    registry._installed.cache_clear()


def manifest_of(*columns: str) -> Any:
    return SimpleNamespace(column_names=columns, path="a manifest", refuse_incomplete=str)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("uag-ssbd", "spans"), ("charades-sta", "spans"), ("voc-person", "boxes"), ("jrdb-par", "activities")],
)
def test_a_bundled_scorer_knows_its_manifests_by_their_columns(
    sample_manifest: Manifests, name: str, kind: str
) -> None:
    scorer = scorer_of(sample_manifest(name))
    assert scorer.kind == kind
    assert scorer is scorer_named(kind)


@pytest.mark.parametrize("kind", BUNDLED)
def test_what_is_known_without_importing_a_scorer_is_what_the_scorer_says(kind: str) -> None:
    scorer = scorer_named(kind)
    assert (scorer.kind, scorer.columns) == (kind, BUNDLED[kind][0])
    assert set(scorer.side_by_side) <= set(scorer.protocols)


def test_the_scorer_of_the_most_columns_is_taken(installed: Callable[..., None]) -> None:
    installed(captions="CAPTIONS")
    assert scorer_of(manifest_of("sample_id", "start_s", "end_s", "caption")).kind == "captions"
    assert scorer_of(manifest_of("sample_id", "start_s", "end_s")).kind == "spans"


def test_a_manifest_without_a_scorer_is_refused() -> None:
    with pytest.raises(UsageError, match="a manifest: no scorer for a manifest of the columns sample_id, text"):
        scorer_of(manifest_of("sample_id", "text"))
    with pytest.raises(UsageError, match="holds conversations: predictions are of the manifest that"):
        scorer_of(manifest_of("sample_id", "source_id", "turns"))


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("NOTHING", "entry point 'captions' of benchwright.scorers"),
        ("NO_SCORER", "NO_SCORER.* expected a "),
        ("WITHOUT_KIND", "WITHOUT_KIND.*WithoutKind.kind is None"),
        ("FAILING", "FAILING.*RuntimeError: no weights"),
    ],
)
def test_an_entry_point_that_is_not_a_scorer_is_named_where_no_other_fits(
    installed: Callable[..., None], attribute: str, said: str
) -> None:
    installed(captions=attribute)
    with pytest.raises(UsageError, match=said):
        scorer_of(manifest_of("image", "caption"))
    assert scorer_of(manifest_of("start_s", "end_s", "caption")).kind == "spans"  # it bars no other
