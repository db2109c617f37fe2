"""Ask the data before the DDL: would it stand what the plan demands?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import UnsafePlanError, Violation
from pytest_delta_schema.sql.queries import rows_with_null

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.execute.ddl import DeltaDDL, NullCounts
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable


def preflight(action: AlignTable, ddl: DeltaDDL) -> None:
    """Make sure that no row would violate a column that ``action`` tightens; the table is scanned once.

    Raises:
        UnsafePlanError: With the count of every column that has NULLs; nothing was changed.
    """
    columns = [change.name for change in action.change_nullability if not change.is_nullable]
    if columns:
        violations = tuple(null_violations(action.table, ddl.count_nulls(action.table, columns)))
        if violations:
            raise UnsafePlanError(violations)


def null_violations(table: QualifiedName, counts: NullCounts) -> Iterator[Violation]:
    """Yield a violation for every column that holds NULLs."""
    for column, count in counts.nulls.items():
        if count:
            rows = "1 row holds" if count == 1 else f"{count} rows hold"
            query = rows_with_null(table, column)
            yield Violation(
                rule="NotNullNeedsData",
                code="DS301",
                table=str(table),
                path=column,
                message=f"column {column} cannot be NOT NULL, because {rows} NULL in it, of {counts.rows}",
                remedy=f"fill them (they are listed by {query}), or declare it nullable",
            )
