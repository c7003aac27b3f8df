"""One line that makes a score quotable: a number, and all that it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version

import msgspec

from schemas.identity import Identity
from scorers.score import Score, Value, quoted

_SHOWN_DIGEST = 12


class Bootstrap(msgspec.Struct, frozen=True):
    """What intervals are over, and how they are resampled where they are; without resamples there are none."""

    clusters: str
    resamples: int
    seed: int


def signature(
    metric: str,
    value: Value,
    counts: Mapping[str, int],
    identity: Identity,
    split: str,
    settings: Mapping[str, str],
    missing: str,
    bootstrap: Bootstrap,
) -> str:
    """One line that makes a score quotable: one metric, then everything that could change it, version last.

    Shape after sacrebleu: `name = value unit [low, high] n=scored/rows | key:value | ...`.
    """
    resampled = f"cluster({bootstrap.clusters}) bs:{bootstrap.resamples} rs:{bootstrap.seed}"
    drawn = resampled if value.method in ("", "percentile") else f"{value.method}({bootstrap.clusters})"
    parts = [
        f"{metric} = {quoted(value)} n={counts['scored']}/{counts['rows']}",
        *data_parts(identity, split),
        *(f"{option}:{setting}" for option, setting in settings.items()),
        f"missing:{missing}({counts['rows'] - counts['scored']})",
        f"ci:{drawn if bootstrap.resamples else 'none'}",
        f"v:{tool_version()}",
    ]
    return " | ".join(parts)


def data_parts(identity: Identity, split: str) -> list[str]:
    """The parts of a signature that say which rows are scored."""
    return [
        f"data:{identity.name}/{split} sha:{identity.content_digest[:_SHOWN_DIGEST]}",
        "rules:" + (",".join(f"{p}={identity.parameters[p]}" for p in identity.changed_parameters) or "default"),
    ]


def shared_signature(metric: str, scores: Sequence[Score]) -> str:
    """One line for several runs on the same rows: what ranks them, then all that their numbers depend on.

    What differs from run to run is said to, and is in the signature of each.
    """
    rows = scores[0].counts["rows"]
    lines = [dict(part.partition(":")[::2] for part in score.signature.split(" | ")[1:]) for score in scores]
    parts = []
    for name in dict.fromkeys(name for line in lines for name in line):
        first, *others = dict.fromkeys(line.get(name, "") for line in lines)
        alike = {setting.rpartition("(")[0] for setting in (first, *others)}
        known = f"{alike.pop()}(by run)" if len(alike) == 1 else "by run"
        parts.append(f"{name}:{known if others else first}")
    return " | ".join([f"{len(scores)} runs by {metric} n={rows}", *parts])


@cache
def tool_version() -> str:
    """The version of the tool that scores, which need not be the one that built the manifest."""
    return version("benchwright")
