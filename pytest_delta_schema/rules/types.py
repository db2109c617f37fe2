"""Rules about types, defaults, generated columns and identities: what Delta stores, and which changes it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.fields import LARGEST_PRECISION, Widening, widening, widens_in_iceberg
from pytest_delta_schema.delta.names import ColumnPath, NameSet, folded, part_path
from pytest_delta_schema.delta.protocol import TYPE_WIDENING, WIDENING_PROPERTY, writes_iceberg
from pytest_delta_schema.models.spark_types import unknown_types
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.column_changes import describe_generation
from pytest_delta_schema.plan.difference import old_names, with_names
from pytest_delta_schema.rules.rule import AlignmentRule, BuiltInModelRule, BuiltInPlanRule, Fault, has_feature
from pytest_delta_schema.settings.table import toml_setting
from pytest_delta_schema.state.desired import value_state
from pytest_delta_schema.state.expressions import columns_in, default_faults, paths_in, row_faults
from pytest_delta_schema.state.spark_types import canonical_type, compound_types, is_storable, unstorable
from pytest_delta_schema.state.types import atoms, describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.state.types import ColumnGeneration, DataTypeState


_OF_DECIMALS = (
    f"use a precision from 1 to {LARGEST_PRECISION} and a scale from 0 to the precision, such as decimal(18,2)"
)


class UnsupportedType(BuiltInModelRule):
    """A type cannot be stored by Delta: an interval, a time, a geometry, a string with a collation or an odd decimal.

    A decimal has from 1 to 38 digits, and at most all of them after the point.

    Remedy: Declare a type that Delta stores. The type of a column that another client has made is declared as
    ``UnknownType``, as ``model_source`` does.

    Example:
        from pyspark.sql.types import DayTimeIntervalType

        model = Table("dev", "silver", "orders", [Column("waited", DayTimeIntervalType())])
    """

    code = "DS105"

    def _faults(self, table: Table) -> Iterator[Fault]:
        compound = list(compound_types(table.columns))
        if all(map(is_storable, atoms(data_type for _, data_type in compound))):
            return
        for column, data_type in compound:
            for path, name in unstorable(data_type, ColumnPath(column)):
                if name not in _declared_as_unknown(table, column):
                    message = f"column {path} has the type {name}, which Delta cannot store"
                    is_decimal = name.startswith("decimal(")
                    remedy = _OF_DECIMALS if is_decimal else "use a type that it stores"
                    yield Fault(message, remedy, part_path("columns", path))


class UnsupportedTypeChange(AlignmentRule):
    """The type of a column changes to a type that Delta does not widen it to.

    Delta changes a type in place only to a wider one, and needs the table feature of type widening for all types but
    char and varchar. A void column gets any type but an array, a map or a struct without it, since Delta 4.4.

    Remedy: Swap the column for a new one, or declare the property for type widening, as the message shows.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "int")])
    """

    code = "DS208"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        for change in action.all(kinds.ColumnTypeChange):
            if any(_compared_as_text(change.path, change.before, change.after)):
                # Reported by the rule below, with another remedy.
                continue
            path = part_path("columns", change.path)
            fact = f"column {change.path} is {describe_type(change.before)} on the table"
            fact = f"{fact} and {describe_type(change.after)} in the model"
            kind = widening(change.before, change.after, is_nested=change.path.is_nested)
            if kind is None:
                message = f"{fact}, which Delta does not change in place"
                yield Fault(message, _swap(change), path)
            elif kind is Widening.BY_FEATURE and not has_feature(WIDENING_PROPERTY, action):
                remedy = (
                    f"declare the property {WIDENING_PROPERTY}='true', or set"
                    f" {toml_setting('enable_features', [TYPE_WIDENING])}; it raises the table's protocol"
                )
                yield Fault(f"{fact}, which needs type widening", remedy, path)


class TypeChangeUnsupportedByIceberg(AlignmentRule):
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

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        planned, removed = action.one(kinds.SetTableProperties), action.one(kinds.UnsetTableProperties)
        properties = {folded(key): value for key, value in action.observed.table_properties.items()}
        properties.update({folded(key): value for key, value in planned.properties.items()} if planned else {})
        kept = {key: value for key, value in properties.items() if not removed or key not in NameSet(removed.keys)}
        if not writes_iceberg(kept):
            return
        for change in action.all(kinds.ColumnTypeChange):
            if widening(change.before, change.after) is not Widening.BY_FEATURE:
                continue
            if not widens_in_iceberg(change.before, change.after):
                before, after = describe_type(change.before), describe_type(change.after)
                message = f"column {change.path} is {before} on the table and {after} in the model"
                reason = "and the table has Iceberg metadata, which cannot follow that change"
                path = part_path("columns", change.path)
                yield Fault(f"{message}, {reason}", f"declare {before}", path)


class UnknownTypeChange(BuiltInPlanRule):
    """A column of a type that is compared as text only would be created or changed.

    Delta's released versions do not store such types, so no plan contains them.

    Remedy: Change the column with a client that knows its type, and declare what the table has then.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        columns = [Column("id", "bigint"), Column("shape", UnknownType("geometry(4326)"))]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS220"

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        if isinstance(action, CreateTable):
            for column in action.columns:
                for path, name in _compared_as_text(ColumnPath(column.name), column.data_type):
                    message = f"column {path} would be created with the type {name}, which is compared as text only"
                    remedy = "create the table with a client that knows the type, or declare a type that Delta stores"
                    yield Fault(message, remedy, part_path("columns", path))
            return
        for change in action.changes:
            for path, name in dict.fromkeys(_unknown_parts(change, action)):
                message = f"column {path} would be changed, and its type {name} is compared as text only"
                remedy = "change it with a client that knows the type, and declare what the table has then"
                yield Fault(message, remedy, part_path("columns", path))


