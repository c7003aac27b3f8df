"""The paper's prompts as requests: the exact texts, one request a row, in the shape of OpenAI batches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.prompts import text_representation, write_prompts
from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest

Manifests = Callable[..., Manifest]

# Table 7 of the UAL-Bench paper, and section 5.3.
VID_LLM = "Find the start time and end time of the query below from the video. Query: "
SYSTEM = (
    "You are a video analyst. You can read the video text representation and infer the start and end time of a given "
    "activity from the cue words found in the video text representation."
)
VLM_LLM = (
    "Find the start time and end time of the query below given the video text representation. Even if the query is not "
    "present in the description, try to find relationship between the meaning of words and infer. You must predict an "
    "answer and do not predict any null prediction. Give your answer in json format. Query: "
)
LOCALISATION = " Video Text Representation: "
FRAME_CAPTION = "What is happening in the image? Instruction: answer within one line and cover all the details"


@pytest.fixture
def requests(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Write requests and read them; captions are written first if given."""

    def call(manifest: Manifest, approach: str, captions: Any = None, **options: Any) -> list[dict[str, Any]]:
        if captions is not None:
            options["text_representations"] = tmp_path / "captions.json"
            options["text_representations"].write_text(json.dumps(captions), encoding="utf-8")
        out = tmp_path / "requests.jsonl"
        written, _ = write_prompts(manifest, approach, out, **options)
        lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert written == len(lines)
        return lines

    return call


Requests = Callable[..., list[dict[str, Any]]]


def test_video_models_get_the_sentence_and_the_query(sample_manifest: Manifests, requests: Requests) -> None:
    manifest = sample_manifest("uag-oops")
    rows = manifest.table("test").to_pylist()
    assert requests(manifest, "vid-llm", model="model-7b") == [
        {
            "custom_id": row["sample_id"],
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {
                "model": "model-7b",
                "messages": [{"role": "user", "content": VID_LLM + row["description"]}],
            },
        }
        for row in rows
    ]


def test_language_models_get_system_query_and_the_text_of_the_video(
    sample_manifest: Manifests, requests: Requests
) -> None:
    manifest = sample_manifest("uag-oops")
    rows = manifest.table("test").to_pylist()
    captions = {row["video"]: ["a man on a ladder", "he falls", f"row {n}"] for n, row in enumerate(rows)}
    bodies = [request["body"] for request in requests(manifest, "vlm-llm", captions)]
    assert [body["model"] for body in bodies] == ["MODEL"] * len(rows)
    assert [body["messages"] for body in bodies] == [
        [
            {"role": "system", "content": SYSTEM},
            {
                "role": "user",
                "content": f"{VLM_LLM}{row['description']}{LOCALISATION}"
                f"0.0s: a man on a ladder.\n1.0s: he falls.\n2.0s: row {n}.\n",
            },
        ]
        for n, row in enumerate(rows)
    ]


def test_captions_of_frames_are_asked_for_as_printed(sample_manifest: Manifests, requests: Requests) -> None:
    lines = requests(sample_manifest("uag-funqa"), "frame-caption")
    assert {line["body"]["messages"][0]["content"] for line in lines} == {FRAME_CAPTION}


def test_queries_of_ssbd_and_funqa_are_those_that_the_authors_sent(
    sample_manifest: Manifests, requests: Requests
) -> None:
    ssbd = requests(sample_manifest("uag-ssbd"), "vid-llm")
    assert ssbd[0]["body"]["messages"][0]["content"] == f"{VID_LLM}A person is armflapping with high intensity."
    assert ssbd[1]["body"]["messages"][0]["content"] == f"{VID_LLM}A person is headbanging with low intensity."
    funqa = requests(sample_manifest("uag-funqa"), "vid-llm")
    assert {line["body"]["messages"][0]["content"] for line in funqa} == {
        f"{VID_LLM}Identify the video's funny moment."
    }


def test_texts_are_found_by_sample_or_video_with_or_without_suffix(
    sample_manifest: Manifests, requests: Requests
) -> None:
    manifest = sample_manifest("uag-funqa")
    rows = manifest.table("test").to_pylist()
    for key, suffix in (("sample_id", ""), ("video", ""), ("video", ".mp4")):
        texts = {row[key].removesuffix(suffix): f"0.0s: {row['sample_id']}.\n" for row in rows}
        lines = requests(manifest, "vlm-llm", texts)
        assert [line["body"]["messages"][1]["content"].rpartition(LOCALISATION)[2] for line in lines] == [
            f"0.0s: {row['sample_id']}.\n" for row in rows
        ]


def test_all_behaviours_of_a_video_share_its_text(sample_manifest: Manifests, requests: Requests) -> None:
    manifest = sample_manifest("uag-ssbd")
    captions = {video: [f"caption of {video}"] for video in manifest.table("test")["video"].to_pylist()}
    texts = [line["body"]["messages"][1]["content"] for line in requests(manifest, "vlm-llm", captions)]
    assert [text.rpartition(LOCALISATION)[2] for text in texts[:2]] == ["0.0s: caption of v_ArmFlapping_01.\n"] * 2


