"""Rules about constraints: primary keys, foreign keys, UNIQUE and CHECK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import NameMap, NameSet, PartPath, folded, part_path, proposal, same_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import ColumnAdd, ColumnNullabilityChange, ForeignKeyDrop, PrimaryKeyAdd
from pytest_delta_schema.rules.columns import repeated, repeated_names
from pytest_delta_schema.rules.rule import AlignmentRule, BuiltInModelRule, BuiltInPlanRule, Fault
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import canonical, condition_faults
from pytest_delta_schema.state.keys import path_of_key
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.states import UNIQUE
from pytest_delta_schema.state.types import describe_type, is_assignable, is_comparable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.models.constraints import ForeignKey, Unique
    from pytest_delta_schema.state.states import ForeignKeyState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


_PRIMARY_KEY = part_path("primary_key")


class InvalidPrimaryKeyColumn(BuiltInModelRule):
    """A column of the primary key is not declared, is nullable, or is named twice.

    Remedy: Declare it with ``is_nullable=False``, and name it once.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS104"

    def _faults(self, table: Table) -> Iterator[Fault]:
        declared = NameMap.of(table.columns)
        for name in repeated_names(table.primary_key):
            yield Fault(f"primary key column {name} is named twice", "name it once", _PRIMARY_KEY)
        for name in table.primary_key:
            column, subject = declared.get(name), f"primary key column {name}"
            if column is None:
                remedy = proposal(name, [column.name for column in table.columns], "declare it, or fix the key")
                yield Fault(f"{subject} is not a column of the model", remedy, _PRIMARY_KEY)
            elif column.is_nullable:
                remedy = "declare it with is_nullable=False"
                yield Fault(f"{subject} is nullable in the model", remedy, part_path("columns", name))


class IncomparablePrimaryKey(BuiltInModelRule):
    """A column of the primary key has a type whose values cannot be compared.

    These are maps, variants and everything that holds one.

    Remedy: Choose columns of other types.

    Example:
        column = Column("labels", "map<string,string>", is_nullable=False)
        model = Table("dev", "silver", "orders", [column], primary_key=["labels"])
    """

    code = "DS113"

    def _faults(self, table: Table) -> Iterator[Fault]:
        yield from _incomparable_columns(table, "primary key", list(table.primary_key), _PRIMARY_KEY)


class NullablePrimaryKeyColumnCreated(BuiltInPlanRule):
    """A table is created with a primary key over a nullable column.

    Remedy: Declare the column with ``is_nullable=False``.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS202"

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        if isinstance(action, AlignTable) or action.primary_key is None:
            return
        not_null = NameSet.of(column for column in action.columns if not column.is_nullable)
        for name in action.primary_key.columns:
            if name not in not_null:
                fact = f"primary key column {name} would be created nullable"
                remedy = "declare it with is_nullable=False"
                yield Fault(fact, remedy, part_path("columns", name))


class NullablePrimaryKeyColumnAdded(AlignmentRule):
    """A plan adds a primary key over a nullable column that it adds as well.

    Remedy: Add the column in one apply, fill it, then make it NOT NULL and add the key in the next.

    Example:
        stored = Table("dev", "silver", "orders", [Column("note", "string")])
        columns = [Column("note", "string"), Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, primary_key=["id"])
    """

    code = "DS204"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        if (new_key := action.one(PrimaryKeyAdd)) is None:
            return
        key = NameSet(new_key.key.columns)
        for change in action.all(ColumnAdd):
            if change.column.name in key and change.column.is_nullable:
                name = change.column.name
                fact = f"column {name} is new and nullable but part of the new primary key"
                remedy = "add it in one apply, fill it, then make it NOT NULL and add the key in the next"
                yield Fault(fact, remedy, part_path("columns", name))


class NullablePrimaryKeyColumn(AlignmentRule):
    """A plan adds a primary key over a column that stays nullable on the table.

    Remedy: Declare the column with ``is_nullable=False``, so the plan makes it NOT NULL first.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS205"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        if (new_key := action.one(PrimaryKeyAdd)) is None:
            return
        paths = [change.path for change in action.all(ColumnNullabilityChange)]
        changed = NameSet(path.root for path in paths if not path.is_nested)
        nullable = NameSet.of(column for column in action.observed.columns if column.is_nullable)
        for name in new_key.key.columns:
            if name in nullable and name not in changed:
                fact = f"column {name} is nullable on the table but part of the new primary key"
                remedy = "declare it with is_nullable=False, so the plan makes it NOT NULL first"
                yield Fault(fact, remedy, part_path("columns", name))


