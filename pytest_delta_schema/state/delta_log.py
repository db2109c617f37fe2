"""One version of a Delta log, and the state of the table that follows from it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

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
from pytest_delta_schema.delta.protocol import commits_are_in_catalog, protocol_properties
from pytest_delta_schema.delta.well_formed import well_formed_schema, with_texts
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


@dataclass(frozen=True)
class LogFacts:
    """One version of a log, from which the state of its table and of its catalog entry follow.

    Args:
        metadata: The ``metaData`` action: ``schemaString``, ``description``, ``configuration``, ``partitionColumns``.
        protocol: The ``protocol`` action. Its versions and features are shown as the properties that set them.
        clustering: The clustering columns of the ``delta.clustering`` domain, by their physical names.
        version: Its number; -1 if it is not known.
        parsed: The schema of ``metadata``, if it has been read already.
    """

    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]
    clustering: Paths = ()
    version: int = -1
    parsed: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The schema, parsed."""
        schema: Mapping[str, Any] = self.parsed or json.loads(self.metadata["schemaString"])
        return schema

    @cached_property
    def columns(self) -> tuple[ColumnState, ...]:
        """The columns of the schema."""
        return columns_of_schema(self.schema)

    @property
    def comment(self) -> str:
        """The comment of the table; ``""`` if there is none."""
        return self.metadata.get("description") or ""

    @property
    def configuration(self) -> Mapping[str, str]:
        """All table properties in the metadata."""
        return self.metadata.get("configuration") or {}

    @property
    def partitioning(self) -> tuple[str, ...]:
        """The partition columns, in order."""
        return tuple(self.metadata.get("partitionColumns") or ())

    @property
    def is_catalog_managed(self) -> bool:
        """Whether the catalog commits to the log, so its files may lack the newest commits."""
        return commits_are_in_catalog(key for key, _ in protocol_properties(self.protocol))

    def well_formed(self) -> LogFacts:
        """Read the schema, and require the metadata and the protocol to be well-formed.

        Numbers and booleans become texts where Spark reads texts.
        """
        if self.parsed is not None:
            return self
        metadata = with_texts(self.metadata)
        return replace(self, metadata=metadata, parsed=well_formed_schema(metadata, self.protocol))

    def state(self, name: QualifiedName) -> TableState:
        """Return the state of the table.

        Args:
            name: The table's name.

        Raises:
            ValueError: If the metadata is malformed; also other errors of malformed values, see ``MALFORMED``.
        """
        own = {key: value for key, value in self.configuration.items() if key.startswith(OWN_PROPERTY_PREFIX)}
        checks = {key: value for key, value in self.configuration.items() if folded(key).startswith(CHECK_PREFIX)}
        visible = {key: value for key, value in self.configuration.items() if key not in own and key not in checks}
        emulated = _emulated_properties(own, visible) if own else {}
        versions = dict(protocol_properties(self.protocol))  # properties with the same keys have no effect
        return TableState(
            name=name,
            columns=self.columns,
            table_comment=self.comment,
            table_properties=MappingProxyType({**versions, **visible, **emulated, **versions}),
            owned_properties=decode_owned(own.get(OWNED_PROPERTIES)),
            emulated_properties=tuple(sorted(emulated)),
            checks=tuple(
                sorted((CheckState(key[len(CHECK_PREFIX) :], text) for key, text in checks.items()), key=by_name)
            ),
            partitioning=self.partitioning,
            clustering=tuple(logical_path(self.schema, path) for path in self.clustering),
            tags=tags_among(own, self.columns),
            version=None if self.version < 0 else self.version,
            table_id=self.metadata.get("id") or "",
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
