"""Small pictures of images that are at hand, as data URLs; names and files are of strangers."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from schemas.errors import UsageError, shown

MOST, MOST_BYTES = 60, 1_000_000
"""Pictures of a page, and what they take together."""
SIZE = (480, 240)
_MOST_PIXELS = 60_000_000
_FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF", "TIFF")
_QUALITY = 65


@dataclass(frozen=True)
class Thumbnails:
    """Pictures by sample id, and of each image that could not be shown, why."""

    urls: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def thumbnails(folder: Path, files: Iterable[tuple[str, str | None]]) -> Thumbnails:
    """Make small JPEGs of the first images, `MOST` of them and `MOST_BYTES` at most.

    An image is looked for by its whole file name below the folder, as the last part alone may be of another one. Names
    that lead out of the folder, files that are no images, and broken or huge ones are told, not shown.

    Args:
        folder: where the images are.
        files: sample id and file name, null where it is not known, the most wanted first.

    Raises:
        UsageError: there is no such folder, or no Pillow.
    """
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise UsageError("thumbnails need Pillow: pip install 'benchwright[media]'") from None
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; expected one with the images of the benchmark")
    found, taken = Thumbnails(), 0
    for sample, name in files:
        if len(found.urls) + len(found.problems) >= MOST:
            break
        try:
            picture = _jpeg(_located(folder.resolve(), name))
        except _NotShownError as reason:
            found.problems.append(f"{sample}: {reason}")
            continue
        url = f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"
        if taken + len(url) > MOST_BYTES:
            break
        taken += len(url)
        found.urls[sample] = url
    return found


class _NotShownError(Exception):
    """Why an image cannot be shown."""


def _located(folder: Path, name: str | None) -> Path:
    """The file of a name, which must be in the folder itself: links out of it do not count."""
    if not name:
        raise _NotShownError("has no file name")
    if "\0" in name or "\\" in name or name.startswith("/") or ".." in PurePosixPath(name).parts:
        raise _NotShownError(f"{shown(name)} leads out of the folder")
    try:
        real = (folder / name).resolve()
        if real.is_relative_to(folder) and real.is_file():
            return real
        why = f"no file {shown(name)}" if real.is_relative_to(folder) else f"{shown(name)} is a link out of the folder"
    except (OSError, RuntimeError):  # a name that is too long, or a link to itself
        why = f"no file {shown(name)}"
    raise _NotShownError(why)


def _refuse_huge(name: str, width: int, height: int) -> None:
    if width * height > _MOST_PIXELS:
        raise _NotShownError(f"{name}: {width:,} x {height:,} pixels are too many")


def _jpeg(path: Path) -> bytes:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            warnings.simplefilter("ignore", UserWarning)
            with Image.open(path, formats=_FORMATS) as image:
                _refuse_huge(path.name, image.width, image.height)
                image.draft("RGB", SIZE)
                small = image.convert("RGB")
                small.thumbnail(SIZE)
                written = io.BytesIO()
                small.save(written, "JPEG", quality=_QUALITY, optimize=True)
                return written.getvalue()
    except _NotShownError:
        raise
    except Exception as failure:  # decoders raise whatever a broken file leads them to
        words = str(failure).partition("\n")[0].replace(str(path), repr(path.name))
        raise _NotShownError(f"{path.name} cannot be read as an image: {type(failure).__name__}: {words}") from None
