"""An export for LLaMA-Factory, by its own loader, converter and template, videos decoded."""

from __future__ import annotations

import json
import tempfile
import types
from pathlib import Path

import report

report.stand_in("torchaudio")

import qwen  # noqa: E402
from llamafactory.data import get_dataset, get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.data.loader import _get_merged_dataset  # noqa: E402
from llamafactory.hparams import DataArguments, ModelArguments  # noqa: E402
from transformers import Qwen2VLImageProcessor, Qwen2VLVideoProcessor, Seq2SeqTrainingArguments  # noqa: E402


def main() -> None:
    folder, most, out = report.asked()
    info = json.loads((folder / "dataset_info.json").read_text())
    rows, encoded = {}, 0
    for name, entry in info.items():
        split = Path(entry["file_name"]).stem
        aligned, learned = load(folder, name, most)
        rows[split] = [seen(row, folder) for row in aligned]
        wanted = rows[split][: len(learned)]
        if any(answers[-1] not in text for answers, text in zip(wanted, learned, strict=True)):
            raise ValueError(f"{name}: what is learned is not the answer: {learned[0]!r}")
        encoded += len(learned)
    report.write(out, ["llamafactory", "datasets", "transformers"], rows, encoded)


def load(folder: Path, name: str, most: int) -> tuple[list, list[str]]:
    """Its rows as they were aligned, and what is learned of those that were encoded."""
    tokens = qwen.tokenizer()
    processor = types.SimpleNamespace(
        tokenizer=tokens,
        image_processor=Qwen2VLImageProcessor(),
        video_processor=Qwen2VLVideoProcessor(),
        model_input_names=[],
        image_max_pixels=768 * 768,
        image_min_pixels=32 * 32,
        video_max_pixels=256 * 256,
        video_min_pixels=16 * 16,
        video_fps=2.0,
        video_maxlen=128,
    )
    with tempfile.TemporaryDirectory() as cache:
        model = ModelArguments(model_name_or_path="none", cache_dir=cache)
        training = Seq2SeqTrainingArguments(output_dir=cache, use_cpu=True)

        def data(samples: int | None) -> DataArguments:
            return DataArguments(
                dataset=name,
                dataset_dir=str(folder),
                template="qwen2_vl",
                cutoff_len=100_000,
                overwrite_cache=True,
                max_samples=samples,
            )

        aligned = list(_get_merged_dataset([name], model, data(None), training, "sft"))
        template = get_template_and_fix_tokenizer(tokens, data(most))
        made = get_dataset(template, model, data(most), training, "sft", tokens, processor)["train_dataset"]
        learned = [tokens.decode([token for token in row["labels"] if token != -100]) for row in made]
    if len(learned) != min(most, len(aligned)):
        raise ValueError(f"{name}: of {min(most, len(aligned))} rows {len(learned)} were encoded")
    return aligned, learned


def seen(row: dict, folder: Path) -> list[str]:
    """Media and texts of a row, with the token in its place."""
    kind = "videos" if row["_videos"] else "images"
    (path,) = row[f"_{kind}"]
    texts = [turn["content"] for turn in (*row["_prompt"], *row["_response"])]
    token = f"<{kind[:-1]}>"
    if not texts[0].startswith(token):
        raise ValueError(f"no {token} in {texts[0]!r}")
    return [report.named(path, folder / "media"), texts[0].removeprefix(token), *texts[1:]]


main()
