"""Which file of a folder is the video or image that a row names, and whether it opens."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Literal, cast, get_args

import msgspec

from schemas.errors import InputError, Problem, UsageError, shown, unknown_name
from schemas.exchange import new_file
from schemas.paths import real_path
from scorers.task import Progress, silent

VIDEOS = frozenset(
    {".mp4", ".m4v", ".mkv", ".webm", ".avi", ".mov", ".mpg", ".mpeg", ".ts", ".flv", ".wmv", ".3gp", ".gif"}
)
IMAGES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
Missing = Literal["refuse", "drop", "keep"]

_SHOWN = 5
_SUFFIXES = VIDEOS | IMAGES
# What the containers above need; without a list, a text with the name of a video makes FFmpeg read other files.
_OPTIONS = {
    "protocol_whitelist": "file",
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,gif",
}


class _Looked(msgspec.Struct, array_like=True):
    """How a file looked when it was opened: size, time of change in nanoseconds, and what was wrong, if anything."""

    size: int
    changed: int
    fault: str


class Found(msgspec.Struct, frozen=True):
    """The media of a list of names.

    Attributes:
        files: by name, the path below the folder.
        missing: by name, why there is none, or why it cannot be used.
        opened: whether each file was opened; else only that it is there.
    """

    files: dict[str, str]
    missing: dict[str, str]
    opened: bool


def way_with_missing(name: str) -> Missing:
    """What becomes of rows whose media are missing or do not open; `UsageError` of an unknown way."""
    if name not in get_args(Missing):
        raise unknown_name("way with missing media", name, get_args(Missing))
    return cast(Missing, name)


def looked_for(
    names: Iterable[str], whose: str, folder: Path | None, missing: Missing, progress: Progress = silent
) -> Found | None:
    """The media of some names in a folder; None where no folder is named and nobody looks.

    Raises:
        UsageError: no folder, and they are not to be kept unseen.
        InputError: as `find_media`; media that are missing and to be refused.
    """
    names = list(names)
    if folder is None:
        if missing != "keep":
            raise UsageError(
                "--media names the folder of the media, in which each is looked for, since most trainers put another"
                " row in the place of one without; --missing keep writes their names as they are, unseen"
            )
        refuse_outside(names, whose)
        return None
    found = find_media(names, folder, progress)
    if found.missing and missing == "refuse":
        problems = [
            Problem(str(folder), shown(name), "", fault, "a file that opens") for name, fault in found.missing.items()
        ]
        told = "\n".join(map(str, problems[:_SHOWN]))
        advice = "--missing drop leaves their rows out, --missing keep keeps them"
        raise InputError(problems, f"{told}\n{len(problems):,} missing or broken in all; {advice}")
    return found


def find_media(names: Iterable[str], folder: Path, progress: Progress = silent) -> Found:
    """The file of each name: `NAME`, or `NAME` with the suffix of a video or image, as a path below the folder; else a
    file of that name in any subfolder, where the folders of one are the last ones of the other.

    Raises:
        InputError: two files for one name, a name that leads out of the folder, or no such folder.
    """
    names = list(dict.fromkeys(names))
    refuse_outside(names, str(folder))
    if not folder.is_dir():
        raise InputError(Problem(str(folder), "", "", "no such folder", "the folder that holds the media"))
    whole, by_base = _index(folder)
    files: dict[str, str] = {}
    missing: dict[str, str] = {}
    problems = []
    for name in names:
        found = whole.get(name) or [path for path in by_base.get(PurePosixPath(name).name, ()) if _agree(name, path)]
        if len(found) > 1:
            there = " and ".join(shown(each) for each in found[:2])
            problems.append(Problem(str(folder), shown(name), "", f"{there} for one name", "one file"))
        elif found:
            files[name] = found[0]
        else:
            missing[name] = "no such file"
    if problems:
        raise InputError(problems)
    faults, opened = _faults(sorted(set(files.values())), folder, progress)
    wrong = {name: faults[file] for name, file in files.items() if file in faults}
    return Found({name: file for name, file in files.items() if name not in wrong}, missing | wrong, opened)


def refuse_outside(names: Iterable[str], where: str) -> None:
    """Refuse names that lead out of the folder below which trainers will look for them; `InputError`."""
    problems = [
        Problem(where, shown(name), "", "a path that leaves the folder", "one below it")
        for name in names
        if "\0" in name or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts
    ]
    if problems:
        raise InputError(problems)


def _index(folder: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Files by their whole path and by their own name, each with and without the suffix."""
    whole: dict[str, list[str]] = {}
    by_base: dict[str, list[str]] = {}
    for path in _files(folder):
        place = PurePosixPath(path)
        if place.suffix.lower() in _SUFFIXES:
            for key in (path, path.removesuffix(place.suffix)):
                whole.setdefault(key, []).append(path)
            for key in (place.name, place.stem):
                by_base.setdefault(key, []).append(path)
    return whole, by_base


def _agree(name: str, path: str) -> bool:
    """Whether the folders in a name are those that a file is in, as far as both say."""
    one, other = PurePosixPath(name).parent.parts, PurePosixPath(path).parent.parts
    shared = min(len(one), len(other))
    return one[len(one) - shared :] == other[len(other) - shared :]


def _files(folder: Path) -> Iterator[str]:
    """Paths of all files below a folder; links are followed, a loop of them once."""
    seen = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        status = Path(root).stat()
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        base = Path(root).relative_to(folder).as_posix()
        yield from (name if base == "." else f"{base}/{name}" for name in names)


def _faults(files: list[str], folder: Path, progress: Progress) -> tuple[dict[str, str], bool]:
    """By file, why it cannot be used; and whether files were opened, those that changed since they were last."""
    memory = _memory(folder)
    known = _remembered(memory)
    able = find_spec("av") is not None and find_spec("PIL") is not None
    faults = {}
    looked = {}
    with progress("media", len(files)) as step:
        for file in files:
            step(file)
            status = (folder / file).stat()
            look = known.get(file)
            if look is None or (look.size, look.changed) != (status.st_size, status.st_mtime_ns):
                fault = "an empty file" if not status.st_size else _fault(folder / file) if able else ""
                look = _Looked(status.st_size, status.st_mtime_ns, fault)
            looked[file] = look
            if look.fault:
                faults[file] = look.fault
    if able and looked != known:
        with new_file(memory) as draft:
            draft.write_bytes(msgspec.json.encode(looked))
    return faults, able


def _memory(folder: Path) -> Path:
    """Where is kept which files of a folder were opened."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "benchwright" / "media" / f"{hashlib.sha256(os.fsencode(real_path(folder))).hexdigest()[:32]}.json"


def _remembered(memory: Path) -> dict[str, _Looked]:
    try:
        return msgspec.json.decode(memory.read_bytes(), type=dict[str, _Looked])
    except (OSError, msgspec.DecodeError):
        return {}


def _fault(path: Path) -> str:
    """What is wrong with a file, empty if it opens."""
    opens: Callable[[Path], None] = _open_image if path.suffix.lower() in IMAGES else _open_video
    try:
        opens(path)
    except Exception as failure:  # decoders raise whatever their libraries do
        return f"cannot be opened: {type(failure).__name__}"
    return ""


def _open_image(path: Path) -> None:
    from PIL import Image

    with Image.open(path) as image:
        image.verify()


def _open_video(path: Path) -> None:
    import av

    with av.open(f"file:{path}", options=_OPTIONS) as container:
        next(packet for packet in container.demux(video=0) if packet.size)
