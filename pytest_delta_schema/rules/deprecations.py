"""The rule about deprecations: what replaces a column or a table is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import same_name
from pytest_delta_schema.delta.names.near_names import proposal
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.table import declared_name
from pytest_delta_schema.rules.rule import Fault, violation
from pytest_delta_schema.state.desired import clustering_path, desired_state
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table


class UnknownReplacement:
    """A deprecation names a replacement that readers cannot use.

    ``use`` of a column names neither another column of the table nor a field of one; or ``use`` of a table is not the
    dotted name of another table.

    Remedy: Declare the replacement, or leave ``use`` out if there is none.

    Example:
        from datetime import date

        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("amount", "int", deprecated=Deprecated(date(2026, 1, 31), use="amount_eur"))],
        )
    """

    code = "DS128"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every replacement in ``table`` that is not there."""
        for fault in (*_of_table(table), *_of_columns(table)):
            yield violation(self, table.qualified_name, fault.path, fault.message, fault.remedy)


def _of_table(table: Table) -> Iterator[Fault]:
    if table.deprecated is None or not table.deprecated.use:
        return
    use = table.deprecated.use
    try:
        is_itself = parse_name(use) in {table.name, declared_name(table)}
    except DeclarationError:
        message = f"its deprecation names {use!r} as its replacement, which is not the name of a table"
        yield Fault(message=message, remedy="write catalog.schema.table", path=part_path("deprecated"))
    else:
        if is_itself:
            message = "its deprecation names the table itself as its replacement"
            yield Fault(message=message, remedy="name another table", path=part_path("deprecated"))


def _of_columns(table: Table) -> Iterator[Fault]:
    uses = [(column.name, column.deprecated.use) for column in table.columns if column.deprecated is not None]
    columns = desired_state(table).columns if uses else ()
    for name, use in uses:
        if not use:
            continue
        path = clustering_path(columns, use)
        if find(columns, path) is None:
            fact, remedy = "which is not a column", proposal(use, [column.name for column in columns], "declare it")
        elif same_name(path.root, name):
            fact, remedy = "which is dropped with it", "name another column"
        else:
            continue
        message = f"the deprecation of column {name} names {use} as its replacement, {fact}"
        yield Fault(message=message, remedy=remedy, path=part_path("columns", name, "deprecated"))
