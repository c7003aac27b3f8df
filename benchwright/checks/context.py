"""What checks look at: the rows of a manifest, of another, and the predictions of systems, each read once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from benchwright.verification import is_published
from schemas.cards import Published
from schemas.input.columns import flat, is_list
from schemas.manifest import Manifest
from schemas.paper import published_of
from scorers.options import Options
from scorers.registry import scorer_of
from scorers.task import Task, task_of

if TYPE_CHECKING:
    from builders.engine.variants import Variants
    from scorers.scorer import Aligned


# What rows may share, the first that a manifest has.
PLURALS = {"video": "videos", "image": "images", "sequence": "sequences", "sample_id": "samples"}
RECORDS = ("objects", "persons", "groups")
IMAGE = {"sample_id": "sample_id", "split": "split", "image_width": "width", "image_height": "height"}


@dataclass(frozen=True)
class Context:
    """A manifest to look at.

    Attributes:
        manifest: the one that is checked.
        against: another, such as the training set.
        runs: sources of predictions by the name of the system.
        read: the same beside the truth of the task.
        task: what predictions are scored on, where there are any.
        variants: builds of the same benchmark from its raw files, where these are at hand.
    """

    manifest: Manifest
    against: Manifest | None = None
    runs: Mapping[str, object] = field(default_factory=dict)
    read: Mapping[str, Aligned[Any]] = field(default_factory=dict)
    task: Task | None = None
    variants: Variants | None = None

    @cached_property
    def kind(self) -> str:
        """Kind of the manifest: spans, boxes, activities."""
        return scorer_of(self.manifest).kind

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All rows, without the records in them; of spans with `text`, the folded query."""
        return rows_of(self.manifest)

    @cached_property
    def other(self) -> pd.DataFrame:
        """The rows to compare with: of the other manifest, else of the splits that are not scored."""
        return self.beside.frame if self.beside is not None else self.frame[self.frame["split"] != self.split]

    @cached_property
    def beside(self) -> Context | None:
        """The other manifest to look at."""
        return None if self.against is None else Context(self.against)

    @cached_property
    def scored(self) -> pd.DataFrame:
        """The rows that are compared with those: all, else those of the split that is scored."""
        return self.frame if self.against is not None else self.frame[self.frame["split"] == self.split]

    @property
    def elsewhere(self) -> str:
        """What the rows to compare with are called."""
        if self.against is not None:
            identity = self.against.identity
            return identity.name if identity.name != self.manifest.identity.name else ", ".join(identity.splits)
        return ", ".join(name for name in self.manifest.splits if name != self.split)

    @property
    def scored_name(self) -> str:
        """What the rows that are compared are called."""
        return self.split if self.against is None else self.manifest.identity.name

    @cached_property
    def ledger(self) -> pa.Table:
        """What became of each candidate and why, in the columns of `schemas.ledger`."""
        return self.manifest.ledger()

    @cached_property
    def candidates(self) -> pd.DataFrame:
        """The rows before any rule."""
        assert self.variants is not None
        return self.variants.rows(settings=self.manifest.identity.parameters)

    def built(self, settings: Mapping[str, object]) -> Manifest:
        """The manifest with other settings, from its raw files."""
        assert self.variants is not None
        return self.variants.build({**self.manifest.identity.parameters, **settings})

    @cached_property
    def boxes(self) -> pd.DataFrame:
        """All boxes: of `objects`, or of `persons`."""
        return boxes_of(self.table)

    @cached_property
    def table(self) -> pa.Table:
        """All rows, with their lists of records."""
        return self.manifest.table()

    @cached_property
    def predicted(self) -> dict[str, pd.DataFrame]:
        """Spans of each system, `sample_id`, `start_s`, `end_s`, `duration_s`; those without a start left out."""
        assert self.task is not None
        frame = self.frame[self.frame["split"] == self.task.split].reset_index(drop=True)
        found = {}
        for name, run in self.read.items() if not self.task.empty else ():
            best = run.predictions.best
            spans = frame[["sample_id", "duration_s"]].assign(start_s=best.start, end_s=best.end)
            found[name] = spans.dropna(subset=["start_s"])
        return found

    def splits_of(self, rows: Sequence[str]) -> dict[str, int] | None:
        """How many of some rows each split has; None where there is one split, or these are names of something else."""
        filled = [name for name in self.manifest.splits if self.manifest.identity.splits[name].rows]
        if len(filled) < 2 or not self._splits.index.is_unique:
            return None
        found = self._splits.reindex(list(rows))
        return None if found.isna().any() else {name: int((found == name).sum()) for name in filled}

    @cached_property
    def _splits(self) -> pd.Series[Any]:
        return self.frame.set_index("sample_id")["split"]

    @cached_property
    def is_published(self) -> bool:
        """Whether the card speaks of these rows, and not of others by this name."""
        return is_published(self.manifest)

    @cached_property
    def published(self) -> list[Published]:
        """What is printed of systems on these rows."""
        card = self.manifest.card
        known = published_of(card) if card and self.is_published else []
        return [each for each in known if each.kind == "system"]

    @property
    def split(self) -> str:
        """The split that is scored."""
        splits = self.manifest.splits
        return self.task.split if self.task else "test" if "test" in splits else splits[-1]

    def task_of(self, metrics: Sequence[str], **options: object) -> Task:
        """What scores of other metrics, the usual ones where none is named, or with other options are computed on."""
        return task_of(self.manifest, {"metrics": list(metrics), "split": self.split, **options}, Options)

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
    """The rows of a manifest as a frame, without the records in them; of spans with the folded query."""
    table = manifest.table()
    frame: pd.DataFrame = table.select([name for name in table.column_names if name not in RECORDS]).to_pandas()
    return frame.assign(text=frame["description"].map(folded)) if "description" in frame else frame


def boxes_of(table: pa.Table) -> pd.DataFrame:
    """One row per box: its own fields but those that are lists, its `label`, and of its image `row` (the position),
    `sample_id`, `split`, `image_width` and `image_height`."""
    records, row = flat(table["objects" if "objects" in table.column_names else "persons"])
    fields = {field.name: records.field(field.name) for field in records.type if not is_list(field.type)}
    boxes: pd.DataFrame = pa.table(fields).to_pandas()
    for name, column in IMAGE.items():
        boxes[name] = table[column].to_pandas().to_numpy()[row]
    return boxes.assign(row=row, label=boxes.get("category", "person"))
