"""Column types as Hugging Face `datasets` has them: embedded in Parquet, and in the front matter of a README.

Embedded lists are of the type `Sequence`, which every version reads from 3.6 to 5, while `List` came with 4.0; those of
records are lists of JSON, as a `Sequence` of records means a record of lists. Where a column may hold no null, the
library takes its Arrow type instead, so that names of classes reach it by the front matter alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.cards import Card
from schemas.claims import values_of
from schemas.input.columns import is_list

FEATURES_KEY = b"huggingface"
# Ids of classes count from 1 here, positions of `datasets` from 0.
_UNUSED = "(no class)"
_NAMES = {"double": "float64", "float": "float32", "halffloat": "float16"}

Feature = dict[str, Any] | list[Any]


def class_names(card: Card | None, tables: Sequence[pa.Table]) -> dict[str, list[str]]:
    """Names of classes by the path of the column that holds their ids; the position in a list is the id.

    A list is left out where a column holds an id that it has no name for: `datasets` would give wrong names.
    """
    found: dict[str, list[str]] = {}
    for given in card.label_lists if card else ():
        for path in given.columns:
            if all(_within(path, len(given.labels), table) for table in tables):
                found[path] = [_UNUSED, *given.labels]
    return found


def _within(path: str, classes: int, table: pa.Table) -> bool:
    try:
        bounds = pc.min_max(values_of(path, table)).as_py()
        return bounds["min"] is None or (bounds["min"] >= 0 and bounds["max"] <= classes)
    except (KeyError, TypeError, pa.ArrowException):
        return False


def features_of(schema: pa.Schema, classes: Mapping[str, list[str]]) -> dict[str, Feature]:
    """The feature of each column, as `Features.to_dict` of the library has it."""
    return {field.name: _feature(field.type, field.name, classes) for field in schema}


def _feature(kind: pa.DataType, path: str, classes: Mapping[str, list[str]]) -> Feature:
    if is_list(kind) and pa.types.is_struct(kind.value_type):
        return [_feature(kind.value_type, path, classes)]
    if is_list(kind):
        length = {"length": kind.list_size} if pa.types.is_fixed_size_list(kind) else {}
        return {"feature": _feature(kind.value_type, path, classes), **length, "_type": "Sequence"}
    if pa.types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return {field.name: _feature(field.type, f"{path}.{field.name}", classes) for field in fields}
    if path in classes:
        return {"names": classes[path], "_type": "ClassLabel"}
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return {"dtype": _NAMES.get(str(kind), str(kind)), "_type": "Value"}


def embedded(features: Mapping[str, Feature]) -> bytes:
    """The features as the value of `FEATURES_KEY` among the metadata of an Arrow schema."""
    return json.dumps({"info": {"features": features}}).encode()


def front_matter(features: Mapping[str, Feature]) -> list[dict[str, Any]]:
    """The features as a README's `dataset_info` lists them.

    >>> front_matter({"onsets_s": {"feature": {"dtype": "float64", "_type": "Value"}, "_type": "Sequence"}})
    [{'name': 'onsets_s', 'list': 'float64'}]
    """
    return [{"name": name} | _written(feature) for name, feature in features.items()]


def _written(feature: Feature) -> dict[str, Any]:
    if isinstance(feature, list):
        return {"list": front_matter(feature[0])}
    kind = feature.get("_type")
    if kind == "Value":
        return {"dtype": feature["dtype"]}
    if kind == "ClassLabel":
        return {"dtype": {"class_label": {"names": {str(place): name for place, name in enumerate(feature["names"])}}}}
    if kind == "Sequence":
        inner = _written(feature["feature"])
        length = {"length": feature["length"]} if "length" in feature else {}
        return {"list": inner.get("dtype", inner)} | length
    return {"struct": front_matter(feature)}
