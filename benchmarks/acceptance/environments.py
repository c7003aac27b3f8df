"""The environments of the tools, one folder each: those that are there are used as they are."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

_PINNED = Path(__file__).with_name("environments.toml")


def python_of(name: str, folder: Path) -> Path:
    """The interpreter of an environment below `folder`, which is built first if it is not there."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        asked = tomllib.loads(_PINNED.read_text())[name]
        print(f"building {folder / name}, which downloads some gigabytes", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
        for packages in (asked["packages"], ["--no-deps", *asked["alone"]] if "alone" in asked else []):
            if packages:
                subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python
