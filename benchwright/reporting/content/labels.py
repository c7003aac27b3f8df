"""Labels split by split, in words and as a figure."""

from __future__ import annotations

from benchwright.reporting.blocks import Figure
from benchwright.reporting.charts.by_split import by_split
from benchwright.reporting.frames.labels import Counts

RARE = 10
"""Labels that a split has fewer of are named."""
MOST = 40
"""Labels that are drawn, and that are named in one sentence."""


def label_figure(found: Counts, classes: str, things: str, named: int) -> Figure:
    """A row per label; the title says which the last split lacks, or which is its most frequent."""
    split, total = found.splits[-1], len(found.labels)
    absent = found.absent(split)
    if not total:
        title = f"No {classes} are labelled"
    elif absent:
        title = f"{len(absent)} of {total} {classes} never {'occurs' if len(absent) == 1 else 'occur'} in {split}"
    else:
        place = int(found.numbers[:, -1].argmax())
        title = f"{100 * found.shares[place, -1]:.0f} % of the {things} in {split} are {found.labels[place]}"
    before = f"hollow {' and '.join(found.splits[:-1])}, filled {split}; " if len(found.splits) > 1 else ""
    caption = [f"Share of all {things}; {before}the numbers count those in {split}."]
    caption += [f"None in {each}: {_listed(found.absent(each))}." for each in found.splits if found.absent(each)]
    if rare := found.rare(split, RARE):
        caption.append(f"Fewer than {RARE} in {split}: {_listed([f'{name} ({n})' for name, n in rare.items()])}.")
    if named > total:
        caption.append(f"{named - total} of the card's {named} {classes} occur nowhere.")
    if total > MOST:
        caption.append(f"Drawn are the {MOST} most frequent of {total:,}.")
    return Figure(title, by_split(found, things, MOST, f"{title}: {told(found)}"), " ".join(caption))


def _listed(names: list[str]) -> str:
    return ", ".join(names[:MOST]) + (f" and {len(names) - MOST:,} more" if len(names) > MOST else "")


def told(found: Counts) -> str:
    """The numbers of a chart in words, for those who do not see it."""
    return "; ".join(
        f"{split}: " + _listed([f"{label} {number:,}" for label, number in found.of(split).items()])
        for split in found.splits
    )
