"""What loaders hand over: versions, what was seen of each row, how many rows were encoded."""

from __future__ import annotations

import json
import os
import sys
import types
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DISABLE_VERSION_CHECK", "1")


def asked() -> tuple[Path, int, Path]:
    """The folder of the export, how many rows of a split to encode, and the file to write what was seen to."""
    folder, most, out = sys.argv[1:]
    return Path(folder), int(most), Path(out)


def write(out: Path, tools: list[str], rows: dict[str, list[list]], encoded: int = 0) -> None:
    """Write what was seen."""
    versions = {tool: version(tool) for tool in tools}
    out.write_text(json.dumps({"versions": versions, "rows": rows, "encoded": encoded}))


def named(path: str, media: str) -> str:
    """The media of a row as its manifest names it; it must be there."""
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(path)
    return file.resolve().relative_to(Path(media).resolve()).with_suffix("").as_posix()


def stand_in(module: str) -> None:
    """An empty module where one is imported, but not used."""
    if find_spec(module) is None:
        sys.modules[module] = types.ModuleType(module)
        sys.modules[module].__spec__ = ModuleSpec(module, None)
