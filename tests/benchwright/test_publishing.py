"""`push` against a stand-in of the Hub's HTTP interface on the loopback: what is sent, and what is refused."""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

import benchwright
from schemas.errors import BenchwrightError, InputError, UsageError
from schemas.identity import Identity
from schemas.manifest import Manifest, open_manifest
from schemas.manifest_folder import split_file, write_manifest

# The library passes files to its HTTP library in a way that the latter has renamed.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

TOKEN = "hf_invented"
REPOSITORY = "somebody/funny"


class Hub(ThreadingHTTPServer):
    """Repositories by name: whether private, and their files; Parquet goes by Git LFS, as at the real one."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Requests)
        self.private: dict[str, bool] = {}
        self.files: dict[str, dict[str, bytes]] = {}
        self.objects: dict[str, bytes] = {}
        self.summaries: list[str] = []
        self.refusal = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Requests(BaseHTTPRequestHandler):
    """What `huggingface_hub` asks while it makes a commit."""

    server: Hub

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, value: Any, status: int = 200, **headers: str) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(content)

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_GET(self) -> None:
        name = self.path.removeprefix("/api/datasets/").partition("?")[0]
        if name not in self.server.files:
            self.answer({"error": "Repository not found"}, 404, X_Error_Code="RepoNotFound")
            return
        siblings = [{"rfilename": file} for file in self.server.files[name]]
        self.answer({"id": name, "private": self.server.private[name], "siblings": siblings})

    def do_PUT(self) -> None:
        self.server.objects[self.path.removeprefix("/objects/")] = self.body()
        self.answer({})

    def do_POST(self) -> None:
        content, path = self.body(), self.path.partition("?")[0]
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.answer({"error": "Invalid credentials"}, 401)
        elif self.server.refusal:
            self.answer({"error": f"no, {TOKEN}"}, self.server.refusal)
        elif path == "/api/repos/create":
            asked = json.loads(content)
            name = f"{asked['organization']}/{asked['name']}"
            assert asked["type"] == "dataset"
            self.server.private[name] = asked.get("visibility", asked.get("private")) in ("private", True)
            self.server.files[name] = {".gitattributes": b""}
            self.answer({"url": f"{self.server.address}/datasets/{name}"})
        elif path == "/api/validate-yaml":
            assert json.loads(content)["content"].startswith("---\n")
            self.answer({"errors": [], "warnings": []})
        elif path.endswith("/objects/batch"):
            self.answer({"transfer": "basic", "objects": [self.place(each) for each in json.loads(content)["objects"]]})
        elif path.endswith("/preupload/main"):
            files = [(each["path"], Path(each["path"]).suffix) for each in json.loads(content)["files"]]
            modes = {".parquet": "lfs"}
            found = [{"path": p, "uploadMode": modes.get(s, "regular"), "shouldIgnore": False} for p, s in files]
            self.answer({"files": found})
        else:
            self.commit(path.removeprefix("/api/datasets/").removesuffix("/commit/main"), content)

    def place(self, each: dict[str, Any]) -> dict[str, Any]:
        return each | {"actions": {"upload": {"href": f"{self.server.address}/objects/{each['oid']}"}}}

    def commit(self, name: str, content: bytes) -> None:
        files = self.server.files[name]
        for line in map(json.loads, content.splitlines()):
            key, value = line["key"], line["value"]
            if key == "header":
                self.server.summaries.append(value["summary"])
            elif key == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                files[value["path"]] = self.server.objects[value["oid"]]
            elif key == "deletedFile":
                del files[value["path"]]
        where = f"{self.server.address}/datasets/{name}/commit/0000"
        self.answer({"commitUrl": where, "commitOid": "0" * 40, "hookOutput": "", "success": True})


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hugging-face"))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # for tests that find the library imported
    constants = importlib.import_module("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)  # a protocol of its own, for large files
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no token"))
    with Hub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def funny(sample_manifest: Callable[[str], Manifest]) -> Manifest:
    """Its annotations may be published."""
    return sample_manifest("uag-funqa")


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_folder_arrives_whole_in_one_commit(hub: Hub, funny: Manifest) -> None:
    done = benchwright.push(funny, REPOSITORY)
    sent, own = hub.files[REPOSITORY], files_of(funny.path)
    assert set(sent) - {".gitattributes"} == set(own) == set(done.files)
    assert all(sent[name] == content for name, content in own.items() if name != "README.md")
    assert (
        sent["README.md"] == own["README.md"].replace(b"path/of/this/folder", REPOSITORY.encode()) != own["README.md"]
    )
    assert set(hub.objects) == {hashlib.sha256(own[name]).hexdigest() for name in own if name.endswith(".parquet")}
    assert len(hub.summaries) == 1
    assert funny.identity.content_digest[:12] in hub.summaries[0]
    assert (hub.private, done.private) == ({REPOSITORY: True}, True)
    assert done.url == f"{hub.address}/datasets/{REPOSITORY}/commit/0000"


def test_a_later_manifest_takes_the_place_of_an_earlier_one(hub: Hub, funny: Manifest, tmp_path: Path) -> None:
    benchwright.push(funny, REPOSITORY, public=True)
    assert hub.private[REPOSITORY] is False
    table = funny.table("test")
    other = table.set_column(table.column_names.index("split"), "split", [["train"] * len(table)])
    identity = msgspec.structs.replace(funny.identity, splits={})
    write_manifest(tmp_path / "later", identity, {"train": other.cast(table.schema)}, funny.ledger())
    hub.files[REPOSITORY]["notes.txt"] = b"somebody's own"
    done = benchwright.push(tmp_path / "later", REPOSITORY)
    assert done.private is False, "it was public before"
    assert split_file("test") not in hub.files[REPOSITORY]
    assert {split_file("train"), "notes.txt"} <= set(hub.files[REPOSITORY])


def test_a_repository_of_something_else_is_left_alone(hub: Hub, funny: Manifest) -> None:
    hub.files[REPOSITORY], hub.private[REPOSITORY] = {"thesis.tex": b"years"}, False
    with pytest.raises(UsageError, match=r"holds files but no manifest \(thesis.tex\)"):
        benchwright.push(funny, REPOSITORY)
    assert hub.files[REPOSITORY] == {"thesis.tex": b"years"}


@pytest.mark.parametrize(
    ("name", "said"), [("uag-ssbd", "the licence of the annotations forbids"), ("jrdb-par", "nobody is said to have")]
)
def test_what_may_not_be_published_needs_the_right(
    hub: Hub, sample_manifest: Callable[[str], Manifest], name: str, said: str
) -> None:
    manifest = sample_manifest(name)
    with pytest.raises(UsageError, match=f"{said}.*--i-have-the-right"):
        benchwright.push(manifest, REPOSITORY)
    assert hub.files == {}
    assert benchwright.push(manifest, REPOSITORY, dry_run=True).objection.startswith(said)
    assert benchwright.push(manifest, REPOSITORY, has_right=True).objection.startswith(said)
    assert "manifest.json" in hub.files[REPOSITORY]


def test_a_dry_run_sends_nothing_and_needs_no_token(
    hub: Hub, funny: Manifest, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    code, out, err = run("push", funny.path, REPOSITORY, "--dry-run")
    assert (code, hub.files) == (0, {})
    for name, content in files_of(funny.path).items():
        assert re.search(rf"{re.escape(name)} +{len(content):,}\b", out)
    assert "nothing was uploaded" in err


def test_the_verb_says_where_it_went_and_never_prints_the_token(
    hub: Hub, funny: Manifest, run: Callable[..., Any], refused: Callable[..., str]
) -> None:
    code, out, err = run("push", funny.path, REPOSITORY)
    assert code == 0
    assert f"{hub.address}/datasets/{REPOSITORY}/commit/0000 (private)" in out
    assert run("push", funny.path, REPOSITORY, "--json").json["private"] is True
    hub.refusal = 403
    said = refused("push", funny.path, REPOSITORY)
    assert said.startswith(f"the Hub did not take {REPOSITORY}: ")
    assert TOKEN not in out + err + said


def test_without_a_token_or_with_a_wrong_one_it_says_so(
    hub: Hub, funny: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(BenchwrightError, match="401") as refused:
        benchwright.push(funny, REPOSITORY)
    assert "hf_wrong" not in str(refused.value)
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(UsageError, match="no token for the Hub"):
        benchwright.push(funny, REPOSITORY)


def test_an_unreachable_hub_is_one_message(hub: Hub, funny: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(BenchwrightError, match=f"the Hub did not take {REPOSITORY}"):
        benchwright.push(funny, REPOSITORY)


@pytest.mark.parametrize("name", ["funny", "../a/b", "a/b/c", "somebody/", "somebody/fun ny", "-a/b", "a\n/b"])
def test_what_is_no_repository_is_refused(funny: Manifest, name: str) -> None:
    with pytest.raises(UsageError, match="expected OWNER/NAME"):
        benchwright.push(funny, name, dry_run=True)


def test_rows_that_were_changed_and_files_that_are_missing_are_refused(
    funny: Manifest, tmp_path: Path, sample_manifest: Callable[[str], Manifest]
) -> None:
    folder = Path(shutil.copytree(funny.path, tmp_path / "copy"))
    (folder / "croissant.json").unlink()
    with pytest.raises(
        InputError, match=r"croissant.json: found nothing, expected what a build writes \(build it again"
    ):
        benchwright.push(folder, REPOSITORY, dry_run=True)
    lone = folder / split_file("test")
    with pytest.raises(UsageError, match="is no folder of a manifest"):
        benchwright.push(lone, REPOSITORY, dry_run=True)
    identity = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=Identity)
    changed = msgspec.structs.replace(identity, ledger_digest="0" * 64)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(changed))
    with pytest.raises(InputError, match="ledger was changed after the build"):
        benchwright.push(open_manifest(folder), REPOSITORY, dry_run=True)
