"""Croissant (mlcommons.org): a manifest's files, columns and splits as JSON-LD, for tools beside `datasets`.

Format: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html and `-1.0.html`; responsible AI terms from
croissant-rai-spec. Version 1.0 is the one that all readers know; 1.1 says of lists more exactly what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
import pyarrow as pa

from schemas.contents import DEFAULT, LEDGER, Contents, Part
from schemas.input.columns import is_list

Version = Literal["1.0", "1.1"]
_PARQUET = "application/x-parquet"  # the registered name is not read by mlcroissant
_FILES = "parquet-files"
_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
_TERMS_1_1 = ("arrayShape", "containedIn", "isArray")

Json = dict[str, Any]


def croissant(contents: Contents, version: Version = "1.0", below: str = "") -> bytes:
    """The document.

    Records of lists in records are left out, as no reader of Croissant can give more than their first; the description
    of the column says so.

    Args:
        contents: the manifest.
        version: of the format.
        below: the manifest's folder, seen from that of the document, with a slash behind it.
    """
    identity, card, told = contents.identity, contents.card, contents.publication
    about = f"{card.task.capitalize()}: {card.rows}. " if card else ""
    about += f"Built by benchwright {identity.tool_version}; content digest {identity.content_digest}."
    is_spdx = told.licence not in ("other", "unknown")
    parts = [*contents.splits.values(), contents.ledger]
    document = {
        "@context": _context(version),
        "@type": "sc:Dataset",
        "name": identity.name,
        "alternateName": contents.title,
        "description": about,
        "conformsTo": [f"http://mlcommons.org/croissant/{version}", "http://mlcommons.org/croissant/RAI/1.0"],
        "license": f"https://spdx.org/licenses/{told.licence.upper()}" if is_spdx else card.licence if card else "",
        "url": told.url,
        "citeAs": card.citation if card else "",
        "version": f"{identity.recipe_version}.0.0",
        "datePublished": str(told.year or ""),
        "inLanguage": told.languages,
        "keywords": [*told.tags, "benchwright"],
        "rai:dataCollection": told.collection,
        "rai:personalSensitiveInformation": [told.personal] if told.personal else [],
        "rai:dataBiases": told.biases,
        "rai:dataLimitations": told.limitations,
        "rai:dataUseCases": told.uses,
        "distribution": [*(_file_object(part, below) for part in parts), _file_set(below)],
        "recordSet": _record_sets(contents, version),
    }
    written = {key: value for key, value in document.items() if value}
    return msgspec.json.format(msgspec.json.encode(written), indent=1) + b"\n"


def _context(version: Version) -> Json:
    """The terms, as the library's own `make_context` has them: it complains of others."""
    terms: Json = {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "sc": "https://schema.org/",
        **{term: f"cr:{term}" for term in _TERMS},
    }
    if version == "1.1":
        of_languages = {"@container": "@language"}
        terms |= {term: f"cr:{term}" for term in _TERMS_1_1} | {"name": of_languages, "description": of_languages}
    return terms


def _file_object(part: Part, below: str) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": part.path,
        "name": part.path,
        "contentUrl": f"{below}{part.path}",
        "contentSize": f"{part.size} B",
        "encodingFormat": _PARQUET,
        "sha256": part.sha256,
    }


def _file_set(below: str) -> Json:
    """All splits; without `containedIn`, as patterns are of paths beside the document."""
    return {
        "@type": "cr:FileSet",
        "@id": _FILES,
        "name": _FILES,
        "description": "The rows of all splits.",
        "encodingFormat": _PARQUET,
        "includes": f"{below}data/*.parquet",
    }


def _record_sets(contents: Contents, version: Version) -> list[Json]:
    splits = {
        "@type": "cr:RecordSet",
        "@id": "splits",
        "name": "splits",
        "description": "The splits.",
        "dataType": "cr:Split",
        "key": {"@id": "splits/name"},
        "field": [{"@type": "cr:Field", **_named("splits/name", "Name of the split."), "dataType": "sc:Text"}],
        "data": [{"splits/name": name} for name in contents.splits],
    }
    rows = [part.table.schema for part in contents.splits.values()][:1]
    sets = [
        (DEFAULT, "The rows.", rows, {"fileSet": {"@id": _FILES}}),
        (LEDGER, "What rules dropped or changed.", [contents.ledger.table.schema], _of_file(contents.ledger.path)),
    ]
    found = [splits] * bool(contents.splits)
    for name, about, schemas, source in sets:
        for schema in schemas:
            key = {"key": {"@id": f"{DEFAULT}/sample_id"}} if name == DEFAULT else {}
            fields = _fields(schema, name, source, version)
            found.append({"@type": "cr:RecordSet", **_named(name, about), **key, "field": fields})
    return found


def _of_file(path: str) -> Json:
    return {"fileObject": {"@id": path}}


def _fields(schema: pa.Schema, record_set: str, source: Json, version: Version) -> list[Json]:
    fields = [_field(field, f"{record_set}/{field.name}", source, field.name, (), version) for field in schema]
    for field in fields:
        if field["@id"] == f"{DEFAULT}/split":
            # From the file's name, by which readers that want one split leave out the files of others.
            pattern = "^(?:.*data/)?([^-/]+)(?:-.*[.]parquet)?$"
            field["source"] = source | {"extract": {"fileProperty": "fullpath"}, "transform": {"regex": pattern}}
            field["references"] = {"field": {"@id": "splits/name"}}
    return fields


def _field(field: pa.Field, name: str, source: Json, column: str, below: Sequence[str], version: Version) -> Json:
    """One column, or a field of the records in it, which are reached by their names from the column."""
    kind = field.type.value_type if is_list(field.type) else field.type
    made: Json = {"@type": "cr:Field", **_named(name, _about(field))}
    if is_list(field.type):
        made |= {"repeated": True} if version == "1.0" else {"isArray": True, "arrayShape": _shape(field.type)}
    if pa.types.is_struct(kind):
        inner = [kind.field(place) for place in range(kind.num_fields)]
        plain = [each for each in inner if not _holds_records(each.type)]
        parts = [_field(each, f"{name}/{each.name}", source, column, (*below, each.name), version) for each in plain]
        if left_out := [each.name for each in inner if _holds_records(each.type)]:
            made["description"] += f" Its {', '.join(left_out)} are records of records: only in the Parquet files."
        return made | {"subField": parts}
    transform = {"transform": {"jsonPath": ".".join(below)}} if below else {}
    return made | {"dataType": _data_type(kind), "source": source | {"extract": {"column": column}} | transform}


def _named(name: str, about: str) -> Json:
    return {"@id": name, "name": name, "description": about}


def _about(field: pa.Field) -> str:
    metadata: Mapping[bytes, bytes] = field.metadata or {}
    about, unit = (metadata.get(key, b"").decode("utf-8", "replace") for key in (b"about", b"unit"))
    return f"{about or field.name}{f' ({unit})' if unit else ''}."


def _holds_records(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) or (is_list(kind) and _holds_records(kind.value_type)))


def _shape(kind: pa.DataType) -> str:
    """Lengths of nested lists, -1 for any: `-1`, `-1,4`."""
    own = str(kind.list_size) if pa.types.is_fixed_size_list(kind) else "-1"
    return f"{own},{_shape(kind.value_type)}" if is_list(kind.value_type) else own


def _data_type(kind: pa.DataType) -> str:
    while is_list(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
