"""Thumbnails are small and few; hostile names and broken images are told, never a traceback."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from benchwright.reporting.frames import thumbnails as module
from benchwright.reporting.frames.thumbnails import SIZE, thumbnails
from schemas.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`images` with a wide JPEG, a grey PNG with alpha below it, and files that are no images; `secret.png` beside."""
    images = tmp_path / "images"
    (images / "below").mkdir(parents=True)
    Image.new("RGB", (3760, 480), (200, 30, 30)).save(images / "wide.jpg")
    Image.new("LA", (40, 400), (90, 128)).save(images / "below" / "tall.png")
    Image.new("RGB", (9, 9)).save(tmp_path / "secret.png")
    (images / "text.jpg").write_text("no image", encoding="utf-8")
    (images / "cut.jpg").write_bytes((images / "wide.jpg").read_bytes()[:900])
    (images / "empty.png").touch()
    (images / "link.png").symlink_to(tmp_path / "secret.png")
    (images / "loop.png").symlink_to(images / "loop.png")
    (images / "folder.png").mkdir()
    return images


def opened(url: str) -> Image.Image:
    assert url.startswith("data:image/jpeg;base64,")
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


def test_pictures_are_small_jpegs_of_their_shape(folder: Path) -> None:
    found = thumbnails(folder, [("a", "wide.jpg"), ("b", "below/tall.png")])
    assert found.problems == []
    assert list(found.urls) == ["a", "b"]
    sizes = [opened(url).size for url in found.urls.values()]
    assert sizes[0] == (SIZE[0], round(480 * SIZE[0] / 3760))
    assert sizes[1] == (24, SIZE[1])
    red, green, _ = opened(found.urls["a"]).convert("RGB").getpixel((5, 5))  # type: ignore[misc]
    assert red > 150 > green


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../secret.png", "leads out of the folder"),
        ("below/../../secret.png", "leads out of the folder"),
        ("/etc/passwd", "leads out of the folder"),
        ("..\\secret.png", "leads out of the folder"),
        ("wide.jpg\0.png", "leads out of the folder"),
        ("link.png", "is a link out of the folder"),
        ("x" * 5000, "no file"),
        ("absent.jpg", "no file 'absent.jpg'"),
        ("folder.png", "no file"),
        ("elsewhere/wide.jpg", "no file"),
        ("loop.png", "no file"),
        (".", "no file"),
        (None, "has no file name"),
        ("", "has no file name"),
        ("text.jpg", "cannot be read as an image"),
        ("cut.jpg", "cannot be read as an image"),
        ("empty.png", "cannot be read as an image"),
    ],
)
def test_what_cannot_be_shown_is_told(name: str | None, said: str, folder: Path) -> None:
    found = thumbnails(folder, [("bad", name), ("good", "wide.jpg")])
    assert list(found.urls) == ["good"]
    (problem,) = found.problems
    assert problem.startswith("bad: ")
    assert said in problem
    assert str(folder) not in problem


def test_huge_images_are_not_decoded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_PIXELS", 1000)
    assert "3,760 x 480 pixels are too many" in thumbnails(folder, [("a", "wide.jpg")]).problems[0]


def test_pictures_are_limited_in_number_and_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [(str(place), "wide.jpg") for place in range(100)]
    assert len(thumbnails(folder, many).urls) == module.MOST
    each = len(thumbnails(folder, many[:1]).urls["0"])
    monkeypatch.setattr(module, "MOST_BYTES", 3 * each + 1)
    assert len(thumbnails(folder, many).urls) == 3


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        thumbnails(tmp_path / "absent", [])
