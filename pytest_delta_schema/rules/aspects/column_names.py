"""Rules about names that Delta stores under column mapping only, and about the mode of column mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, is_on
from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap, folded, same_name, spark_name
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import (
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnMappingRemoval,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    SetColumnComments,
    SetTableProperties,
)
from pytest_delta_schema.plan.renames import renamed
from pytest_delta_schema.rules.rule import has_feature, violation
from pytest_delta_schema.state.type_traversal import special_names
from pytest_delta_schema.state.types import children, columns_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.types import ColumnState

_CHARACTERS = "one of space , ; { } ( ) = tab newline"
_MAPPED = f"declare the property {MAPPING_PROPERTY}='name'"
_UNMAPPED = "none"
_OF_ONE_COLUMN = (ColumnRename, ColumnDrop, ColumnTypeChange, ColumnNullabilityChange, ColumnDefaultChange)


class InvalidColumnName:
    """A plan needs column mapping, because a name holds a character that Delta stores under column mapping only.

    The characters are space, comma, semicolon, braces, parentheses, ``=``, tab and newline. Other writers, such as
    delta-rs, store them without column mapping. A table with such names is read, and its model may declare them; Delta
    refuses every change of it until column mapping is enabled (``DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES``, Delta
    4.4.0).

    Remedy: Rename the column or the field, or declare the property ``delta.columnMapping.mode``.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("order id", "bigint")])
    """

    code = "DS107"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for the names to create, and one for those that the table has, without column mapping."""
        if isinstance(action, CreateTable):
            if not is_on(MAPPING_PROPERTY, action.table_properties):
                yield from self._added(action, [*special_names(action.columns)])
        elif not has_feature(MAPPING_PROPERTY, action):
            new = [path for change in action.all(ColumnAdd) for path in special_names([change.column], change.above)]
            yield from self._added(action, new)
            stored = [*special_names(action.observed.columns)]
            if stored:
                fact = f"column names {_listed(stored)} of the table hold {_CHARACTERS}, and Delta refuses every change"
                path = part_path("columns", stored[0])
                yield violation(self, action.table, path, f"{fact} of it without column mapping", _MAPPED)

    def _added(self, action: CreateTable | AlignTable, paths: Sequence[ColumnPath]) -> Iterator[Diagnostic]:
        if paths:
            message = f"column names {_listed(paths)} hold {_CHARACTERS}, which Delta stores under column mapping only"
            yield violation(self, action.table, part_path("columns", paths[0]), message, f"rename them, or {_MAPPED}")


