"""What may be written over: what an export or a conversion to the same format wrote, where that is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from benchwright.exporters.training import TRAINERS
from schemas.cards import SPLIT_NAME
from schemas.errors import UsageError

# What a folder holds that we wrote, by format; others' files are never replaced. That of a trainer says it itself.
_WRITTEN = {
    "yolo": re.compile(rf"data\.yaml|labels/{SPLIT_NAME}/[^/]+\.txt"),
    "voc": re.compile(rf"Annotations/[^/]+\.xml|ImageSets/Main/{SPLIT_NAME}\.txt"),
    "official": re.compile(r"gt_(action|activity|group)\.txt"),
    "lmms-eval": re.compile(rf"README\.md|[\w.-]+\.yaml|data/{SPLIT_NAME}-00000-of-00001\.parquet"),
}
_FOLDERS = {"yolo", "voc", "lmms-eval", "huggingface", *TRAINERS}
_COMMAND = re.compile(r"benchwright[ .]export")
_LISTED = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def refuse_output(out: Path, to: str, force: bool) -> None:
    """Refuse to write over what is there, unless `force` is given and a folder holds nothing but what `to` writes.

    Raises:
        UsageError: it is there, is a folder in the place of a file or the reverse, or holds somebody's own files.
    """
    if not out.exists():
        return
    if out.is_dir() and to in (*_FOLDERS, "official"):
        paths = [path for path in out.rglob("*") if path.is_symlink() or not path.is_dir()]
        ours = _ours(out, to)
        others = [name for path in paths if not ours(name := path.relative_to(out).as_posix())]
        if others:
            advice = "name another folder, or remove it yourself"
            raise UsageError(f"{out} holds a file that no export to {to} wrote: {min(others)}; {advice}")
        if not paths:
            return
    elif not out.is_dir() and to in _FOLDERS:
        raise UsageError(f"{out} is a file; {to} writes a folder")
    if not force:
        raise UsageError(f"{out} is there already; --force replaces it")


def _ours(out: Path, to: str) -> Callable[[str], bool]:
    """Whether a path below a folder is of a file that an export wrote."""
    if to in TRAINERS:
        return {"README.md", "dataset_info.json", "media", *_LISTED.findall(_readme(out))}.__contains__
    if to == "huggingface":
        from schemas.manifest_folder import is_written

        media = _media(out)
        return lambda name: is_written(name) or name in media
    written = _WRITTEN.get(to)
    return lambda name: written is not None and written.fullmatch(name) is not None


def _media(folder: Path) -> set[str]:
    """The files that say which media an export put there, and these media."""
    from schemas.contents import MEDIA
    from schemas.input.parquet import read_parquet

    found = set()
    for file in (folder / MEDIA).glob("*.parquet"):
        table = read_parquet(file)
        found |= {
            f"{MEDIA}/{file.name}",
            *(table.column(table.num_columns - 1).to_pylist() if table.num_columns else ()),
        }
    return found


def _readme(folder: Path) -> str:
    """The README that an export wrote, empty if it is another's."""
    file = folder / "README.md"
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    return text if _COMMAND.search(text) else ""
