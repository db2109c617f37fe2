"""The state that a model declares, made when the model is planned, and the declaration that a state comes from."""

from __future__ import annotations

import re
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyspark.sql import types as spark

from pytest_delta_schema.delta.fields import SIZED
from pytest_delta_schema.delta.names import ELEMENT, KEY, TABLE, VALUE, ColumnPath, column_path
from pytest_delta_schema.models.column import NO_DECLARED_TAGS, Column, Identity
from pytest_delta_schema.models.constraints import Check, declared_conversion
from pytest_delta_schema.models.ownership import ALL_MANAGED, ASPECTS
from pytest_delta_schema.models.spark_types import UnknownType
from pytest_delta_schema.models.table import Table, declared_name
from pytest_delta_schema.state.keys import declared_keys, desired_keys
from pytest_delta_schema.state.spark_types import ATOMIC, NESTED, RENAMED_FROM, collecting_renames, is_storable
from pytest_delta_schema.state.states import (
    NO_DEPRECATIONS,
    NO_TAGS,
    TEXT_PARTS,
    CheckState,
    RenameState,
    TableState,
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
    find,
    new_column,
    shared,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from decimal import Decimal

    from pytest_delta_schema.models.table import PropertyValue
    from pytest_delta_schema.state.spark_types import Renamed
    from pytest_delta_schema.state.states import Deprecations, Tags


_NO_PROPERTIES: Mapping[str, str | None] = MappingProxyType({})


def desired_state(table: Table) -> TableState:
    """Return the state that a model declares; later changes of the model do not reach it."""
    name = table.name
    renamed: Renamed = []
    columns = _columns(table.columns, renamed)
    return TableState(
        name=name,
        columns=columns,
        table_properties=_properties(table.table_properties),
        logical_name=declared_name(table),
        checks=_checks(table.checks) if table.checks else (),
        renames=rename_hints(table.columns) if renamed else (),
        partitioning=tuple(spelled(columns, ColumnPath(column)).name for column in table.partitioned_by),
        clustering=tuple(clustering_path(columns, column) for column in table.clustered_by),
        column_order=table.column_order,
        evolution=table.evolution,
        clients=tuple(table.clients),
        read_only=table.read_only,
        deprecated=_deprecations(table),
        tags=_tags(table),
        convert_from=declared_conversion(table.convert_from, "") if table.convert_from is not None else None,
        ownership=ALL_MANAGED if table.owns is ASPECTS and not table.read_only else table.ownership,
        **{part.field: getattr(table, part.argument) for part in TEXT_PARTS},
        **desired_keys(table, columns),
    )


def _columns(columns: Iterable[Column], renamed: Renamed) -> tuple[ColumnState, ...]:
    states: list[ColumnState] = []
    for column in columns:
        data_type = collecting_renames(column.data_type, renamed)
        if not isinstance(data_type, str):
            data_type = shared(data_type)
        has_value = column.default is not None or column.generated_as is not None or column.identity is not None
        value = value_state(column) if has_value else None
        states.append(new_column((intern(column.name), data_type, column.is_nullable, intern(column.comment), value)))
        if column.renamed_from is not None:
            renamed.append(column)
    return tuple(states)


def clustering_path(columns: tuple[ColumnState, ...], text: str) -> ColumnPath:
    """Return the path that a clustering column names, spelled as declared."""
    column = ColumnPath(text)
    return spelled(columns, ColumnPath.parse(text) if find(columns, column) is None else column)


def spelled(columns: tuple[ColumnState, ...], path: ColumnPath) -> ColumnPath:
    """Spell a path as the columns do, which Spark 4.2.0 needs in CLUSTER BY and PARTITIONED BY."""
    columns_on_path = [find(columns, prefix) for prefix in path.prefixes()]
    pairs = zip(path, columns_on_path, strict=True)
    return ColumnPath(*(part if column is None else column.name for part, column in pairs))


def value_state(column: Column) -> ColumnGeneration | None:
    """Return the default, generation expression or identity of a column; ``None`` if it has none."""
    identity = Identity() if column.identity is True else column.identity or None
    value = ColumnGeneration(
        default=property_text(column.default),
        generated=column.generated_as,
        identity=None if identity is None else IdentityState(identity.start, identity.step, identity.always),
    )
    return value if any(part is not None for part in value) else None


def _properties(values: Mapping[str, PropertyValue]) -> Mapping[str, str | None]:
    if not values:
        return _NO_PROPERTIES
    return MappingProxyType({key: property_text(value) for key, value in sorted(values.items())})


def _tags(table: Table) -> Tags:
    """Return the tags of a table and of its columns, sorted by key; columns are in declaration order."""
    columns = [(ColumnPath(column.name), column.tags) for column in table.columns if column.tags]
    tagged = [(TABLE, table.tags), *columns] if table.tags else columns
    return (
        MappingProxyType({path: MappingProxyType(dict(sorted(tags.items()))) for path, tags in tagged})
        if tagged
        else NO_TAGS
    )


def _deprecations(table: Table) -> Deprecations:
    """Return the deprecations of a table and of its columns; columns are in declaration order."""
    columns = [
        (ColumnPath(column.name), column.deprecated) for column in table.columns if column.deprecated is not None
    ]
    whole = [(TABLE, table.deprecated)] if table.deprecated is not None else []
    return MappingProxyType(dict([*whole, *columns])) if whole or columns else NO_DEPRECATIONS


def property_text(value: PropertyValue | Decimal) -> str | None:
    """Return a value as Delta stores it: as text, booleans in lower case; ``None`` means *absent*."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _checks(checks: Iterable[Check]) -> tuple[CheckState, ...]:
    return tuple(sorted((CheckState(check.name, check.expression) for check in checks), key=by_name))


def rename_hints(columns: Iterable[Column]) -> tuple[RenameState, ...]:
    """Return the former names of columns and of the fields below them."""
    return tuple(_renames(columns))


def _renames(columns: Iterable[Column]) -> Iterator[RenameState]:
    for column in columns:
        if column.renamed_from is not None:
            yield RenameState(column_path(column.name), column.renamed_from)
        if type(column.data_type) in NESTED:
            yield from _renames_below((column.name,), column.data_type)


def _renames_below(above: tuple[str, ...], data_type: spark.DataType) -> Iterator[RenameState]:
    """Yield the former names of the parts of a type; ``above`` are the parts of the path to it."""
    if isinstance(data_type, spark.StructType):
        for field in data_type.fields:
            path = (*above, field.name)
            old = field.metadata.get(RENAMED_FROM) if field.metadata else None
            if old is not None:
                yield RenameState(column_path(*path), str(old))
            if type(field.dataType) in NESTED:
                yield from _renames_below(path, field.dataType)
    elif isinstance(data_type, spark.ArrayType):
        yield from _renames_below((*above, ELEMENT), data_type.elementType)
    elif isinstance(data_type, spark.MapType):
        yield from _renames_below((*above, KEY), data_type.keyType)
        yield from _renames_below((*above, VALUE), data_type.valueType)


_ATOMIC = {name: kind for kind, name in ATOMIC.items()}
_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?")
_COLLATED = re.compile(r"string collate (\w+)")


def spark_struct(columns: tuple[ColumnState, ...]) -> spark.StructType:
    """Return columns as a Spark struct."""
    return spark.StructType([struct_field(column) for column in columns])


def declared_column(column: ColumnState, tags: Mapping[str, str | None] = NO_DECLARED_TAGS) -> Column:
    """Return the declaration of a column."""
    default, generated, counting = column.value or (None, None, None)
    identity = None if counting is None else Identity(counting.start, counting.step, always=counting.is_always)
    return Column(
        column.name,
        _built(column.data_type, lambda text: _atom(text) if is_storable(text) else UnknownType(text)),
        is_nullable=column.is_nullable,
        comment=column.comment,
        default=default,
        generated_as=generated,
        identity=identity,
        tags=tags,
    )


def declared_table(state: TableState) -> Table:
    """Return the declaration of a table, without its properties: some of them are written by the platform."""
    catalog, schema, table = state.name
    return Table(
        catalog,
        schema,
        table,
        [
            declared_column(column, state.tags.get(ColumnPath(column.name), NO_DECLARED_TAGS))
            for column in state.columns
        ],
        checks=[Check(check.name, check.expression) for check in state.checks],
        partitioned_by=state.partitioning,
        clustered_by=[path.text if path.fields else path.root for path in state.clustering],
        tags=state.tags.get(TABLE, NO_DECLARED_TAGS),
        **{part.argument: getattr(state, part.field) for part in TEXT_PARTS},
        **declared_keys(state),
    )


def struct_field(column: ColumnState) -> spark.StructField:
    """Return a column as a field of a Spark struct; a type that ``pyspark.sql.types`` lacks is an ``UnknownType``."""
    return _field(column, _atom)


def _field(column: ColumnState, atom: Callable[[str], spark.DataType]) -> spark.StructField:
    metadata = {"comment": column.comment} if column.comment else {}
    return spark.StructField(column.name, _built(column.data_type, atom), column.is_nullable, metadata)


def _built(data_type: DataTypeState, atom: Callable[[str], spark.DataType]) -> spark.DataType:
    if isinstance(data_type, StructState):
        return spark.StructType([_field(field, atom) for field in data_type.fields])
    if isinstance(data_type, ArrayState):
        return spark.ArrayType(_built(data_type.element, atom), data_type.contains_null)
    if isinstance(data_type, MapState):
        key, value = _built(data_type.key, atom), _built(data_type.value, atom)
        return spark.MapType(key, value, data_type.value_contains_null)
    return atom(data_type)


def _atom(text: str) -> spark.DataType:
    if text in _ATOMIC:
        return _ATOMIC[text]()
    if text == "string":
        return spark.StringType()
    if (sized := SIZED.fullmatch(text)) is not None:
        kind, length, scale = sized.groups()
        if kind == "decimal":
            return spark.DecimalType(int(length), int(scale))
        return spark.CharType(int(length)) if kind == "char" else spark.VarcharType(int(length))
    if (collated := _COLLATED.fullmatch(text)) is not None:
        return spark.StringType(collated[1])
    return _interval(text) or UnknownType(text)


def _interval(text: str) -> spark.DataType | None:
    match = _INTERVAL.fullmatch(text)
    if match is None:
        return None
    start, end = match[1], match[2] or match[1]
    for kind in (spark.DayTimeIntervalType, spark.YearMonthIntervalType):
        first, last = getattr(kind, start.upper(), None), getattr(kind, end.upper(), None)
        if first is not None and last is not None:
            return kind(first, last)
    return None
