"""Precision, recall and F1 of predicted label sets, instance by instance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorers.activity.sets import Integers, Sets, sizes

Floats = NDArray[np.float64]


class SampleScores(NamedTuple):
    """One number an instance, shape (instances,)."""

    precision: Floats
    recall: Floats
    f1: Floats


def sample_scores(truth: Sets, predicted: Sets, both_empty: float = 0.0) -> SampleScores:
    """Of each true set T and predicted set Y: P |T and Y| / |Y|, R |T and Y| / |T|, F1 2 |T and Y| / (|T| + |Y|).

    A quotient of nothing is 0, and all three are `both_empty` where both sets are empty: 0 as in the reference, 1 for a
    reader to whom "no label" is the right answer there.
    Source: scikit-learn, precision_recall_fscore_support with average='samples', which takes means of these.

    >>> [values.tolist() for values in sample_scores(np.array([15, 0], np.uint32), np.array([1, 0], np.uint32))]
    [[1.0, 0.0], [0.25, 0.0], [0.4, 0.0]]
    """
    common, true, given = sizes(truth & predicted), sizes(truth), sizes(predicted)
    empty = (true + given) == 0
    scores = (_quotients(common, given), _quotients(common, true), _quotients(2 * common, true + given))
    if both_empty:
        for values in scores:
            values[empty] = both_empty
    return SampleScores(*scores)


def _quotients(above: Integers, below: Integers) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
