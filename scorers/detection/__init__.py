"""Object detection: average precision and recall of boxes by the definitions of COCO and Pascal VOC.

From files to a score, one idea to a file:

* `boxes`: truth and detections as arrays, read from Arrow columns.
* `ranking`: one sort puts all detections in the order in which they are judged.
* `pairs`: a table of the boxes of each image and category gives the pairs that overlap, in blocks.
* `matching`: deferred acceptance in rounds gives the match table of all thresholds and area ranges.
* `coco`, `voc`: the definitions; `outcomes`: what becomes of each detection at one setting.
* `curves`: precision and recall at the true positives; `grid`: all curves of COCO's summary.
* `expressions`, `metrics`: names of metrics, and their values; `definitions`: scores by a definition's name.
* `weighing`, `resampling`: average precision and all metrics as functions of image weights, for the bootstrap.
* `operating`: whole curves, and the score with the best F1.
* `reference`: the same by pycocotools.
"""

from __future__ import annotations

from scorers.detection.boxes import Detections, Truth, detections_from, truth_from
from scorers.detection.expressions import DEFAULT_METRICS, Metric, parse_metric
from scorers.detection.protocols import DEFINITIONS, Scores, score

__all__ = [
    "DEFAULT_METRICS",
    "DEFINITIONS",
    "Detections",
    "Metric",
    "Scores",
    "Truth",
    "detections_from",
    "parse_metric",
    "score",
    "truth_from",
]
