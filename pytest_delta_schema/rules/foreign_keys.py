"""Rules about foreign keys: their columns are there, and fit the primary key of a parent that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.rules.columns import repeated
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.type_traversal import fits, is_comparable
from pytest_delta_schema.state.types import canonical_type, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.state.states import ForeignKeyState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


class InvalidForeignKeyColumn:
    """A column of a foreign key is not declared, is named twice, or has values that cannot be compared.

    Declare the column, name it once, and choose one that holds no map and no variant.
    """

    code = "DS114"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every column of a foreign key that is missing, repeated, or not to be compared."""
        declared = {column.name.lower(): column.data_type for column in table.columns}
        for key in table.foreign_keys:
            subject = f"foreign key ({', '.join(key.columns)})"
            for name in repeated(key.columns):
                yield self._violation(table, name, f"{subject} names {name} twice", "name it once")
            for name in key.columns:
                data_type = declared.get(name.lower())
                if data_type is None:
                    fact = f"{subject} names {name}, which is not a column of the model"
                    yield self._violation(table, name, fact, "declare it, or fix the key")
                elif not is_comparable(canonical_type(data_type)):
                    shown = describe_type(canonical_type(data_type))
                    fact = f"{subject} names {name}, which is {shown}, whose values cannot be compared"
                    yield self._violation(table, name, fact, "choose columns of plain types")

    def _violation(self, table: Table, name: str, fact: str, remedy: str) -> Diagnostic:
        return violation(self, table.qualified_name, name, fact, remedy)


class ForeignKeyMismatch:
    """A foreign key differs from the declared primary key of its parent in columns, count or types.

    It is found without a catalog, because the parent is given as a table. Name one column of an equal type for each
    column of the parent's primary key.
    """

    code = "DS115"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every foreign key that does not fit its parent as far as the declarations know it."""
        if not table.foreign_keys:
            return
        wanted = desired_state(table)
        given = [key.references for key in table.foreign_keys if isinstance(key.references, Table)]
        parents = {**{parent.name: desired_state(parent) for parent in given}, table.name: wanted}
        for key in wanted.foreign_keys:
            if key.parent in parents:
                for fact, remedy in _misfits(key, wanted.columns, parents[key.parent]):
                    yield violation(self, table.qualified_name, key.name, fact, remedy)


class DuplicateConstraint:
    """A foreign key has the name of another constraint of the table, or is declared twice.

    The names of all constraints of a table are different. Give it another name with ``name=``, or keep one of the two.
    """

    code = "DS116"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every foreign key whose name is taken, and for every one that is there twice."""
        if not table.foreign_keys:
            return
        wanted = desired_state(table)
        taken = {check.name.lower(): f"check {check.name}" for check in table.checks}
        if wanted.primary_key is not None:
            taken[wanted.primary_key.name.lower()] = "the primary key"
        first: dict[object, str] = {}
        for key in wanted.foreign_keys:
            own = f"foreign key ({', '.join(key.columns)})"
            owner = taken.get(key.name.lower())
            if owner is not None:
                fact = f"{own} has the name {key.name}, which {owner} has already"
                yield self._violation(table, key.name, fact, "give it another one with name=...")
            taken[key.name.lower()] = own
            twin = first.setdefault((*map(str.lower, key.columns), key.parent), key.name)
            if twin.lower() != key.name.lower():
                fact = f"foreign key {key.name} is the same as foreign key {twin}"
                yield self._violation(table, key.name, fact, "keep one of the two")

    def _violation(self, table: Table, name: str, fact: str, remedy: str) -> Diagnostic:
        return violation(self, table.qualified_name, name, fact, remedy)


class ForeignKeyWithoutParentKey:
    """A foreign key is added whose parent does not exist, or will not have that primary key.

    Apply the parent first or together with this table, or leave the foreign key out.
    """

    code = "DS209"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every new foreign key whose parent is not there, or has another key."""
        if not action.foreign_keys:
            return
        own = action.columns if isinstance(action, CreateTable) else action.desired.columns
        for change in action.foreign_keys:
            key = change.key
            parent = action.parents.get(key.parent)
            if parent is not None and parent.exists:
                faults = list(_misfits(key, own, parent))
            else:
                state = "cannot be read" if parent is None else "does not exist"
                fact = f"foreign key {key.name} needs {key.parent}, which {state}"
                faults = [(fact, "apply that table first, or together with this one, or leave the foreign key out")]
            for fact, remedy in faults:
                yield violation(self, action.table, key.name, fact, remedy)


def _misfits(key: ForeignKeyState, own: Sequence[ColumnState], parent: TableState) -> Iterator[tuple[str, str]]:
    """Yield what keeps a foreign key from pointing at the primary key of its parent, with the way out."""
    subject = f"foreign key {key.name}"
    actual = parent.primary_key.columns if parent.primary_key is not None else ()
    shown = f"({', '.join(actual)})"
    if not actual:
        yield f"{subject} points at {key.parent}, which has no primary key", "give the parent its primary key"
        return
    there = key.parent_columns or actual
    if sorted(map(str.lower, there)) != sorted(map(str.lower, actual)):
        fact = f"{subject} points at ({', '.join(there)}) of {key.parent}, whose primary key is {shown}"
        yield fact, "point at the primary key, or change that"
    elif len(there) != len(key.columns):
        fact = f"{subject} has {len(key.columns)} columns ({', '.join(key.columns)}) for the {len(there)} of {shown}"
        yield f"{fact} of {key.parent}", "name one column for each"
    else:
        mine, theirs = _types(own), _types(parent.columns)
        for name, other in zip(key.columns, there, strict=True):
            left, right = mine.get(name.lower()), theirs.get(other.lower())
            if left is not None and right is not None and not fits(left, right):
                fact = f"column {name} of {subject} is {describe_type(left)}, but {other} of {key.parent} is"
                yield f"{fact} {describe_type(right)}", "give both columns one type"


def _types(columns: Sequence[ColumnState]) -> Mapping[str, DataTypeState]:
    return {column.name.lower(): column.data_type for column in columns}
