"""From the metadata in a Delta log to the state it describes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.state.states import (
    NO_TAGS,
    OWN_PROPERTY_PREFIX,
    OWNED_PROPERTIES,
    CheckState,
    ForeignKeyState,
    KeyState,
    TableState,
    Tags,
    by_name,
)
from pytest_delta_schema.state.types import (
    ArrayState,
    ColumnGeneration,
    ColumnState,
    DataTypeState,
    IdentityState,
    MapState,
    StructState,
    shared,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PRIMARY_KEY_PROPERTY = f"{OWN_PROPERTY_PREFIX}primaryKey"
"""Where open-source Delta, which has no primary keys, keeps ours: ``{"name": ..., "columns": [...]}``."""

FOREIGN_KEY_PREFIX = f"{OWN_PROPERTY_PREFIX}foreignKey."
"""Where open-source Delta, which has no foreign keys, keeps ours: one property a key, its name in lower case."""

TAG_PREFIX = f"{OWN_PROPERTY_PREFIX}tag."
"""Where open-source Delta, which has no tags, keeps ours: the column and a dot follow, if it is one, and the key."""

CHECK_PREFIX = "delta.constraints."
"""Where Delta keeps CHECK constraints: the name follows, in lower case, and the expression is the value."""

_CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
"""Field metadata in which Spark keeps a column's type when it holds char or varchar, which are stored as strings."""

FEATURE_PREFIX = "delta.feature."
_READER, _WRITER = "delta.minReaderVersion", "delta.minWriterVersion"

CLUSTERING_PROPERTY = "clusteringColumns"
"""A property that no table has, in which catalogs show the clustering columns, as paths in JSON."""

_HIDING = {"generatedColumns", "identityColumns"}
_LEGACY_HIDING = range(4, 7)
"""Writer versions without named features that may mean generated columns, and from 6 on identities."""

Paths = Sequence[Sequence[str]]
"""Clustering columns: for each the path to it, by physical names."""

CLUSTERING_DOMAIN = "delta.clustering"
"""The domain of a log in which Delta keeps the clustering columns."""

_PHYSICAL_NAME = "delta.columnMapping.physicalName"
_DEFAULT, _GENERATED = "CURRENT_DEFAULT", "delta.generationExpression"
_IDENTITY_START, _IDENTITY_STEP = "delta.identity.start", "delta.identity.step"
_IDENTITY_EXPLICIT = "delta.identity.allowExplicitInsert"
_NO_VALUE = ColumnGeneration()

_LOG_TO_SPARK = {
    "long": "bigint",
    "integer": "int",
    "short": "smallint",
    "byte": "tinyint",
}
"""Names in the log that differ from Spark's short names (source: Delta's protocol, "Primitive Types")."""


def state_from_metadata(
    name: QualifiedName,
    *,
    metadata: Mapping[str, Any],
    protocol: Mapping[str, Any],
    clustering: Paths = (),
    version: int | None = None,
) -> TableState:
    """Describe the table whose log holds these actions.

    Args:
        name: The table's name.
        metadata: The ``metaData`` action: ``schemaString``, ``description``, ``configuration``.
        protocol: The ``protocol`` action. Its versions and features are shown as the properties that set them.
        clustering: The clustering columns of the ``delta.clustering`` domain, by their physical names.
        version: The version they were read at.
    """
    configuration: Mapping[str, str] = metadata.get("configuration") or {}
    schema = json.loads(metadata["schemaString"])
    own = {key: value for key, value in configuration.items() if key.startswith(OWN_PROPERTY_PREFIX)}
    checks = {key: value for key, value in configuration.items() if key.lower().startswith(CHECK_PREFIX)}
    visible = {key: value for key, value in configuration.items() if key not in own and key not in checks}
    columns = columns_of_schema(schema)
    return TableState(
        name=name,
        columns=columns,
        table_comment=metadata.get("description") or "",
        table_properties=MappingProxyType({**dict(_protocol_properties(protocol)), **visible}),
        owned_properties=decode_owned(own.get(OWNED_PROPERTIES)),
        primary_key=decode_key(own.get(PRIMARY_KEY_PROPERTY)),
        foreign_keys=_foreign_keys(own),
        checks=tuple(sorted((CheckState(key[len(CHECK_PREFIX) :], text) for key, text in checks.items()), key=by_name)),
        partitioning=tuple(metadata.get("partitionColumns") or ()),
        clustering=tuple(_logical(schema, path) for path in clustering),
        tags=tags_among(own, columns),
        version=version,
    )


