"""Self-monitoring of a person detector by a detector of body parts: does the monitor find the detector's errors?

A detected person in whom no part is found is declared a false positive; a part outside every detected person declares a
missed person. Both verdicts are held against the truth, object by object and image by image, over a sweep of the
tolerance with which a part may stick out of a person.

* `setups`: who monitors whom: MultiDet, SingleDet, Baseline, each cut at its score thresholds.
* `matching`: the errors there are: D_TP, D_FP, D_FN.
* `agreement`: which parts lie in which persons, at which tolerances.
* `judgement`: the monitor's verdicts against the errors, counted in every image.
* `summary`: sums over images, balances, precision, recall, MCC.
* `evaluation`: all of it, with the best tolerances and what differs between the protocols.

Source: Schwaiger et al. 2023 (arXiv 2307.04533), and their code, FraunhoferIKS/smf-object-detection, called the
reference in this package.
"""

from scorers.monitoring.boxes import Boxes, Detections
from scorers.monitoring.evaluation import Difference, Evaluation, differences, evaluate
from scorers.monitoring.judgement import ImageCounts
from scorers.monitoring.matching import PROTOCOLS
from scorers.monitoring.setups import Setup, baseline, multi_detector, single_detector
from scorers.monitoring.summary import PerImage, PerObject

__all__ = [
    "PROTOCOLS",
    "Boxes",
    "Detections",
    "Difference",
    "Evaluation",
    "ImageCounts",
    "PerImage",
    "PerObject",
    "Setup",
    "baseline",
    "differences",
    "evaluate",
    "multi_detector",
    "single_detector",
]
