"""Run the statements of one table, and tell the whole story when one fails."""

from __future__ import annotations

from enum import Enum
from itertools import takewhile
from typing import TYPE_CHECKING

from pytest_delta_schema.errors import ApplyError, DeltaSchemaError, UnsafePlanError
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.queries import drop_table, restore_table
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.execute.ddl import DeltaDDL
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.sql.statement import Statement

_FOREIGN = frozenset({StatementKind.DROP_FOREIGN_KEY, StatementKind.ADD_FOREIGN_KEY})


class Stage(Enum):
    """The stages in which the tables of a plan are changed, each for all tables before the next."""

    LET_GO = (StatementKind.DROP_FOREIGN_KEY,)
    CHANGE = tuple(kind for kind in StatementKind if kind not in _FOREIGN)
    TIE = (StatementKind.ADD_FOREIGN_KEY,)


class TableRun:
    """The statements of one table on their way, stage by stage.

    Args:
        ddl: Where they run.
        action: What they do.
        version: The table's version before the first; ``None`` if the table is new.
    """

    def __init__(self, ddl: DeltaDDL, action: CreateTable | AlignTable, *, version: int | None) -> None:
        self.action = action
        self._done = 0
        self._ddl = ddl
        self._todo = statements(action)
        self._version = version

    def advance(self, stage: Stage) -> tuple[Statement, ...]:
        """Run the statements of ``stage``, in order, and return them; those of the stages before it have run.

        Raises:
            UnsafePlanError: If the data refuses the very first statement, so that nothing was changed.
            ApplyError: If a statement failed.
        """
        first = self._done
        for statement in takewhile(lambda each: each.kind in stage.value, self._todo[first:]):
            try:
                self._ddl.run(statement)
            except DeltaSchemaError as error:
                if not self._done and isinstance(error, UnsafePlanError):
                    raise
                raise self.failed(str(error)) from error
            self._done += 1
        return self._todo[first : self._done]

    def failed(self, cause: str) -> ApplyError:
        """Return the whole story of a run that stops at its next statement."""
        return _failure(self._ddl, self._todo, self._done, self._version, cause)


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
