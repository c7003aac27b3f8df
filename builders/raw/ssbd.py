"""SSBD, Self-Stimulatory Behaviours in the Wild (Rajagopalan et al., ICCV Workshops 2013): one XML file per video.

Format and irregularities from `Hasnat79/oeaa_benchmark_dataset : data/ssbd-release/Annotations/*.xml` and the readme
beside them. SSBD+ uses the same tags for another time format (plain seconds); those of one or three digits are refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import pandas as pd

from schemas.errors import InputError, Problem, shown
from schemas.input.files import files_in
from schemas.input.problems import gather, raise_any, repeats
from schemas.input.xml import read_root, required_attribute, required_child, required_text

CATEGORIES = ("armflapping", "headbanging", "spinning")
INTENSITIES = ("high", "low")

_TEXTS = ("time", "bodypart", "category", "intensity", "modality")
_SPAN = re.compile(r"([0-9]{2}|[0-9]{4})[:-]([0-9]{2}|[0-9]{4})")
_ODD_SIDE = re.compile(r"\b([0-9]|[0-9]{3})\b")
_DURATION = re.compile(r"([0-9]{1,6})s?")


class _Behaviour(NamedTuple):
    video: str
    behaviour_id: str
    start_s: float
    end_s: float
    time_text: str
    bodypart: str
    category: str
    intensity: str
    modality: str
    duration_s: float
    n_declared: int


def read_annotations(folder: Path) -> pd.DataFrame:
    """All behaviours of the `*.xml` files in `folder`, ordered by file name and place in the file.

    Returns:
        One row per behaviour: `video` (file stem), `behaviour_id`; `start_s`, `end_s` (float64 s), `time_text` (as
        written); `bodypart`, `category`, `intensity`, `modality`; `duration_s` (float64 s, of the video); `n_declared`
        (int64, the `count` attribute, which is wrong in one published file: the elements count).

    Raises:
        InputError: with the problems of all files: no XML file, unsafe or malformed XML, a missing element, a video id
            other than the file stem, a repeated behaviour id, an unknown category or intensity, a time that is not
            MMSS:MMSS, ends before it starts, or ends after the video.
    """
    videos = gather(_read_video, files_in(folder, ".xml"))
    return pd.DataFrame([behaviour for video in videos for behaviour in video], columns=list(_Behaviour._fields))


def span_seconds(text: str) -> tuple[int, int]:
    """Start and end in seconds of a `time` such as `0145:0208`, `0145-0208` or `18:24`.

    Each side is MMSS, though the readme calls it seconds; two digits are seconds alone, so `18:24` is 18 s to 24 s.

    Raises:
        ValueError: `text` has another shape, or seconds of 60 and more.
    """
    sides = _SPAN.fullmatch(text)
    if sides is None:
        raise ValueError("MMSS:MMSS, MMSS-MMSS or SS:SS")
    (start_min, start_s), (end_min, end_s) = (divmod(int(side), 100) for side in sides.groups())
    if max(start_s, end_s) >= 60:
        raise ValueError("MMSS with seconds below 60")
    return start_min * 60 + start_s, end_min * 60 + end_s


def _read_video(path: Path) -> list[_Behaviour]:
    file = str(path)
    root = read_root(path, "video")
    video = required_attribute(root, "id", file, "")
    if video != path.stem:
        raise InputError(Problem(file, "", "video/@id", shown(video), f"the file's own name, {shown(path.stem)}"))
    duration_s = _duration_seconds(root, file)
    group = required_child(root, "behaviours", file, "")
    n_declared = _declared_count(group, file)
    elements = group.findall("behaviour")
    if not elements:
        raise InputError(Problem(file, "", "behaviours", "no behaviour element", "at least one"))
    behaviours = gather(lambda element: _behaviour(element, file, video, duration_s, n_declared), elements)
    identifiers = [behaviour.behaviour_id for behaviour in behaviours]
    raise_any(repeats(file, lambda place: f"behaviour {place + 1}", "behaviour/@id", identifiers))
    return behaviours


def _behaviour(element: Element, file: str, video: str, duration_s: float, n_declared: int) -> _Behaviour:
    behaviour_id = required_attribute(element, "id", file, "")
    record = f"behaviour {behaviour_id}"
    time_text, bodypart, category, intensity, modality = gather(
        lambda tag: required_text(element, tag, file, record), _TEXTS
    )
    problems = _span_problems(file, record, time_text, duration_s)
    for field, value, known in (("category", category, CATEGORIES), ("intensity", intensity, INTENSITIES)):
        if value not in known:
            problems.append(Problem(file, record, field, shown(value), " or ".join(known)))
    raise_any(problems)
    start, end = map(float, span_seconds(time_text))
    texts = (time_text, bodypart, category, intensity, modality)
    return _Behaviour(video, behaviour_id, start, end, *texts, duration_s, n_declared)


def _span_problems(file: str, record: str, text: str, duration_s: float) -> list[Problem]:
    try:
        start, end = span_seconds(text)
    except ValueError as error:
        advice = "SSBD+ files write plain seconds and need their own reader" if _ODD_SIDE.search(text) else ""
        return [Problem(file, record, "time", shown(text), str(error), advice)]
    if end <= start:
        return [Problem(file, record, "time", shown(text), "an end after the start")]
    if end > duration_s:
        return [Problem(file, record, "time", shown(text), f"an end within the duration, {duration_s:g} s")]
    return []


def _duration_seconds(root: Element, file: str) -> float:
    """Seconds of a `duration` such as `46s`; two published files lack the unit."""
    text = required_text(root, "duration", file, "")
    number = _DURATION.fullmatch(text)
    if number is None or int(number[1]) == 0:
        raise InputError(Problem(file, "", "duration", shown(text), "whole seconds above 0, such as 46s"))
    return float(number[1])


def _declared_count(group: Element, file: str) -> int:
    text = required_attribute(group, "count", file, "")
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise InputError(Problem(file, "", "behaviours/@count", shown(text), "a whole number"))
    return int(text)
