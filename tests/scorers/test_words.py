"""Words that scores show are explained by their scorer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas.manifest import Manifest
from scorers.metric import direction
from scorers.monitoring.scorer import SCORER as MONITOR
from scorers.registry import scorer_of


@pytest.mark.parametrize("name", ["uag-oops", "charades-sta", "coco-person", "densepose-person", "jrdb-par"])
def test_protocols_baselines_and_missing_rows_are_explained(
    sample_manifest: Callable[..., Manifest], name: str
) -> None:
    manifest = sample_manifest(name)
    scorer, split = scorer_of(manifest), manifest.splits[-1]
    truth = scorer.truth(manifest, split, {})
    missing = [f"missing:{scorer.missing(protocol)}" for protocol in scorer.protocols]
    assert {*scorer.protocols, *scorer.baselines(truth), *missing} <= set(scorer.words)
    for protocol in scorer.protocols:
        assert None not in [direction(metric) for metric in scorer.metrics((), truth, protocol)]


def test_a_monitor_explains_its_protocols_and_metrics() -> None:
    metrics = MONITOR.metrics((), None, "paper")  # type: ignore[arg-type]
    shown = {metric.name for metric in metrics if not metric.name.startswith("image_")}
    parts = {name.partition("(")[0] if name.startswith(("MCC", "precision", "recall")) else name for name in shown}
    assert {*MONITOR.protocols, *parts} <= set(MONITOR.words)
    assert {str(metric) for metric in metrics if direction(metric) is False} >= {
        "ghost_parts[o=0.1]",
        "image_FP(FP)[o=0.1]",
    }
