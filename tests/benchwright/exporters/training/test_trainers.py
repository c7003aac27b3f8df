"""What every trainer's files have in common, and what is its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.exporters import export
from benchwright.exporters.media_files import find_media
from benchwright.exporters.training import TRAINERS, target_named
from benchwright.exporters.training.conversation import conversations
from benchwright.exporters.training.escapes import escaped, unescaped
from schemas.errors import InputError, UsageError
from tests.benchwright.exporters.training.conftest import Make, row, rows, turn

Row = dict[str, Any]
JSON = [name for name in TRAINERS if name != "webdataset"]
NO_SYSTEM_TURN = set(JSON) - {"llama-factory", "ms-swift", "llava", "videochat2", "chat"}


def records(path: Path) -> list[Row]:
    text = path.read_text(encoding="utf-8")
    found: list[Row] = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)
    return found


def files(folder: Path, split: str = "train") -> list[Path]:
    return sorted(path for path in folder.glob(f"{split}*") if path.suffix in (".json", ".jsonl"))


@pytest.mark.parametrize("name", JSON)
def test_each_trainer_gets_each_row_that_it_can_be_told(
    instruction: Make, media: Path, tmp_path: Path, name: str
) -> None:
    counts = export(instruction(), name, tmp_path / "out", media=media)
    lacking = {"vtimellm": 1, "et-instruct": 2}.get(name, 1 if name in NO_SYSTEM_TURN else 0)
    assert counts["rows"] == 3 - lacking
    assert counts["videos"] == 3 - lacking
    for path in files(tmp_path / "out"):
        assert len(records(path)) == 2 - (name in NO_SYSTEM_TURN)
    readme = (tmp_path / "out" / "README.md").read_text()
    assert f"--to {name}" in readme
    assert "all found and opened" in readme
    assert "{" not in readme.replace('{"annotation_path"', "")


@pytest.mark.parametrize("name", JSON)
def test_what_is_read_back_is_written_the_same(instruction: Make, media: Path, tmp_path: Path, name: str) -> None:
    export(instruction(), name, tmp_path / "out", media=media)
    target = target_named(name)
    record = next(iter(target.records.values()))
    for path in files(tmp_path / "out")[:1]:
        for written in records(path):
            again = target.read(written)
            assert record(again) == written
            assert again.id == written["bw_id"]
            assert again.span == tuple(written["bw_span"])


@pytest.mark.parametrize("name", JSON)
def test_no_key_is_null_and_no_token_is_in_a_text(instruction: Make, media: Path, tmp_path: Path, name: str) -> None:
    export(instruction(), name, tmp_path / "out", media=media)

    def values(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [each for item in value.values() for each in values(item)]
        return [each for item in value for each in values(item)] if isinstance(value, list) else [value]

    for path in files(tmp_path / "out"):
        for record in records(path):
            found = values(record)
            assert None not in found
            tokens = sum(
                text.count(token) for text in found if isinstance(text, str) for token in ("<video>", "<image>")
            )
            assert tokens == (name not in ("videochat2", "timechat", "chat"))


def test_a_text_is_the_same_after_it_was_escaped() -> None:
    hostile = "a <video> &lt;video> &amp;lt;image> < b &lt; c <t12> <s> &amp;"
    (conversation,) = conversations_of(turn("user", hostile), turn("assistant", "yes"))
    safe = escaped(conversation).turns[0].text
    assert safe == "a &lt;video> &amp;lt;video> &amp;amp;lt;image> < b &lt; c &lt;t12> <s> &amp;"
    assert unescaped(safe) == hostile


def test_numbers_stay_where_they_are_when_tokens_before_them_grow() -> None:
    said = turn("assistant", "<video> from 1.5 to <video> 2.5", a=(1.5, "1.5"), b=(2.5, "2.5"))
    (conversation,) = conversations_of(turn("user", "when?"), said)
    answer = escaped(conversation).turns[1]
    assert [answer.text[number.begin : number.end] for number in answer.numbers] == ["1.5", "2.5"]


def conversations_of(*turns: Row) -> list[Any]:
    import pyarrow as pa

    from schemas.instruction import INSTRUCTION_SCHEMA

    return list(conversations(pa.Table.from_pylist([row("a", "b", *turns)], INSTRUCTION_SCHEMA)))


def written(instruction: Make, media: Path, tmp_path: Path, name: str) -> list[Row]:
    export(instruction(), name, tmp_path / "out", media=media, split="train")
    return records(files(tmp_path / "out")[0])


def test_llama_factory(instruction: Make, media: Path, tmp_path: Path) -> None:
    first, second = written(instruction, media, tmp_path, "llama-factory")
    assert first == {
        "messages": [
            {"role": "user", "content": "<video>In which seconds does the shelf tip over?"},
            {"role": "assistant", "content": "From 1.2 to 3.4 seconds."},
        ],
        "videos": ["media/shelf one.mp4"],
        "bw_id": "r0",
        "bw_span": [1.25, 3.4],
    }
    assert second["messages"][0] == {"role": "system", "content": "You see a video."}
    assert second["messages"][1]["content"].startswith("<video>Does")
    info = json.loads((tmp_path / "out" / "dataset_info.json").read_text(encoding="ascii"))
    assert list(info) == ["invented-instruct_train"]
    assert info["invented-instruct_train"]["columns"] == {"messages": "messages", "videos": "videos"}
    assert (tmp_path / "out" / "media" / "shelf one.mp4").is_file()


def test_vtimellm_puts_tokens_in_the_place_of_seconds(instruction: Make, media: Path, tmp_path: Path) -> None:
    (only,) = written(instruction, media, tmp_path, "vtimellm")
    assert only["conversations"][1]["value"] == "From <t0> to <t1> seconds."
    assert only["meta"] == {"duration": 4.0, "token": {"<t0>": 1.25, "<t1>": 3.4}}


def test_et_instruct_has_prose_and_tokens(instruction: Make, media: Path, tmp_path: Path) -> None:
    export(instruction(), "et-instruct", tmp_path / "out", media=media, split="train")
    (prose,), (tokens,) = (records(tmp_path / "out" / f"train{end}.json") for end in ("_txt", "_vid"))
    assert prose["tgt"] == tokens["tgt"] == [1.25, 3.4]
    assert prose["conversations"][1]["value"] == "From 1.2 to 3.4 seconds."
    assert tokens["conversations"][1]["value"] == "From <vid> to <vid> seconds."
    assert prose["conversations"][0]["value"].startswith("<image>\n")


def test_llava_takes_the_token_of_images_for_videos(instruction: Make, media: Path, tmp_path: Path) -> None:
    first, _ = written(instruction, media, tmp_path, "llava")
    assert first["video"] == "shelf one.mp4"
    assert "image" not in first
    assert first["conversations"][0] == {
        "from": "human",
        "value": "<image>\nIn which seconds does the shelf tip over?",
    }


def test_videochat2_gives_all_questions_of_a_row_the_same_instruction(
    instruction: Make, media: Path, tmp_path: Path
) -> None:
    _, second = written(instruction, media, tmp_path, "videochat2")
    assert [each["i"] for each in second["QA"]] == ["You see a video."] * 2


def test_chat_has_a_file_for_each_key(instruction: Make, media: Path, tmp_path: Path) -> None:
    export(instruction(), "chat", tmp_path / "out", media=media, split="train")
    (first, _), (other, _) = (records(tmp_path / "out" / f"train{end}.jsonl") for end in ("", "_qwen"))
    assert first["messages"][0]["content"][0] == {"type": "video", "path": "media/shelf one.mp4"}
    assert other["messages"][0]["content"][0] == {"type": "video", "video": "media/shelf one.mp4"}


def test_videollama3_has_a_list_of_videos(instruction: Make, media: Path, tmp_path: Path) -> None:
    (only,) = written(instruction, media, tmp_path, "videollama3")
    assert only["video"] == ["shelf one.mp4"]


def test_images_are_not_for_trainers_of_videos(instruction: Make, tmp_path: Path) -> None:
    images = [each | {"media_kind": "image"} for each in rows()]
    with pytest.raises(UsageError, match="loads video rows, these are of images"):
        export(instruction(images), "timechat", tmp_path / "out", missing="keep")
    export(instruction(images), "llava", tmp_path / "out", missing="keep")
    assert records(tmp_path / "out" / "train.json")[0]["image"] == "shelf one"
    mixed = [rows()[0], *images[1:]]
    with pytest.raises(UsageError, match="two exports"):
        export(instruction(mixed), "llava", tmp_path / "other", missing="keep")


def test_trl_finds_images_in_their_blocks(instruction: Make, tmp_path: Path) -> None:
    images = [each | {"media_kind": "image", "span": None} for each in rows()]
    export(instruction(images), "chat", tmp_path / "out", missing="keep")
    for name in ("train.jsonl", "train_qwen.jsonl"):
        first = records(tmp_path / "out" / name)[0]
        assert first["images"] == []
        assert first["messages"][0]["content"][0] == {"type": "image", "image": "media/shelf one"}


def test_a_span_that_some_rows_lack_is_in_none(instruction: Make, media: Path, tmp_path: Path) -> None:
    export(instruction([rows()[0] | {"span": None}, rows()[1]]), "ms-swift", tmp_path / "out", media=media)
    assert all("bw_span" not in record for record in records(tmp_path / "out" / "train.jsonl"))


def test_a_split_without_rows_is_left_out(instruction: Make, media: Path, tmp_path: Path) -> None:
    counts = export(instruction(empty=("test",)), "ms-swift", tmp_path / "out", media=media)
    assert counts["splits without rows left out"] == 1
    assert counts["rows with a token in a text, escaped"] == 1
    assert not files(tmp_path / "out", "test")
    assert "split test left out" in (tmp_path / "out" / "README.md").read_text()


def test_no_row_is_left(instruction: Make, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no row is left to write: 1 a system turn"):
        export(instruction(rows()[1:2]), "timechat", tmp_path / "out", missing="keep")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["uag-oops", "voc-person", "jrdb-par"])
def test_of_other_manifests_conversations_are_made(
    sample_manifest: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    counts = export(sample_manifest(name), "chat", tmp_path / "out", missing="keep")
    assert counts["rows"] > 0


def test_a_folder_with_something_in_it_is_refused(instruction: Make, media: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    for force in (False, True):
        with pytest.raises(UsageError, match="holds a file that no export to chat wrote: mine"):
            export(instruction(), "chat", tmp_path / "out", media=media, force=force)


@pytest.mark.parametrize("name", TRAINERS)
def test_an_export_replaces_an_export(instruction: Make, media: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    export(instruction(), name, out, media=media)
    with pytest.raises(UsageError, match="is there already; --force replaces it"):
        export(instruction(), name, out, media=media)
    export(instruction(rows()[:1]), name, out, media=media, force=True)
    assert not list(out.glob("validation*"))
    assert (media / "shelf one.mp4").exists()
    (out / "other.json").write_text("[]")
    with pytest.raises(UsageError, match="wrote: other"):
        export(instruction(), name, out, media=media, force=True)
    (out / "other.json").unlink()
    (out / "README.md").write_text("| `train.json` | mine |")
    with pytest.raises(UsageError, match="holds a file that no export"):
        export(instruction(), name, out, media=media, force=True)


def test_options_of_other_formats_are_refused(instruction: Make, media: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="category_base is for coco, not for chat"):
        export(instruction(), "chat", tmp_path / "out", category_base=1)
    with pytest.raises(UsageError, match="media is for huggingface, lmms-eval, trainers, not for coco"):
        export(instruction(), "coco", tmp_path / "out", media=media)
    with pytest.raises(UsageError, match="drop"):
        export(instruction(), "chat", tmp_path / "out", media=media, missing="dorp")


class TestMedia:
    """Which file is meant, and whether it opens."""

    def test_missing_ones_are_refused_dropped_or_kept(self, instruction: Make, media: Path, tmp_path: Path) -> None:
        (media / "rope_ünï.mp4").unlink()
        (media / "sub" / "ladder.mp4").write_bytes(b"not a video")
        with pytest.raises(InputError) as failure:
            export(instruction(), "chat", tmp_path / "out", media=media)
        said = str(failure.value)
        assert "'rope_ünï.mp4': found no such file" in said
        assert "'sub/ladder.mp4': found cannot be opened" in said
        assert export(instruction(), "chat", tmp_path / "drop", media=media, missing="drop")["rows"] == 1
        kept = export(instruction(), "chat", tmp_path / "keep", media=media, missing="keep")
        assert (kept["rows"], kept["videos missing"]) == (3, 2)

    def test_folders_in_names_and_of_files_must_agree(self, media: Path) -> None:
        for folder in ("deep/one", "deep/two"):
            (media / folder).mkdir(parents=True)
            (media / folder / "7.mp4").write_bytes((media / "sub" / "ladder.mp4").read_bytes())
        found = find_media(["one/7.mp4", "two/7", "three/7.mp4", "elsewhere/shelf one"], media)
        expected = {"one/7.mp4": "deep/one/7.mp4", "two/7": "deep/two/7.mp4", "elsewhere/shelf one": "shelf one.mp4"}
        assert found.files == expected
        assert found.missing == {"three/7.mp4": "no such file"}

    def test_without_a_folder_names_are_kept_only_where_asked(self, instruction: Make, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="--missing keep"):
            export(instruction(), "chat", tmp_path / "out")
        export(instruction(), "chat", tmp_path / "out", missing="keep")
        assert "nobody looked" in (tmp_path / "out" / "README.md").read_text()

    def test_two_files_for_one_name(self, instruction: Make, media: Path, tmp_path: Path) -> None:
        (media / "shelf one.mkv").write_bytes(b"x")
        with pytest.raises(InputError, match="for one name"):
            export(instruction(), "chat", tmp_path / "out", media=media)

    @pytest.mark.parametrize("name", ["../shelf one.mp4", "/etc/passwd", "sub/../../x.mp4"])
    def test_a_path_out_of_the_folder(self, instruction: Make, media: Path, tmp_path: Path, name: str) -> None:
        with pytest.raises(InputError, match="leaves the folder"):
            export(instruction([rows()[0] | {"media": name}]), "chat", tmp_path / "out", media=media, missing="keep")
        with pytest.raises(InputError, match="leaves the folder"):
            export(instruction([rows()[0] | {"media": name}]), "chat", tmp_path / "out", missing="keep")

    def test_a_text_that_would_make_ffmpeg_read_other_files(
        self, instruction: Make, media: Path, tmp_path: Path
    ) -> None:
        (media / "shelf one.mp4").write_text("ffconcat version 1.0\nfile 'sub/ladder.mp4'\n")
        with pytest.raises(InputError, match="shelf one"):
            export(instruction(), "chat", tmp_path / "out", media=media)

    def test_a_loop_of_links_ends(self, instruction: Make, media: Path, tmp_path: Path) -> None:
        (media / "sub" / "up").symlink_to(media)
        assert export(instruction(), "chat", tmp_path / "out", media=media)["videos"] == 3

    def test_a_file_that_has_not_changed_is_not_opened_again(
        self, instruction: Make, media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from benchwright.exporters import media_files

        export(instruction(), "chat", tmp_path / "a", media=media)
        opened: list[str] = []
        monkeypatch.setattr(media_files, "_fault", lambda path: opened.append(path.name) or "")
        export(instruction(), "chat", tmp_path / "b", media=media)
        assert opened == []
        (media / "shelf one.mp4").write_bytes(b"changed")
        export(instruction(), "chat", tmp_path / "c", media=media)
        assert opened == ["shelf one.mp4"]


class TestShards:
    """WebDataset, whose files hold the media themselves."""

    # The library leaves closing its files to the garbage collector.
    @pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
    def test_they_are_read_by_webdataset(self, instruction: Make, media: Path, tmp_path: Path) -> None:
        import webdataset

        given = [each | {"sample_id": f"a.b/{place}"} for place, each in enumerate(rows())]
        counts = export(instruction(given), "webdataset", tmp_path / "out", media=media)
        assert counts["rows"] == 3
        found = list(webdataset.WebDataset(str(tmp_path / "out" / "train-000000.tar"), shardshuffle=False).decode())
        assert [each["json"]["id"] for each in found] == ["a.b/0", "a.b/1"]
        assert found[0]["mp4"] == (media / "shelf one.mp4").read_bytes()

    def test_a_new_shard_begins_where_one_is_full(
        self, instruction: Make, media: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from benchwright.exporters.training import webdataset

        monkeypatch.setattr(webdataset, "SHARD_BYTES", 1)
        export(instruction(), "webdataset", tmp_path / "out", media=media, split="train")
        assert sorted(path.name for path in (tmp_path / "out").glob("*.tar")) == [
            "train-000000.tar",
            "train-000001.tar",
        ]

    def test_they_repeat_byte_for_byte(self, instruction: Make, media: Path, tmp_path: Path) -> None:
        for name in "ab":
            export(instruction(), "webdataset", tmp_path / name, media=media)
        a, b = ((tmp_path / name / "train-000000.tar").read_bytes() for name in "ab")
        assert a == b

    def test_what_is_missing_cannot_be_kept(self, instruction: Make, media: Path, tmp_path: Path) -> None:
        (media / "shelf one.mp4").unlink()
        with pytest.raises(UsageError, match="'shelf one' is missing or broken: --missing drop"):
            export(instruction(), "webdataset", tmp_path / "out", media=media, missing="keep")
        assert export(instruction(), "webdataset", tmp_path / "out", media=media, missing="drop")["rows"] == 2

    def test_without_media(self, instruction: Make, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="the media themselves"):
            export(instruction(), "webdataset", tmp_path / "out", missing="keep")
