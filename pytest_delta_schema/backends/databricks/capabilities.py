"""The capabilities of a Databricks workspace, and of its runtime."""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.databricks.information_schema import RUNTIME
from pytest_delta_schema.backends.databricks.rows import RuntimeRow, first
from pytest_delta_schema.backends.kit import first_line, statements_per_column, without_files
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import Capabilities, Lag, Refusal
from pytest_delta_schema.sql import Statement, StatementKind

if TYPE_CHECKING:
    from pytest_delta_schema.backends.databricks.connection import Connection

_NO_FUNCTION = ("UNRESOLVED_ROUTINE", "UNDEFINED_FUNCTION", "UNRESOLVED_FUNCTION")
"""The conditions of a function that a runtime lacks; any other error says nothing about its version."""


def _refuses(statement: Statement) -> Refusal | None:
    if statement.kind is StatementKind.REWRITE_LAYOUT:
        return Refusal(
            "no statement for it keeps the table's constraints and comments, and a transaction cannot be reached",
            "create the table again under another name and copy the rows",
        )
    return without_files(statement)


CAPABILITIES = Capabilities(
    refuses=_refuses,
    refuses_clones=Refusal(
        "a clone in Unity Catalog has neither the tags nor the comment of its table",
        "test with rows of make_delta_table and the local backend",
    ),
    lag=Lag(seconds=60.0),
)
"""The capabilities of a SQL warehouse, and of the newest runtime; source about clones: Databricks' documentation.

How far information_schema is behind is not documented; a minute is an assumption.
"""

RUNTIME_WITH_SEVERAL_COLUMNS = (16, 3)
"""The first runtime whose ALTER TABLE changes several columns at once (source: its release notes)."""

UNIQUE_CONSTRAINTS = (18, 3)
"""The first runtime with UNIQUE constraints.

An assumption: the release notes of Databricks SQL announce them on 5 June 2026 and name no runtime. Runtime 18.2 is of
April 2026, and what would have been 18.3 are dated updates of the runtime 18.
"""


class Runtime:
    """The runtime of a connection, whose version is read when it is first needed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def parts_of(self, statement: Statement) -> tuple[Statement, ...]:
        """Return the statements that it runs for one: on old runtimes one for each column.

        Raises:
            StatementError: If its version cannot be read.
        """
        parts = statements_per_column(statement)
        is_split = len(parts) > 1 and self._version < RUNTIME_WITH_SEVERAL_COLUMNS
        return parts if is_split else (statement,)

    def refuses(self, statement: Statement) -> Refusal | None:
        """Refuse what all runtimes lack, and what the runtime of this connection is too old for."""
        if statement.kind is not StatementKind.ADD_UNIQUE:
            return _refuses(statement)
        try:
            is_old = self._version < UNIQUE_CONSTRAINTS
        except StatementError as error:
            fact = f"the version of its runtime cannot be read ({first_line(error)})"
            return Refusal(f"{fact}, and old ones have no UNIQUE constraints", "run it again")
        if is_old:
            remedy = "run it on a newer runtime or a SQL warehouse, or leave the constraint out"
            return Refusal("its runtime has no UNIQUE constraints, which came after 18.2", remedy)
        return _refuses(statement)

    @cached_property
    def _version(self) -> tuple[float, ...]:
        """The version of the runtime, such as ``(16, 4)``; empty if it is unknown.

        SQL warehouses have none and are always current. From 18 on a runtime may have no minor version, and changes by
        dated updates (source: its release notes): it counts as the newest of its number.
        """
        try:
            runtime = first(RuntimeRow, self._connection.rows(RUNTIME))["runtime"]
        except StatementError as error:
            if error.condition not in _NO_FUNCTION:
                raise
            return ()  # an old runtime without this function
        if runtime is None:
            return (inf,)
        major, _, rest = runtime.partition(".")
        minor = rest.partition(".")[0]
        return (int(major), int(minor) if minor.isdecimal() else inf) if major.isdecimal() else ()
