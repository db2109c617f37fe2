"""Rules about foreign keys: invalid columns, and parents that lack the referenced primary key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameMap, folded, same_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.rules.aspects.constraint_columns import invalid_columns
from pytest_delta_schema.rules.rule import Fault, violation
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.type_traversal import is_assignable
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.states import ForeignKeyState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


class InvalidForeignKeyColumn:
    """A column of a foreign key is not declared, is named twice, or has values that cannot be compared.

    Remedy: Declare the column, name it once, and choose one that holds no map and no variant.

    Example:
        key = ForeignKey(["region"], references="dev.silver.regions")
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], foreign_keys=[key])
    """

    code = "DS114"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every column of a foreign key that is missing, repeated or not comparable."""
        for key in table.foreign_keys:
            yield from invalid_columns(self, table, key)


class ForeignKeyMismatch:
    """A foreign key differs from the declared primary key of its parent in columns, count or types.

    It is found without a catalog, because the parent is given as a table.

    Remedy: Name one column of an equal type for each column of the parent's primary key.

    Example:
        parent = Table(
            "dev", "silver", "regions", [Column("id", "int", is_nullable=False)], primary_key=["id"]
        )
        key = ForeignKey(["region"], references=parent)
        model = Table("dev", "silver", "orders", [Column("region", "string")], foreign_keys=[key])
    """

    code = "DS115"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every foreign key that differs from the primary key of a declared parent."""
        if not table.foreign_keys:
            return
        wanted = desired_state(table)
        given = [key.references for key in table.foreign_keys if isinstance(key.references, Table)]
        parents = {**{parent.name: desired_state(parent) for parent in given}, table.name: wanted}
        for key in wanted.foreign_keys:
            if key.parent in parents:
                for fault in _mismatches(key, wanted.columns, parents[key.parent]):
                    yield violation(self, table.qualified_name, key.path, fault.message, fault.remedy)


class DuplicateConstraint:
    """A foreign key has the name of another constraint of the table, or is declared twice.

    The names of all constraints of a table are different.

    Remedy: Give it another name with ``name=``, or keep one of the two.

    Example:
        keys = [
            ForeignKey(["region"], references="dev.silver.regions", name="fk"),
            ForeignKey(["customer"], references="dev.silver.customers", name="fk"),
        ]
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("region", "int"), Column("customer", "int")],
            foreign_keys=keys,
        )
    """

    code = "DS116"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every foreign key whose name is taken or that is declared twice."""
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
                yield violation(self, table.qualified_name, key.path, fact, "choose a different name with name=...")
            taken[key.name] = own
            twin = first.setdefault((*map(folded, key.columns), key.parent), key.name)
            if not same_name(twin, key.name):
                fact = f"foreign key {key.name} is the same as foreign key {twin}"
                yield violation(self, table.qualified_name, key.path, fact, "keep one of the two")


class ForeignKeyWithoutParentKey:
    """A foreign key is added whose parent does not exist, or will not have that primary key.

    Remedy: Apply the parent first or together with this table, or leave the foreign key out.

    Example:
        key = ForeignKey(["region"], references="dev.silver.regions")
        stored = Table("dev", "silver", "orders", [Column("region", "int")])
        model = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
    """

    code = "DS209"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every new foreign key whose parent does not exist or has another primary key."""
        if not action.foreign_keys:
            return
        own = action.columns if isinstance(action, CreateTable) else action.desired.columns
        for change in action.foreign_keys:
            key = change.key
            parent = action.parents.get(key.parent)
            if parent is not None and parent.exists:
                faults = list(_mismatches(key, own, parent))
            else:
                state = "cannot be read" if parent is None else "does not exist"
                message = f"foreign key {key.name} needs {key.parent}, which {state}"
                remedy = "apply that table first, or together with this one, or leave the foreign key out"
                faults = [Fault(message=message, remedy=remedy)]
            for fault in faults:
                yield violation(self, action.table, key.path, fault.message, fault.remedy)


class ForeignKeyOfUnknownRely:
    """A foreign key has to be dropped and added again, and the catalog does not show whether queries rely on it.

    The primary key that it references changes, and its model does not manage foreign keys. Databricks shows RELY in the
    CREATE statement only (see DS712); without it the foreign key might lose RELY.

    Remedy: Give the principal the permission for SHOW CREATE TABLE, or let the model manage the foreign key.

    Example:
        # The table of the parent has a different primary key, which a foreign key of orders references.
        parent = Table(
            "dev", "silver", "regions", [Column("code", "int", is_nullable=False)], primary_key=["code"]
        )
        orders = Table(
            "dev", "silver", "orders", [Column("region", "int")], owns={"foreign_keys": "report"}
        )
    """

    code = "DS225"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every foreign key that would be added without the RELY that it may have."""
        if isinstance(action, CreateTable):
            return
        for change in action.foreign_keys:
            key = change.key
            if key.rely is None:
                fact = f"foreign key {key.name} has to be dropped and added again"
                reason = f"because the primary key of {key.parent} changes"
                message = f"{fact}, {reason}, and the catalog does not show whether queries may rely on it"
                permission = f"give the principal the permission for SHOW CREATE TABLE {action.table}"
                remedy = f"{permission}, or let its model manage it"
                yield violation(self, action.table, key.path, message, remedy)


def _mismatches(key: ForeignKeyState, own: Sequence[ColumnState], parent: TableState) -> Iterator[Fault]:
    """Yield the differences between a foreign key and the primary key of its parent."""
    subject = f"foreign key {key.name}"
    actual = parent.primary_key.columns if parent.primary_key is not None else ()
    shown = f"({', '.join(actual)})"
    if not actual:
        message = f"{subject} references {key.parent}, which has no primary key"
        yield Fault(message=message, remedy="give the parent its primary key")
        return
    referenced = key.parent_columns or actual
    if sorted(map(folded, referenced)) != sorted(map(folded, actual)):
        message = f"{subject} references ({', '.join(referenced)}) of {key.parent}, whose primary key is {shown}"
        yield Fault(message=message, remedy="reference the primary key, or change the primary key")
    elif len(referenced) != len(key.columns):
        own_columns = f"{len(key.columns)} columns ({', '.join(key.columns)})"
        message = f"{subject} has {own_columns} for the {len(referenced)} of {shown} of {key.parent}"
        yield Fault(message=message, remedy="name one column for each")
    else:
        own_types, parent_types = _types(own), _types(parent.columns)
        for name, other in zip(key.columns, referenced, strict=True):
            own_type, parent_type = own_types.get(name), parent_types.get(other)
            if own_type is not None and parent_type is not None and not is_assignable(own_type, parent_type):
                fact = f"column {name} of {subject} is {describe_type(own_type)}"
                message = f"{fact}, but {other} of {key.parent} is {describe_type(parent_type)}"
                yield Fault(message=message, remedy="give both columns one type")


def _types(columns: Sequence[ColumnState]) -> NameMap[DataTypeState]:
    return NameMap((column.name, column.data_type) for column in columns)