class PrimaryKeyColumnMadeNullable(AlignmentRule):
    """A plan adds a primary key and makes one of its columns nullable.

    Remedy: Declare the column with ``is_nullable=False``, or leave it out of the key.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["id"])
    """

    code = "DS203"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        if (new_key := action.one(PrimaryKeyAdd)) is None:
            return
        whole = [change for change in action.all(ColumnNullabilityChange) if not change.path.is_nested]
        loosened = NameSet(change.path.root for change in whole if change.is_nullable)
        for name in new_key.key.columns:
            if name in loosened:
                fact = f"column {name} would become nullable while the new primary key needs it NOT NULL"
                remedy = "declare it with is_nullable=False, or leave it out of the key"
                yield Fault(fact, remedy, part_path("columns", name))


class RelyWithoutDataCheck(AlignmentRule):
    """A key is added with RELY, and no data check runs before it.

    Queries give wrong results if rows violate such a key.

    Remedy: Run the data checks, or declare the key without ``rely``.

    Example:
        settings = Settings(preflight="off")
        stored = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        columns = [Column("id", "bigint", is_nullable=False)]
        model = Table("dev", "silver", "orders", columns, primary_key=PrimaryKey(["id"], rely=True))
    """

    code = "DS219"

    def __init__(self, *, runs_data_checks: bool = True) -> None:
        self.runs_data_checks = runs_data_checks

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        if self.runs_data_checks:
            return
        remedy = "run with --delta-preflight=count or limit, or declare it without rely"
        new_key = action.one(PrimaryKeyAdd)
        if new_key is not None and new_key.key.rely:
            message = f"primary key {new_key.key.name} is added with RELY, and no data check runs before it"
            yield Fault(message, remedy, _PRIMARY_KEY)
        dropped = {drop.key for drop in action.all(ForeignKeyDrop)}
        for change in action.foreign_keys:
            if change.key.rely and change.key not in dropped:
                message = f"foreign key {change.key.name} is added with RELY, and no data check runs before it"
                yield Fault(message, remedy, change.key.path)


class InvalidForeignKeyColumn(BuiltInModelRule):
    """A column of a foreign key is not declared, is named twice, or has values that cannot be compared.

    Remedy: Declare the column, name it once, and choose one that holds no map and no variant.

    Example:
        key = ForeignKey(["region"], references="dev.silver.regions")
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], foreign_keys=[key])
    """

    code = "DS114"

    def _faults(self, table: Table) -> Iterator[Fault]:
        for key in table.foreign_keys:
            yield from _invalid_columns(table, key)


class ForeignKeyMismatch(BuiltInModelRule):
    """A foreign key differs from the declared primary key of its parent in columns, count or types.

    It is found without a catalog, because the parent is given as a table.

    Remedy: Name one column of an equal type for each column of the parent's primary key.

    Example:
        columns = [Column("id", "int", is_nullable=False)]
        parent = Table("dev", "silver", "regions", columns, primary_key=["id"])
        key = ForeignKey(["region"], references=parent)
        model = Table("dev", "silver", "orders", [Column("region", "string")], foreign_keys=[key])
    """

    code = "DS115"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if not table.foreign_keys:
            return
        wanted = desired_state(table)
        given = [key.references for key in table.foreign_keys if isinstance(key.references, Table)]
        parents = {**{parent.name: desired_state(parent) for parent in given}, table.name: wanted}
        for key in wanted.foreign_keys:
            if key.parent in parents:
                yield from _mismatches(key, wanted.columns, parents[key.parent])


def _mismatches(key: ForeignKeyState, own: Sequence[ColumnState], parent: TableState) -> Iterator[Fault]:
    """Yield the differences between a foreign key and the primary key of its parent."""
    subject = f"foreign key {key.name}"
    actual = parent.primary_key.columns if parent.primary_key is not None else ()
    shown = f"({', '.join(actual)})"
    if not actual:
        message = f"{subject} references {key.parent}, which has no primary key"
        yield Fault(message, "give the parent its primary key", key.path)
        return
    referenced = key.parent_columns or actual
    if sorted(map(folded, referenced)) != sorted(map(folded, actual)):
        message = f"{subject} references ({', '.join(referenced)}) of {key.parent}, whose primary key is {shown}"
        yield Fault(message, "reference the primary key, or change the primary key", key.path)
    elif len(referenced) != len(key.columns):
        own_columns = f"{len(key.columns)} columns ({', '.join(key.columns)})"
        message = f"{subject} has {own_columns} for the {len(referenced)} of {shown} of {key.parent}"
        yield Fault(message, "name one column for each", key.path)
    else:
        own_types, parent_types = _types_by_name(own), _types_by_name(parent.columns)
        for name, other in zip(key.columns, referenced, strict=True):
            own_type, parent_type = own_types.get(name), parent_types.get(other)
            if own_type is not None and parent_type is not None and not is_assignable(own_type, parent_type):
                fact = f"column {name} of {subject} is {describe_type(own_type)}"
                message = f"{fact}, but {other} of {key.parent} is {describe_type(parent_type)}"
                yield Fault(message, "give both columns one type", key.path)


