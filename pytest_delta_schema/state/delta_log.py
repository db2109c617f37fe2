"""The state of a table from the actions in its Delta log."""

from __future__ import annotations

import json
from functools import lru_cache
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.char_varchar import SHORT_NAMES, with_lengths_json
from pytest_delta_schema.delta.fields import (
    CHAR_VARCHAR,
    COLLATIONS,
    DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_EXPLICIT,
    IDENTITY_START,
    IDENTITY_STEP,
    ONLY_COMMENT,
    logical_path,
    metadata_of,
    with_collations_json,
)
from pytest_delta_schema.delta.names import TABLE, ColumnPath, NameMap, NameSet, folded
from pytest_delta_schema.delta.properties import CHECK_PREFIX
from pytest_delta_schema.delta.protocol import protocol_properties
from pytest_delta_schema.state.keys import keys_in_properties
from pytest_delta_schema.state.states import (
    NO_TAGS,
    OWN_PROPERTY_PREFIX,
    OWNED_PROPERTIES,
    CheckState,
    TableState,
    Tags,
    by_name,
    decoded,
)
from pytest_delta_schema.state.types import (
    NO_GENERATION,
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
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.delta.protocol import Paths
    from pytest_delta_schema.models.names import QualifiedName

TAG_PREFIX = f"{OWN_PROPERTY_PREFIX}tag."
"""The prefix of properties that hold tags in open-source Delta, which has none; column, dot and key follow."""

PROPERTY_PREFIX = f"{OWN_PROPERTY_PREFIX}property."
"""The prefix of properties that hold those which open-source Delta does not know; their whole key follows."""


class LogSchema(NamedTuple):
    """The schema of a log."""

    parsed: Mapping[str, Any]
    columns: tuple[ColumnState, ...]

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> LogSchema:
        """Read the schema of a ``metaData`` action."""
        parsed = json.loads(metadata["schemaString"])
        return cls(parsed, columns_of_schema(parsed))


def state_from_metadata(  # noqa: PLR0913 - the parts of a log
    name: QualifiedName,
    *,
    metadata: Mapping[str, Any],
    protocol: Mapping[str, Any],
    clustering: Paths = (),
    version: int | None = None,
    schema: LogSchema | None = None,
) -> TableState:
    """Return the state of the table whose log holds these actions.

    Args:
        name: The table's name.
        metadata: The ``metaData`` action: ``schemaString``, ``description``, ``configuration``.
        protocol: The ``protocol`` action. Its versions and features are shown as the properties that set them.
        clustering: The clustering columns of the ``delta.clustering`` domain, by their physical names.
        version: The version that was read.
        schema: The schema of ``metadata``, if it has been read already.
    """
    schema = schema or LogSchema.of(metadata)
    configuration: Mapping[str, str] = metadata.get("configuration") or {}
    own = {key: value for key, value in configuration.items() if key.startswith(OWN_PROPERTY_PREFIX)}
    checks = {key: value for key, value in configuration.items() if folded(key).startswith(CHECK_PREFIX)}
    visible = {key: value for key, value in configuration.items() if key not in own and key not in checks}
    emulated = _emulated_properties(own, visible) if own else {}
    versions = dict(protocol_properties(protocol))  # properties with the same keys have no effect
    return TableState(
        name=name,
        columns=schema.columns,
        table_comment=metadata.get("description") or "",
        table_properties=MappingProxyType({**versions, **visible, **emulated, **versions}),
        owned_properties=decode_owned(own.get(OWNED_PROPERTIES)),
        emulated_properties=tuple(sorted(emulated)),
        checks=tuple(sorted((CheckState(key[len(CHECK_PREFIX) :], text) for key, text in checks.items()), key=by_name)),
        partitioning=tuple(metadata.get("partitionColumns") or ()),
        clustering=tuple(logical_path(schema.parsed, path) for path in clustering),
        tags=tags_among(own, schema.columns),
        version=version,
        table_id=metadata.get("id") or "",
        **keys_in_properties(own),
    )


def columns_of_schema(schema: Mapping[str, Any]) -> tuple[ColumnState, ...]:
    """Read the columns of a schema in JSON, as Spark and Delta write it."""
    columns = map(_field, schema["fields"])
    return tuple(
        [
            column if isinstance(column.data_type, str) else column._replace(data_type=shared(column.data_type))
            for column in columns
        ]
    )


def encode_owned(keys: Sequence[str]) -> str:
    """Return the keys that a model has set as the value of :data:`OWNED_PROPERTIES`."""
    return json.dumps(sorted(keys), ensure_ascii=False)


def decode_owned(text: str | None) -> tuple[str, ...] | None:
    """Read the value of :data:`OWNED_PROPERTIES`; ``None`` if there is none."""
    return None if text is None else decoded(OWNED_PROPERTIES, text, tuple)


def tag_property(path: ColumnPath, key: str) -> str:
    """Return the name of the property that holds a tag of a column, or of the table; keys of tags have no dots."""
    return TAG_PREFIX + ".".join([*path.folded, key])


def emulated_property(key: str) -> str:
    """Return the name of the property that holds one which open-source Delta does not know."""
    return f"{PROPERTY_PREFIX}{key}"


def tags_among(own: Mapping[str, str], columns: Iterable[ColumnState]) -> Tags:
    """Return the tags that ``pytest_delta_schema.*`` properties hold, except those of columns that do not exist."""
    by_path: dict[ColumnPath, dict[str, str | None]] = {}
    stored = NameMap.of(columns if own else ())
    for name, value in sorted(own.items()):
        if name.startswith(TAG_PREFIX):
            column, dot, key = name[len(TAG_PREFIX) :].rpartition(".")
            if not dot or column in stored:
                by_path.setdefault(ColumnPath(stored[column].name) if dot else TABLE, {})[key] = value
    return MappingProxyType({path: MappingProxyType(tags) for path, tags in by_path.items()}) if by_path else NO_TAGS


def _emulated_properties(own: Mapping[str, str], visible: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that ``pytest_delta_schema.*`` properties hold, except those that the table has itself."""
    stored = NameSet(visible)
    emulated = {key[len(PROPERTY_PREFIX) :]: value for key, value in own.items() if key.startswith(PROPERTY_PREFIX)}
    return {key: value for key, value in emulated.items() if key not in stored}


def _field(field: Mapping[str, Any]) -> ColumnState:
    stored = field.get("metadata") or {}
    log_type = field["type"]
    if not stored or stored.keys() == ONLY_COMMENT:  # most fields, read in half the time
        comment = intern(stored.get("comment") or "")
        data_type = _atomic(log_type) if type(log_type) is str else _type(log_type)
        return ColumnState(intern(field["name"]), data_type, field["nullable"], comment, None)
    metadata = metadata_of(field)
    if CHAR_VARCHAR in metadata:
        log_type = with_lengths_json(log_type, metadata[CHAR_VARCHAR])
    if COLLATIONS in metadata:
        log_type = with_collations_json(log_type, field["name"], metadata[COLLATIONS])
    data_type = _type(log_type)
    comment = intern(metadata.get("comment", ""))
    return ColumnState(intern(field["name"]), data_type, field["nullable"], comment, _value(stored))


def _value(metadata: Mapping[str, Any]) -> ColumnGeneration | None:
    """Return the default, generation expression or identity of a field, which Spark's schema hides in part."""
    identity = None
    if IDENTITY_START in metadata:
        always = not metadata.get(IDENTITY_EXPLICIT)
        identity = IdentityState(metadata[IDENTITY_START] or 0, metadata[IDENTITY_STEP] or 0, always)
    value = ColumnGeneration(metadata.get(DEFAULT), metadata.get(GENERATION_EXPRESSION), identity)
    return None if value == NO_GENERATION else value


def _type(value: Any) -> DataTypeState:
    if isinstance(value, str):
        return _atomic(value)
    kind = value["type"]
    if kind == "struct":
        return StructState(tuple(map(_field, value["fields"])))
    if kind == "array":
        return ArrayState(_type(value["elementType"]), value["containsNull"])
    if kind == "map":
        return MapState(_type(value["keyType"]), _type(value["valueType"]), value["valueContainsNull"])
    return intern(json.dumps(value, sort_keys=True))


@lru_cache(maxsize=1024)
def _atomic(name: str) -> str:
    # Spark reads decimals with blanks, too.
    return intern(name.replace(" ", "") if name.startswith("decimal(") else SHORT_NAMES.get(name, name))
