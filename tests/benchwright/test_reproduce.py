"""The paper's tables recomputed: verdicts and reasons on samples, every printed number on the real files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from benchwright.reproduce import TABLES, Cell, Reproduction
from builders.engine.build import build
from builders.engine.registry import find_recipe
from schemas.errors import InputError, UsageError
from schemas.manifest import Manifest
from schemas.paper import printed_tables

Manifests = Callable[..., Manifest]
UAL_BENCH = ("uag-oops", "uag-ssbd", "uag-funqa", "oops-uag-instruct", "charades-sta")


def gathered(folder: Path, manifests: Iterable[Manifest]) -> Path:
    """A folder that holds the manifests, as a build leaves them."""
    folder.mkdir()
    for manifest in manifests:
        (folder / manifest.identity.name).symlink_to(manifest.path)
    return folder


@pytest.fixture
def small(sample_manifest: Manifests, tmp_path: Path) -> Reproduction:
    """All manifests of the samples, and predictions of one model on UAG-SSBD and of one on UAG-FunQA."""
    ssbd, funqa = sample_manifest("uag-ssbd").table("test"), sample_manifest("uag-funqa").table("test")
    hits = {row["sample_id"]: {"pred_start": row["start_s"], "pred_end": row["end_s"]} for row in ssbd.to_pylist()}
    misses = {name: {"pred_start": None, "pred_end": None} for name in funqa["sample_id"].to_pylist()}
    for path, predictions in (("uag-ssbd/videochat2.json", hits), ("uag-funqa/videollama.json", misses)):
        (tmp_path / "predictions" / path).parent.mkdir(parents=True)
        (tmp_path / "predictions" / path).write_text(json.dumps(predictions))
    manifests = gathered(tmp_path / "manifests", map(sample_manifest, UAL_BENCH))
    return Reproduction(manifests, tmp_path / "predictions")


def row(cells: Iterable[Cell], table: int, name: str) -> list[Cell]:
    return [cell for cell in cells if (cell.table, cell.row) == (table, name)]


def test_every_printed_cell_has_a_verdict(small: Reproduction) -> None:
    cells = small.cells()
    assert Counter(cell.table for cell in cells if cell.table > 1) == {
        table.number: sum(len(row.paper) for row in table.rows) for table in printed_tables().tables
    }
    assert {cell.verdict for cell in cells} == {"reproduced", "differs", "needs file", "needs media", "quoted"}
    for cell in cells:
        assert (cell.value is None) == (cell.verdict in ("needs file", "quoted"))
        assert cell.reason or cell.verdict in ("reproduced", "differs")
    assert [cell for table in TABLES for cell in small.cells(table)] == cells


def test_cells_of_a_row_are_its_metrics_in_print_order(small: Reproduction) -> None:
    cells = row(small.cells(2), 2, "UAG-SSBD: VideoChat2")
    assert [cell.column for cell in cells] == printed_tables().tables[0].columns
    assert [cell.paper for cell in cells] == ["2.88", "0.96", "0.00", "0.02", "0.00", "0.00", "1.92", "2.88", "139.63"]
    assert [cell.value for cell in cells] == [100, 100, 100, 1, 100, 100, 100, 100, 0]
    assert {(cell.verdict, cell.reason, cell.strict) for cell in cells} == {("differs", "", None)}


def test_a_known_deviation_has_its_reason(small: Reproduction) -> None:
    cells = row(small.cells(2), 2, "UAG-FunQA: VideoLlaMA")
    verdicts = {cell.column: (cell.verdict, cell.reason) for cell in cells}
    assert verdicts["R1(iou>=0.3)"] == ("differs", "the published predictions are of another run")
    assert verdicts["R1(td<=0)"] == ("reproduced", "")


def test_the_other_protocol_is_given_where_it_prints_differently(small: Reproduction) -> None:
    cells = {cell.column: cell for cell in row(small.cells(2), 2, "UAG-FunQA: VideoLlaMA")}
    # Without predictions the end of the truth counts as distance: two of five moments end within 5 s.
    assert (cells["R1(td<=5)"].value, cells["R1(td<=5)"].strict) == (40, 0)
    assert (cells["R1(iou>=0.3)"].value, cells["R1(iou>=0.3)"].strict) == (0, None)


def test_rows_without_a_source_are_quoted_with_their_note(small: Reproduction) -> None:
    cells = small.cells(6)
    assert {(cell.verdict, cell.value) for cell in cells} == {("quoted", None)}
    assert all(cell.reason.startswith("repeats Table 3") for cell in cells)
    assert row(small.cells(3), 3, "UAG-OOPS: Video-Speed")[0].verdict == "quoted"


def test_what_is_not_there_is_named(sample_manifest: Manifests, tmp_path: Path) -> None:
    (tmp_path / "predictions").mkdir()
    manifests = gathered(tmp_path / "manifests", [sample_manifest("uag-ssbd")])
    cells = Reproduction(manifests, tmp_path / "predictions").cells()
    needs = {(cell.row.partition(":")[0], cell.verdict, cell.reason) for cell in cells if "needs" in cell.verdict}
    assert ("UAG-OOPS", "needs manifest", f"build uag-oops into {manifests}") in needs
    missing = f"uag-ssbd/video_chatgpt.json below {tmp_path / 'predictions'}"
    assert ("UAG-SSBD", "needs file", missing) in needs
    assert {verdict for name, verdict, _ in needs if name == "UAG-FunQA"} == {"needs manifest"}
    tables = {cell.table for cell in cells if cell.verdict == "needs manifest"}
    assert tables == {1, 2, 3, 4, 5}


def test_a_baseline_without_its_source_needs_it(own_samples: Path, tmp_path: Path) -> None:
    (own_samples / "oops" / "heldout_transition_times.json").unlink()
    build(find_recipe("uag-oops"), own_samples, tmp_path / "manifests")
    cells = row(Reproduction(tmp_path / "manifests", tmp_path).cells(3), 3, "UAG-OOPS: Human Prediction")
    reason = "the human baseline needs held-out onsets, and the manifest was built without them"
    assert [(cell.verdict, cell.reason, cell.value) for cell in cells] == [("needs source", reason, None)] * 2


def test_other_tables_and_folders_that_do_not_exist_are_refused(small: Reproduction, tmp_path: Path) -> None:
    for table in (0, 7):
        with pytest.raises(UsageError, match=f"no table {table} of results"):
            small.cells(table)
    for folders in ((tmp_path / "none", tmp_path), (tmp_path, tmp_path / "none")):
        with pytest.raises(UsageError, match="none is not a folder"):
            Reproduction(*folders)


def test_predictions_that_cannot_be_read_are_refused(small: Reproduction, tmp_path: Path) -> None:
    (tmp_path / "predictions/uag-ssbd/videochat2.json").write_text('{"v_Spinning_07_b_01": {"pred_start"')
    with pytest.raises(InputError, match=r"videochat2\.json: byte 36: found the end of the file"):
        small.cells(2)


REPRODUCED = {
    2: (
        *("UAG-OOPS: VideoChat2", "UAG-OOPS: VideoLLaMA", "UAG-OOPS: Random"),
        *("UAG-SSBD: VideoChat2", "UAG-SSBD: Video-ChatGPT", "UAG-SSBD: VideoLlaMA", "UAG-SSBD: BLIP2-LlaMA3"),
        *("UAG-SSBD: Random", "UAG-FunQA: VideoChat2", "UAG-FunQA: BLIP2-LlaMA3", "UAG-FunQA: Random"),
    ),
    3: (
        *("UAG-OOPS: VideoChat2", "UAG-OOPS: VideoLlaMA", "UAG-OOPS: Random", "UAG-OOPS: Human Prediction"),
        *("UAG-SSBD: VideoChat2", "UAG-SSBD: Video-ChatGPT", "UAG-SSBD: VideoLlaMA", "UAG-SSBD: BLIP2-LlaMA3"),
        *("UAG-SSBD: Random", "UAG-FunQA: VideoChat2", "UAG-FunQA: BLIP2-LlaMA3", "UAG-FunQA: Random"),
    ),
    4: ("UAG-SSBD: BLIP2-LlaMA3", "UAG-FunQA: BLIP2-LlaMA3"),
    5: ("UAG-OOPS: VideoLLaMA", "UAG-OOPS: PredictAll", "UAG-SSBD: VideoLlaMA", "UAG-FunQA: BLIP2-LlaMA3"),
}


@pytest.fixture
def real(real_data: Path, real_manifest: Manifests, tmp_path: Path) -> Reproduction:
    manifests = gathered(tmp_path / "manifests", map(real_manifest, UAL_BENCH))
    return Reproduction(manifests, real_data / "predictions")


@pytest.mark.real_data
def test_every_row_at_hand_is_reproduced_to_the_printed_digit(real: Reproduction) -> None:
    cells = real.cells()
    for table, names in REPRODUCED.items():
        for name in names:
            found = row(cells, table, name)
            assert len(found) == len(printed_tables().tables[table - 2].columns)
            assert [(cell.paper, cell.verdict) for cell in found] == [(cell.paper, "reproduced") for cell in found], (
                name
            )
    assert [cell for cell in cells if cell.verdict == "differs"] == []
    others = {(cell.table, cell.row) for cell in cells if cell.table > 1 and cell.verdict == "reproduced"}
    partly = {(5, "UAG-SSBD: PredictAll")}
    assert others - partly == {(table, name) for table, names in REPRODUCED.items() for name in names}


@pytest.mark.real_data
def test_the_numbers_that_the_paper_prints(real: Reproduction) -> None:
    cells = real.cells()
    printed = {
        (2, "UAG-OOPS: Random"): "12.21 4.47 1.45 0.10 0.00 0.31 2.77 5.29 24.10",
        (2, "UAG-SSBD: Random"): "10.58 5.77 3.85 0.10 0.00 0.00 1.92 1.92 87.73",
        (2, "UAG-FunQA: Random"): "5.81 1.74 0.58 0.05 0.00 0.00 1.74 4.65 27.27",
        (3, "UAG-OOPS: Random"): "15.29 5.48",
        (3, "UAG-SSBD: Random"): "2.88 1.92",
        (3, "UAG-FunQA: Random"): "8.72 3.49",
        (3, "UAG-OOPS: Human Prediction"): "72.50 25.17",
        (5, "UAG-OOPS: PredictAll"): "85.71 64.88 31.40",
        (2, "UAG-OOPS: VideoLLaMA"): "40.72 20.77 6.23 0.27 0.06 2.01 14.85 33.79 11.22",
        (3, "UAG-OOPS: VideoLlaMA"): "16.11 4.85",
    }
    for (table, name), numbers in printed.items():
        assert " ".join(f"{cell.value:.2f}" for cell in row(cells, table, name)) == numbers


@pytest.mark.real_data
def test_what_the_annotations_cannot_give_is_said_to_need_the_videos(real: Reproduction) -> None:
    cells = [cell for cell in real.cells() if cell.verdict == "needs media"]
    assert [(cell.table, cell.row, cell.column) for cell in cells if cell.table > 1] == [
        (5, "UAG-SSBD: PredictAll", "R1(iou>=0.5)"),
        *((5, "UAG-FunQA: PredictAll", f"R1(iou>={threshold})") for threshold in (0.3, 0.5, 0.7)),
    ]
    assert [cell.column for cell in cells if cell.table == 1] == ["mean duration (s)"] * 3
    assert all(cell.reason and cell.value for cell in cells)
    human = row(real.cells(3), 3, "UAG-OOPS: Human Prediction")
    assert [cell.strict and f"{cell.strict:.2f}" for cell in human] == ["71.99", None]
    assert "71.99 / 25.17" in human[0].reason