def _types_by_name(columns: Sequence[ColumnState]) -> NameMap[DataTypeState]:
    return NameMap((column.name, column.data_type) for column in columns)


class ForeignKeyWithoutParentKey(BuiltInPlanRule):
    """A foreign key is added whose parent does not exist, or will not have that primary key.

    Remedy: Apply the parent first or together with this table, or leave the foreign key out.

    Example:
        key = ForeignKey(["region"], references="dev.silver.regions")
        stored = Table("dev", "silver", "orders", [Column("region", "int")])
        model = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
    """

    code = "DS209"

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        if not action.foreign_keys:
            return
        own = action.columns if isinstance(action, CreateTable) else action.desired.columns
        for change in action.foreign_keys:
            key = change.key
            parent = action.parents.get(key.parent)
            if parent is not None and parent.exists:
                yield from _mismatches(key, own, parent)
            else:
                state = "cannot be read" if parent is None else "does not exist"
                message = f"foreign key {key.name} needs {key.parent}, which {state}"
                remedy = "apply that table first, or together with this one, or leave the foreign key out"
                yield Fault(message, remedy, key.path)


class ForeignKeyOfUnknownRely(AlignmentRule):
    """A foreign key has to be dropped and added again, and the catalog does not show whether queries rely on it.

    The primary key that it references changes, and its model does not manage foreign keys. Databricks shows RELY in the
    CREATE statement only (see DS712); without it the foreign key might lose RELY.

    Remedy: Give the principal the permission for SHOW CREATE TABLE, or let the model manage the foreign key.

    Example:
        # The table of the parent has a different primary key, which a foreign key of orders references.
        columns = [Column("code", "int", is_nullable=False)]
        parent = Table("dev", "silver", "regions", columns, primary_key=["code"])
        columns = [Column("region", "int")]
        orders = Table("dev", "silver", "orders", columns, owns={"foreign_keys": "report"})
    """

    code = "DS225"

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        for change in action.foreign_keys:
            key = change.key
            if key.rely is None:
                fact = f"foreign key {key.name} has to be dropped and added again"
                reason = f"because the primary key of {key.parent} changes"
                message = f"{fact}, {reason}, and the catalog does not show whether queries may rely on it"
                permission = f"give the principal the permission for SHOW CREATE TABLE {action.table}"
                remedy = f"{permission}, or let its model manage it"
                yield Fault(message, remedy, key.path)


class InvalidUniqueColumn(BuiltInModelRule):
    """A column of a UNIQUE constraint is not declared, is named twice, or has values that cannot be compared.

    Remedy: Declare the column, name it once, and choose one that holds no map and no variant.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], unique=[Unique(["number"])])
    """

    code = "DS123"

    def _faults(self, table: Table) -> Iterator[Fault]:
        for unique in table.unique:
            yield from _invalid_columns(table, unique)


class DuplicateUnique(BuiltInModelRule):
    """A UNIQUE constraint has the columns or the name of another constraint of the table.

    The columns of the primary key are unique already, and the order of columns makes no difference.

    Remedy: Keep one of the two constraints, or give it another name with ``name=``.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        model = Table("dev", "silver", "orders", columns, primary_key=["id"], unique=[Unique(["id"])])
    """

    code = "DS124"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if not table.unique:
            return
        names = NameMap((check.name, f"check {check.name}") for check in table.checks)
        columns: dict[NameSet, str] = {}
        for key in desired_state(table).keys:
            subject, own = f"{key.kind} ({', '.join(key.columns)})", NameSet(key.columns)
            if key.kind == UNIQUE and own in columns:
                fact = f"{subject} has the same columns as {columns[own]}"
                yield Fault(fact, "keep one of the two", key.path)
            elif key.kind == UNIQUE and key.name in names:
                fact = f"{subject} has the name {key.name}, which {names[key.name]} has already"
                yield Fault(fact, "choose a different name with name=...", key.path)
            names.setdefault(key.name, subject)
            columns.setdefault(own, f"{key.kind} {key.name}")


