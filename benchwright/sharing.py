"""What the verbs that make something for other tools do, as functions: `export`, `convert`, `instruct`, `push`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from benchwright.api import open_manifest
from benchwright.arguments import check, path_of
from benchwright.exporters.options import ExportOptions
from scorers.declarations import documented

if TYPE_CHECKING:
    from benchwright.arguments import AnyManifest
    from benchwright.conversion import Converted
    from benchwright.publishing import Upload
    from schemas.manifest import Manifest


@documented
def export(
    manifest: AnyManifest, to: str, out: Path | str, *, force: bool = False, **options: Unpack[ExportOptions]
) -> dict[str, int]:
    """Write a manifest in the format of other tools, as the verb `export` does.

    Args:
        manifest: opened, or the folder of one.
        to: a name in `benchwright.exporters.FORMATS`.
        out: the file or folder to write.
        force: replace an output that is there, but no folder that holds what this format has not.

    Returns:
        What was written, counted.
    """
    from benchwright.exporters import export as write

    check("to", to, str, "the name of a format")
    return write(open_manifest(manifest), to, path_of("out", out), force=force, **options)


def convert(
    sources: Path | str | Sequence[Path | str],
    to: str,
    out: Path | str,
    *,
    input_format: str | None = None,
    classes: Mapping[str, str] | None = None,
    split: str | None = None,
    images: Path | str | None = None,
    join: bool = False,
    force: bool = False,
) -> Converted:
    """Convert boxes (COCO, YOLO, VOC) or predicted spans from one format to another, as the verb `convert` does.

    Args:
        sources: files or folders; of boxes perhaps as `SPLIT=PATH`.
        to: `coco`, `yolo`, `voc`; `table`, `ual-bench`, `official`, `moment-detr`, `timelens`.
        out: the file or folder to write.
        input_format: of the sources; found out from each when None.
        classes: new names of classes by their old ones.
        split: the one split to write.
        images: folder of the images of YOLO sources.
        join: images of one name in several sources are one image.
        force: replace an output of an earlier call.

    Returns:
        What was written and what was lost, counted.
    """
    from benchwright.conversion import convert as write

    check("to", to, str, "the name of a format")
    check("classes", classes, (Mapping, type(None)), 'new names by old ones, as {"pedestrian": "person"}')
    given = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    folder = None if images is None else path_of("images", images)
    options = {"classes": classes, "split": split, "join": join, "force": force}
    return write(given, to, path_of("out", out), input_format=input_format, images=folder, **options)  # type: ignore[arg-type]


def instruct(
    manifest: AnyManifest,
    out: Path | str | None = None,
    *,
    input_format: str | None = None,
    templates: Path | str | None = None,
    seed: int = 0,
    split: str | None = None,
    validation: float = 0.0,
    group_by: str | None = None,
    stratify: str | None = None,
    leaks: str = "refuse",
    against: Sequence[AnyManifest] = (),
    force: bool = False,
) -> Manifest:
    """Make conversations of a manifest's rows, a manifest of its own, as the verb `instruct` does.

    Args:
        manifest: of spans, boxes or activities; opened, or the folder of one. Or conversations that are there already,
            a manifest of them or files that a trainer loads, whose turns stay as they are.
        out: a new folder for it; in memory when None.
        input_format: of files of a trainer, one of `export`'s; found out from the first record when None.
        templates: a TOML file, or the name of a bundled one; the paper's for spans when None.
        seed: of all choices, which depend on it and the name of a row alone.
        split: one split, all when None.
        validation: share of the rows that becomes the split `validation`.
        group_by: what no split may part: a column, or `COLUMN:PATTERN`; what the card says when None.
        stratify: a column whose values validation has in the same shares.
        leaks: what becomes of rows that leak: `refuse` all, `drop` or `keep` them.
        against: benchmarks that no row may come from.
        force: replace a manifest that is there.

    Raises:
        BenchwrightError: anything wrong with the call, the manifest or the templates; rows that leak.

    >>> from benchwright import variants
    >>> conversations = instruct(variants("uag-oops", "tests/samples").build(), templates="spans")
    >>> conversations.table()["turns"][0][1]["text"].as_py()
    '2.1 - 6.0 seconds'
    """
    from benchwright.exporters.training.importing import open_conversations
    from benchwright.instruction.account import Request
    from benchwright.instruction.making import instruct as make
    from benchwright.instruction.splitting import Splitting
    from schemas.manifest import Manifest

    for name, value in (
        ("input_format", input_format),
        ("split", split),
        ("group_by", group_by),
        ("stratify", stratify),
    ):
        check(name, value, (str, type(None)), "a name")
    check("seed", seed, int, "a whole number")
    check("validation", validation, (int, float), "a share of the rows below 1")
    how = Splitting(validation, group_by or "", stratify or "", leaks)
    given = None if templates is None else path_of("templates", templates)
    request = Request(given, split, seed, how, [open_manifest(each) for each in against], force)
    if not isinstance(manifest, Manifest):
        manifest = open_conversations(path_of("manifest", manifest), input_format)
    return make(manifest, request, None if out is None else path_of("out", out))


def push(
    manifest: AnyManifest, repository: str, *, public: bool = False, has_right: bool = False, dry_run: bool = False
) -> Upload:
    """Upload a manifest to the Hugging Face Hub, as the verb `push` does.

    Args:
        manifest: opened, or the folder of one.
        repository: `OWNER/NAME`, which is made if it is not there.
        public: whether a new one is for all to see.
        has_right: whether you have the right to publish what the card's licence does not allow to publish.
        dry_run: only say what would be uploaded.

    Raises:
        BenchwrightError: the licence, the manifest, the token or the Hub is against it.
    """
    from benchwright.publishing import push as upload

    check("repository", repository, str, "OWNER/NAME")
    return upload(open_manifest(manifest), repository, public=public, has_right=has_right, dry_run=dry_run)
