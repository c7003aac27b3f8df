"""A temporal manifest as a task of lmms-eval: a folder for `--include_path`, its functions those of this package.

Source: lmms-eval 0.7.3, api/task.py and utils.py. A task that bears the name of a built-in one is hidden by it, so that
names have a prefix; a relative file of data is looked for beside the YAML file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright import lmms_eval
from benchwright.exporters.commands import command_of
from benchwright.exporters.media_files import Found, looked_for, way_with_missing
from benchwright.prompts import questions
from schemas.arrays import texts_of
from schemas.errors import UsageError, counted
from schemas.exchange import new_folder
from schemas.features import FEATURES_KEY, embedded, features_of
from schemas.manifest import Manifest
from schemas.manifest_folder import split_file
from schemas.paths import real_path
from scorers.metric import direction
from scorers.signature import data_parts, tool_version
from scorers.task import Progress, silent
from scorers.temporal.expressions import DEFAULT_METRICS
from scorers.temporal.truth import Truth, read_truth

VERSION = "lmms-eval 0.7"
_COLUMNS = ("sample_id", "video", "description", "start_s", "end_s", "duration_s")


class _Function(str):
    """The name of a function, which lmms-eval imports."""

    __slots__ = ()


def write_lmms_eval(
    manifest: Manifest,
    out: Path,
    split: str | None = None,
    media: Path | None = None,
    missing: str = "refuse",
    progress: Progress = silent,
) -> dict[str, int]:
    """Write `benchwright_NAME.yaml`, its rows as Parquet, and a README.

    Args:
        manifest: of spans.
        out: the folder.
        split: the only one, or test, when None.
        media: folder of the videos, which the task names by its whole path.
        missing: `refuse` rows whose videos are missing or do not open, `drop` or `keep` them.
        progress: of looking at videos.

    Returns:
        Rows and videos, and what is missing.

    Raises:
        UsageError: no spans, no rows, videos not named and not to be kept.
        InputError: videos that are missing, that lead out of their folder, or of which there are two.
    """
    how = way_with_missing(missing)
    truth = read_truth(manifest, split)
    names: list[str] = truth.videos.to_pylist()
    found = looked_for(dict.fromkeys(names), manifest.identity.name, media, how, progress)
    rows = _rows(truth, found, dropping=how == "drop")
    if not len(rows):
        raise UsageError(f"no row is left to write: {counted(len(truth), 'rows')} in the split {truth.split}")
    task = _task_name(truth)
    counts = _counts(truth, rows, found)
    folder = None if media is None else str(real_path(media))
    content = _task(task, truth, counts, folder)
    command = command_of(manifest, "lmms-eval", out, split, media, missing)
    with new_folder(out) as draft:
        file = draft / split_file(truth.split)
        file.parent.mkdir()
        pq.write_table(rows, file, compression="zstd")
        (draft / f"{task}.yaml").write_text(_yaml(content), encoding="utf-8")
        (draft / "README.md").write_text(
            _readme(content, manifest.path, out, _state(counts, found), command), encoding="utf-8"
        )
    return counts


def _rows(truth: Truth, found: Found | None, dropping: bool) -> pa.Table:
    """What the functions look at, with the path of each video below the folder of the media."""
    held = [name for name in _COLUMNS if name in truth.table.column_names]
    rows = truth.table.select(held).replace_schema_metadata()
    asked = questions(truth.manifest, truth.table.to_pylist())
    files = {} if found is None else found.files
    names = truth.videos.to_pylist()
    rows = rows.append_column("media", texts_of([files.get(name, name) for name in names]))
    rows = rows.append_column("question", texts_of(asked))
    if dropping and found is not None:
        rows = rows.filter(pa.array([name in files for name in names], pa.bool_()))
    return rows.replace_schema_metadata({FEATURES_KEY: embedded(features_of(rows.schema, {}))})


def _task_name(truth: Truth) -> str:
    name = f"benchwright_{truth.manifest.identity.name}"
    usual = len(truth.manifest.splits) == 1 or truth.split == "test"
    return re.sub(r"\W+", "_", name if usual else f"{name}_{truth.split}")


def _counts(truth: Truth, rows: pa.Table, found: Found | None) -> dict[str, int]:
    counts = {"rows": len(rows), "videos": len(rows["video"].unique())}
    if found is not None and found.missing:
        counts["videos missing"] = len(found.missing)
    left_out = len(truth) - len(rows)
    return counts | ({"rows left out for media missing or broken": left_out} if left_out else {})


def _function(name: str) -> _Function:
    return _Function(f"{lmms_eval.__name__}.{name}")


def _task(name: str, truth: Truth, counts: Mapping[str, int], media: str | None) -> dict[str, Any]:
    identity = truth.manifest.identity
    metrics = [
        (str(metric), "share" if metric.unit == "percent" else "mean", direction(metric)) for metric in DEFAULT_METRICS
    ]
    metrics += [(lmms_eval.SCORED, "count", True), (lmms_eval.FAILED, "count", False)]
    settings = [f"protocol:{lmms_eval.PROTOCOL}", "answers:general,seconds", f"v:{tool_version()}"]
    functions = ("doc_to_visual", "doc_to_text", "doc_to_target", "process_results")
    return {
        "task": name,
        "dataset_path": "parquet",
        "dataset_kwargs": {"data_files": {truth.split: split_file(truth.split)}},
        "test_split": truth.split,
        "output_type": "generate_until",
        **{function: _function(function) for function in functions},
        "cluster_key": lmms_eval.CLUSTER,
        "score_key": lmms_eval.SCORE,
        # Without `until`, an answer is cut at its first blank line.
        "generation_kwargs": {"max_new_tokens": 256, "temperature": 0, "do_sample": False, "until": []},
        "metric_list": [
            {"metric": metric, "aggregation": _function(how), "higher_is_better": better}
            for metric, how, better in metrics
        ],
        "lmms_eval_specific_kwargs": {"default": {"media": media or "", "pre_prompt": "", "post_prompt": ""}},
        "metadata": {
            "version": identity.recipe_version,
            "benchmark": identity.name,
            "split": truth.split,
            "rows": counts["rows"],
            "rows_of_split": len(truth),
            "content_digest": identity.content_digest,
            "signature": " | ".join([*data_parts(identity, truth.split), *settings]),
        },
    }


def _yaml(content: Mapping[str, Any]) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        """One of its own, as representers belong to the class."""

    Dumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", str(name)))
    written: str = yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10**6)
    return written


def _state(counts: Mapping[str, int], found: Found | None) -> str:
    """What is known of the videos."""
    videos = counted(counts["videos"], "videos")
    if found is None:
        return f"{videos}; nobody looked whether they are there"
    if found.missing:
        return f"{videos}; {len(found.missing):,} missing or broken"
    return f"{videos}, all found" + (
        " and opened" if found.opened else "; none was opened, which takes benchwright[media]"
    )


def _readme(content: Mapping[str, Any], manifest: Path, out: Path, state: str, command: str) -> str:
    task, about = content["task"], content["metadata"]
    left_out = about["rows_of_split"] - about["rows"]
    partial = f"- the table is of these rows; `score` counts the other {left_out:,} as missing\n" if left_out else ""
    folder, source = shlex.quote(str(real_path(out))), shlex.quote(str(manifest))
    return f"""\
