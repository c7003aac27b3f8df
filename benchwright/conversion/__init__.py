"""Boxes and predicted spans from one format to another, without a recipe: `convert(sources, to, out)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from benchwright.exporters.outputs import refuse_output
from schemas.cards import SPLIT_NAME
from schemas.errors import UsageError, shown, unknown_name
from schemas.paths import home_filled, real_path

BOXES = ("coco", "yolo", "voc")
SPANS = ("table", "ual-bench", "official", "moment-detr", "timelens")


class Converted(msgspec.Struct, frozen=True):
    """What was written.

    Attributes:
        written: how many of what the target holds.
        notes: how often something was lost, left out, renumbered or odd, in words; none of it 0 times.
    """

    written: dict[str, int]
    notes: dict[str, int]


def convert(
    sources: Sequence[Path | str],
    to: str,
    out: Path,
    *,
    input_format: str | None = None,
    classes: Mapping[str, str] | None = None,
    split: str | None = None,
    images: Path | None = None,
    join: bool = False,
    force: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Converted:
    """Write what the sources hold in another format, in one step.

    Args:
        sources: files or folders, of boxes each perhaps as `SPLIT=PATH`; several are merged.
        to: one of `BOXES` or `SPANS`.
        out: the file, or for `yolo` and `voc` the folder.
        input_format: of all sources, one of `BOXES` or `SPANS`; found out from each when None.
        classes: new names of classes by their old ones.
        split: the one split to write.
        images: folder of the images of YOLO sources, whose sizes are needed; `images` beside `labels` when None.
        join: images of one name in several sources are one image.
        force: replace an output of an earlier call.
        progress: called at the start of each step, one for each source and one for the output.

    Raises:
        UsageError: an unknown format or class, options of the other kind, an output that is there already.
        InputError: sources that break their format, or what the target cannot hold at all.
    """
    if to not in (*BOXES, *SPANS):
        raise unknown_name("format", to, (*BOXES, *SPANS))
    if not sources:
        raise UsageError("nothing to convert: expected files or folders")
    known = BOXES if to in BOXES else SPANS
    if input_format is not None and input_format not in known:
        raise unknown_name(f"format to convert to {to} from", input_format, known)
    parts = [_with_split(source) for source in sources]
    _refuse_output(out, [path for _, path in parts], to, force)
    if to in SPANS:
        from benchwright.conversion.spans import convert_spans

        if classes or split or images or join or any(part for part, _ in parts):
            raise UsageError(f"classes, splits and images are of boxes, {to} is a format of spans")
        return convert_spans([path for _, path in parts], to, out, input_format, progress)
    from benchwright.conversion.boxes import convert_boxes, read_boxes

    read = []
    for name, path in parts:
        progress(path.name)
        read.append(read_boxes(path, name, input_format, images))
    progress(to)
    return convert_boxes(read, to, out, classes or {}, split, join)


def _with_split(source: Path | str) -> tuple[str | None, Path]:
    """The split that `SPLIT=PATH` names, and the path."""
    split, equals, path = str(source).partition("=")
    if not equals or isinstance(source, Path) or Path(source).exists():
        return None, home_filled(source)
    if not re.fullmatch(SPLIT_NAME, split):
        raise UsageError(f"{shown(source)}: expected SPLIT=PATH, a split of letters, digits and underscores")
    return split, home_filled(path)


def _refuse_output(out: Path, sources: Sequence[Path], to: str, force: bool) -> None:
    """Refuse to write over a source, or over what is there, unless that is of an earlier call and `force` is given."""
    for source in sources:
        if real_path(out) == real_path(source) or real_path(out) in real_path(source).parents:
            raise UsageError(f"{out} is read, or holds what is read; name another place to write to")
    refuse_output(out, to, force)
