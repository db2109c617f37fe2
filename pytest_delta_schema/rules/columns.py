"""Rules about columns: their names, NOT NULL, drops and renames, and column mapping, which some of them need."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.delta.names import (
    TABLE,
    ColumnPath,
    NameMap,
    NameSet,
    column_path,
    folded,
    part_path,
    same_name,
    spark_name,
)
from pytest_delta_schema.delta.protocol import COLUMN_MAPPING, MAPPING_PROPERTY, is_on
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.difference import renamed, resolve_renames
from pytest_delta_schema.rules.consent import DROP_COLUMN, Consent, missing_consents
from pytest_delta_schema.rules.rule import AlignmentRule, BuiltInModelRule, BuiltInPlanRule, Fault, has_feature
from pytest_delta_schema.settings.table import toml_setting
from pytest_delta_schema.state.desired import desired_state, rename_hints
from pytest_delta_schema.state.spark_types import nested_types
from pytest_delta_schema.state.types import (
    ArrayState,
    MapState,
    StructState,
    children,
    columns_below,
    find,
    has_not_null_in_collections,
    not_null_in_collections,
    not_null_paths,
    special_names,
    struct_fields,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


_T = TypeVar("_T")

_CHARACTERS = "one of space , ; { } ( ) = tab newline"
_MAPPED = f"declare the property {MAPPING_PROPERTY}='name'"

_ENABLE_MAPPING = (
    f"{_MAPPED}, or set {toml_setting('enable_features', [COLUMN_MAPPING])}; it raises the table's protocol"
)

_UNMAPPED = "none"
_OF_ONE_COLUMN = (
    kinds.ColumnRename,
    kinds.ColumnDrop,
    kinds.ColumnTypeChange,
    kinds.ColumnNullabilityChange,
    kinds.ColumnDefaultChange,
)
_ANY_OF_COLUMNS = (*_OF_ONE_COLUMN, kinds.ColumnAdd, kinds.ColumnMove, kinds.SetColumnComments)


class NoColumns(BuiltInModelRule):
    """A table has no columns.

    Nothing can be written to it.

    Remedy: Declare at least one column.

    Example:
        model = Table("dev", "silver", "orders", [])
    """

    code = "DS102"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if not table.columns:
            yield Fault("has no columns", "declare at least one Column", part_path("columns"))


class DuplicateColumn(BuiltInModelRule):
    """Two columns, or two fields of one struct, have names that are equal without case.

    Delta matches names without case.

    Remedy: Rename or remove all but one.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("ID", "int")])
    """

    code = "DS103"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if all(len(NameSet(names)) == len(names) for names in _names_per_struct(table)):
            return
        for duplicates in (same for paths in _paths_per_struct(table) for same in repeated(paths, lambda path: path)):
            message = f"columns {', '.join(map(str, duplicates))} have one name, because names match without case"
            yield Fault(message, "rename or remove all but one", part_path("columns", duplicates[0]))


def _names_per_struct(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the names of the columns, and of the fields of each struct, together."""
    yield tuple(column.name for column in table.columns)
    for _, data_type in nested_types(table.columns):
        yield from struct_fields(data_type)


def _paths_per_struct(table: Table) -> Iterator[list[ColumnPath]]:
    """Yield the paths of the columns, and of the fields of each struct, together."""
    yield [column_path(column.name) for column in table.columns]
    for name, data_type in nested_types(table.columns):
        yield from _paths_below(data_type, column_path(name))


def _paths_below(data_type: DataTypeState, path: ColumnPath) -> Iterator[list[ColumnPath]]:
    parts = children(data_type)
    paths = [path.child(part.name) for part in parts]
    if isinstance(data_type, StructState):
        yield paths
    for part, inner in zip(parts, paths, strict=True):
        if not isinstance(part.data_type, str):
            yield from _paths_below(part.data_type, inner)


