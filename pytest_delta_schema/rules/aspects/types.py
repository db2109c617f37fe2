"""Rules about types: what Delta stores, and which changes of type it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.decimal_types import LARGEST_PRECISION
from pytest_delta_schema.delta.features import TYPE_WIDENING, WIDENING_PROPERTY, writes_iceberg
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.delta.type_widening import Widening, widening, widens_in_iceberg
from pytest_delta_schema.models.types.unknown_type import unknown_types
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import (
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    SetTableProperties,
    UnsetTableProperties,
)
from pytest_delta_schema.rules.rule import has_feature, violation
from pytest_delta_schema.settings.text import toml_setting
from pytest_delta_schema.state.spark_types import compound_types
from pytest_delta_schema.state.type_traversal import atoms, is_storable, unstorable
from pytest_delta_schema.state.types import describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.types import DataTypeState


_OF_DECIMALS = (
    f"use a precision from 1 to {LARGEST_PRECISION} and a scale from 0 to the precision, such as decimal(18,2)"
)


class UnsupportedType:
    """A type cannot be stored by Delta: an interval, a time, a geometry, a string with a collation or an odd decimal.

    A decimal has from 1 to 38 digits, and at most all of them after the point.

    Remedy: Declare a type that Delta stores. The type of a column that another client has made is declared as
    ``UnknownType``, as ``model_source`` does.

    Example:
        from pyspark.sql.types import DayTimeIntervalType

        model = Table("dev", "silver", "orders", [Column("waited", DayTimeIntervalType())])
    """

    code = "DS105"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every part of a type that Delta cannot store."""
        compound = list(compound_types(table.columns))
        if all(map(is_storable, atoms(data_type for _, data_type in compound))):
            return
        for column, data_type in compound:
            for path, name in unstorable(data_type, ColumnPath(column)):
                if name not in _declared_as_unknown(table, column):
                    message = f"column {path} has the type {name}, which Delta cannot store"
                    is_decimal = name.startswith("decimal(")
                    remedy = _OF_DECIMALS if is_decimal else "use a type that it stores"
                    yield violation(self, table.qualified_name, part_path("columns", path), message, remedy)


class UnsupportedTypeChange:
    """The type of a column changes to a type that Delta does not widen it to.

    Delta changes a type in place only to a wider one, and needs the table feature of type widening for all types but
    char and varchar.

    Remedy: Swap the column for a new one, or declare the property for type widening, as the message shows.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "int")])
    """

    code = "DS208"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every type that Delta does not change in place, with the remedy."""
        if isinstance(action, CreateTable):
            return
        for change in action.all(ColumnTypeChange):
            if any(_compared_as_text(change.path, change.before, change.after)):
                # Reported by the rule below, with another remedy.
                continue
            path = part_path("columns", change.path)
            fact = f"column {change.path} is {describe_type(change.before)} on the table"
            fact = f"{fact} and {describe_type(change.after)} in the model"
            kind = widening(change.before, change.after)
            if kind is None or (kind is Widening.ALWAYS and change.path.is_nested):
                message = f"{fact}, which Delta does not change in place"
                yield violation(self, action.table, path, message, _swap(change))
            elif kind is Widening.BY_FEATURE and not has_feature(WIDENING_PROPERTY, action):
                remedy = (
                    f"declare the property {WIDENING_PROPERTY}='true', or set"
                    f" {toml_setting('enable_features', [TYPE_WIDENING])}; it raises the table's protocol"
                )
                yield violation(self, action.table, path, f"{fact}, which needs type widening", remedy)


class TypeChangeUnsupportedByIceberg:
    """The type of a column of a table with Iceberg metadata changes to one that Iceberg does not widen it to.

    Such tables have UniForm or ``delta.enableIcebergCompatV1`` to ``V3``. Iceberg widens integers to larger integers,
    ``float`` to ``double``, and the precision of decimals; Delta widens more types, and refuses those on such tables
    (``DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_TYPE_WIDENING``, Delta 4.4.0).

    Remedy: Declare the type that the table has, add a column of the new type, or turn the Iceberg metadata off.

    Example:
        properties = {"delta.enableIcebergCompatV2": "true", "delta.enableTypeWidening": "true"}
        stored = Table("dev", "silver", "orders", [Column("id", "int")], table_properties=properties)
        model = Table("dev", "silver", "orders", [Column("id", "double")], table_properties=properties)
    """

    code = "DS223"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every type that Delta widens and Iceberg does not."""
        if isinstance(action, CreateTable):
            return
        planned, removed = action.one(SetTableProperties), action.one(UnsetTableProperties)
        properties = {folded(key): value for key, value in action.observed.table_properties.items()}
        properties.update({folded(key): value for key, value in planned.properties.items()} if planned else {})
        kept = {key: value for key, value in properties.items() if not removed or key not in NameSet(removed.keys)}
        if not writes_iceberg(kept):
            return
        for change in action.all(ColumnTypeChange):
            if widening(change.before, change.after) is not Widening.BY_FEATURE:
                continue
            if not widens_in_iceberg(change.before, change.after):
                before, after = describe_type(change.before), describe_type(change.after)
                message = f"column {change.path} is {before} on the table and {after} in the model"
                reason = "and the table has Iceberg metadata, which cannot follow that change"
                path = part_path("columns", change.path)
                yield violation(self, action.table, path, f"{message}, {reason}", f"declare {before}")


