"""Column types for `datasets`: what is embedded, and what the front matter says, mean the same to the library."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.features import embedded, features_of, front_matter

LEAVES = [pa.string(), pa.bool_(), pa.int16(), pa.int64(), pa.float32(), pa.float64(), pa.binary()]
KINDS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        inner.map(pa.list_),
        # The library has no lists of records of a fixed length.
        inner.filter(lambda kind: not pa.types.is_struct(kind)).map(lambda kind: pa.list_(kind, 2)),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda kinds: pa.struct([(f"f{place}", kind) for place, kind in enumerate(kinds)])
        ),
    ),
    max_leaves=5,
)


@given(KINDS)
def test_the_library_reads_what_is_embedded_and_the_front_matter_as_the_arrow_type(kind: pa.DataType) -> None:
    from datasets import Features

    features = features_of(pa.schema([("column", kind)]), {})
    read = Features.from_dict(json.loads(embedded(features))["info"]["features"])
    assert read.arrow_schema.field("column").type == kind
    assert Features._from_yaml_list(front_matter(features)) == read


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (pa.list_(pa.float64()), {"list": "float64"}),
        (pa.list_(pa.float64(), 2), {"list": "float64", "length": 2}),
        (pa.list_(pa.list_(pa.int64())), {"list": {"list": "int64"}}),
        (pa.list_(pa.struct([("a", pa.bool_())])), {"list": [{"name": "a", "dtype": "bool"}]}),
        (pa.struct([("a", pa.string())]), {"struct": [{"name": "a", "dtype": "string"}]}),
    ],
)
def test_lists_and_records_are_written_as_the_library_writes_them(kind: pa.DataType, written: dict[str, Any]) -> None:
    assert front_matter(features_of(pa.schema([("x", kind)]), {})) == [{"name": "x", **written}]


def test_class_names_are_quoted_numbers_and_lists_embedded_as_sequences() -> None:
    features = features_of(pa.schema([("kinds", pa.list_(pa.int64()))]), {"kinds": ["(no class)", "no", "yes"]})
    names = {"0": "(no class)", "1": "no", "2": "yes"}
    assert front_matter(features) == [{"name": "kinds", "list": {"class_label": {"names": names}}}]
    assert json.loads(embedded(features))["info"]["features"]["kinds"]["_type"] == "Sequence"
