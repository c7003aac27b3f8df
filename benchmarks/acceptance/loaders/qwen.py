"""A processor of Qwen2-VL without a model: tokens are bytes, images and videos are prepared as by default."""

from __future__ import annotations

import json
from pathlib import Path

TOKENS = [
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>"),
    *("<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>"),
    *("<|image_pad|>", "<|video_pad|>"),
]
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for block in message['content'] %}"
    "{% if block['type'] in ('video', 'image') %}<|vision_start|><|{{ block['type'] }}_pad|><|vision_end|>"
    "{% else %}{{ block['text'] }}{% endif %}{% endfor %}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}"
)


def tokenizer():
    """A tokenizer of bytes with the special tokens of Qwen2-VL."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = {letter: place for place, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    plain = Tokenizer(models.BPE(vocab=letters, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.add_special_tokens({"additional_special_tokens": TOKENS})
    made.chat_template = TEMPLATE
    return made


def model_folder(folder: Path) -> Path:
    """What a tool reads of a model before its weights."""
    made = tokenizer()
    made.save_pretrained(folder)
    ids = {name: made.convert_tokens_to_ids(name) for name in TOKENS}
    settings = folder / "tokenizer_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"tokenizer_class": "PreTrainedTokenizerFast"}))
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "mlp_ratio": 2, "in_chans": 3}
    vision |= {"patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}
    config = {"architectures": ["Qwen2VLForConditionalGeneration"], "model_type": "qwen2_vl", "torch_dtype": "float32"}
    config |= {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2}
    config |= {"num_key_value_heads": 2, "vocab_size": len(made), "max_position_embeddings": 32768}
    config |= {"image_token_id": ids["<|image_pad|>"], "video_token_id": ids["<|video_pad|>"]}
    config |= {"vision_start_token_id": ids["<|vision_start|>"], "vision_end_token_id": ids["<|vision_end|>"]}
    config |= {"vision_token_id": ids["<|vision_pad|>"], "vision_config": vision}
    config |= {"rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]}}
    sizes = {"min_pixels": 3136, "max_pixels": 12845056, "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2}
    sizes |= {"image_mean": [0.48, 0.46, 0.41], "image_std": [0.27, 0.26, 0.28], "processor_class": "Qwen2VLProcessor"}
    of_images = sizes | {"image_processor_type": "Qwen2VLImageProcessor"}
    of_videos = sizes | {"video_processor_type": "Qwen2VLVideoProcessor", "fps": 2.0, "min_frames": 4}
    of_videos |= {"max_frames": 768}
    files = {"config": config, "preprocessor_config": of_images, "video_preprocessor_config": of_videos}
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder
