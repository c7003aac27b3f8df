"""An export for ms-swift, by its own loader and template, videos decoded."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import report

os.environ.setdefault("MODELSCOPE_CACHE", tempfile.mkdtemp(prefix="ms_swift"))

import qwen
from swift import get_processor, get_template
from swift.dataset import load_dataset


def main() -> None:
    folder, most, out = report.asked()
    os.environ["ROOT_IMAGE_DIR"] = str(folder)
    with tempfile.TemporaryDirectory() as model:
        processor = get_processor(str(qwen.model_folder(Path(model))), model_type="qwen2_vl")
        template = get_template(processor, template_type="qwen2_vl")
        template.set_mode("train")
        rows, encoded = {}, 0
        for file in sorted(folder.glob("*.jsonl")):
            loaded, _ = load_dataset(str(file), load_from_cache_file=False)
            rows[file.stem] = [seen(row, folder) for row in loaded]
            for place, row in enumerate(loaded.select(range(min(most, len(loaded))))):
                made = template.encode(dict(row))
                learned = template.safe_decode(made["labels"])
                answer = rows[file.stem][place][-1]
                if answer not in learned or not {"video_grid_thw", "image_grid_thw"} & set(made):
                    raise ValueError(f"row {place}: learned {learned!r}, not {answer!r}")
                encoded += 1
    report.write(out, ["ms_swift", "datasets", "transformers"], rows, encoded)


def seen(row: dict, folder: Path) -> list[str]:
    """Media and texts of a row, with the token in its place."""
    kind = "videos" if row.get("videos") else "images"
    (given,) = row[kind]
    texts = [turn["content"] for turn in row["messages"]]
    token = f"<{kind[:-1]}>"
    if not texts[0].startswith(token):
        raise ValueError(f"no {token} in {texts[0]!r}")
    path = given["path"] if isinstance(given, dict) else given
    return [report.named(folder / path, folder / "media"), texts[0].removeprefix(token), *texts[1:]]


main()
