"""Ask the data before the DDL: would it stand what the plan demands?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import UnsafePlanError, Violation
from pytest_delta_schema.sql.queries import repeated_keys, rows_that_break, rows_with_null
from pytest_delta_schema.state.states import CheckState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.execute.ddl import DeltaDDL, RowCounts
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable, PrimaryKeyAdd


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
    key = action.add_primary_key
    if not_null or checks or key:
        added = [change.column for change in action.add_columns]
        columns = key.columns if key else ()
        counts = ddl.count_rows(action.table, not_null=not_null, checks=checks, key=columns, added=added)
        violations = tuple(violations_of(action.table, counts, checks, key))
        if violations:
            raise UnsafePlanError(violations)


def violations_of(
    table: QualifiedName, counts: RowCounts, checks: Sequence[CheckState] = (), key: PrimaryKeyAdd | None = None
) -> Iterator[Violation]:
    """Yield a violation for every demand that rows break.

    Args:
        table: Where.
        counts: What was counted.
        checks: The checks that were asked.
        key: The key that was asked.
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

    if key is not None and counts.repeated:
        columns = ", ".join(key.columns)
        repeats = _rows(counts.repeated, "repeats the key of another", "repeat the keys of others")
        yield Violation(
            rule="KeyNeedsUniqueRows",
            code="DS303",
            table=str(table),
            path="primary_key",
            message=f"primary key {key.name} ({columns}) cannot be added, because {repeats}, of {counts.rows}",
            remedy=f"remove them (they are listed by {repeated_keys(table, key.columns)}), or choose another key",
        )


def _rows(count: int, one: str, many: str) -> str:
    return f"1 row {one}" if count == 1 else f"{count} rows {many}"
