"""Rules about names that Delta stores under column mapping only, and about the mode of column mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import MAPPING_PROPERTY, is_on
from pytest_delta_schema.delta.folded_names import NameMap, folded, same_name, spark_name
from pytest_delta_schema.delta.part_path import part_path
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnAdd, SetTableProperties
from pytest_delta_schema.rules.rule import has_feature, violation
from pytest_delta_schema.state.type_traversal import special_names
from pytest_delta_schema.state.types import columns_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.delta.column_path import ColumnPath
    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable

_CHARACTERS = "one of space , ; { } ( ) = tab newline"
_MAPPED = f"declare the property {MAPPING_PROPERTY}='name'"
_UNMAPPED = "none"


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
    """A column is added whose name Spark takes for that of a column that is there.

    Spark compares names of new columns in upper case, in which i with and without a dot are one letter, as are s and
    the long s, mu and the micro sign (``FIELD_ALREADY_EXISTS``, Spark 4.2.0). For a log these are several names.

    Remedy: Write the stored name in the model, or choose a different name.

    Example:
        stored = Table("dev", "silver", "orders", [Column("sira", "bigint")])
        model = Table("dev", "silver", "orders", [Column("s\u0131ra", "bigint")])
    """

    code = "DS224"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every such column or field."""
        if isinstance(action, CreateTable):
            return
        for change in action.all(ColumnAdd):
            stored = [column.name for column in columns_below(action.observed.columns, change.above)]
            new = [other.column.name for other in action.all(ColumnAdd) if other.above == change.above]
            name = change.column.name
            taken = [other for other in stored + new if other != name and spark_name(other) == spark_name(name)]
            if taken:
                fact = f"column {change.path} cannot be added, because Spark takes it for {', '.join(taken)}"
                remedy = f"write {taken[0]} in the model, or choose a different name"
                yield violation(self, action.table, part_path("columns", change.path), fact, remedy)


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
        planned = action.one(SetTableProperties)
        key = next((key for key in planned.properties if same_name(key, MAPPING_PROPERTY)), None) if planned else None
        if planned is None or key is None:
            return
        before, after = _mode(action.observed.table_properties), folded(planned.properties[key])
        names = [*special_names(action.desired.columns)]
        if after == _UNMAPPED and names:
            reason = f"which Delta refuses, because the column names {_listed(names)} hold {_CHARACTERS}"
        elif after == _UNMAPPED or (before, after) == (_UNMAPPED, "name"):
            return
        else:
            reason = "which Delta refuses"
        message = f"column mapping is {before} on the table and {after} in the model, {reason}"
        yield violation(self, action.table, part_path("properties", key), message, f"declare {key}='{before}'")


def _mode(properties: Mapping[str, str | None]) -> str:
    return folded(NameMap(properties.items()).get(MAPPING_PROPERTY) or _UNMAPPED)


def _listed(paths: Sequence[ColumnPath]) -> str:
    return ", ".join(repr(str(path)) for path in paths)