class ColumnNameTakenBySpark:
    """Two columns have names that are one name for Spark, or a column gets such a name.

    Spark compares the names of columns that it adds, renames and changes in upper case, in which i with and without a
    dot are one letter, as are s and the long s, mu and the micro sign (``FIELD_ALREADY_EXISTS`` and
    ``AMBIGUOUS_COLUMN_OR_FIELD``, Spark 4.2.0). For a log these are several names. Spark creates a table with two such
    columns, and then changes neither.

    Remedy: Write the stored name in the model, or choose a different name.

    Example:
        stored = Table("dev", "silver", "orders", [Column("sira", "bigint")])
        model = Table("dev", "silver", "orders", [Column("s\u0131ra", "bigint")])
    """

    code = "DS224"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every column or field that is created, added, renamed or changed so."""
        if isinstance(action, CreateTable):
            yield from self._created(action, action.columns)
            return
        columns = action.observed.columns
        for path in sorted({path for change in action.changes for path in _changed_paths(change)}):
            stored = _by_spark_name(columns_below(columns, path.parent))
            yield from self._taken(action, path, "changed", _twins(path.name, stored))
        for rename in action.all(ColumnRename):
            above = rename.path.parent
            # The old name of the column itself counts as well.
            taken = _by_spark_name(columns_below(columns, above)).get(spark_name(rename.to), [])
            yield from self._taken(action, above.child(rename.to), "named so", taken)
            columns = renamed(columns, rename.path, rename.to)
        added: dict[ColumnPath, list[ColumnState]] = {}
        for change in action.all(ColumnAdd):
            added.setdefault(change.above, []).append(change.column)
        for above, new in added.items():
            names = _by_spark_name((*columns_below(columns, above), *new))
            for column in new:
                path = above.child(column.name)
                yield from self._taken(action, path, "added", _twins(column.name, names))
                yield from self._created(action, children(column.data_type), path)

    def _created(
        self, action: CreateTable | AlignTable, columns: Iterable[ColumnState], above: ColumnPath = TABLE
    ) -> Iterator[Diagnostic]:
        names = _by_spark_name(columns)
        for column in columns:
            path = above.child(column.name)
            yield from self._taken(action, path, "told apart", _twins(column.name, names))
            yield from self._created(action, children(column.data_type), path)

    def _taken(
        self, action: CreateTable | AlignTable, path: ColumnPath, verb: str, others: Sequence[str]
    ) -> Iterator[Diagnostic]:
        if others:
            fact = f"column {path} cannot be {verb}, because Spark takes it for {', '.join(others)}"
            remedy = f"write {others[0]} in the model, or choose a different name"
            yield violation(self, action.table, part_path("columns", path), fact, remedy)


def _by_spark_name(columns: Iterable[ColumnState]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for column in columns:
        names.setdefault(spark_name(column.name), []).append(column.name)
    return names


def _twins(name: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names that are the same name for Spark, and a different one for a log."""
    return [other for other in names.get(spark_name(name), ()) if not same_name(other, name)]


def _changed_paths(change: Change) -> Iterable[ColumnPath]:
    """Return the columns and fields that the statement of a change names."""
    if isinstance(change, SetColumnComments):
        return change.comments
    if isinstance(change, ColumnMove):
        return [ColumnPath(change.name)]
    return [change.path] if isinstance(change, _OF_ONE_COLUMN) else ()


class UnsupportedMappingMode:
    """The mode of column mapping changes in a way that Delta refuses.

    Delta changes ``none`` to ``name``, and ``name`` and ``id`` to ``none`` if no name needs column mapping
    (``DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE`` and ``DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING``,
    Delta 4.4.0).

    Remedy: Declare the mode that the table has.

    Example:
        columns = [Column("id", "bigint")]
        by_id, by_name = ({"delta.columnMapping.mode": mode} for mode in ("id", "name"))
        stored = Table("dev", "silver", "orders", columns, table_properties=by_id)
        model = Table("dev", "silver", "orders", columns, table_properties=by_name)
    """

    code = "DS222"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for a mode that Delta does not give to the table."""
        if isinstance(action, CreateTable):
            return
        change = _mode_change(action)
        if change is None:
            return
        key, after = change
        before = _mode(action.observed.table_properties)
        names = [*special_names(action.desired.columns)]
        if after == _UNMAPPED and names:
            reason = f"which Delta refuses, because the column names {_listed(names)} hold {_CHARACTERS}"
        elif after == _UNMAPPED or (before, after) == (_UNMAPPED, "name"):
            return
        else:
            reason = "which Delta refuses"
        message = f"column mapping is {before} on the table and {after} in the model, {reason}"
        yield violation(self, action.table, part_path("properties", key), message, f"declare {key}='{before}'")


def _mode_change(action: AlignTable) -> tuple[str, str] | None:
    """Return the property of the mode and its new value, if the mode changes."""
    removal, planned = action.one(ColumnMappingRemoval), action.one(SetTableProperties)
    if removal is not None:
        return removal.key, _UNMAPPED
    properties = planned.properties.items() if planned else ()
    return next(((key, folded(value)) for key, value in properties if same_name(key, MAPPING_PROPERTY)), None)


def _mode(properties: Mapping[str, str | None]) -> str:
    return folded(NameMap(properties.items()).get(MAPPING_PROPERTY) or _UNMAPPED)


def _listed(paths: Sequence[ColumnPath]) -> str:
    return ", ".join(repr(str(path)) for path in paths)
