"""The options of `export`, declared once; each is for the formats whose writer takes it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

from scorers.declarations import Option

OneSplit = Annotated[
    str | None, Option("Split to write.", default="official, moment-detr, lmms-eval: the only one, or test; else all")
]
Base = Annotated[int | None, Option("coco: id of the first category.", default="1", minimum=0)]
Version = Annotated[str | None, Option("croissant: 1.0, as the folder has it, or 1.1.", default="1.1")]
Media = Annotated[
    Path | str | None,
    Option(
        "For trainers, lmms-eval, huggingface: the folder of the videos or images; each is looked for and opened.",
        metavar="DIR",
    ),
]
Missing = Annotated[
    str | None,
    Option(
        "For the same: what becomes of rows whose media are missing or broken: refuse, drop or keep.",
        default="refuse",
        metavar="HOW",
    ),
]


class ExportOptions(TypedDict, total=False):
    """What formats can be told; what is not given has its default."""

    split: OneSplit
    category_base: Base
    croissant_version: Version
    media: Media
    missing: Missing