class DuplicateConstraint(BuiltInModelRule):
    """A foreign key has the name of another constraint of the table, or is declared twice.

    The names of all constraints of a table are different.

    Remedy: Give it another name with ``name=``, or keep one of the two.

    Example:
        keys = [
            ForeignKey(["region"], references="dev.silver.regions", name="fk"),
            ForeignKey(["customer"], references="dev.silver.customers", name="fk"),
        ]
        columns = [Column("region", "int"), Column("customer", "int")]
        model = Table("dev", "silver", "orders", columns, foreign_keys=keys)
    """

    code = "DS116"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if not table.foreign_keys:
            return
        wanted = desired_state(table)
        checks = ((check.name, f"check {check.name}") for check in table.checks)
        taken = NameMap((*checks, *((key.name, f"the {key.kind}") for key in wanted.keys)))
        first: dict[object, str] = {}
        for key in wanted.foreign_keys:
            own = f"foreign key ({', '.join(key.columns)})"
            owner = taken.get(key.name)
            if owner is not None:
                fact = f"{own} has the name {key.name}, which {owner} has already"
                yield Fault(fact, "choose a different name with name=...", key.path)
            taken[key.name] = own
            twin = first.setdefault((*map(folded, key.columns), key.parent), key.name)
            if not same_name(twin, key.name):
                fact = f"foreign key {key.name} is the same as foreign key {twin}"
                yield Fault(fact, "keep one of the two", key.path)


def _invalid_columns(table: Table, key: ForeignKey | Unique) -> Iterator[Fault]:
    """Yield a violation for every column of a constraint that is missing, repeated or not comparable."""
    declared, path = NameSet.of(table.columns), path_of_key(table, key)
    subject = _subject(key.kind, key.columns)
    for name in repeated_names(key.columns):
        yield Fault(f"{subject} names {name} twice", "name it once", path)
    for name in key.columns:
        if name not in declared:
            fact = f"{subject} names {name}, which is not a column of the model"
            otherwise = f"declare it, or fix the {key.kind.rpartition(' ')[2]}"
            remedy = proposal(name, [column.name for column in table.columns], otherwise)
            yield Fault(fact, remedy, path)
    yield from _incomparable_columns(table, key.kind, key.columns, path)


def _incomparable_columns(table: Table, kind: str, columns: Iterable[str], path: PartPath) -> Iterator[Fault]:
    """Yield a violation for every column of a constraint whose type holds a map or a variant."""
    declared = NameMap.of(table.columns)
    for name in filter(declared.__contains__, columns):
        data_type = canonical_type(declared[name].data_type)
        if not is_comparable(data_type):
            shown = describe_type(data_type)
            fact = f"{_subject(kind, columns)} names {name}, which is {shown}, whose values cannot be compared"
            remedy = "choose columns whose types hold no map and no variant"
            yield Fault(fact, remedy, path)


def _subject(kind: str, columns: Iterable[str]) -> str:
    return f"{kind} ({', '.join(columns)})"


_RESERVED = "__char_varchar_string_length_check__"
"""The name that Delta reserves for the lengths of char and varchar."""


class InvalidCheckName(BuiltInModelRule):
    """A check has the name of another check, or a name that Delta reserves.

    Names of constraints match without case.

    Remedy: Rename the check.

    Example:
        checks = [Check("positive", "id > 0"), Check("POSITIVE", "id > 1")]
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], checks=checks)
    """

    code = "DS110"

    def _faults(self, table: Table) -> Iterator[Fault]:
        names = [check.name for check in table.checks]
        for group in repeated(names, folded):
            message = f"checks {', '.join(group)} have one name, because names match without case"
            yield Fault(message, "rename or remove all but one", part_path("checks", group[0]))
        reserved = next((name for name in names if same_name(name, _RESERVED)), None)
        if reserved is not None:
            message = f"check {reserved} has a name that Delta reserves"
            yield Fault(message, "choose another name", part_path("checks", reserved))


class InvalidCheckExpression(BuiltInModelRule):
    """The expression of a check is not a condition on the columns of one row.

    It names an unknown column, holds an aggregate, a window, a subquery or a function whose value changes, or is not
    boolean.

    Remedy: Write a condition such as ``amount >= 0``.

    Example:
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, checks=[Check("new", "max(id) > 0")])
    """

    code = "DS111"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if not table.checks:
            return
        columns = {folded(column.name): describe_type(canonical_type(column.data_type)) for column in table.columns}
        remedy = "write a condition over the columns of one row, such as amount >= 0"
        for check in table.checks:
            for fault in condition_faults(check.expression, columns):
                message = f"check {check.name} ({check.expression}) {fault}"
                yield Fault(message, remedy, part_path("checks", check.name))


class DuplicateCheck(BuiltInModelRule):
    """Two checks of a table have the same condition.

    Expressions are compared after parsing, so case, spaces and brackets make no difference.

    Remedy: Keep one of the two.

    Example:
        checks = [Check("positive", "id > 0"), Check("not_zero", "(ID > 0)")]
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], checks=checks)
    """

    code = "DS112"

    def _faults(self, table: Table) -> Iterator[Fault]:
        if not table.checks:
            return
        names: dict[str, str] = {}
        for check in table.checks:
            twin = names.setdefault(canonical(check.expression), check.name)
            if not same_name(twin, check.name):
                message = f"check {check.name} ({check.expression}) has the same condition as check {twin}"
                yield Fault(message, "keep one of the two", part_path("checks", check.name))
