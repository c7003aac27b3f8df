"""An export of chat messages, by datasets, Qwen2.5-VL's template, the processor of transformers and TRL's collator."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import datasets
import qwen
import report
import trl
from jinja2 import Environment
from transformers import Qwen2VLImageProcessor, Qwen2VLProcessor, Qwen2VLVideoProcessor
from transformers.video_processing_utils import is_torchcodec_usable
from transformers.video_utils import load_video
from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling


def main() -> None:
    folder, most, out = report.asked()
    published = Path(trl.__file__).parent / "chat_templates" / "qwen2_5_vl.jinja"
    template = Environment(extensions=["jinja2.ext.loopcontrols"]).from_string(published.read_text())
    processor = Qwen2VLProcessor(
        image_processor=Qwen2VLImageProcessor(),
        tokenizer=qwen.tokenizer(),
        video_processor=Qwen2VLVideoProcessor(),
        chat_template=qwen.TEMPLATE,
    )
    if not is_torchcodec_usable(decode="video"):
        processor.video_processor.fetch_videos = by_pyav
    os.chdir(folder)  # which paths are relative to
    rows, encoded = {}, 0
    for file in sorted(folder.glob("*.jsonl")):
        split, qwens, _ = file.stem.partition("_qwen")
        loaded = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=tempfile.mkdtemp())
        found = [seen(row["messages"], template) for row in loaded]
        if rows.setdefault(split, found) != found:
            raise ValueError(f"{file.name} has other rows")
        if qwens:
            continue
        some = loaded.select(range(min(most, len(loaded))))
        for row in some:
            made = processor.apply_chat_template(
                row["messages"], tokenize=True, return_dict=True, processor_kwargs={"fps": 2}
            )
            if not {"pixel_values_videos", "pixel_values"} & set(made):
                raise ValueError(f"{row['messages']}: no media in {sorted(made)}")
            encoded += 1
        batch = DataCollatorForVisionLanguageModeling(processor)([dict(row) for row in some.select(range(2))])
        if not {"pixel_values_videos", "pixel_values"} & set(batch):
            raise ValueError(f"TRL collates no media: {sorted(batch)}")
    report.write(out, ["transformers", "trl", "datasets"], rows, encoded)


def by_pyav(paths: str | list, sample_indices_fn: Callable | None = None) -> object:
    """Videos as transformers decodes them, where the libraries of FFmpeg are missing that torchcodec needs."""
    if isinstance(paths, list):
        return list(zip(*[by_pyav(path, sample_indices_fn) for path in paths], strict=True))
    return load_video(paths, backend="pyav", sample_indices_fn=sample_indices_fn)


def seen(messages: list[dict], template) -> list[str]:
    """Media and texts of a row; the published template must show each of them once."""
    blocks = [block for message in messages for block in message["content"]]
    (media,) = (block for block in blocks if block["type"] != "text")
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    shown = template.render(messages=messages)
    if shown.count("<|video_pad|>") + shown.count("<|image_pad|>") != 1 or any(text not in shown for text in texts):
        raise ValueError(f"the template shows {shown!r}")
    path = media.get("path") or media[media["type"]]
    return [report.named(path, "media"), *texts]


main()
