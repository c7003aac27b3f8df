"""Scoring on some of the rows: those that every run answered, or those that another manifest has too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.arrays import booleans, one_array
from schemas.errors import shown
from schemas.manifest import Manifest, open_manifest
from scorers.declarations import OptionError
from scorers.scorer import Aligned, Scorer

COMMON = "common"


@dataclass(frozen=True, eq=False)
class Subset:
    """Rows of a split.

    Attributes:
        truth: of the whole split.
        rows: which are scored, shape (rows,).
        setting: for the signature: which these are, and how many of how many.
        warning: the same for people.
    """

    truth: Any
    rows: NDArray[np.bool_]
    setting: str
    warning: str

    def counted(self, run: Aligned[Any], predictions: Any, answered: NDArray[np.bool_]) -> Aligned[Any]:
        """A run on these rows."""
        kept, total = int(np.count_nonzero(self.rows)), len(self.rows)
        counts = {"rows": kept, "scored": int(np.count_nonzero(answered & self.rows)), "left_out": total - kept}
        settings = {**run.settings, "on": self.setting}
        return Aligned(predictions, counts, [*run.warnings, self.warning], settings)


def subset_of(
    scorer: Scorer[Any, Any, Any], truth: Any, answered: Sequence[NDArray[np.bool_]], chosen: object
) -> Subset:
    """The rows that an option asks for.

    Args:
        scorer: of the truth.
        truth: of a split.
        answered: which rows each run answered.
        chosen: `common` for the rows that every run answered; or a manifest, or the folder of one, for the rows that it
            has too, whatever its split and its truth of them.

    Raises:
        UsageError: there is no such row; this kind of manifest has no such subsets.
        InputError: the other manifest cannot be read.
    """
    if str(chosen) == COMMON:
        rows = np.logical_and.reduce(answered)
        name, which = COMMON, f"those that every run answered ({scorer.answer})"
    else:
        other = _opened(chosen)
        names = other.table(columns=["sample_id"])["sample_id"]
        rows = booleans(pc.is_in(scorer.names(truth), value_set=one_array(names.cast("string"))))
        name = f"{other.identity.name}@{other.identity.content_digest[:12]}"
        which = f"those that {other.path} has too"
    kept, total = int(np.count_nonzero(rows)), len(rows)
    if not kept:
        raise OptionError("on", f"={shown(str(chosen))}: none of the {total:,} rows is among {which}")
    warning = f"{kept:,} of {total:,} rows are scored: {which}"
    return Subset(truth, rows, f"{name}({kept}/{total})", warning)


def _opened(chosen: object) -> Manifest:
    if isinstance(chosen, Manifest):
        return chosen
    if isinstance(chosen, Path):
        return open_manifest(chosen)
    raise OptionError("on", f"={shown(chosen)}: expected {COMMON}, or a manifest")
