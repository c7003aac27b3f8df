"""What the front page of a published data set has to say that its rows do not: licence, people shown, limits."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

Redistribution = Literal["allowed", "forbidden", "not stated"]
"""Whether anybody may publish rows made of the annotations."""


class Publication(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a benchmark is described where data sets are found: in the front matter of its README, and in Croissant.

    Attributes:
        licence: of the annotations, by the Hub's identifier (`cc-by-4.0`); `other` or `unknown` where there is none.
        redistribution: what that licence says of publishing rows. Of what is not stated nobody has the right either.
        task_categories: by the Hub's names.
        languages: of the texts, as ISO 639-1 codes.
        tags: further words to find it by.
        url: home page of the annotations, or of the benchmark.
        year: in which the benchmark was published, 0 where that is not known.
        collection: how the annotations came about.
        personal: personal and sensitive information: who is to be seen, what is said of them.
        biases, limitations, uses: sentences on what is over- or underrepresented, what the numbers cannot say, and what
            they are for.
    """

    licence: str = "unknown"
    redistribution: Redistribution = "not stated"
    task_categories: list[str] = []
    languages: list[str] = []
    tags: list[str] = []
    url: str = ""
    year: int = 0
    collection: str = ""
    personal: str = ""
    biases: list[str] = []
    limitations: list[str] = []
    uses: list[str] = []

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9.+-]*", self.licence):
            raise ValueError(
                f"licence {self.licence!r}: expected an identifier such as cc-by-4.0, `other` or `unknown`"
            )
        if self.url and not self.url.startswith(("https://", "http://")):
            raise ValueError(f"url {self.url!r}: expected http:// or https://")
