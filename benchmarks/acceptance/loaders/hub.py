"""The folder of a manifest, by datasets: every configuration, loaded and streamed."""

from __future__ import annotations

import tempfile

import datasets
import report


def main() -> None:
    folder, _, out = report.asked()
    rows, encoded = {}, 0
    for config in datasets.get_dataset_config_names(str(folder)):
        with tempfile.TemporaryDirectory() as cache:
            for split, loaded in datasets.load_dataset(str(folder), config, cache_dir=cache).items():
                stream = datasets.load_dataset(str(folder), config, split=split, streaming=True, cache_dir=cache)
                if sum(1 for _ in stream) != len(loaded):
                    raise ValueError(f"{config}, {split}: another number of rows is streamed")
                encoded += len(loaded)
                if "sample_id" in loaded.column_names:
                    rows[split] = [[name] for name in loaded["sample_id"]]
    report.write(out, ["datasets"], rows, encoded)


main()
