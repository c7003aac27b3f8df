"""What a wheel holds: one package, so that an installed copy takes nobody's `schemas` or `builders`.

In the source the floors are folders side by side. `tool.hatch.build.targets.wheel.sources` in pyproject.toml moves them
below `benchwright/`, and the hook below renames their modules to match. An editable install is the source as it is.

`python hatch_build.py tests COPY` copies a folder of modules, renamed alike, so that the tests run against a wheel.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MOVED = list(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"])
MODULES = [f"{package}.{path.stem}" for package in MOVED for path in sorted((ROOT / package).iterdir())]

# In a text: the dotted name of a module of ours that is not part of a longer name or path (`\n` may come before it),
# and the package of `from PACKAGE import`.
IN_TEXT = re.compile(
    r"(?:(?<![\w./-])|(?<=\\n))"
    rf"(?:(?:{'|'.join(map(re.escape, MODULES))})\b|(?<=from )(?:{'|'.join(MOVED)})(?= import ))"
)


def renamed(code: bytes) -> bytes:
    """A module's code with the names that our packages have in a wheel; line numbers and what imports bind stay.

    Renamed are the modules of import statements anywhere, and in texts (doctests, docstrings, messages, the names given
    to `import_module`) dotted names of modules that exist; neither variables nor other words.

    >>> renamed(b"import re, schemas.errors").decode()
    'import re, benchwright.schemas.errors, benchwright.schemas as schemas'
    >>> renamed(b"from schemas import errors; schemas = 'schemas, schemas.errors'").decode()
    "from benchwright.schemas import errors; schemas = 'schemas, benchwright.schemas.errors'"
    """
    lines = list(accumulate((len(line) for line in code.splitlines(keepends=True)), initial=0))
    pieces, done = [], 0
    for node in sorted(_naming(ast.parse(code)), key=lambda node: (node.lineno, node.col_offset)):
        assert node.end_lineno
        assert node.end_col_offset
        begin, end = lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset
        pieces += [code[done:begin], _renamed(node, code[begin:end].decode()).encode()]
        done = end
    return b"".join([*pieces, code[done:]])


def _naming(node: ast.AST) -> Iterator[ast.alias | ast.ImportFrom | ast.expr]:
    """The parts of a module that may name a package."""
    if isinstance(node, (ast.alias, ast.ImportFrom, ast.JoinedStr)) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    ):
        yield node
    else:
        for child in ast.iter_child_nodes(node):
            yield from _naming(child)


def _renamed(node: ast.alias | ast.ImportFrom | ast.expr, text: str) -> str:
    if isinstance(node, ast.ImportFrom):
        package = (node.module or "").partition(".")[0]
        return text.replace(package, f"benchwright.{package}", 1) if package in MOVED and not node.level else text
    if isinstance(node, ast.alias):
        package, _, below = node.name.partition(".")
        if package not in MOVED:
            return text
        if node.asname:
            return f"benchwright.{text}"
        return f"benchwright.{text}, " * bool(below) + f"benchwright.{package} as {package}"
    return IN_TEXT.sub(r"benchwright.\g<0>", text)


class WheelHook(BuildHookInterface[Any]):
    """Puts the renamed modules into a wheel in place of those of the source."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the renamed modules to a temporary folder and have them included."""
        if version != "standard":
            return
        self.folder = TemporaryDirectory()
        for file in self.build_config.builder.recurse_included_files():
            if file.path.endswith(".py"):
                copy = Path(self.folder.name, file.distribution_path)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(renamed(Path(file.path).read_bytes()))
                build_data["force_include"][str(copy)] = file.distribution_path

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary folder."""
        if version == "standard":
            self.folder.cleanup()


if __name__ == "__main__":
    folder, copied = map(Path, sys.argv[1:])
    for path in shutil.copytree(folder, copied).rglob("*.py"):
        path.write_bytes(renamed(path.read_bytes()))
