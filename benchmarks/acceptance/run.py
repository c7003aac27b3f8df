"""Whether the real tools load what benchwright writes: real manifests are exported, loaded by each tool, and compared.

    python benchmarks/acceptance/run.py --data ../shared/data [--envs DIR] [--only NAME] [--encode 50]

Each tool has an environment of its own below --envs (environments.toml: pinned versions), which is built on first use.
No media are needed: tiny stand-ins get the names and sizes of the real ones. Printed are the versions, the rows of the
manifest, the rows that the tool's loader gave, and how many of them it encoded, media decoded. Exit 1 if a row differs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import wanted
from environments import python_of
from stand_ins import images, videos

import benchwright
from schemas.manifest import Manifest

LOADERS = Path(__file__).with_name("loaders")
SPANS, BOXES = ("oops-uag-instruct", "uag-oops"), ("coco-person",)
TALKS = (*SPANS, *BOXES, "jrdb-par")


class Check(NamedTuple):
    """An export, and how it is loaded.

    Attributes:
        name: for `--only`.
        to: the format; None loads the folder of the manifest itself.
        tools: environments, in each of which the loader runs.
        loader: its file.
        benchmarks: what is exported.
        rows: what the loader must see.
        tolerance: by which numbers may differ, in pixels.
        media: folder of the export that holds the images, for formats whose rows name no other place.
    """

    name: str
    to: str | None
    tools: tuple[str, ...]
    loader: str
    benchmarks: tuple[str, ...]
    rows: Callable[[Manifest], wanted.Rows] = wanted.conversations
    tolerance: float = 0.0
    media: str = ""


CHECKS = (
    Check("llama-factory", "llama-factory", ("llama-factory",), "llama_factory", TALKS),
    Check("ms-swift", "ms-swift", ("ms-swift",), "ms_swift", TALKS),
    Check("chat", "chat", ("hugging-face",), "chat", TALKS),
    Check("webdataset", "webdataset", ("hugging-face",), "webdataset_shards", (*SPANS, *BOXES)),
    Check("coco", "coco", ("hugging-face",), "coco", BOXES, wanted.boxes, 1e-9),
    Check("yolo", "yolo", ("ultralytics",), "yolo", BOXES, wanted.boxes, 0.01, "images/{split}"),
    Check("voc", "voc", ("hugging-face",), "voc", BOXES, wanted.boxes, 1e-3, "JPEGImages"),
    Check("datasets", None, ("hugging-face", "llama-factory", "datasets-3"), "hub", TALKS, wanted.rows),
    Check("huggingface", "huggingface", ("hugging-face", "llama-factory", "datasets-3"), "hub", TALKS, wanted.rows),
    Check("croissant", None, ("hugging-face",), "croissant", TALKS, wanted.rows),
)


def main() -> None:
    given = arguments()
    failed = 0
    given.envs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=given.work) as work:
        made = Made(Path(work), given.data)
        for check in CHECKS:
            if given.only in (None, check.name):
                for name in check.benchmarks:
                    folder, source = exported(check, name, made)
                    for tool in check.tools:
                        failed += not loaded(check, tool, folder, source, given)
                    shutil.rmtree(folder, ignore_errors=check.to is None)
    sys.exit(f"{failed} differ" if failed else 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the raw annotations")
    parser.add_argument("--envs", type=Path, default=Path("build/acceptance"), help="folder of the environments")
    parser.add_argument("--only", choices=[check.name for check in CHECKS], help="one check")
    parser.add_argument("--encode", type=int, default=50, help="rows of a split that are encoded; all are loaded")
    parser.add_argument("--work", type=Path, help="folder for what is made meanwhile")
    return parser.parse_args()


class Made:
    """Manifests, conversations and media, each made once."""

    def __init__(self, work: Path, data: Path) -> None:
        self.work, self.data = work, data
        self._manifests: dict[str, Manifest] = {}

    def manifest(self, name: str) -> Manifest:
        """The benchmark `name`, built from the raw annotations; or `NAME-conversations`."""
        if name not in self._manifests:
            folder = self.work / name
            benchmark = name.removesuffix("-conversations")
            if benchmark != name:
                self._manifests[name] = benchwright.instruct(self.manifest(benchmark), folder)
            else:
                mini = next(self.data.glob("coco/instances_val*[0-9].json"))
                sources = {"instances": mini} if name == "coco-person" else {}
                self._manifests[name] = benchwright.build(name, self.data, self.work, sources=sources)
        return self._manifests[name]

    def media(self, manifest: Manifest) -> Path:
        """A folder with a stand-in for each video or image of conversations or boxes."""
        folder = self.work / f"{manifest.identity.name}-media"
        if not folder.exists():
            rows = manifest.table()
            name = next(each for each in ("media", "video", "file_name") if each in rows.column_names)
            if "width" in rows.column_names and rows["width"].null_count == 0:
                sizes = rows.select([name, "width", "height"]).group_by([name, "width", "height"]).aggregate([])
                images(sorted(tuple(row.values()) for row in sizes.to_pylist()), folder)
            else:
                videos(sorted(set(rows[name].to_pylist())), folder)
        return folder


def exported(check: Check, name: str, made: Made) -> tuple[Path, Manifest]:
    """The folder that the tool loads, and the manifest that it is of."""
    talks = check.rows is wanted.conversations
    source = made.manifest(f"{name}-conversations" if talks else name)
    if check.to is None:
        return source.path, source
    folder = made.work / f"{check.name}-{name}"
    if talks or check.to == "huggingface":
        benchwright.export(source, check.to, folder, media=made.media(source))
    elif check.media:
        benchwright.export(source, check.to, folder)
        for split in source.splits:
            target = folder / check.media.format(split=split)
            target.parent.mkdir(exist_ok=True)
            shutil.copytree(made.media(source), target)
    else:
        for split in source.splits:
            folder.mkdir(exist_ok=True)
            benchwright.export(source, check.to, folder / f"{split}.json", split=split)
    return folder, source


def loaded(check: Check, tool: str, folder: Path, source: Manifest, given: argparse.Namespace) -> bool:
    """Run the loader in the tool's environment; print what it saw, and whether that is what was written."""
    out = Path(f"{folder}.seen.json")
    started = time.perf_counter()
    command = [python_of(tool, given.envs), LOADERS / f"{check.loader}.py", folder, str(given.encode), out]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    rows = check.rows(source)
    size = sum(map(len, rows.values()))
    if ran.returncode:
        found, told, versions, encoded = 0, ran.stderr.strip()[-2_000:], {tool: ""}, 0
    else:
        seen = json.loads(out.read_text())
        versions, encoded = seen["versions"], seen["encoded"]
        found = sum(map(len, seen["rows"].values()))
        told = wanted.difference(rows, seen["rows"], check.tolerance)
    named = ", ".join(f"{each} {version}" for each, version in versions.items())
    verdict = "DIFFERS" if told else "same"
    line = f"{check.name:<14}{source.identity.name:<32}{size:>7,} rows -> {found:>7,}, {encoded:>6,} encoded"
    print(f"{line}  {verdict}  {seconds:4.0f} s  {named}", *([told] if told else []), sep="\n", flush=True)
    return not told


if __name__ == "__main__":
    main()
