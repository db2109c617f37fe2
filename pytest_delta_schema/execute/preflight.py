"""Ask the data before the DDL: would it stand what the plan demands?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import UnsafePlanError, Violation
from pytest_delta_schema.sql.queries import rows_that_break, rows_with_null
from pytest_delta_schema.state.states import CheckState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.execute.ddl import DeltaDDL, RowCounts
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable


def preflight(action: AlignTable, ddl: DeltaDDL) -> None:
    """Make sure that no row breaks what ``action`` demands; the table is scanned once for all of it.

    Columns that the plan itself adds are NULL in every row that is there.

    Raises:
        UnsafePlanError: With the count of every demand that rows break; nothing was changed.
    """
    not_null = [change.name for change in action.change_nullability if not change.is_nullable]
    checks = [
        *(change.after for change in action.replace_checks if change.before.expression != change.after.expression),
        *(CheckState(change.name, change.expression) for change in action.add_checks),
    ]
    if not_null or checks:
        added = [change.column for change in action.add_columns]
        counts = ddl.count_rows(action.table, not_null=not_null, checks=checks, added=added)
        violations = tuple(violations_of(action.table, counts, checks))
        if violations:
            raise UnsafePlanError(violations)


def violations_of(table: QualifiedName, counts: RowCounts, checks: Sequence[CheckState] = ()) -> Iterator[Violation]:
    """Yield a violation for every demand that rows break.

    Args:
        table: Where.
        counts: What was counted.
        checks: The checks that were asked.
    """
    for column, count in counts.nulls.items():
        if count:
            yield Violation(
                rule="NotNullNeedsData",
                code="DS301",
                table=str(table),
                path=column,
                message=f"column {column} cannot be NOT NULL, because {_rows(count, 'holds', 'hold')} NULL in it,"
                f" of {counts.rows}",
                remedy=f"fill them (they are listed by {rows_with_null(table, column)}), or declare it nullable",
            )
    for check in checks:
        count = counts.broken.get(check.name, 0)
        if count:
            yield Violation(
                rule="CheckNeedsData",
                code="DS302",
                table=str(table),
                path=check.name,
                message=f"check {check.name} ({check.expression}) cannot be added, because"
                f" {_rows(count, 'breaks', 'break')} it, of {counts.rows}",
                remedy=f"mend them (they are listed by {rows_that_break(table, check.expression)}),"
                " or change the check",
            )


def _rows(count: int, one: str, many: str) -> str:
    return f"1 row {one}" if count == 1 else f"{count} rows {many}"
