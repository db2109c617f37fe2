"""What a workspace shows of a Delta table: as JSON, as its CREATE statement, or as rows of information_schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pytest_delta_schema.backends.kit import (
    NameMap,
    NameSet,
    children,
    created_state,
    may_generate_columns,
    parse_databricks_type,
    split_properties,
)
from pytest_delta_schema.state import ArrayState, ColumnGeneration, ColumnPath, ColumnState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models import QualifiedName
    from pytest_delta_schema.state import CheckState

    HiddenPart = Literal["defaults", "generated columns", "NOT NULL in structs", "comments in structs"]
    DataTypeState = str | StructState | ArrayState | MapState


class _ProtocolRow(TypedDict):
    minReaderVersion: int
    minWriterVersion: int


class DetailRow(_ProtocolRow, total=False):
    """A row of DESCRIBE DETAIL; properties are a map, or pairs."""

    tableFeatures: list[str] | None
    description: str | None
    properties: dict[str, str] | list[tuple[str, str]] | None
    partitionColumns: list[str] | None
    clusteringColumns: list[str] | None
    clusterByAuto: bool | str | None


class _JsonColumn(TypedDict):
    name: str
    type: dict[str, Any]


class JsonColumn(_JsonColumn, total=False):
    """A column, or a field of a struct, in DESCRIBE TABLE ... AS JSON."""

    nullable: bool
    comment: str | None
    default: str | None


class _JsonColumns(TypedDict):
    columns: list[JsonColumn]


class JsonTable(_JsonColumns, total=False):
    """The answer of DESCRIBE TABLE EXTENDED ... AS JSON: the parts that are used."""

    comment: str | None
    partition_columns: list[str] | None
    clustering_columns: list[str] | None
    table_properties: dict[str, str] | None
    collation: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What one answer of a workspace shows of a Delta table; its keys and tags are in information_schema."""

    columns: tuple[ColumnState, ...]
    comment: str
    partitioning: tuple[str, ...]
    clustering: tuple[ColumnPath, ...]
    properties: Mapping[str, str]
    """Those that the table stores; its features and versions are in ``protocol``."""
    protocol: Mapping[str, Any]
    """In the form of a Delta log."""
    checks: tuple[CheckState, ...] = ()
    """Its checks, where they are not among the properties."""
    is_whole: bool = True
    """Whether the answer has the protocol and the values of all properties."""
    relied: NameSet | None = None
    """The names of the keys with RELY; ``None`` if they are not known."""
    not_shown: tuple[HiddenPart, ...] = ()
    """What the answer does not show of the columns, and the table may have."""

    @property
    def may_generate(self) -> bool:
        """Whether the table may have generated columns and identities."""
        return may_generate_columns(self.protocol)

    def with_stored(self, detail: DetailRow) -> Description:
        """Return it with the properties and the protocol of DESCRIBE DETAIL."""
        stored, _ = split_properties(dict(detail.get("properties") or {}))
        return replace(self, properties=stored, protocol=protocol_of(detail), is_whole=True)


_REDACTED = "*********(redacted)"
"""What Spark shows instead of the value of a property whose name looks like that of a secret (Spark 4.2.0)."""

_VERSIONS = ("delta.minReaderVersion", "delta.minWriterVersion")
_AUTO, _CLUSTERING = "clusterByAuto", "clusteringColumns"
"""Properties in which Databricks shows the clustering of a table."""


def _shown(properties: Mapping[str, str]) -> dict[str, Any]:
    """Return the parts of a description that are in the properties of a table."""
    stored, protocol = split_properties(properties)
    for key in (_AUTO, _CLUSTERING):
        stored.pop(key, None)
    is_whole = properties.keys() >= set(_VERSIONS) and _REDACTED not in properties.values()
    return {"properties": MappingProxyType(stored), "protocol": protocol, "is_whole": is_whole}


def _is_auto(value: bool | str | None) -> bool:  # noqa: FBT001 - a value of an answer
    return str(value).lower() == "true"


def description_of_json(table: JsonTable, listed: Iterable[ColumnState]) -> Description:
    """Read the answer of DESCRIBE TABLE EXTENDED ... AS JSON; ``listed`` has the lengths of char and varchar."""
    known = NameMap.of(listed)
    columns = tuple(_column(column, known.get(column["name"])) for column in table["columns"])
    properties = table.get("table_properties") or {}
    # The columns that Databricks has chosen are not those of a model.
    keys = () if _is_auto(properties.get(_AUTO)) else table.get("clustering_columns") or ()
    return Description(
        columns=columns,
        comment=table.get("comment") or "",
        partitioning=tuple(table.get("partition_columns") or ()),
        clustering=clustering_paths(keys, columns),
        **_shown(properties),
    )


def _column(column: JsonColumn, listed: ColumnState | None) -> ColumnState:
    default = column.get("default")
    value = None if default is None else ColumnGeneration(default)
    return _field(column, listed)._replace(value=value)