# {about["benchmark"]} for {VERSION}

- {about["rows"]:,} of the {about["rows_of_split"]:,} rows of the split {about["split"]}, {state}
{partial}- content digest of the benchmark `{about["content_digest"]}`

## Run it

In the environment of lmms-eval, `pip install benchwright` (and `filelock<4`, which lmms-eval 0.7.3 needs):

```bash
lmms-eval --model qwen2_5_vl --include_path {folder} --tasks {task} \\
  --log_samples --output_path logs
benchwright score {source} $(find logs -name '*_samples_{task}.jsonl')
```

- The functions of the task are `benchwright.lmms_eval`: no logic is in this folder. Answers are parsed as `parse` does
  and scored as `score` does (protocol {lmms_eval.PROTOCOL}), so that both print the same numbers: shares in percent,
  `mTD` in seconds. `Stderr_Clustered` is over videos, on the scale of the value.
- `scored` counts rows with a span in the answer, `failed` rows whose answer could not be handled; these have no span.
- Videos are below `media` of the YAML file, or of the environment variable `{lmms_eval.MEDIA}`.
- Numbers without a unit are seconds. For a model that answers otherwise, parse the log: `benchwright parse --scale`.
- How many frames a model sees is its own setting, in `--model_args`.

## How it was made

```bash
{command}
```

`{about["signature"]}`
"""
