"""Checks of queries: which cannot be told apart, say nothing, or nearly repeat another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from benchwright.checks.context import Context, folded
from benchwright.checks.finding import Evidence, check, where
from benchwright.checks.near import content_words, near_bags
from benchwright.checks.spans import MOMENT, repeated


@check(
    "ambiguous-queries",
    "text",
    "spans",
    "{count:,} {count:row|rows} cannot be told apart by {count:its|their} query",
    "{count:,} of {of:,} rows, in {groups:,} {groups:group|groups}, have the same query as another moment of the same "
    "video, {largest:,} of them in `{name}`: no system can know which is meant.",
)
def ambiguous_queries(context: Context) -> Evidence | None:
    """Same split, video and folded query, another span."""
    moments = context.frame.drop_duplicates([*MOMENT, "text"])
    found = repeated(moments, ["split", "video", "text"])
    if found is None:
        return None
    counts = moments["video"].loc[moments.duplicated(["split", "video", "text"], keep=False)].value_counts()
    most = {"largest": int(counts.iloc[0]), "name": str(counts.index[0])}
    return Evidence({**found.numbers, "of": len(context.frame), **most}, found.rows)


@check(
    "few-queries",
    "text",
    "spans",
    "Different queries for {of:,} rows: {distinct:,}",
    "{count:,} of {of:,} rows {count:shares its|share their} query with another; there {distinct:is|are} {distinct:,} "
    "in all, so that the text says little of what is sought.",
)
def few_queries(context: Context, *, rows_per_query: float = 5) -> Evidence | None:
    """On average many rows per query."""
    found = repeated(context.frame, ["text"])
    return found if found and found.numbers["of"] >= rows_per_query * found.numbers["distinct"] else None


@check(
    "empty-queries",
    "text",
    "spans",
    "{count:,} {count:query has|queries have} no words",
    "{count:,} of {of:,} queries {count:has|have} no letter or digit: {count:it asks|they ask} for nothing.",
)
def empty_queries(context: Context) -> Evidence | None:
    """Nothing is left of the folded query."""
    return where(context.frame, context.frame["text"].eq(""))


@check(
    "dont-know",
    "text",
    "spans",
    "{count:,} {count:query holds|queries hold} a placeholder",
    "{count:,} of {of:,} queries {count:says|say} `{words}`, {only:,} of {count:,} nothing else: such a query asks "
    "for nothing.{second}",
)
def dont_know(context: Context, *, words: str = "don't know") -> Evidence | None:
    """The words in the folded query, also where they are written together."""
    text, word = context.frame["text"].str.replace(" ", ""), folded(words).replace(" ", "")
    said = text.str.contains(word, regex=False)
    only = int((text.str.replace(word, "", regex=False).eq("") & text.ne("")).sum())
    found = where(context.frame, said, words=words, only=only, second="")
    second = _second(context, context.frame["sample_id"][said])
    if found is None or second is None or "description.use" not in context.manifest.identity.parameters:
        return found
    known = int((~second.map(lambda each: word in folded(each).replace(" ", "")) & second.ne("")).sum())
    told = f" A second annotator described {known:,} of them."
    numbers = {**found.numbers, "second": told, "described": known}
    return Evidence(numbers, found.rows, parameter="description.use", alternative="first_known")


def _second(context: Context, samples: pd.Series[str]) -> pd.Series[str] | None:
    """What the second annotator wrote of some rows, where the candidates have that."""
    if context.variants is None or not {"goal_2", "wentwrong_2"} <= set(context.candidates):
        return None
    candidates = context.candidates.drop_duplicates("sample_id").set_index("sample_id").reindex(samples)
    return candidates["goal_2"].fillna("") + " " + candidates["wentwrong_2"].fillna("")


@check(
    "text",
    "text",
    "spans",
    "Two descriptions of one clip share no word in {count:,} {count:row|rows}",
    "The two annotators' descriptions share no word in {count:,} of {of:,} rows; the median share of common words is "
    "{overlap:.2f}. In {same:,} {same:row|rows} what was meant to happen and what went wrong are the same text.",
    needs=["source"],
)
def text(context: Context) -> Evidence | None:
    """Words of the first description and of the second; goal and failure of the first."""
    second = _second(context, context.frame["sample_id"])
    if second is None:
        return None
    candidates = context.candidates.drop_duplicates("sample_id").set_index("sample_id").loc[context.frame["sample_id"]]
    goal, failure = candidates["goal_1"].fillna(""), candidates["wentwrong_1"].fillna("")
    pairs = [
        (set(folded(f"{one} {two}").split()), set(folded(other).split()))
        for one, two, other in zip(goal, failure, second, strict=True)
    ]
    overlaps = np.array([len(one & other) / max(len(one | other), 1) for one, other in pairs])
    same = int((goal.map(folded) == failure.map(folded)).sum())
    return where(context.frame, overlaps == 0, overlap=float(np.median(overlaps)), same=same)


@check(
    "near-duplicate-texts",
    "text",
    "spans",
    "{count:,} {count:query nearly repeats|queries nearly repeat} another of the same video",
    "{count:,} of {of:,} rows {count:has|have} a query that shares at least {least} of its content words with another "
    "query of the same video.",
)
def near_duplicate_texts(context: Context, *, least: float = 0.8, fewest: int = 3) -> Evidence | None:
    """Jaccard index of content words, within a split and a video."""
    rows = context.frame.drop_duplicates(["split", "video", "text"])
    places = rows.groupby(["split", "video"], sort=False).ngroup()
    words = (content_words(text, fewest) for text in rows["text"])
    bags = [frozenset(f"{place} {word}" for word in bag) for place, bag in zip(places, words, strict=True)]
    every = np.ones(len(rows), dtype=bool)
    found = where(rows, near_bags(bags, every, every, least) >= 0, least=least)
    return found and replace(found, numbers={**found.numbers, "of": len(context.frame)})
