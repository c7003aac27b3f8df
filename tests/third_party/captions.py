"""A benchmark of a kind that the toolkit does not know: captions of images, and a metric for them."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchwright.recipes import Candidates, Card, Recipe, Source, column, read_records, table_schema
from benchwright.scoring import Aligned, Evaluation, Named, Ratio, Scorer, UsageError, integers, read_table

TEXTS = ("sample_id", "split", "image", "caption")
CARD = Card(
    name="our-captions",
    title="Our captions",
    task="say what an image shows",
    citation="none",
    licence="CC0",
    access="free",
    rows="one row per caption",
    splits=["test"],
    sources=[Source(name="captions", files=["captions.json"], what="id, image and text", obtain="write it")],
    claims=[],
)


def read(sources):
    rows = read_records(sources["captions"], {"id": str, "image": str, "text": str})
    return Candidates(rows.rename(columns={"id": "sample_id", "text": "caption"}).assign(split="test"))


SCHEMA = table_schema("our-captions", 1, [column(name, pa.string(), name) for name in TEXTS])
RECIPE = Recipe(CARD, version=1, version_reason="first version", level="caption", read=read, rules=(), schema=SCHEMA)


class CaptionScorer(Scorer[pa.Table, list[str], Named]):
    """Captions that are equal to the true one, in percent; several captions may be of one image."""

    kind = "captions"
    columns = frozenset({"image", "caption"})
    protocols = ("as written", "any case")
    side_by_side = protocols
    clusters = "image"
    kinds: Mapping[str, str] = {"protocol=any case": "repair"}

    def metrics(self, names, truth, protocol):
        return [Named("equal")]

    def numbered_clusters(self, truth):
        return integers(truth["image"].combine_chunks().dictionary_encode().indices)

    def read(self, source, truth, metrics, options):
        table = read_table(source)
        if not {"sample_id", "caption"} <= set(table.column_names):
            raise UsageError(f"found the columns {', '.join(table.column_names)}, expected sample_id and caption")
        row = pc.index_in(truth["sample_id"], value_set=table["sample_id"].combine_chunks())
        found = table["caption"].take(row)
        return Aligned(found.to_pylist(), {"rows": len(truth), "scored": len(truth) - found.null_count})

    def evaluate(self, truth, predictions, metrics, protocol):
        change = str.casefold if protocol == "any case" else str
        pairs = zip(truth["caption"].to_pylist(), predictions, strict=True)
        hits = Ratio(np.array([change(ours or "") == change(theirs) for theirs, ours in pairs]), scale=100.0)
        rows = pa.table({"sample_id": truth["sample_id"], "equal": pa.array(hits.numerator)})
        return Evaluation(dict.fromkeys(metrics, hits.value), lambda: [hits], samples=lambda: rows)

    def names(self, truth):
        return truth["sample_id"].combine_chunks()

    def answered(self, truth, predictions):
        return np.array([each is not None for each in predictions])

    def only(self, truth, predictions, rows):
        return truth.filter(pa.array(rows)), [each for each, kept in zip(predictions, rows, strict=True) if kept]

    def cross_check(self, truth, predictions, evaluation, protocol, engine):
        return f"{engine} agrees"

    def baselines(self, truth):
        return {"first": [truth["caption"][0].as_py()] * len(truth)} if len(truth) else {}


SCORER = CaptionScorer()
