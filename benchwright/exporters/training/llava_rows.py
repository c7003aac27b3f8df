"""Rows as LLaVA brought them up and others took them over: `id`, the media, `conversations` of human and gpt."""

from __future__ import annotations

from benchwright.exporters.training.conversation import Conversation, Turn
from benchwright.exporters.training.target import Record, traced, tracing

_NAMES = {"system": "system", "user": "human", "assistant": "gpt"}
_ROLES = {name: role for role, name in _NAMES.items()}


def said(conversation: Conversation, token: str) -> list[Record]:
    """Turns as `from` and `value`; the token for the media begins the first question."""
    first = conversation.dialogue[0]
    return [{"from": _NAMES[turn.role], "value": token * (turn is first) + turn.text} for turn in conversation.turns]


def turns(said: list[Record], token: str) -> tuple[Turn, ...]:
    """The inverse of `said`."""
    return tuple(Turn(_ROLES[each["from"]], each["value"].removeprefix(token)) for each in said)


def record(conversation: Conversation) -> Record:
    """The row of a conversation, with `<video>` or `<image>` for the media."""
    identity = {"id": conversation.id, conversation.kind: conversation.media}
    return identity | {"conversations": said(conversation, f"<{conversation.kind}>\n")} | tracing(conversation)


def read(row: Record) -> Conversation:
    """The conversation of a row; the path may stand in a list."""
    kind = "image" if "image" in row else "video"
    media = row[kind] if isinstance(row[kind], str) else row[kind][0]
    return traced(row, turns(row["conversations"], f"<{kind}>\n"), media, kind)
