"""Checks of splits, of clusters, and of what leaks from another manifest."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable

import pandas as pd

from benchwright.checks.context import PLURALS, Context
from benchwright.checks.finding import Evidence, check, where
from benchwright.checks.near import near_texts
from benchwright.checks.spans import labels_of


@check(
    "clusters",
    "sampling",
    "any",
    "{of:,} rows come from {groups:,} {what}",
    "{of:,} rows come from {groups:,} {what}, {largest:,} of them from `{name}` alone; {count:,} share theirs "
    "with another row: intervals must be drawn over {what}.",
)
def clusters(context: Context, *, share: float = 0.4) -> Evidence | None:
    """Rows that share the cluster of the card, else video or sequence; else the title, if the card names no clusters.

    A title that more than `share` of the rows have is how files are called, and so is a label.
    """
    what, names = context.clusters
    if not _says_clusters(context) and names.is_unique:
        titles = names.map(_titles(context.frame))
        common = titles.value_counts(normalize=True)
        what, names = "titles", titles.where(~titles.isin({"", *common.index[common > share]}), names)
    counts = names.value_counts()
    if counts.empty or counts.iloc[0] < 2:
        return None
    shared = names.isin(counts.index[counts > 1])
    numbers = {"count": int(shared.sum()), "of": len(names), "groups": len(counts), "what": what}
    numbers |= {"largest": int(counts.iloc[0]), "name": str(counts.index[0])}
    return Evidence(numbers, context.frame["sample_id"][shared].tolist())


def _leak(context: Context, column: str, known: Iterable[object], **more: object) -> Evidence | None:
    """Rows whose value of a column is among those known elsewhere."""
    rows = context.scored
    return where(rows, rows[column].isin(list(known)) & (rows[column] != ""), other=context.elsewhere, **more)


@check(
    "leak-video",
    "split",
    "any",
    "{count:,} {count:row is of a video or image|rows are of videos or images} of {other}",
    "{count:,} of {of:,} rows {count:is|are} of a video or an image that {other} has, too.",
    needs=["others"],
)
def leak_video(context: Context) -> Evidence | None:
    """Same name of the video, sequence or image, but for capitals and the suffix of a media file.

    Folders count where both sides name them.
    """
    column = next(name for name in PLURALS if name in context.frame)
    if column not in context.other:
        return None
    rows = context.scored
    names, others = (each[column].astype(str).map(_stem) for each in (rows, context.other))
    if not (names.str.contains("/").any() and others.str.contains("/").any()):
        names, others = (each.str.rpartition("/")[2] for each in (names, others))
    return where(rows, names.isin(set(others)), other=context.elsewhere)


def _stem(name: str) -> str:
    """The name of a video or image without the suffix of its file, in small letters."""
    return re.sub(r"\.(mp4|avi|mov|mkv|webm|jpe?g|png)$", "", name.casefold())


@check(
    "leak-title",
    "split",
    "any",
    "{count:,} {count:row is of one of the|rows are of} {what} of {other}",
    "{count:,} of {of:,} rows {count:comes|come} from one of the {what} that {other} draws from, too.",
    needs=["others"],
)
def leak_title(context: Context, *, share: float = 0.2) -> Evidence | None:
    """Same cluster of the card; where it names none, same name but for the number, of two words or more.

    Such a name that more than `share` of the rows have is how files are called, and not a title; so is a label.
    """
    card, column = context.manifest.card, next(name for name in PLURALS if name in context.frame)
    rows, other = context.scored, context.other
    card = card if _says_clusters(context) else None
    if card is not None and not card.audit.pattern:
        return None
    what = "titles"
    if card is not None:
        what, column = card.audit.clusters, card.audit.column
    if column not in other or column not in rows:
        return None
    title = card.audit.cluster if card is not None else _titles(rows, other)
    titles, others = (each[column].astype(str).map(title) for each in (rows, other))
    if card is None:
        common = [each.value_counts(normalize=True) for each in (titles, others)]
        others = others[~others.isin({name for each in common for name in each.index[each > share]} | {""})]
    return where(rows, titles.isin(set(others)), other=context.elsewhere, what=what)


def _says_clusters(context: Context) -> bool:
    """Whether a card says what its clusters are, as bundled ones do, be it that videos are."""
    card = context.manifest.card
    return card is not None and (bool(card.audit.clusters) or context.manifest.identity.card is None)


def _titles(*frames: pd.DataFrame) -> Callable[[str], str]:
    """The title in the name of a video: the name without its number, empty where it says no more than labels do."""
    labels = {word for each in frames for name in labels_of(each) for text in set(each[name]) for word in _words(text)}
    return lambda name: _title(name, labels)


def _title(name: str, labels: Container[str] = ()) -> str:
    """The name of a video without its number, empty where it has not two words beside those that any file may have.

    >>> _title("Fails of the Week 38.mp4"), _title("kitchen_video_0012"), _title("sad dog 3", {"sad"})
    ('fails of the week', '', '')
    """
    words = _words(re.sub(r"[\W_\d]*(\.\w+)?$", "", name))
    telling = [word for word in words if len(word) > 1 and word not in _OF_FILES and word not in labels]
    return " ".join(words) if len(telling) > 1 else ""


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


_OF_FILES = frozenset(
    {"cam", "camera", "clip", "data", "episode", "example", "file", "frame", "image", "img", "movie", "part"}
    | {"recording", "sample", "scene", "segment", "seq", "sequence", "session", "shot", "subject", "take", "test"}
    | {"train", "trial", "val", "vid", "video", "view"}
)


@check(
    "leak-text",
    "split",
    "spans",
    "{count:,} {count:query stands|queries stand} word for word in {other}",
    "{count:,} of {of:,} rows {count:has|have} a query that {other} has, too, but for capitals and signs.",
    needs=["others"],
)
def leak_text(context: Context) -> Evidence | None:
    """Same folded query."""
    return _leak(context, "text", context.other["text"])


@check(
    "leak-near-text",
    "split",
    "spans",
    "{count:,} {count:query is|queries are} near one of {other}",
    "{count:,} of {of:,} rows {count:has|have} a query that shares at least {least} of its content words with another "
    "of {other}.",
    needs=["others"],
)
def leak_near_text(context: Context, *, least: float = 0.6) -> Evidence | None:
    """Jaccard index of content words."""
    return _leak(context, "text", near_texts(context.scored["text"], context.other["text"], least), least=least)


@check(
    "absent-values",
    "split",
    "spans",
    "{count:,} {count:label is|labels are} not in every split",
    "Labels that a split lacks, of {of:,}: {names}.",
    needs=["others"],
)
def absent_values(context: Context) -> Evidence | None:
    """Texts of a column of a few, such as a category, that the scored rows have and the others not, or the reverse."""
    missing, of = [], 0
    rows, other = context.scored, context.other
    for column in (name for name in labels_of(context.frame) if name in other):
        ours, theirs = (set(each[column].dropna()) for each in (rows, other))
        of += len(ours | theirs)
        missing += [f"{column} {each} in {context.elsewhere}" for each in sorted(ours - theirs)]
        missing += [f"{column} {each} in {context.scored_name}" for each in sorted(theirs - ours)]
    numbers = {"count": len(missing), "of": of, "names": ", ".join(missing)}
    return Evidence(numbers, missing) if missing else None


@check(
    "sample-id-reuse",
    "sampling",
    "any",
    "{count:,} {count:row shares its|rows share their} name with another",
    "{count:,} of {of:,} rows {count:shares|share} `sample_id` with another: predictions by it are mixed up.",
)
def sample_id_reuse(context: Context) -> Evidence | None:
    """Same `sample_id` in any splits."""
    return where(context.frame, context.frame.duplicated("sample_id", keep=False))
