"""Media that stand for the real ones: one tiny video under the names that rows use, grey images of their sizes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import av
from PIL import Image


def videos(names: Iterable[str], folder: Path) -> None:
    """A file `NAME.mp4` of two seconds for each name."""
    one = folder / ".one.mp4"
    _video(one)
    for name in names:
        _link(one, folder / (name if Path(name).suffix == ".mp4" else f"{name}.mp4"))
    one.unlink()


def images(sizes: Iterable[tuple[str, int, int]], folder: Path) -> None:
    """A file for each name, width and height."""
    made: dict[tuple[int, int, str], Path] = {}
    for name, width, height in sizes:
        file = folder / name
        key = (width, height, file.suffix)
        if key in made:
            _link(made[key], file)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (width, height), (90, 90, 90)).save(file)
            made[key] = file


def _link(one: Path, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    os.link(one, file)


def _video(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(file), "w") as container:
        stream = container.add_stream("h264", rate=8)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for shade in range(16):
            image = Image.new("RGB", (96, 64), (10 * shade, 90, 90))
            container.mux(stream.encode(av.VideoFrame.from_image(image)))
        container.mux(stream.encode())
