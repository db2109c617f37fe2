"""Rules about UNIQUE constraints: invalid columns, and constraints that are declared twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet
from pytest_delta_schema.rules.aspects.constraint_columns import invalid_columns
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import UNIQUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table


class InvalidUniqueColumn:
    """A column of a UNIQUE constraint is not declared, is named twice, or has values that cannot be compared.

    Remedy: Declare the column, name it once, and choose one that holds no map and no variant.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], unique=[Unique(["number"])])
    """

    code = "DS123"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every column of a constraint that is missing, repeated or not comparable."""
        for unique in table.unique:
            yield from invalid_columns(self, table, unique)


class DuplicateUnique:
    """A UNIQUE constraint has the columns or the name of another constraint of the table.

    The columns of the primary key are unique already, and the order of columns makes no difference.

    Remedy: Keep one of the two constraints, or give it another name with ``name=``.

    Example:
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint", is_nullable=False)],
            primary_key=["id"],
            unique=[Unique(["id"])],
        )
    """

    code = "DS124"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every constraint whose columns or name another constraint has."""
        if not table.unique:
            return
        names = NameMap((check.name, f"check {check.name}") for check in table.checks)
        columns: dict[NameSet, str] = {}
        for key in desired_state(table).keys:
            subject, own = f"{key.kind} ({', '.join(key.columns)})", NameSet(key.columns)
            if key.kind == UNIQUE and own in columns:
                fact = f"{subject} has the same columns as {columns[own]}"
                yield violation(self, table.qualified_name, key.path, fact, "keep one of the two")
            elif key.kind == UNIQUE and key.name in names:
                fact = f"{subject} has the name {key.name}, which {names[key.name]} has already"
                yield violation(self, table.qualified_name, key.path, fact, "choose a different name with name=...")
            names.setdefault(key.name, subject)
            columns.setdefault(own, f"{key.kind} {key.name}")