class UnknownTypeChange:
    """A column of a type that is compared as text only would be created or changed.

    Delta's released versions do not store such types, so no plan contains them.

    Remedy: Change the column with a client that knows its type, and declare what the table has then.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("shape", UnknownType("geometry(4326)"))],
        )
    """

    code = "DS220"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every unknown type in what a plan creates or changes; comments and tags may change."""
        if isinstance(action, CreateTable):
            for column in action.columns:
                for path, name in _compared_as_text(ColumnPath(column.name), column.data_type):
                    message = f"column {path} would be created with the type {name}, which is compared as text only"
                    remedy = "create the table with a client that knows the type, or declare a type that Delta stores"
                    yield violation(self, action.table, part_path("columns", path), message, remedy)
            return
        for change in action.changes:
            for path, name in dict.fromkeys(_unknown_parts(change, action)):
                message = f"column {path} would be changed, and its type {name} is compared as text only"
                remedy = "change it with a client that knows the type, and declare what the table has then"
                yield violation(self, action.table, part_path("columns", path), message, remedy)


def _unknown_parts(change: Change, action: AlignTable) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every unknown type that a change adds, drops or needs to know."""
    match change:
        case ColumnAdd() | ColumnDrop():
            yield from _compared_as_text(change.path, change.column.data_type)
        case ColumnTypeChange():
            yield from _compared_as_text(change.path, change.before, change.after)
        case ColumnRename() | ColumnNullabilityChange() | ColumnDefaultChange():
            for state in (action.observed, action.desired):
                column = find(state.columns, change.path)
                if column is not None:
                    yield from _compared_as_text(change.path, column.data_type)


def _compared_as_text(path: ColumnPath, *data_types: DataTypeState) -> Iterator[tuple[ColumnPath, str]]:
    for data_type in data_types:
        yield from unstorable(data_type, path)


def _declared_as_unknown(table: Table, name: str) -> set[str]:
    return {text for column in table.columns if column.name == name for text in unknown_types(column.data_type)}


def _swap(change: ColumnTypeChange) -> str:
    """Return the steps that give a column its new type: add a column, fill it, swap the two."""
    before, after = describe_type(change.before), describe_type(change.after)
    if change.path.is_nested:
        return f"declare {before}, or add a field of the new type next to it, fill it, and drop this one with consent"
    name, new = change.path.root, f"{change.path.root}_new"
    steps = (
        f"(1) declare a column {new} as {after} next to it, and apply",
        f"(2) fill {new} with CAST({name} AS {after.upper()}) by an UPDATE",
        f"(3) remove {name} from the model, consent to its drop, and apply",
        f"(4) declare {name} as {after} with renamed_from={new!r} instead of {new}, and apply",
    )
    return f"declare {before}, or swap it: {'; '.join(steps)}"
