"""Find the part of a declaration that a change or a diagnostic is about."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.names.part_path import column_of, part_path
from pytest_delta_schema.state.keys import path_of_key

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.engine.source_map.source_tables import CallSource, Span
    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.constraints import Check, ForeignKey, Unique
    from pytest_delta_schema.models.table import Table

    _Item = TypeVar("_Item")
    _K = TypeVar("_K", bound=Hashable)
    _V = TypeVar("_V")

_TABLE_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "layout": ("partitioned_by", "clustered_by"),
    "format": ("convert_from",),
}
"""The arguments of a table that declare what a path names, where it is not the name of the argument."""

_DICTIONARIES: Mapping[str, str] = {"properties": "table_properties", "tags": "tags"}
"""The arguments of a table that are dictionaries, by the first part of the paths of their keys."""

_COLUMN_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "comment": ("comment",),
    "default": ("default",),
    "type": ("data_type",),
    "nullability": ("is_nullable",),
    "deprecated": ("deprecated",),
    "order": (),
}
"""The arguments of a column that declare what the part of a path after its name is."""

_ARGUMENTS_BY_CODE: Mapping[str, tuple[str, ...]] = {
    "DD104": ("data_type",),
    "DD105": ("is_nullable",),
    "DD109": ("generated_as", "identity"),
}
"""The arguments of a column that a kind of change is about whose path is that of the column."""

_COMPARED = frozenset({
    *("name", "data_type", "is_nullable", "comment", "default", "generated_as", "renamed_from"),
    *("expression", "columns", "primary_key", "partitioned_by", "clustered_by"),
})  # fmt: skip
"""The arguments whose constants have to be what the model says."""


class DeclarationParts:
    """The parts of one declared table in its source.

    A part that is not written out in the call, or that the model has otherwise because it was changed later, is found
    where the table is.
    """

    def __init__(self, source: CallSource, table: Table) -> None:
        self._source = source
        self._table = table

    def span(self, path: str = "", code: str = "") -> Span:
        """Return the position of a part, or else of the whole declaration.

        A path is that of changes and diagnostics, such as ``columns.id.comment``; ``""`` for the table itself.
        """
        return self._part(path, code) or self._source.span

    def _part(self, path: str, code: str) -> Span | None:
        head, _, rest = path.partition(".")
        if head == "columns":
            return self._column(*column_of(path), code)
        if head in _DICTIONARIES:
            return _key(self._source, self._table, _DICTIONARIES[head], rest)
        if rest:
            source = self._constraints.get(folded(path))
            return None if source is None else source.span
        return _argument(self._source, self._table, _TABLE_ARGUMENTS.get(path, (path,)))

    def _column(self, name: str, rest: str, code: str) -> Span | None:
        """Return the position of a column, or of an argument of it."""
        column, source = self._columns.get(folded(name), (None, None))
        if column is None or source is None:
            return None
        head, _, key = rest.partition(".")
        span = None
        if not rest:
            span = _argument(source, column, _ARGUMENTS_BY_CODE.get(code, ()))
        elif not _has_field(column.data_type, head):
            if rest in _COLUMN_ARGUMENTS:
                span = _argument(source, column, _COLUMN_ARGUMENTS[rest])
            elif head == "tags":
                span = _key(source, column, "tags", key)
            elif not isinstance(column.data_type, (ArrayType, MapType, StructType)):
                return None
        return span or source.span

    @cached_property
    def _columns(self) -> dict[str, tuple[Column, CallSource | None]]:
        """The columns by name, and by former name, each with the call that declares it."""
        columns, calls = self._table.columns, self._source.items.get("columns", ())
        written = {folded(column.name): call for column, call in _pairs(columns, calls, _folded_name, _name)}
        return _once(
            (folded(name), (column, written.get(folded(column.name))))
            for column in columns
            for name in (column.name, column.renamed_from)
            if name is not None
        )

    @cached_property
    def _constraints(self) -> dict[str, CallSource]:
        """The calls that declare checks and keys, by their paths in lower case."""
        table, calls = self._table, self._source.items
        declared: list[tuple[str, CallSource]] = []
        for check, call in _pairs(table.checks, calls.get("checks", ()), _folded_name, _name):
            declared.append((part_path("checks", check.name), call))
        keys: dict[str, Sequence[ForeignKey | Unique]] = {"foreign_keys": table.foreign_keys, "unique": table.unique}
        for parameter, items in keys.items():
            for key, call in _pairs(items, calls.get(parameter, ()), _columns_and_name, _written_key):
                declared.append((path_of_key(table, key), call))
        return _once((folded(path), call) for path, call in declared)


def _pairs(
    items: Iterable[_Item],
    sources: Iterable[CallSource],
    key: Callable[[_Item], Hashable],
    source_key: Callable[[CallSource], Hashable],
) -> Iterator[tuple[_Item, CallSource]]:
    """Yield the declarations of a model that are written out, each with its call.

    ``key`` returns what no other declaration has, and ``source_key`` the same of a call; ``None`` if it is not known.
    """
    declared, written = _once((key(item), item) for item in items), _once((source_key(call), call) for call in sources)
    for name, item in declared.items():
        call = written.get(name)
        if call is not None and _agrees(call, item):
            yield item, call


def _once(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, _V]:
    """Return a dictionary of pairs, without the keys that occur twice."""
    pairs = list(pairs)
    counts = Counter(key for key, _ in pairs)
    return {key: value for key, value in pairs if counts[key] == 1}


def _folded_name(item: Column | Check) -> str:
    return folded(item.name)


def _name(source: CallSource) -> str | None:
    name = source.constants.get("name")
    return folded(name) if isinstance(name, str) else None


def _columns_and_name(key: ForeignKey | Unique) -> Hashable:
    return tuple(key.columns), key.name


def _written_key(source: CallSource) -> Hashable:
    columns, name = source.constants.get("columns"), source.constants.get("name")
    if not isinstance(columns, (list, tuple)) or (name is None and "name" in source.arguments):
        return None
    return tuple(columns), name


def _has_field(data_type: DataType, name: str) -> bool:
    return isinstance(data_type, StructType) and folded(name) in map(folded, data_type.names)


def _argument(source: CallSource, item: object, names: tuple[str, ...]) -> Span | None:
    """Return the span of the one argument that is given, if its value equals the model's."""
    given = [name for name in names if name in source.arguments]
    return source.arguments[given[0]] if len(given) == 1 and _says(source, item, given[0]) else None


def _key(source: CallSource, item: object, name: str, key: str) -> Span | None:
    """Return the position of a key of a dictionary, if the model has it."""
    return source.keys.get(name, {}).get(key) if key in getattr(item, name) else None


def _agrees(source: CallSource, item: object) -> bool:
    """Whether all constants of a call are what the model says."""
    return all(_says(source, item, name) for name in source.constants)


def _says(source: CallSource, item: object, name: str) -> bool:
    """Whether an argument is a constant that the model agrees with."""
    if name not in _COMPARED or name not in source.constants:
        return True
    written: object = source.constants[name]
    meant: Any = getattr(item, name)
    if isinstance(written, (list, tuple)):
        return tuple(written) == tuple(meant)
    if isinstance(meant, DataType) and isinstance(written, str):
        return _type(written) == meant
    return bool(((written or "") if name == "comment" else written) == meant)


@lru_cache
def _type(text: str) -> DataType | None:
    # The import is slow, and was done when the type of the model was read.
    from pytest_delta_schema.models.types.type_text import parse_type  # noqa: PLC0415 - as it says

    try:
        return parse_type(text)
    except ValueError:
        return None
