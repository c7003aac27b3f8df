"""COCO's average precision and recall: which settings there are, and one matching for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from schemas.errors import UsageError
from scorers.detection.boxes import Detections, Flags, Integers, Truth
from scorers.detection.matching import MatchTable, match_table
from scorers.detection.overlaps import groups_of, overlapping_pairs
from scorers.detection.ranking import Outcomes, Ranking, places, ranked

THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
MAX_DETECTIONS = (1, 10, 100)
AREAS: Mapping[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
"""Square pixels, both bounds included; of a box its annotated area, of a detection width * height."""

_HIGHEST = 1 - 1e-10


@dataclass(frozen=True, slots=True)
class Settings:
    """What to evaluate; by default the whole grid of COCO.

    Attributes:
        thresholds: IoU from which on a pair matches, above 0 to 1, ascending.
        areas: names and bounds of area ranges. Boxes outside a range are ignored, and so are detections outside it that
            match nothing.
        max_detections: how many detections of an image and category count, best scores first; ascending.

    Raises:
        UsageError: nothing to evaluate, values out of range or order.
    """

    thresholds: tuple[float, ...] = THRESHOLDS
    areas: Mapping[str, tuple[float, float]] = field(default_factory=lambda: AREAS)
    max_detections: tuple[int, ...] = MAX_DETECTIONS

    def __post_init__(self) -> None:
        if not self.thresholds or not 0 < min(self.thresholds) <= max(self.thresholds) <= 1:
            raise UsageError(f"IoU thresholds {self.thresholds}, expected values above 0 and up to 1")
        if not self.max_detections or min(self.max_detections) < 1:
            raise UsageError(f"at most {self.max_detections} detections, expected 1 or more")
        for values in (self.thresholds, self.max_detections):
            if list(values) != sorted(set(values)):
                raise UsageError(f"{values} are not ascending")
        if not self.areas:
            raise UsageError("no area range is given")


AP50_ONLY = Settings((0.5,), {"all": AREAS["all"]}, (100,))
"""The settings of AP50 and mAP50, several times faster than the whole grid."""


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """One run, matched at all settings; all that depends on scores is in the order of `ranking`.

    Attributes:
        settings, truth, detections: what was evaluated.
        ranking: the order of the detections.
        place: shape (ranks,), how many better detections of its image and category each has; None where all count.
        ignored: shape (areas, boxes), the boxes that are not counted.
        inside: shape (areas, ranks), the detections whose size is in the range.
        table: who took what. Detections beyond a cap are in it: no better one loses a box to them.
    """

    settings: Settings
    truth: Truth
    detections: Detections
    ranking: Ranking
    place: Integers | None
    ignored: Flags
    inside: Flags
    table: MatchTable

    def counted_boxes(self, area: int) -> Integers:
        """How many boxes of each category count in an area range, shape (categories,)."""
        return np.bincount(self.truth.category[~self.ignored[area]], minlength=len(self.truth.categories))


def match(truth: Truth, detections: Detections, settings: Settings | None = None) -> Matches:
    """Match detections to boxes at all settings (the whole grid of COCO when None).

    Source: cocodataset/cocoapi : PythonAPI/pycocotools/cocoeval.py, with which every precision, recall and score agrees
    to the last bit. Differences are by intention: an annotation id of 0 is as good as any other, and boxes that share
    an id are all counted.
    """
    _keep_freed_memory()
    settings = settings or Settings()
    ranking = ranked(detections, len(truth.categories))
    group = groups_of(detections, truth.images)
    place = None
    if np.bincount(group).max(initial=0) > settings.max_detections[0]:
        place = places(group[ranking.detection], truth.images * len(truth.categories))
    thresholds = np.minimum(settings.thresholds, _HIGHEST)
    pairs = overlapping_pairs(truth, detections, group, thresholds[0])
    low, high = np.array(list(settings.areas.values())).T[:, :, np.newaxis]
    ignored = truth.crowd | truth.ignored | (truth.area < low) | (truth.area > high)
    size = (detections.width * detections.height)[ranking.detection]
    inside = (size >= low) & (size <= high)
    table = match_table(pairs, ranking, truth.crowd, ignored, thresholds)
    return Matches(settings, truth, detections, ranking, place, ignored, inside, table)


def outcomes(matches: Matches, threshold: int, area: int = 0, cap: int = -1) -> Outcomes:
    """What became of each detection at one setting, given by its positions in the settings."""
    table, ranking = matches.table, matches.ranking
    pairs = np.flatnonzero(table.matched[area, threshold])
    counts = ~matches.ignored[area][table.box[pairs]]
    counted, true = matches.inside[area].copy(), np.zeros(len(ranking.score), dtype=np.bool_)
    counted[table.rank[pairs]] = true[table.rank[pairs]] = counts
    if matches.place is not None:
        counted &= matches.place < matches.settings.max_detections[cap]
    return Outcomes.of(ranking, matches.detections, matches.truth, counted, true, ~matches.ignored[area])


def _keep_freed_memory() -> None:
    """Let the allocator keep what is freed, which else goes back to the system and comes again page by page.

    glibc keeps blocks up to the size of the largest that was ever freed, if that is below 32 MB. It saves a quarter of
    the time of the whole grid.
    """
    np.empty((1 << 25) - (1 << 14), dtype=np.uint8)