def _field(field: JsonColumn, listed: ColumnState | None) -> ColumnState:
    data_type = _type(field["type"], None if listed is None else listed.data_type)
    return ColumnState(field["name"], data_type, field.get("nullable", True), field.get("comment") or "")


_LENGTHS = ("char(", "varchar(")
PLAIN = "UTF8_BINARY"
"""The collation of strings without one."""


def _type(shown: Mapping[str, Any], listed: DataTypeState | None) -> DataTypeState:
    """Read a type; Spark shows char and varchar as strings, and information_schema their lengths (Spark 4.2.0)."""
    name = str(shown["name"]).lower()
    parts = NameMap.of(() if listed is None else children(listed))
    if name == "struct":
        return StructState(tuple(_field(field, parts.get(field["name"])) for field in shown["fields"]))
    if name == "array":
        return ArrayState(_part(shown["element_type"], parts, "element"), shown.get("element_nullable", True))
    if name == "map":
        key, value = (_part(shown[f"{part}_type"], parts, part) for part in ("key", "value"))
        return MapState(key, value, shown.get("value_nullable", True))
    return _atomic(name, shown, listed if isinstance(listed, str) else "")


def _atomic(name: str, shown: Mapping[str, Any], listed: str) -> str:
    match name:
        case "decimal":
            return f"decimal({shown['precision']:d},{shown['scale']:d})"
        case "char" | "varchar":
            return f"{name}({shown['length']:d})"
        case "string":
            if listed.startswith(_LENGTHS):
                return listed
            collation = shown.get("collation", PLAIN)
            return "string" if collation == PLAIN else f"string collate {collation}"
    # A type with parameters that are not known here, such as an interval, is written in information_schema.
    return listed if len(shown) > 1 and listed else str(parse_databricks_type(name))


def _part(shown: Mapping[str, Any], parts: NameMap[ColumnState], name: str) -> DataTypeState:
    listed = parts.get(name)
    return _type(shown, None if listed is None else listed.data_type)


def description_of_statement(created: str, name: QualifiedName) -> Description:
    """Read a CREATE statement; raise a ``ValueError`` if it is not understood."""
    state = created_state(created, name)
    properties = {key: value for key, value in state.table_properties.items() if value is not None}
    return Description(
        columns=state.columns,
        comment=state.table_comment,
        partitioning=state.partitioning,
        clustering=() if _is_auto(properties.get(_AUTO)) else state.clustering,
        relied=NameSet(
            [*(key.name for key in state.keys if key.rely), *(key.name for key in state.foreign_keys if key.rely)]
        ),
        checks=state.checks,
        **_shown(properties),
    )


def description_of_rows(detail: DetailRow, columns: tuple[ColumnState, ...]) -> Description:
    """Return what DESCRIBE DETAIL and the columns of information_schema show."""
    keys = () if _is_auto(detail.get("clusterByAuto")) else detail.get("clusteringColumns") or ()
    described = Description(
        columns=columns,
        comment=detail.get("description") or "",
        partitioning=tuple(detail.get("partitionColumns") or ()),
        clustering=clustering_paths(keys, columns),
        properties={},
        protocol={},
    ).with_stored(detail)
    return replace(described, not_shown=tuple(_not_shown(described)))


def _not_shown(described: Description) -> Iterator[HiddenPart]:
    """Yield what the rows of information_schema do not show of the columns, and the table may have."""
    if "allowColumnDefaults" in described.protocol["writerFeatures"]:
        yield "defaults"
    if described.may_generate:
        yield "generated columns"
    if any(not isinstance(column.data_type, str) for column in described.columns):
        yield "NOT NULL in structs"
        yield "comments in structs"


def protocol_of(detail: DetailRow) -> dict[str, Any]:
    """Return the protocol of DESCRIBE DETAIL in the form of a Delta log."""
    return {
        "minReaderVersion": detail["minReaderVersion"],
        "minWriterVersion": detail["minWriterVersion"],
        "writerFeatures": detail.get("tableFeatures") or (),
    }


def clustering_paths(texts: Iterable[str], columns: Sequence[ColumnState]) -> tuple[ColumnPath, ...]:
    """Return the paths of clustering columns, which are written with dots."""
    return tuple(ColumnPath(*_path(text, columns)) for text in texts)


def _path(text: str, columns: Iterable[ColumnState]) -> tuple[str, ...]:
    """Return the path that a text with dots means; names may contain dots, too."""
    paths = list(_paths(text, tuple(columns)))
    if len(paths) > 1:
        msg = f"the clustering column {text} may be each of {', '.join(str(ColumnPath(*path)) for path in paths)}"
        raise ValueError(msg)
    return paths[0] if paths else (text,)


def _paths(text: str, columns: Sequence[ColumnState]) -> Iterator[tuple[str, ...]]:
    for column in columns:
        if text == column.name:
            yield (column.name,)
        elif text.startswith(f"{column.name}."):
            for path in _paths(text[len(column.name) + 1 :], children(column.data_type)):
                yield (column.name, *path)
