"""OOPS-UAG-Instruct: conversations about labelled OOPS! training clips, for instruction tuning."""

from __future__ import annotations

from string import Formatter
from typing import Annotated, Literal

import pandas as pd
import pyarrow as pa

from builders.engine.recipe import Candidates, Recipe
from builders.engine.rules import Outcome, rule
from builders.engine.sources import Sources
from builders.oops import rules as oops
from schemas.columns import column
from schemas.errors import UsageError, shown
from schemas.temporal import temporal_schema

QUESTION = (
    "Find the start time and end time of the query below from the video.\n          Query: {description}"  # ten blanks
)
ANSWER = "start_time: {start}, end_time: {end}"


def read(sources: Sources) -> Candidates:
    """The clips of `train_filtered.txt`, in its order."""
    return oops.read_clips(sources, "train")


@rule(
    "single_scene",
    cites="paper, section 4.2 claims it; Hasnat79/uag : scripts/oops_training_data_builder.py does not do it",
    reasons=oops.SCENE_REASONS,
)
def single_scene(
    clips: pd.DataFrame,
    sources: Sources,
    *,
    by: Annotated[Literal["skip", "inventory"], "no scene filter, or `n_scenes` of an inventory"] = "skip",
) -> Outcome:
    """Keep clips of a single scene, if asked to."""
    return Outcome() if by == "skip" else oops.counted_scenes(clips, sources)


@rule(
    "conversation",
    cites="Hasnat79/uag : scripts/oops_training_data_builder.py",
    gives='answer = "{answer}", from start_s = {start_s:.10g} and end_s = {end_s:.10g}',
)
def conversation(
    clips: pd.DataFrame,
    *,
    question: Annotated[str, "template of the question, with {description}"] = QUESTION,
    answer: Annotated[str, "template of the answer, with {start} and {end} in seconds"] = ANSWER,
) -> Outcome:
    """Write the question and the answer of each clip."""
    _check_template("question", question, {"description"})
    _check_template("answer", answer, {"start", "end"})
    spans = zip(clips["start_s"].tolist(), clips["end_s"].tolist(), strict=True)
    return Outcome(
        columns={
            "question": [question.format(description=text) for text in clips["description"]],
            "answer": [answer.format(start=start, end=end) for start, end in spans],
        }
    )


def _check_template(name: str, template: str, known: set[str]) -> None:
    """Only the plain placeholders: a template from the command line must not reach into objects."""
    try:
        pieces = [(place, form, conversion) for _, place, form, conversion in Formatter().parse(template)]
    except ValueError as failure:
        raise UsageError(f"conversation.{name}={shown(template)}: {failure}") from None
    if any(place is not None and (place not in known or form or conversion) for place, form, conversion in pieces):
        places = " and ".join(f"{{{place}}}" for place in sorted(known))
        raise UsageError(f"conversation.{name}={shown(template)}: expected no placeholders but {places}")


RECIPE = Recipe(
    card="oops-uag-instruct",
    version=1,
    version_reason="first version",
    level="clip",
    read=read,
    rules=(
        oops.names,
        oops.labelled,
        oops.agreement,
        oops.described,
        oops.description.with_defaults(use="first_known"),
        single_scene,
        oops.onset,
        oops.end,
        oops.valid_span,
        conversation,
    ),
    schema=temporal_schema(
        "oops-uag-instruct",
        1,
        [
            column("question", pa.string(), "what the user of the model asks"),
            column("answer", pa.string(), "what the model should answer"),
            *oops.ANNOTATED_ONSETS,
        ],
    ),
)
