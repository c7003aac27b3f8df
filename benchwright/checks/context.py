"""What checks look at: the rows of a manifest, of another, and the predictions of systems, each read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from schemas.manifest import Manifest
from scorers.registry import scorer_of

if TYPE_CHECKING:
    from scorers.scorer import Aligned
    from scorers.task import Task


# What rows may share, the first that a manifest has.
PLURALS = {"video": "videos", "sequence": "sequences", "sample_id": "samples"}


@dataclass(frozen=True)
class Context:
    """A manifest to look at.

    Attributes:
        manifest: the one that is checked.
        against: another, such as the training set.
        runs: sources of predictions by the name of the system.
        read: the same beside the truth of the task.
        task: what predictions are scored on, where there are any.
    """

    manifest: Manifest
    against: Manifest | None = None
    runs: Mapping[str, object] = field(default_factory=dict)
    read: Mapping[str, Aligned[Any]] = field(default_factory=dict)
    task: Task | None = None

    @cached_property
    def kind(self) -> str:
        """Kind of the manifest: spans, boxes, activities."""
        return scorer_of(self.manifest).kind

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All rows; of spans with `text`, the folded query."""
        return rows_of(self.manifest)

    @cached_property
    def other(self) -> pd.DataFrame:
        """The same of the other manifest."""
        assert self.against is not None
        return rows_of(self.against)

    @cached_property
    def boxes(self) -> pd.DataFrame:
        """All boxes: of `objects`, or of `persons`."""
        return boxes_of(self.frame)

    @cached_property
    def predicted(self) -> dict[str, pd.DataFrame]:
        """Spans of each system, `sample_id`, `start_s`, `end_s`, `duration_s`; those without a start left out."""
        assert self.task is not None
        frame = self.frame[self.frame["split"] == self.task.split].reset_index(drop=True)
        found = {}
        for name, run in self.read.items():
            best = run.predictions.best
            spans = frame[["sample_id", "duration_s"]].assign(start_s=best.start, end_s=best.end)
            found[name] = spans.dropna(subset=["start_s"])
        return found

    @property
    def clusters(self) -> tuple[str, pd.Series[Any]]:
        """What rows that belong together share, by the card, and its name for each row; else their video or image."""
        card = self.manifest.card
        if card is None or not card.audit.clusters or card.audit.column not in self.frame:
            column = next(name for name in PLURALS if name in self.frame)
            return PLURALS[column], self.frame[column].astype(str)
        texts = self.frame[card.audit.column].astype(str)
        return card.audit.clusters, texts.map(card.audit.cluster)


def folded(text: object) -> str:
    """A query in small letters and single spaces, without signs."""
    return " ".join(re.findall(r"\w+", str(text).lower()))


def rows_of(manifest: Manifest) -> pd.DataFrame:
    """The rows of a manifest as a frame; of spans with the folded query."""
    frame = manifest.to_pandas()
    return frame.assign(text=frame["description"].map(folded)) if "description" in frame else frame


def boxes_of(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per box: `sample_id`, `split`, `image_width`, `image_height`, then its own fields, and its `label`."""
    level = "objects" if "objects" in frame else "persons"
    counts = frame[level].map(len).to_numpy()
    records = [record for each in frame[level] for record in each]
    boxes = pd.DataFrame.from_records(records) if records else pd.DataFrame(columns=["x", "y", "width", "height"])
    place = np.repeat(np.arange(len(frame)), counts)
    columns = {"sample_id": "sample_id", "split": "split", "image_width": "width", "image_height": "height"}
    for name, column in columns.items():
        boxes[name] = frame[column].to_numpy()[place]
    boxes["label"] = boxes.get("category", "person")
    return boxes
