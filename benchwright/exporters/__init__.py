"""Manifests in the formats of other tools: `export(manifest, "official", file)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from benchwright.exporters.options import ExportOptions
from benchwright.exporters.outputs import refuse_output
from benchwright.exporters.training import TRAINERS
from schemas.errors import unknown_name
from scorers.declarations import OptionError, checked

if TYPE_CHECKING:
    from schemas.manifest import Manifest
    from scorers.task import Progress

Writer = Callable[..., dict[str, int]]

WRITERS = {
    "official": "benchwright.exporters.official:write_official",
    "coco": "benchwright.exporters.coco:write_coco",
    "yolo": "benchwright.exporters.yolo:write_yolo",
    "voc": "benchwright.exporters.voc:write_voc",
    "huggingface": "benchwright.exporters.huggingface:write_huggingface",
    "croissant": "benchwright.exporters.croissant:write_croissant",
    "moment-detr": "benchwright.exporters.moment_detr:write_moment_detr",
    "lmms-eval": "benchwright.exporters.lmms_eval:write_lmms_eval",
}
"""By format, the function that writes it; its keyword arguments are the options that the format takes."""

FORMATS = (*WRITERS, *TRAINERS)


def export(
    manifest: Manifest,
    to: str,
    out: Path,
    progress: Progress | None = None,
    force: bool = False,
    **options: Unpack[ExportOptions],
) -> dict[str, int]:
    """Write a manifest in another format, in one step.

    Args:
        manifest: what to write.
        to: one of `FORMATS`.
        out: the file; the folder for `yolo`, `voc`, `huggingface`, `lmms-eval`, trainers, the text files of jrdb-par.
        progress: of writers that tell theirs.
        force: replace an output that is there, but no folder that holds what this format has not.
        options: those that the format takes.

    Returns:
        What was written, counted.

    Raises:
        UsageError: unknown format or split, an option of another format, a benchmark that the format cannot hold, a
            place that cannot be written or is not to be written over.
    """
    given = checked(options, ExportOptions, "")
    writer = writer_of(to)
    for name in given:
        if name not in takes(writer):
            takers = [each for each in WRITERS if name in takes(writer_of(each))]
            if name in takes(writer_of("chat")):
                takers.append("trainers")
            raise OptionError(name, f" is for {', '.join(takers)}, not for {to}")
    refuse_output(out, to, force)
    if progress is not None and "progress" in takes(writer):
        given["progress"] = progress
    return writer(manifest, out, **given)


def writer_of(to: str) -> Writer:
    """The function that writes a format; `UsageError` of an unknown one."""
    if to in TRAINERS:
        from benchwright.exporters.training.folder import write_folder

        return partial(write_folder, to)
    if to not in WRITERS:
        raise unknown_name("format", to, FORMATS)
    module, _, name = WRITERS[to].partition(":")
    writer: Writer = getattr(import_module(module), name)
    return writer


def takes(writer: Writer) -> list[str]:
    """Names of the options that a writer takes."""
    return [name for name, given in inspect.signature(writer).parameters.items() if given.default is not given.empty]
