"""What hostile files and kills do: a seeded harness for reviewers, on manifests of the invented samples.

    python benchmarks/robustness.py mutations N [SEED]
    python benchmarks/robustness.py kills N [SEED]

`mutations` gives N files that were mutated, or replaced by pipes, devices, links, zeros and folders, to verbs that
read them: sources to `build`; predictions to `score`, `compare`, `findings`, `report`, `convert`, answers to `parse`;
files of a manifest to most verbs. Wrong are a traceback, an exit code other than 0, 1 and 2, over 20 s, over 1.5 GB.
`kills` stops N runs of verbs that write, most by SIGKILL, some by SIGTERM, half of them while a draft is there, half at
moments spread over the time that each takes, and looks at the output: nothing, the old one or the whole new one is
right. After its kills each verb runs once more, and nothing but its output may be left. Each run is a process, forked
from one that has imported what verbs need. What goes wrong is printed with the number of the run, which the same SEED
repeats.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from robustness_runs import BENCHMARKS, SAMPLES, SECONDS, call, prepared

from schemas.manifest import open_manifest

# What most verbs import when they run.
IMPORTED = (
    "pandas",
    "pyarrow.csv",
    "benchwright.cli.main",
    "benchwright.reporting.report",
    "scorers.run",
    "builders.engine.build",
)
BYTES, ODD = 1_500_000_000, 0.15


# MUTATIONS


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The content with one to four changes."""
    for _ in range(chance.randint(1, 4)):
        at, end = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        end = min(end, at + chance.choice((1, 8, 200, 100_000)))
        piece = content[at:end]
        new = chance.choice(
            [
                bytes(chance.randrange(256) for _ in range(chance.randint(1, 8))),
                b"",
                piece * chance.choice((2, 50)),
                bytes(reversed(piece)),
                chance.choice(
                    [b"1e999", b"-1", b"NaN", b"null", b"9" * 400, b"[" * 5000, b'"', b"\0", b"\xff", b"\x9b2J"]
                ),
                b"x" * chance.choice((100, 1_000_000)),
            ]
        )
        content = content[:at] + new + content[end:]
    return content[: chance.randrange(len(content) + 1)] if chance.random() < 0.1 else content


def made_odd(path: Path, chance: random.Random) -> str:
    """Put something that is no file of content in the place of a file."""
    kind = chance.choice(["loop", "pipe", "zero", "null", "sparse", "hollow", "folder", "empty", "nowhere"])
    content = path.read_bytes()
    path.unlink()
    if kind in ("loop", "zero", "null", "nowhere"):
        path.symlink_to({"loop": path.name, "zero": "/dev/zero", "null": "/dev/null", "nowhere": "nowhere"}[kind])
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.write(content[:64] if kind == "hollow" else b"")
            file.truncate(0 if kind == "empty" else 2 * 1024**3)
    return kind


def attempts(inputs: dict[str, Path], place: Path, chance: random.Random) -> tuple[list[object], Path]:
    """A verb on a copy of its input, and the file of it to mutate."""
    copy = place / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    out = copy / "out"
    kind = chance.choice(["source", "predictions", "manifest"])
    if kind == "source":
        name = chance.choice(BENCHMARKS)
        shutil.copytree(SAMPLES, copy / "samples")
        identity = open_manifest(inputs[name]).identity
        named = [path for source in identity.sources.values() for path in copy.rglob(source.file)]
        files = [
            file for path in named for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()
        ]
        return ["build", name, "--source", copy / "samples", "--out", out], chance.choice(files)
    if kind == "predictions":
        given = chance.choice([name for name in inputs if "." in name])
        path = Path(shutil.copy(inputs[given], copy / given))
        manifest = inputs["densepose-person" if given.startswith("boxes") else "uag-oops"]
        split = "train" if given.startswith("boxes") else "test"
        verbs: list[list[object]] = [
            ["score", manifest, path, "--split", split],
            ["compare", manifest, path, inputs[given], "--split", split],
            ["findings", manifest, "--predictions", path, "--split", split],
            ["report", manifest, "--predictions", path, "--split", split, "--out", copy / "page.html"],
            ["convert", path, "--to", "table", "--out", copy / "converted.csv"],
        ]
        if given.startswith("llama"):
            verbs = [["parse", manifest, path, "--out", copy / "parsed.csv"]]
        return chance.choice(verbs), path
    name = chance.choice(BENCHMARKS)
    manifest = shutil.copytree(inputs[name], copy / name)
    target = "coco" if "person" in name else "official"
    verbs = [
        ["verify"],
        ["validate"],
        ["show"],
        ["score", inputs["spans.json"]],
        ["export", "--to", target, "--out", out],
    ]
    verbs += [
        ["findings"],
        ["report", "--out", copy / "page.html"],
        ["push", "a/b", "--dry-run"],
        ["diff", inputs[name]],
    ]
    verb, *more = chance.choice(verbs)
    files = [path for path in sorted(manifest.rglob("*")) if path.is_file() and path.name != "README.md"]
    return [verb, manifest, *more], chance.choice(files)


