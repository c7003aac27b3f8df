"""Texts in which no trainer finds a token for media.

Some trainers take `<video>`, `<image>` or `<audio>` for media wherever it stands, and stop, or put another row in the
place of this one (hiyouga/LlamaFactory issue 5658).
"""

from __future__ import annotations

import re

from benchwright.exporters.training.conversation import Conversation, Turn

# With the tokens for times of E.T. Chat (<vid>) and VTimeLLM (<s0>, <e0>, <t0>).
_TOKEN = r"(?:video|image|audio|vid|[set]\d+)>"
_PLAIN = re.compile(rf"<(?={_TOKEN})|&(?=(?:amp;)*lt;{_TOKEN})")
_ESCAPED = re.compile(rf"&lt;(?={_TOKEN})|&amp;(?=(?:amp;)*lt;{_TOKEN})")


def escaped(conversation: Conversation) -> Conversation:
    """The conversation with `&lt;video>` for `<video>` and the like; numbers are where they were."""
    if not any(_PLAIN.search(turn.text) for turn in conversation.turns):
        return conversation
    return conversation._replace(turns=tuple(_escaped(turn) for turn in conversation.turns))


def _escaped(turn: Turn) -> Turn:
    places = [found.start() for found in _PLAIN.finditer(turn.text)]
    text = _PLAIN.sub(lambda found: "&lt;" if found[0] == "<" else "&amp;", turn.text)
    grown = {place: len("&lt;") - 1 if turn.text[place] == "<" else len("&amp;") - 1 for place in places}
    numbers = [
        number._replace(
            begin=number.begin + sum(grown[place] for place in places if place < number.begin),
            end=number.end + sum(grown[place] for place in places if place < number.end),
        )
        for number in turn.numbers
    ]
    return Turn(turn.role, text, tuple(numbers))


def unescaped(text: str) -> str:
    """The text before `escaped`.

    >>> unescaped("What is &lt;video> here? x &lt; y")
    'What is <video> here? x &lt; y'
    """
    return _ESCAPED.sub(lambda found: "<" if found[0] == "&lt;" else "&", text)
