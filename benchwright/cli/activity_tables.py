"""The score of predicted activities as the paper lays it out."""

from __future__ import annotations

from itertools import pairwise

from benchwright.cli import console as display
from benchwright.cli.score_tables import show_remarks
from benchwright.cli.score_tables import show_score as show_list
from scorers.activity import METRICS, PROTOCOLS, ActivityScore

_LAYOUT = {
    "individual": ("P_i", "R_i", "F_i"),
    "social": ("P_p", "R_p", "F_p"),
    "global": ("P_g", "R_g", "F_g"),
    "overall": ("", "", "F_a"),
    "groups": ("group_P", "group_R", "group_F"),
    "IOU@AUC": ("", "", "IOU@AUC"),
    "Mat.IoU": ("", "", "Mat.IoU"),
}


def show_score(title: str, result: ActivityScore) -> None:
    """P, R and F of each task, F with its interval and beside those of the baselines; where the protocols differ."""
    if set(result.metrics) != set(METRICS):
        show_list(title, result)
    else:
        rows = [
            [task, *(_percent(result, metric) for metric in metrics), _ends(result, metrics[-1])]
            + [display.number(values[metrics[-1]]) for values in result.baselines.values()]
            for task, metrics in _LAYOUT.items()
        ]
        headings = ["percent", "P", "R", "F", "95% of F", *(f"F of {kind}" for kind in result.baselines)]
        display.table(f"{title}, protocol {result.protocol}", headings, rows, right=range(1, len(headings)))
        show_remarks(result)
    if result.protocols:
        reasons = list(result.reasons.items())
        told = dict(reasons[:1]) | {metric: why for (_, last), (metric, why) in pairwise(reasons) if why != last}
        cells = [
            [metric, *(display.number(values[name]) for name in PROTOCOLS), told.get(metric, "the same")]
            for metric, values in result.protocols.items()
        ]
        display.table("Where the protocols differ", ["metric", *PROTOCOLS, "why"], cells, right=[1, 2, 3])


def _percent(result: ActivityScore, metric: str) -> str:
    return display.number(result.metrics[metric].value) if metric else ""


def _ends(result: ActivityScore, metric: str) -> str:
    low, high = result.metrics[metric].low, result.metrics[metric].high
    return "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
