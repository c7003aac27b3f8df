"""Sources: raw files in the layout of their authors, found below a folder, never modified, known by their SHA-256."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from schemas.cards import Source
from schemas.errors import UsageError, unknown_name
from schemas.identity import SourceIdentity
from schemas.input.files import digest_of, path_text
from schemas.input.opening import changed, stamps

Read = TypeVar("Read")

# Where it looks for files: in the folder itself, and in folders up to three deep.
_LEVELS = 4
_MOST_FOLDERS = 20_000


class MissingSourceError(UsageError):
    """A source that is not there; `source` is its name."""

    def __init__(self, source: str, message: str) -> None:
        self.source = source
        super().__init__(message)


class Sources(Mapping[str, Path]):
    """The sources of a benchmark below a folder; remembers which of them were asked for, since only those count."""

    def __init__(
        self,
        declared: Sequence[Source],
        folder: Path,
        given: Mapping[str, Path] | None = None,
        options: Mapping[str, object] | None = None,
    ) -> None:
        """
        Args:
            declared: the sources that the card names.
            folder: where to look for them.
            given: paths that the user named, by source name; no other is looked for.
            options: what `{name}` in the names of files stands for.

        Raises:
            UsageError: the folder does not exist, or a given name is not declared.
        """
        self._options = dict(options or {})
        self._files = {source.name: [_filled(file, self._options) for file in source.files] for source in declared}
        self._declared = {source.name: source for source in declared}
        self._folder = folder
        self.given = dict(given or {})
        self._levels: list[list[Path]] | None = None
        self.used: dict[str, Path] = {}
        self._read: dict[str, Any] = {}
        self._stamps: dict[Path, dict[str, tuple[int, ...]]] = {}
        if not folder.is_dir():
            raise UsageError(f"source folder {folder} {'is not a folder' if folder.exists() else 'does not exist'}")
        for name in self.given:
            if name not in self._declared:
                raise unknown_name("source", name, list(self._declared))

    def __getitem__(self, name: str) -> Path:
        """The path of a source; `UsageError` says where it was looked for."""
        if name not in self.used:
            path = self.find(name)
            if path is None:
                places = " or ".join(self._files[name])
                raise MissingSourceError(
                    name,
                    f"source {name!r} not found: looked for {places} below {self._folder}, three folders deep"
                    f" (name it with --source {name}=PATH; `benchwright show` says how to obtain it)",
                )
            self.use(name, path)
        return self.used[name]

    def with_options(self, options: Mapping[str, object]) -> Sources:
        """The same places, where no source was asked for yet, with other options."""
        others = Sources(list(self._declared.values()), self._folder, self.given, options)
        others._stamps = self._stamps
        return others

    def require(self, name: str, *others: str) -> Path:
        """`sources[name]` for a reader that goes on to `others`: the error says of all of them which are not found."""
        try:
            return self[name]
        except UsageError as failure:
            raise UsageError("\n".join([str(failure), *filter(None, map(self._failure, others))])) from None

    def read(self, name: str, reader: Callable[[Path], Read]) -> Read:
        """What `reader` makes of a source, which is read once however many rules ask for it."""
        path = self[name]
        if name not in self._read:
            self._read[name] = reader(path)
        return cast(Read, self._read[name])

    def use(self, name: str, path: Path) -> Path:
        """Take `path` for a source: the part of it that is read, or what another source says that it is."""
        self.used[name] = path
        self._stamps.setdefault(path, stamps(path))
        return path

    def _failure(self, name: str) -> str:
        try:
            self[name]
        except UsageError as failure:
            return str(failure)
        return ""

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, name: object) -> bool:
        """Whether the source was found: optional sources are asked for only if they are there."""
        return isinstance(name, str) and name in self._declared and self.find(name) is not None

    def missing(self) -> list[str]:
        """Names of the required sources that are not there."""
        return [source.name for source in self._declared.values() if not source.optional and source.name not in self]

    def find(self, name: str) -> Path | None:
        """The path of a source, None where there is none.

        The nearest to the top wins, then the earlier pattern.

        Raises:
            UsageError: several files at the same depth match, so that only the user can choose.
        """
        if name in self.given:
            return self.given[name]
        if self._levels is None:
            self._levels = list(_levels(self._folder))
        for level in self._levels:
            for pattern in self._files[name]:
                found = [path for folder in level if (path := _match(folder, pattern)) is not None]
                if len(found) > 1:
                    listing = ", ".join(map(str, found[:4]))
                    raise UsageError(f"source {name!r} is ambiguous: {listing}; name one with --source {name}=PATH")
                if found:
                    return found[0]
        return None

    def identities(self) -> dict[str, SourceIdentity]:
        """File name and SHA-256 of each source that was used; no path, since an identity holds nothing of a machine.

        Raises:
            InputError: one of them changed since it was asked for, so that the digest may not be of what was read.
        """
        found = {name: SourceIdentity(_own_name(path), digest_of(path)) for name, path in sorted(self.used.items())}
        for path in self.used.values():
            before, now = self._stamps[path], stamps(path)
            if now != before:
                raise changed(min(file for file in before.keys() | now if before.get(file) != now.get(file)))
        return found

    def findings(self) -> dict[str, int]:
        """Files, named by the user, whose names lack what the card's names have in that place, such as the split."""
        return {
            f"source files not named after the {option} {value} ({_own_name(path)})": 1
            for name, path in sorted(self.used.items())
            for option, value in self._options.items()
            if any(f"{{{option}}}" in file for file in self._declared[name].files) and str(value) not in _own_name(path)
        }


def _filled(file: str, options: Mapping[str, object]) -> str:
    for name, value in options.items():
        file = file.replace(f"{{{name}}}", str(value))
    return file


def _own_name(path: Path) -> str:
    """The name of a file or folder, also where the path says only `.` or `..`, as text that JSON can hold."""
    return path_text(path.name if path.name.strip(".") else Path(os.path.realpath(path)).name)


def _match(folder: Path, pattern: str) -> Path | None:
    try:
        if "*" in pattern:
            return next((path.parent for path in folder.glob(pattern)), None)
        path = folder / pattern
        return path if path.exists() else None
    except OSError:
        return None  # a folder that may not be entered, such as lost+found, holds no source


def _levels(top: Path) -> Iterator[list[Path]]:
    """The folders below `top`, level by level, each once; hidden ones are not entered, links to folders are."""
    level, seen, known = [top], 0, {os.path.realpath(top)}
    for _ in range(_LEVELS):
        yield level
        seen += len(level)
        if not level or seen > _MOST_FOLDERS:
            return
        level = [child for folder in level for child in _folders(folder, known)]


def _folders(folder: Path, known: set[str]) -> list[Path]:
    """The folders in `folder` that are not yet `known`, which they are afterwards."""
    found = []
    try:
        for child in sorted(folder.iterdir()):
            real = os.path.realpath(child)
            if not child.name.startswith(".") and real not in known and child.is_dir():
                known.add(real)
                found.append(child)
    except OSError:
        pass
    return found