def _unknown_parts(change: Change, action: AlignTable) -> Iterator[tuple[ColumnPath, str]]:
    """Yield the path and name of every unknown type that a change adds, drops or needs to know."""
    match change:
        case kinds.ColumnAdd() | kinds.ColumnDrop():
            yield from _compared_as_text(change.path, change.column.data_type)
        case kinds.ColumnTypeChange():
            yield from _compared_as_text(change.path, change.before, change.after)
        case kinds.ColumnRename() | kinds.ColumnNullabilityChange() | kinds.ColumnDefaultChange():
            for state in (action.observed, action.desired):
                column = find(state.columns, change.path)
                if column is not None:
                    yield from _compared_as_text(change.path, column.data_type)


def _compared_as_text(path: ColumnPath, *data_types: DataTypeState) -> Iterator[tuple[ColumnPath, str]]:
    for data_type in data_types:
        yield from unstorable(data_type, path)


def _declared_as_unknown(table: Table, name: str) -> set[str]:
    return {text for column in table.columns if column.name == name for text in unknown_types(column.data_type)}


def _swap(change: kinds.ColumnTypeChange) -> str:
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


_CONSTANT = "write an expression without columns; a string literal needs quotes inside the text, as in \"'open'\""
_REBUILD = (
    "declare what the table has, or create a new table with the change, fill it by INSERT ... SELECT, and point readers"
    " to it"
)


