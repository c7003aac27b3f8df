"""Instruction data in the files that trainers of video and image models load; one module a trainer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright.exporters.training.target import Target

TRAINERS = {
    "llama-factory": "llama_factory",
    "ms-swift": "ms_swift",
    "llava": "llava",
    "qwen-finetune": "qwen_finetune",
    "videochat2": "videochat2",
    "videollama2": "videollama2",
    "videollama3": "videollama3",
    "vtimellm": "vtimellm",
    "timechat": "timechat",
    "et-instruct": "et_instruct",
    "chat": "chat",
    "webdataset": "webdataset",
}
"""Modules by the name of a trainer."""


def target_named(name: str) -> Target:
    """The trainer of this name, one of `TRAINERS`."""
    target: Target = import_module(f"benchwright.exporters.training.{TRAINERS[name]}").TARGET
    return target