def repeated(items: Iterable[_T], key: Callable[[_T], Hashable]) -> list[list[_T]]:
    """Return the items that have their key in common with others, together and in order."""
    groups: dict[Hashable, list[_T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return [group for group in groups.values() if len(group) > 1]


def repeated_names(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once without case, in lower case and in order."""
    return [folded(group[0]) for group in repeated(names, folded)]


class ColumnNameTakenBySpark(BuiltInPlanRule):
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

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        if isinstance(action, CreateTable):
            yield from self._created(action.columns)
            return
        columns = action.observed.columns
        for path in sorted({path for change in action.changes for path in _changed_paths(change)}):
            stored = _by_spark_name(columns_below(columns, path.parent))
            yield from self._taken(path, "changed", _twins(path.name, stored))
        for rename in action.all(kinds.ColumnRename):
            above = rename.path.parent
            # The old name of the column itself counts as well.
            taken = _by_spark_name(columns_below(columns, above)).get(spark_name(rename.to), [])
            yield from self._taken(above.child(rename.to), "named so", taken)
            columns = renamed(columns, rename.path, rename.to)
        added: dict[ColumnPath, list[ColumnState]] = {}
        for change in action.all(kinds.ColumnAdd):
            added.setdefault(change.above, []).append(change.column)
        for above, new in added.items():
            names = _by_spark_name((*columns_below(columns, above), *new))
            for column in new:
                path = above.child(column.name)
                yield from self._taken(path, "added", _twins(column.name, names))
                yield from self._created(children(column.data_type), path)

    def _created(self, columns: Iterable[ColumnState], above: ColumnPath = TABLE) -> Iterator[Fault]:
        names = _by_spark_name(columns)
        for column in columns:
            path = above.child(column.name)
            yield from self._taken(path, "told apart", _twins(column.name, names))
            yield from self._created(children(column.data_type), path)

    def _taken(self, path: ColumnPath, verb: str, others: Sequence[str]) -> Iterator[Fault]:
        if others:
            fact = f"column {path} cannot be {verb}, because Spark takes it for {', '.join(others)}"
            remedy = f"write {others[0]} in the model, or choose a different name"
            yield Fault(fact, remedy, part_path("columns", path))


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
    if isinstance(change, kinds.SetColumnComments):
        return change.comments
    if isinstance(change, kinds.ColumnMove):
        return [ColumnPath(change.name)]
    return [change.path] if isinstance(change, _OF_ONE_COLUMN) else ()


class InvalidColumnName(BuiltInPlanRule):
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

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        if isinstance(action, CreateTable):
            if not is_on(MAPPING_PROPERTY, action.table_properties):
                yield from self._added([*special_names(action.columns)])
        elif not has_feature(MAPPING_PROPERTY, action):
            new = [
                path for change in action.all(kinds.ColumnAdd) for path in special_names([change.column], change.above)
            ]
            yield from self._added(new)
            stored = [*special_names(action.observed.columns)]
            if stored:
                fact = f"column names {_listed(stored)} of the table hold {_CHARACTERS}, and Delta refuses every change"
                path = part_path("columns", stored[0])
                yield Fault(f"{fact} of it without column mapping", _MAPPED, path)

    def _added(self, paths: Sequence[ColumnPath]) -> Iterator[Fault]:
        if paths:
            message = f"column names {_listed(paths)} hold {_CHARACTERS}, which Delta stores under column mapping only"
            yield Fault(message, f"rename them, or {_MAPPED}", part_path("columns", paths[0]))


def _listed(paths: Sequence[ColumnPath]) -> str:
    return ", ".join(repr(str(path)) for path in paths)


class UnsupportedMappingMode(AlignmentRule):
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

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
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
        yield Fault(message, f"declare {key}='{before}'", part_path("properties", key))


def _mode_change(action: AlignTable) -> tuple[str, str] | None:
    """Return the property of the mode and its new value, if the mode changes."""
    removal, planned = action.one(kinds.ColumnMappingRemoval), action.one(kinds.SetTableProperties)
    if removal is not None:
        return removal.key, _UNMAPPED
    properties = planned.properties.items() if planned else ()
    return next(((key, folded(value)) for key, value in properties if same_name(key, MAPPING_PROPERTY)), None)


def _mode(properties: Mapping[str, str | None]) -> str:
    return folded(NameMap(properties.items()).get(MAPPING_PROPERTY) or _UNMAPPED)


class NotNullColumnAdded(AlignmentRule):
    """A NOT NULL column, or a column with a NOT NULL field, is added to an existing table.

    The existing rows hold NULL in a new column.

    Remedy: Add it nullable, fill it, then declare it NOT NULL.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        columns = [Column("id", "bigint"), Column("state", "string", is_nullable=False)]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS201"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        for change in action.all(kinds.ColumnAdd):
            for path in not_null_paths([change.column], change.above):
                fact = f"column {path} is NOT NULL in the model but new on the table"
                remedy = "add it nullable, fill it, then declare it NOT NULL"
                yield Fault(fact, remedy, part_path("columns", path))


class NotNullInCollection(BuiltInPlanRule):
    """A plan would create or change NOT NULL inside an array or a map, or change a table whose structs have it there.

    Other writers, such as delta-rs, store it; a model declares what its table has. Delta creates none, and never
    changes whether elements of arrays and values of maps may be NULL
    (``DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP``). While a field of a struct there is NOT NULL, Delta refuses every
    other change of columns (``DELTA_NESTED_NOT_NULL_CONSTRAINT``, Delta 4.4.0).

    Remedy: Declare the nullability that the table has, and new parts as nullable. Let a field be NULL in a separate
    apply before other changes.

    Example:
        from pyspark.sql.types import ArrayType, IntegerType

        columns = [Column("sizes", ArrayType(IntegerType(), containsNull=False))]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS106"

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        if isinstance(action, CreateTable):
            new = [*_not_null_inside(action.columns)]
        else:
            new = [
                path
                for change in action.all(kinds.ColumnAdd)
                for path in _not_null_inside([change.column], change.above)
            ]
        for path in new:
            message = f"column {path} is NOT NULL inside an array or a map, which Delta cannot keep"
            remedy = "declare it nullable: containsNull, valueContainsNull or nullable = True"
            yield Fault(message, remedy, part_path("columns", path))
        if isinstance(action, AlignTable):
            yield from self._changed(action)
            yield from self._blocked(action)

    def _changed(self, action: AlignTable) -> Iterator[Fault]:
        for change in action.all(kinds.ColumnNullabilityChange):
            types = [column.data_type for column in _holders(action, change.path) if column is not None]
            if not any(isinstance(above, ArrayState | MapState) for above in types):
                continue
            if change.is_nullable and isinstance(types[-1], StructState):
                continue
            stored, wanted = ("not null", "nullable") if change.is_nullable else ("nullable", "not null")
            fact = f"column {change.path} is {stored} on the table and {wanted} in the model"
            message = f"{fact}, which Delta does not change inside an array or a map"
            yield Fault(message, f"declare it as {stored}", part_path("columns", change.path))

    def _blocked(self, action: AlignTable) -> Iterator[Fault]:
        """Yield a violation if columns change while a field of a struct is NOT NULL inside an array or a map."""
        fields = {path for path in _not_null_inside(action.observed.columns) if _is_field(action, path)}
        if not fields:
            return
        relaxed = {change.path for change in action.all(kinds.ColumnNullabilityChange) if change.is_nullable}
        for change in action.changes:
            if isinstance(change, kinds.ColumnNullabilityChange):
                fields -= relaxed
            enables_mapping = isinstance(change, kinds.SetTableProperties) and is_on(
                MAPPING_PROPERTY, change.properties
            )
            if fields and (enables_mapping or isinstance(change, _ANY_OF_COLUMNS)):
                listed = ", ".join(map(str, sorted(fields)))
                fact = f"column {listed} is NOT NULL inside an array or a map"
                fact = f"{fact}, and until it is nullable, Delta changes neither columns nor column mapping"
                remedy = "declare it nullable, and apply that before anything else"
                yield Fault(fact, remedy, part_path("columns", min(fields)))
                return


def _not_null_inside(columns: Iterable[ColumnState], above: ColumnPath = TABLE) -> Iterator[ColumnPath]:
    for column in columns:
        if has_not_null_in_collections(column.data_type):
            yield from not_null_in_collections(column.data_type, above.child(column.name))


def _holders(action: AlignTable, path: ColumnPath) -> list[ColumnState | None]:
    """Return the parts of a stored column that hold a part of it, from the column on."""
    return [find(action.observed.columns, prefix) for prefix in path.parent.prefixes()]


def _is_field(action: AlignTable, path: ColumnPath) -> bool:
    holder = _holders(action, path)[-1]
    return holder is not None and isinstance(holder.data_type, StructState)


class DropWithoutConsent(BuiltInPlanRule):
    """A column is dropped without consent.

    Its data would be lost.

    Remedy: Declare the column, or consent to the drop by name (``--delta-allow``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("legacy", "string")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DS206"

    def __init__(self, consents: Iterable[Consent] = ()) -> None:
        self.consents = tuple(consents)

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        for missing in missing_consents(action, DROP_COLUMN, self.consents):
            dropped = missing.needed.path
            fact = f"column {dropped} is on the table but not in the model, and dropping it loses its data"
            message = "; ".join((fact, *missing.ambiguities))
            yield Fault(message, f"declare it, or {missing.remedy}", part_path("columns", dropped))


class DropWithoutColumnMapping(AlignmentRule):
    """A column is dropped from a table without column mapping.

    Delta refuses this (``DELTA_UNSUPPORTED_DROP_COLUMN``, Delta 4.4.0).

    Remedy: Declare the property ``delta.columnMapping.mode``, or let the plan add it (the setting ``enable_features``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("legacy", "string")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DS207"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        return _without_mapping(action, "dropped", [change.path for change in action.all(kinds.ColumnDrop)])


class InvalidRenameHint(BuiltInModelRule):
    """A ``renamed_from`` names a declared column, differs from the name in case only, or is given twice.

    Such a hint has no effect on any catalog.

    Remedy: Remove it.

    Example:
        columns = [Column("id", "bigint"), Column("number", "int", renamed_from="id")]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS117"

    def _faults(self, table: Table) -> Iterator[Fault]:
        hints = rename_hints(table.columns)
        if not hints:
            return
        columns = desired_state(table).columns
        seen: dict[ColumnPath, str] = {}
        for hint in hints:
            path = str(hint.path)
            parent = find(columns, hint.path.parent)
            siblings = children(parent.data_type) if parent is not None else columns
            old = hint.path.parent.child(hint.old)
            twin = seen.setdefault(old, path)
            fact = None
            if old == hint.path:
                fact = "which differs in case only, and names match without case"
            elif hint.old in NameSet.of(siblings):
                fact = "which the model declares as well"
            elif twin != path:
                fact = f"and so is {twin}"
            if fact is not None:
                message = f"column {path} is renamed from {hint.old}, {fact}"
                yield Fault(message, "remove the hint", part_path("columns", hint.path))


class UnusableRenameHint(AlignmentRule):
    """A ``renamed_from`` cannot be used, because both names or none of them are on the table.

    Remedy: Remove the hint, or change the table by hand.

    Example:
        columns = [Column("id", "bigint"), Column("nr", "int"), Column("number", "int")]
        stored = Table("dev", "silver", "orders", columns)
        columns = [Column("id", "bigint"), Column("number", "int", renamed_from="nr")]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS210"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        for hint, reason in resolve_renames(action.desired.renames, action.observed.columns).unusable:
            path = part_path("columns", hint.path)
            message = f"column {hint.path} is renamed from {hint.old}, but {reason}"
            yield Fault(message, "remove the hint, or change the table by hand", path)


class RenameWithoutColumnMapping(AlignmentRule):
    """A column is renamed on a table without column mapping.

    Delta refuses this (``DELTA_UNSUPPORTED_RENAME_COLUMN``, Delta 4.4.0).

    Remedy: Declare the property ``delta.columnMapping.mode``, or let the plan add it (the setting ``enable_features``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("nr", "int")])
        columns = [Column("id", "bigint"), Column("number", "int", renamed_from="nr")]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS211"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        return _without_mapping(action, "renamed", [change.path for change in action.all(kinds.ColumnRename)])


def _without_mapping(action: AlignTable, verb: str, paths: Sequence[ColumnPath]) -> Iterator[Fault]:
    if paths and not has_feature(MAPPING_PROPERTY, action):
        fact = f"columns {', '.join(map(str, paths))} cannot be {verb}, because the table has no column mapping"
        yield Fault(fact, _ENABLE_MAPPING, part_path("columns", paths[0]))
