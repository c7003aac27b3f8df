"""The paper's prompts as requests in the format of OpenAI batches, one per row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from schemas.errors import InputError, Problem, UsageError, shown, unknown_name
from schemas.exchange import new_file
from schemas.input.documents import read_document
from schemas.manifest import Manifest
from schemas.paper import Prompt, printed_prompts

APPROACHES = ("vid-llm", "vlm-llm", "frame-caption")
# Words and punctuation marks, each taken for a token: a model's own tokeniser gives a little more or less.
_TOKEN = re.compile(r"\w+|[^\w\s]")


def write_prompts(
    manifest: Manifest,
    approach: str,
    out: Path,
    text_representations: Path | None = None,
    model: str = "MODEL",
    media_root: str | None = None,
    max_tokens: int | None = None,
    split: str | None = None,
) -> tuple[int, int]:
    """Write the requests; how many there are, and how many text representations were cut.

    Args:
        manifest: a temporal manifest.
        approach: `vid-llm` and `vlm-llm` (Table 7), or `frame-caption` (section 5.3).
        out: JSON Lines file: `custom_id` (the sample id), `method`, `url`, `body` (model and messages).
        text_representations: captions of each second by sample id or video; `vlm-llm` needs them.
        model: name to put into the requests.
        media_root: address below which `<video>.mp4` are, to attach them to the requests.
        max_tokens: cut text representations after the last line that fits in about so many tokens.
        split: split to write.

    Raises:
        UsageError: unknown approach, a manifest of another kind, or text representations missing or not wanted.
        InputError: text representations that cannot be read, or lack rows.
    """
    if approach not in APPROACHES:
        raise unknown_name("approach", approach, list(APPROACHES))
    if (approach == "vlm-llm") != (text_representations is not None):
        needs = "needs" if approach == "vlm-llm" else "takes no"
        raise UsageError(f"approach {approach} {needs} --text-rep FILE")
    _refuse_others(manifest)
    rows = manifest.table(manifest.chosen_split(split)).to_pylist()
    prompt: Prompt = getattr(printed_prompts(), approach.replace("-", "_"))
    texts, cut = _texts(rows, text_representations, max_tokens)
    encoder = msgspec.json.Encoder()
    with new_file(out) as draft, draft.open("wb") as stream:
        for row, text, query in zip(rows, texts, _queries(manifest, rows), strict=True):
            filled = _filled(prompt.user, {"query": query, "text": text})
            body = {"model": model, "messages": list(_messages(prompt.system, filled, row["video"], media_root))}
            request = {"custom_id": row["sample_id"], "method": "POST", "url": "/v1/chat/completions", "body": body}
            stream.write(encoder.encode(request) + b"\n")
    return len(rows), cut


def questions(manifest: Manifest, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a model that sees the video is asked about each of some rows (approach `vid-llm`); `UsageError` as above."""
    _refuse_others(manifest)
    prompt = printed_prompts().vid_llm
    return [_filled(prompt.user, {"query": query}) for query in _queries(manifest, rows)]


def text_representation(captions: list[str]) -> str:
    """Captions of frames, one per second, as the time-aware text: a line `{i}.0s: caption.` for each.

    Source: Hasnat79/UAL_Bench : src/text_representation_builders/utils.py.
    """
    return "".join(f"{second}.0s: {caption}.\n" for second, caption in enumerate(captions))


def _refuse_others(manifest: Manifest) -> None:
    lacking = [column for column in ("description", "video") if column not in manifest.column_names]
    if lacking:
        holds = ", ".join(manifest.column_names)
        raise UsageError(
            f"{manifest.path}: prompts are for spans of videos; found the columns {holds}, no {lacking[0]}"
        )


def _queries(manifest: Manifest, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    query = printed_prompts().queries.get(manifest.identity.name, "{description}")
    return [query.format(**row) for row in rows]


def _filled(template: str, texts: dict[str, str]) -> str:
    """The template with its places filled in one pass: what is filled in may itself look like a place."""
    return re.sub(r"\{(query|text)\}", lambda place: texts[place[1]], template)


def _messages(system: str, user: str, video: str, media_root: str | None) -> Iterator[dict[str, Any]]:
    if system:
        yield {"role": "system", "content": system}
    if media_root is None:
        yield {"role": "user", "content": user}
        return
    file = video if re.search(r"\.[A-Za-z]\w{1,3}$", video) else f"{video}.mp4"
    address = f"{media_root.rstrip('/')}/{quote(file)}"
    attached = {"type": "video_url", "video_url": {"url": address}}
    yield {"role": "user", "content": [{"type": "text", "text": user}, attached]}


def _texts(rows: list[dict[str, Any]], path: Path | None, max_tokens: int | None) -> tuple[list[str], int]:
    """The text of each row, and how many were cut."""
    if path is None:
        return [""] * len(rows), 0
    known = _read_captions(path)
    names = [(row["sample_id"], row["video"], row["video"].removesuffix(".mp4")) for row in rows]
    texts = [next((known[name] for name in each if name in known), None) for each in names]
    missing = [sample for (sample, *_), text in zip(names, texts, strict=True) if text is None]
    if missing:
        examples = ", ".join(map(repr, missing[:3]))
        found = f"no text for {len(missing):,} of {len(rows):,} rows ({examples}{', ...' * (len(missing) > 3)})"
        raise InputError(Problem(str(path), "", "", found, "captions by sample id or video"))
    whole = [text or "" for text in texts]
    shortened = whole if max_tokens is None else [_cut(text, max_tokens) for text in whole]
    return shortened, sum(text != cut for text, cut in zip(whole, shortened, strict=True))


def _read_captions(path: Path) -> dict[str, str]:
    document = read_document(path)
    if document.keys is None:
        raise InputError(Problem(str(path), "", "", "no object", 'an object {"video": ["caption of second 0", ...]}'))
    texts = {}
    for name, captions in zip(document.keys, document.records, strict=True):
        if isinstance(captions, list) and all(isinstance(caption, str) for caption in captions):
            texts[name] = text_representation(captions)
        elif isinstance(captions, str):
            texts[name] = captions
        else:
            raise InputError(Problem(str(path), repr(name), "", shown(captions), "a list of captions, or a whole text"))
    return texts


def _cut(text: str, max_tokens: int) -> str:
    kept, tokens = [], 0
    for line in text.splitlines(keepends=True):
        tokens += len(_TOKEN.findall(line))
        if tokens > max_tokens:
            break
        kept.append(line)
    return "".join(kept)