class InvalidColumnGeneration(BuiltInModelRule):
    """A default, generation expression or identity of a column is one that Delta refuses.

    A column has one of the three at most. A default names no columns, and a literal is a value of the column's type.
    Before an apply sets a default on an existing table, Spark analyses it. A generation expression names columns of the
    row that are not generated themselves, and calls no function whose value changes. An identity is a bigint whose step
    is not 0.

    Remedy: Leave out what Delta refuses, or write an expression that it accepts.

    Example:
        columns = [Column("id", "bigint"), Column("next", "bigint", default="id + 1")]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS118"

    def _faults(self, table: Table) -> Iterator[Fault]:
        generations = [(column, value_state(column)) for column in table.columns if _has_generation(column)]
        if not generations:
            return
        generated = NameSet.of(column for column, value in generations if value and value.generated is not None)
        names = NameSet.of(table.columns)
        for column, value in generations:
            if value is None:
                continue
            for fault in _generation_faults(column, value, names, generated):
                message = f"column {column.name} {fault.message}"
                yield Fault(message, fault.remedy, part_path("columns", column.name))


def _has_generation(column: Column) -> bool:
    """Whether a column declares a default, a generation expression or an identity."""
    return column.default is not None or column.generated_as is not None or column.identity is not None


def _generation_faults(column: Column, value: ColumnGeneration, names: NameSet, generated: NameSet) -> Iterator[Fault]:
    parts = {"default": value.default, "generated_as": value.generated, "identity": value.identity}
    declared = [name for name, part in parts.items() if part is not None]
    if len(declared) > 1:
        yield Fault(f"declares {' and '.join(declared)}, which exclude each other", "keep one of them")
    if value.identity is not None:
        data_type = describe_type(canonical_type(column.data_type))
        if data_type != "bigint":
            message = f"is an identity column of type {data_type}, but Delta counts in bigint only"
            yield Fault(message, "use LongType()")
        if value.identity.step == 0:
            yield Fault("is an identity column with a step of 0", "use another step")
    if value.default is not None:
        for fault in default_faults(value.default, canonical_type(column.data_type)):
            yield Fault(f"has the default {value.default}, which {fault}", _CONSTANT)
    if value.generated is not None:
        subject = f"is generated as {value.generated}, which"
        for fault in row_faults(value.generated, names):
            yield Fault(f"{subject} {fault}", "write an expression over the other columns of the row")
        circular = [name for name in columns_in(value.generated) if name in generated]
        if circular:
            message = f"{subject} names {', '.join(circular)}, and generated columns cannot name generated columns"
            yield Fault(message, "write the expression of that column in its place")


class UnsupportedGenerationChange(AlignmentRule):
    """A generated or identity column is added to, changed on or removed from an existing table.

    Delta creates them with their table only (Delta 4.4.0).

    Remedy: Keep what the table has, or build a new table and copy the rows.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        columns = [Column("id", "bigint"), Column("twice", "bigint", generated_as="id * 2")]
        model = Table("dev", "silver", "orders", columns)
    """

    code = "DS214"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        for added in action.all(kinds.ColumnAdd):
            if added.bare.value is not None:
                path = part_path("columns", added.path)
                kind = describe_generation(added.bare.value)
                fact = f"column {added.path} is {kind}, which Delta creates with a new table only"
                remedy = "add it as a plain column that writers fill, or create a new table"
                yield Fault(fact, remedy, path)
        for change in action.all(kinds.ColumnGenerationChange):
            before, after = describe_generation(change.before) or "plain", describe_generation(change.after) or "plain"
            fact = (
                f"column {change.name} is {before} on the table and {after} in the model, which Delta does not change"
            )
            yield Fault(fact, _REBUILD, part_path("columns", change.name))


class GeneratedColumnDependency(AlignmentRule):
    """A column is renamed, retyped or dropped that a generated column needs, or an identity column is changed.

    Delta refuses this (``DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE``,
    ``DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED``, Delta 4.4.0).

    Remedy: Leave the column, or drop the generated column in an apply before.

    Example:
        twice = Column("twice", "bigint", generated_as="id * 2")
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), twice])
        model = Table("dev", "silver", "orders", [Column("number", "bigint", renamed_from="id"), twice])
    """

    code = "DS215"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        if not any(column.value for column in action.observed.columns):
            return
        touched = list(_touched(action))
        for column in action.observed.columns:
            if column.value is not None and column.value.generated is not None:
                for part in _named_by(column.value.generated, touched):
                    path = part_path("columns", part.path)
                    reason = f"because the generated column {column.name} depends on it"
                    fact = f"column {part.path} cannot be {part.verb}, {reason}"
                    remedy = f"leave it, or drop {column.name} first, in a separate apply"
                    yield Fault(fact, remedy, path)
            if column.value is not None and column.value.identity is not None:
                yield from self._identity(action, column.name)

    def _identity(self, action: AlignTable, name: str) -> Iterator[Fault]:
        paths = [change.path for change in action.all(kinds.ColumnTypeChange)]
        paths += [change.path for change in action.all(kinds.ColumnNullabilityChange) if change.is_nullable]
        if ColumnPath(name) in paths:
            fact = f"column {name} is an identity column, of which Delta changes the name and the comment only"
            yield Fault(fact, _REBUILD, part_path("columns", name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Touched:
    """A stored column or field that a plan changes."""

    path: ColumnPath
    verb: str


def _named_by(expression: str, touched: Sequence[_Touched]) -> Iterator[_Touched]:
    """Yield the columns and fields that an expression names, and those above or below a name in it."""
    sources = paths_in(expression)
    for part in touched:
        if any(source.starts_with(part.path) or part.path.starts_with(source) for source in sources):
            yield part


def _touched(action: AlignTable) -> Iterator[_Touched]:
    names = old_names(action.all(kinds.ColumnRename))
    for rename in action.all(kinds.ColumnRename):
        yield _Touched(path=rename.path, verb="renamed")
    for change in action.all(kinds.ColumnTypeChange):
        yield _Touched(path=with_names(change.path, names), verb="retyped")
    for drop in action.all(kinds.ColumnDrop):
        yield _Touched(path=with_names(drop.path, names), verb="dropped")
