"""What became of the detections at one setting: the true and false positives in order of their scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorers.detection.boxes import Detections, Flags, Floats, Integers, Truth
from scorers.detection.ranking import Ranking


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The detections that count, in the order of the ranking, and the boxes that count.

    Attributes:
        rank: shape (counted,), place in the order of all detections.
        detection: shape (counted,), position in `Detections`.
        image, score: shape (counted,).
        true: shape (counted,), whether it found a box; else it is a false positive.
        starts: shape (categories + 1,), where each category begins, and the number of those counted.
        box_image, box_category: shape (counted boxes,).
    """

    rank: Integers
    detection: Integers
    image: Integers
    score: Floats
    true: Flags
    starts: Integers
    box_image: Integers
    box_category: Integers

    @classmethod
    def of(
        cls, ranking: Ranking, detections: Detections, truth: Truth, counted: Flags, true: Flags, boxes: Flags
    ) -> Outcomes:
        """Leave out what does not count: `counted` and `true` have shape (ranks,), `boxes` (boxes,)."""
        rank = np.flatnonzero(counted)
        detection = ranking.detection[rank]
        starts = np.append(0, np.cumsum(counted))[ranking.starts]
        return cls(
            rank,
            detection,
            detections.image[detection],
            ranking.score[rank],
            true[rank],
            starts,
            truth.image[boxes],
            truth.category[boxes],
        )

    @property
    def categories(self) -> int:
        """How many categories there are."""
        return len(self.starts) - 1
