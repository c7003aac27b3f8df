"""Files of the names of classes by number: a name per line, or a `data.yaml` as trainers of YOLO have it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schemas.errors import InputError, Problem, shown
from schemas.input.files import MEBIBYTE, read_text

CLASS_NAMES = "classes.txt"
_BESIDE = ("data.yaml", "data.yml", "dataset.yaml", "dataset.yml", CLASS_NAMES)
_YAML = (".yaml", ".yml")
# Much longer than 10,000 names; large YAML takes minutes.
_LIMIT = MEBIBYTE


def class_names(path: Path) -> list[str]:
    """Names of classes by number: one per line, blank lines at the end do not count; or the `names` of a YAML file.

    Raises:
        InputError: unreadable, or no name or one name twice; numbers that do not count from 0, or other than `nc`.
    """
    if path.suffix.lower() in _YAML:
        names = _names_in_yaml(path)
    else:
        names = [line.strip() for line in lines_of(path)]
        while names and not names[-1]:
            names.pop()
    if not names or "" in names or len(set(names)) < len(names):
        raise InputError(Problem(str(path), "", "", shown(names), "one name of a class per line, each once"))
    return names


def names_beside(path: Path, folder: Path) -> list[str]:
    """The names in a list beside the text files, or above them up to the folder `path`; none if there is no such list.

    Raises:
        InputError: two lists in one folder that differ.
    """
    above = [folder, *(parent for parent in folder.parents if parent.is_relative_to(path))]
    for place in above:
        lists = [place / name for name in _BESIDE if (place / name).is_file()]
        names = [class_names(one) for one in lists]
        if any(other != names[0] for other in names):
            expected, advice = f"the names of {lists[0].name}, {shown(names[0])}", "--classes says which list counts"
            raise InputError(Problem(str(lists[-1]), "", "", shown(names[-1]), expected, advice))
        if names:
            return names[0]
    return []


def lines_of(path: Path) -> list[str]:
    """Lines of a text file, which may be empty: a detector found nothing."""
    return read_text(path).splitlines() if not path.is_file() or path.stat().st_size else []


def _names_in_yaml(path: Path) -> list[str]:
    """The field `names`: a list, or an object by number."""
    import yaml

    try:
        # All scalars are text: a class may be called `no`, `1` or `null`.
        document = yaml.load(read_text(path, _LIMIT), Loader=yaml.BaseLoader)
    except yaml.YAMLError as failure:
        mark = getattr(failure, "problem_mark", None)
        line = f"line {mark.line + 1}" if mark else ""
        found = str(getattr(failure, "problem", "") or "broken YAML")
        raise InputError(Problem(str(path), line, "", found, "YAML")) from None
    except RecursionError:
        raise InputError(Problem(str(path), "", "", "endless nesting", "names of classes")) from None
    fields = document if isinstance(document, Mapping) else {}
    given = fields.get("names")
    names = list(given.values()) if isinstance(given, Mapping) else given
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        found = "nothing" if given is None else shown(given)
        raise InputError(Problem(str(path), "", "names", found, "a list of names, or an object of number and name"))
    numbers = [str(number) for number in range(len(names))]
    if isinstance(given, Mapping) and list(given) != numbers:
        raise InputError(Problem(str(path), "", "names", shown(list(given)), "the numbers 0, 1, ... in their order"))
    if fields.get("nc", str(len(names))) != str(len(names)):
        raise InputError(Problem(str(path), "", "nc", shown(fields["nc"]), f"{len(names)}, as there are names"))
    return [name.strip() for name in names]