def mutations(count: int, seed: int, place: Path) -> Iterator[str]:
    """Run the mutations; what went wrong, a line each, then how the runs ended."""
    inputs, codes, most, slowest = prepared(place), Counter[int](), 0, 0.0
    for number in range(count):
        chance = random.Random(f"{seed}/{number}")
        arguments, path = attempts(inputs, place, chance)
        kind = made_odd(path, chance) if chance.random() < ODD else "mutated"
        if kind == "mutated":
            path.write_bytes(mutated(path.read_bytes(), chance))
        ended = call(arguments, place)
        codes[ended.code] += 1
        most, slowest = max(most, ended.memory), max(slowest, ended.seconds)
        wrong = {
            "hangs": ended.seconds > SECONDS,
            "traceback": "Traceback" in ended.said or ended.code not in (0, 1, 2),
            "memory": ended.memory > BYTES,
        }
        for word in (word for word, holds in wrong.items() if holds):
            yield f"{number}: {word}: {kind} {path.name}: {' '.join(map(str, arguments))}: {ended.said[-300:]!r}"
    yield f"{count} runs, by exit code {dict(sorted(codes.items()))}, {slowest:.1f} s and {most / 1e6:.0f} MB at most"


# KILLS


def written(inputs: dict[str, Path], out: Path) -> dict[str, list[object]]:
    """Verbs that write, each with its output `out / "x..."`."""
    spans, oops = inputs["spans.json"], inputs["uag-oops"]
    return {
        "build": ["build", "uag-oops", "--source", SAMPLES, "--out", out],
        "export": ["export", inputs["densepose-person"], "--to", "coco", "--out", out / "x.json"],
        "export yolo": ["export", inputs["densepose-person"], "--to", "yolo", "--out", out / "x"],
        "score --rows": ["score", oops, spans, "--rows", out / "x.parquet"],
        "parse": ["parse", oops, inputs["llama3.json"], "--out", out / "x.csv"],
        "prompts": ["prompts", oops, "--approach", "vid-llm", "--out", out / "x.jsonl"],
        "baseline": ["baseline", inputs["jrdb-par"], "alone", "--out", out / "x"],
        "convert": ["convert", spans, "--to", "table", "--out", out / "x.csv"],
        "report": ["report", oops, "--out", out / "x.html"],
        "instruct": ["instruct", oops, "--templates", "spans", "--out", out / "x"],
    }


def contents(folder: Path) -> dict[str, str]:
    """The digest of each file below a folder that is no draft, by path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    parts = ((path.relative_to(folder), path) for path in files)
    return {
        str(name): hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in parts
        if not any(".draft-" in part for part in name.parts)
    }


def kills(count: int, seed: int, place: Path) -> Iterator[str]:
    """Kill runs of each verb; what was left broken, then how many outputs were there and how many drafts."""
    inputs, chance, out = prepared(place), random.Random(seed), place / "out"
    verbs = written(inputs, out)
    for number, (verb, arguments) in enumerate(verbs.items()):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        first = call(arguments, place, 120)
        if first.code:
            yield f"{verb}: cannot be tried: {first.said[-300:]!r}"
            continue
        whole, seen, drafts, codes = contents(out), Counter[str](), 0, Counter[int]()
        replaces = call(arguments, place, 120).code == 0
        runs = count // len(verbs) + (number < count % len(verbs))
        for turn in range(runs):
            if not replaces:
                _removed(out)
            ending = signal.SIGTERM if chance.random() < 0.2 else signal.SIGKILL
            when = chance.uniform(0, 0.01) if turn % 2 else chance.uniform(0, 1.1) * first.seconds
            codes[call(arguments, place, when, ending, out if turn % 2 else None).code] += 1
            there = contents(out)
            state = "nothing" if not there else "whole" if there == whole else "broken"
            seen[state] += 1
            drafts += sum(".draft-" in path.name for path in out.iterdir())
            if state == "broken":
                yield f"{verb}, turn {turn}: broken: {sorted(set(there.items()) ^ set(whole.items()))[:3]}"
        if not replaces:
            _removed(out)
        last = call(arguments, place, 120)
        strays = sorted(path.name for path in out.iterdir() if ".draft-" in path.name)
        if last.code or strays or contents(out) != whole:
            yield f"{verb}: after the next run: exit code {last.code}, strays {strays}, whole {contents(out) == whole}"
        yield f"{verb}: {runs} runs, codes {dict(sorted(codes.items()))}, output {dict(seen)}, drafts seen {drafts}"


def _removed(out: Path) -> None:
    """Take away outputs, as a person would; drafts stay for the next run to sweep."""
    for path in out.iterdir():
        if ".draft-" not in path.name:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    kinds: dict[str, Callable[[int, int, Path], Iterator[str]]] = {"mutations": mutations, "kills": kills}
    what, runs, *seeds = sys.argv[1:]
    for module in IMPORTED:
        import_module(module)
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        tempfile.tempdir = folder
        for line in kinds[what](int(runs), int(seeds[0]) if seeds else 0, Path(folder)):
            print(line, flush=True)