def test_what_is_filled_in_is_not_filled_again(sample_manifest: Manifests, requests: Requests) -> None:
    manifest = sample_manifest("uag-ssbd")
    captions = {video: ["{query} and {text} {category}"] for video in manifest.table("test")["video"].to_pylist()}
    texts = [line["body"]["messages"][1]["content"] for line in requests(manifest, "vlm-llm", captions)]
    assert all(text.endswith("0.0s: {query} and {text} {category}.\n") for text in texts)


@pytest.mark.parametrize(("budget", "lines", "cut"), [(None, 3, 0), (24, 3, 0), (23, 2, 8), (8, 1, 8), (7, 0, 8)])
def test_texts_are_cut_after_the_last_whole_line_of_a_budget(
    sample_manifest: Manifests, tmp_path: Path, budget: int | None, lines: int, cut: int
) -> None:
    manifest, captions = sample_manifest("uag-ssbd"), tmp_path / "captions.json"
    # A line such as `0.0s: one, two.` has eight words and marks.
    texts = {key: ["one, two", "three; four", "five - six"] for key in manifest.table("test")["video"].to_pylist()}
    captions.write_text(json.dumps(texts), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    assert write_prompts(manifest, "vlm-llm", out, captions, max_tokens=budget) == (8, cut)
    text = json.loads(out.read_text(encoding="utf-8").splitlines()[0])["body"]["messages"][1]["content"]
    assert len(text.rpartition(LOCALISATION)[2].splitlines()) == lines


def test_videos_are_attached_by_their_address(sample_manifest: Manifests, requests: Requests) -> None:
    for benchmark, file in (
        ("uag-funqa", "H_A_7_0120_0318.mp4"),
        ("uag-ssbd", "v_ArmFlapping_01.mp4"),
        ("uag-oops", "Ladder%20Lessons%20-%20Best%20Slips%20of%20the%20Week%20%28March%202021%29%20_%20SlipCity0.mp4"),
    ):
        for root in ("https://example.org/videos", "https://example.org/videos/"):
            message = requests(sample_manifest(benchmark), "vid-llm", media_root=root)[0]["body"]["messages"][0]
            text, video = message["content"]
            assert (text["type"], text["text"][: len(VID_LLM)]) == ("text", VID_LLM)
            assert video == {"type": "video_url", "video_url": {"url": f"https://example.org/videos/{file}"}}


def test_the_text_of_a_video_is_a_line_a_second() -> None:
    assert text_representation(["a cat", "a cat drinks."]) == "0.0s: a cat.\n1.0s: a cat drinks..\n"
    assert text_representation([]) == ""


def test_the_split_may_be_named(sample_manifest: Manifests, requests: Requests) -> None:
    assert len(requests(sample_manifest("charades-sta"), "vid-llm")) == 8
    assert len(requests(sample_manifest("charades-sta"), "vid-llm", split="train")) == 12


def test_approaches_that_do_not_fit_are_refused(sample_manifest: Manifests, tmp_path: Path) -> None:
    manifest, out, captions = sample_manifest("uag-ssbd"), tmp_path / "out.jsonl", tmp_path / "captions.json"
    for approach, text, message in (
        ("vid-lm", None, "unknown approach 'vid-lm'; did you mean vid-llm"),
        ("vlm-llm", None, "approach vlm-llm needs --text-rep FILE"),
        ("vid-llm", captions, "approach vid-llm takes no --text-rep FILE"),
        ("frame-caption", captions, "approach frame-caption takes no --text-rep FILE"),
    ):
        with pytest.raises(UsageError, match=message):
            write_prompts(manifest, approach, out, text)
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"v_ArmFlapping_01": ["a"]},
            r"no text for 6 of 8 rows \('v_ArmFlapping_16_b_01', .*, \.\.\.\), expected captions",
        ),
        ([["a"]], 'found no object, expected an object {"video"'),
        ({"v_ArmFlapping_01": ["a", 3]}, r"'v_ArmFlapping_01': found \['a', 3\], expected a list of captions, or"),
        ({"v_ArmFlapping_01": None}, "'v_ArmFlapping_01': found None, expected a list of captions"),
    ],
)
def test_texts_that_lack_rows_or_are_none_are_refused(
    sample_manifest: Manifests, tmp_path: Path, content: Any, message: str
) -> None:
    captions, out = tmp_path / "captions.json", tmp_path / "out.jsonl"
    captions.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        write_prompts(sample_manifest("uag-ssbd"), "vlm-llm", out, captions)
    assert not out.exists()


@pytest.mark.parametrize("name", ["coco-person", "jrdb-par"])
def test_manifests_of_another_kind_are_refused(sample_manifest: Manifests, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"prompts are for spans of videos; found the columns sample_id, .*, no "):
        write_prompts(sample_manifest(name), "vid-llm", tmp_path / "requests.jsonl", split="test")
    assert not (tmp_path / "requests.jsonl").exists()
