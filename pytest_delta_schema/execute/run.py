"""Run the statements of one table, and tell the whole story when one fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import ApplyError, DeltaSchemaError, UnsafePlanError
from pytest_delta_schema.sql.queries import drop_table, restore_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.execute.ddl import DeltaDDL
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement


def run_all(ddl: DeltaDDL, todo: Sequence[Statement], *, version: int | None) -> tuple[Statement, ...]:
    """Run statements in order.

    Args:
        ddl: Where.
        todo: What, of one table.
        version: The table's version before the first; ``None`` if the table is new.

    Returns:
        ``todo``, all of which ran.

    Raises:
        UnsafePlanError: If the data refuses the first statement, so that nothing was changed.
        ApplyError: If a statement failed.
    """
    for position, statement in enumerate(todo):
        try:
            ddl.run(statement)
        except DeltaSchemaError as error:
            if position == 0 and isinstance(error, UnsafePlanError):
                raise
            raise _failure(ddl, todo, position, version, str(error)) from error
    return tuple(todo)


def _failure(ddl: DeltaDDL, todo: Sequence[Statement], position: int, version: int | None, cause: str) -> ApplyError:
    done, failed, left = todo[:position], todo[position], todo[position + 1 :]
    table = failed.table
    lines = [
        f"{table}: statement {position + 1} of {len(todo)} failed: {cause}",
        *_listing("done", done),
        *_listing("failed", [failed]),
        *_listing("not run", left),
        f"  way back: {_way_back(ddl, table, version, done)}",
        "  way on:   mend the cause and apply again; the next plan starts from what is done",
    ]
    return ApplyError(
        "\n".join(lines),
        table=str(table),
        done=[statement.sql for statement in done],
        failed=failed.sql,
        not_run=[statement.sql for statement in left],
        version=version,
    )


def _listing(title: str, said: Sequence[Statement]) -> list[str]:
    if not said:
        return [f"  {title}: nothing"]
    return [f"  {title}:", *(f"    {line}" for statement in said for line in f"{statement.sql};".splitlines())]


def _way_back(ddl: DeltaDDL, table: QualifiedName, version: int | None, done: Sequence[Statement]) -> str:
    if not done:
        return "nothing was changed"
    if version is None:
        if ddl.version(table) is None:
            return "the table does not exist, nothing is lost"
        return f"the table was new: {drop_table(table)}"
    return restore_table(table, version)
