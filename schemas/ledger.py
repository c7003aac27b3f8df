"""The schema of the ledger: an entry for each row that a rule dropped, or changed or noted."""

from __future__ import annotations

import pyarrow as pa

from schemas.columns import column

_VALUES = pa.list_(pa.struct([pa.field("name", pa.string(), False), pa.field("value", pa.float64())]))
LEDGER = pa.schema(
    [
        column("level", pa.string(), "level of the row concerned, such as clip, image or object"),
        column("key", pa.string(), "sample_id of the row, or of the sample it belongs to"),
        column("child_key", pa.string(), "key of the row within its sample, null at the root", required=False),
        column("rule", pa.string(), "name of the rule"),
        column("order", pa.int16(), "place of the rule in the recipe, from 1"),
        column("action", pa.string(), "dropped, changed or noted"),
        column("reason", pa.string(), "reason code; via=parent where the row fell with its sample"),
        column("values", _VALUES, "the numbers compared, by name"),
    ]
)