def parted(properties: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Part properties, as SHOW TBLPROPERTIES lists them, into those of the table and the protocol that they tell of."""
    derived = (_READER, _WRITER, CLUSTERING_PROPERTY)
    features = [key.removeprefix(FEATURE_PREFIX) for key in properties if key.startswith(FEATURE_PREFIX)]
    kept = {
        key: value for key, value in properties.items() if key not in derived and not key.startswith(FEATURE_PREFIX)
    }
    protocol = {
        "minReaderVersion": properties.get(_READER, "1"),
        "minWriterVersion": properties.get(_WRITER, "1"),
        "writerFeatures": features,
    }
    return kept, protocol


def hides_values(protocol: Mapping[str, Any]) -> bool:
    """Whether a table may have generated or identity columns, which Spark's schema and information_schema hide."""
    features = set(protocol["writerFeatures"])
    return bool(features & _HIDING) or (not features and int(protocol["minWriterVersion"]) in _LEGACY_HIDING)


def clustering_in(domains: Iterable[Mapping[str, Any]]) -> Paths | None:
    """Return the columns of the clustering domain, none if it was removed; ``None`` if it is not among ``domains``."""
    found: Paths | None = None
    for domain in domains:
        if domain["domain"] == CLUSTERING_DOMAIN:
            found = () if domain.get("removed") else json.loads(domain["configuration"])[CLUSTERING_PROPERTY]
    return found


def columns_of_schema(schema: Mapping[str, Any]) -> tuple[ColumnState, ...]:
    """Read the columns of a schema in JSON, as Spark and Delta write it."""
    columns = map(_field, schema["fields"])
    return tuple(
        [
            column if isinstance(column.data_type, str) else column._replace(data_type=shared(column.data_type))
            for column in columns
        ]
    )


def physical_path(metadata: Mapping[str, Any], path: Sequence[str]) -> list[str]:
    """Return the names under which column mapping stores a path, which are the same without it."""
    found, fields = [], json.loads(metadata["schemaString"])["fields"]
    for part in path:
        field = next(each for each in fields if each["name"].lower() == part.lower())
        found.append((field.get("metadata") or {}).get(_PHYSICAL_NAME, field["name"]))
        fields = field["type"]["fields"] if isinstance(field["type"], dict) else []
    return found


def _logical(schema: Mapping[str, Any], path: Sequence[str]) -> tuple[str, ...]:
    """Return the names that people know for the physical ones of column mapping."""
    found = []
    for part in path:
        fields = schema["fields"] if isinstance(schema, dict) and schema.get("type") == "struct" else []
        named = {(each.get("metadata") or {}).get(_PHYSICAL_NAME, each["name"]): each for each in fields}
        field = named.get(part)
        found.append(part if field is None else field["name"])
        schema = {} if field is None else field["type"]
    return tuple(found)


def encode_key(key: KeyState) -> str:
    """Write a primary key as the value of :data:`PRIMARY_KEY_PROPERTY`."""
    return json.dumps({"name": key.name, "columns": key.columns}, ensure_ascii=False)


def decode_key(text: str | None) -> KeyState | None:
    """Read the value of :data:`PRIMARY_KEY_PROPERTY`; ``None`` if there is none."""
    if text is None:
        return None
    value = json.loads(text)
    return KeyState(value["name"], tuple(value["columns"]))


def encode_owned(keys: Sequence[str]) -> str:
    """Write the record of owned properties as the value of :data:`OWNED_PROPERTIES`."""
    return json.dumps(sorted(keys), ensure_ascii=False)


def decode_owned(text: str | None) -> tuple[str, ...] | None:
    """Read the value of :data:`OWNED_PROPERTIES`; ``None`` if there is none."""
    return None if text is None else tuple(json.loads(text))


def encode_foreign_key(key: ForeignKeyState) -> dict[str, str]:
    """Write a foreign key as the property that stands for it."""
    value = {"name": key.name, "columns": key.columns, "parent": key.parent, "parentColumns": key.parent_columns}
    return {f"{FOREIGN_KEY_PREFIX}{key.name.lower()}": json.dumps(value, ensure_ascii=False)}


def _foreign_keys(own: Mapping[str, str]) -> tuple[ForeignKeyState, ...]:
    values = [json.loads(text) for key, text in own.items() if key.startswith(FOREIGN_KEY_PREFIX)]
    keys = [
        ForeignKeyState(
            value["name"], tuple(value["columns"]), QualifiedName(*value["parent"]), tuple(value["parentColumns"])
        )
        for value in values
    ]
    return tuple(sorted(keys, key=by_name))


def tag_property(path: Sequence[str], key: str) -> str:
    """Name the property that stands for a tag of a column, or of the table; keys of tags have no dots."""
    return TAG_PREFIX + ".".join([*(part.lower() for part in path), key])


def tags_among(own: Mapping[str, str], columns: Iterable[ColumnState]) -> Tags:
    """Read the tags that properties of ours stand for; those of a column that has gone wait for one of its name."""
    found: dict[tuple[str, ...], dict[str, str | None]] = {}
    spelled = {column.name.lower(): column.name for column in columns} if own else {}
    for name, value in sorted(own.items()):
        if name.startswith(TAG_PREFIX):
            column, dot, key = name[len(TAG_PREFIX) :].rpartition(".")
            if not dot or column in spelled:
                found.setdefault((spelled[column],) if dot else (), {})[key] = value
    return MappingProxyType({path: MappingProxyType(tags) for path, tags in found.items()}) if found else NO_TAGS


def _protocol_properties(protocol: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield _READER, str(protocol.get("minReaderVersion", 1))
    yield _WRITER, str(protocol.get("minWriterVersion", 1))
    features = {*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())}
    for feature in sorted(features):
        yield f"{FEATURE_PREFIX}{feature}", "supported"


def _field(field: Mapping[str, Any]) -> ColumnState:
    metadata = field.get("metadata") or {}
    data_type = _type(field["type"])
    if _CHAR_VARCHAR in metadata:
        data_type = _with_lengths(data_type, metadata[_CHAR_VARCHAR])
    comment = intern(metadata.get("comment") or "")
    return ColumnState(intern(field["name"]), data_type, field["nullable"], comment, _value(metadata))


def _value(metadata: Mapping[str, Any]) -> ColumnGeneration | None:
    """Read what Spark's schema hides: defaults, generation expressions and identities (Delta's protocol names them)."""
    identity = None
    if _IDENTITY_START in metadata:
        always = not metadata.get(_IDENTITY_EXPLICIT, False)
        identity = IdentityState(metadata[_IDENTITY_START], metadata[_IDENTITY_STEP], always)
    value = ColumnGeneration(metadata.get(_DEFAULT), metadata.get(_GENERATED), identity)
    return None if value == _NO_VALUE else value


def _type(value: Any) -> DataTypeState:
    if isinstance(value, str):
        return intern(_LOG_TO_SPARK.get(value, value))
    kind = value["type"]
    if kind == "struct":
        return StructState(tuple(map(_field, value["fields"])))
    if kind == "array":
        return ArrayState(_type(value["elementType"]), value["containsNull"])
    if kind == "map":
        return MapState(_type(value["keyType"]), _type(value["valueType"]), value["valueContainsNull"])
    return intern(json.dumps(value, sort_keys=True))


def _with_lengths(data_type: DataTypeState, text: str) -> DataTypeState:
    """Put the char and varchar of ``text``, Spark's own writing of the type, in place of their strings.

    The text does not quote the names in it, so it cannot be parsed; but all that may differ from ``data_type`` are the
    strings, so a pattern made from the type finds them.
    """
    match = re.fullmatch(_pattern(data_type), text, re.IGNORECASE)
    if match is None:
        return data_type
    found = iter(match.groups())
    return _replace_strings(data_type, found)


def _pattern(data_type: DataTypeState) -> str:
    if data_type == "string":
        return r"(string|varchar\(\d+\)|char\(\d+\))"
    if isinstance(data_type, str):
        return re.escape(data_type)
    if isinstance(data_type, StructState):
        return f"struct<{','.join(map(_field_pattern, data_type.fields))}>"
    if isinstance(data_type, ArrayState):
        return f"array<{_pattern(data_type.element)}>"
    return f"map<{_pattern(data_type.key)},{_pattern(data_type.value)}>"


def _field_pattern(field: ColumnState) -> str:
    quoted = "`" + field.name.replace("`", "``") + "`"
    return f"(?:{re.escape(field.name)}|{re.escape(quoted)}):{_pattern(field.data_type)}"


def _replace_strings(data_type: DataTypeState, found: Iterator[str]) -> DataTypeState:
    if data_type == "string":
        return intern(next(found).lower())
    if isinstance(data_type, str):
        return data_type
    if isinstance(data_type, StructState):
        return StructState(tuple(f._replace(data_type=_replace_strings(f.data_type, found)) for f in data_type.fields))
    if isinstance(data_type, ArrayState):
        return data_type._replace(element=_replace_strings(data_type.element, found))
    key = _replace_strings(data_type.key, found)
    return data_type._replace(key=key, value=_replace_strings(data_type.value, found))
