"""A memory catalog that records what is run, and fails where a test wants it to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_delta_schema.sql.statement import Statement, StatementKind


class Recording(MemoryCatalog):
    """Notes kind and table of every statement.

    Args:
        fail: Kinds of statements that fail; ``(kind, table)`` fails for one table only.
        ignore: Kinds of statements that are noted and not run.
    """

    def __init__(
        self, *args: Any, fail: Collection[Any] = (), ignore: Collection[StatementKind] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.ran: list[str] = []
        self.tables: list[str] = []
        self.fail, self.ignore = fail, ignore

    def run(self, statement: Statement) -> None:
        if statement.kind in self.fail or (statement.kind, statement.table.table) in self.fail:
            raise StatementError("the disk is full\nsecond line", condition="DISK")
        self.ran.append(statement.kind.value)
        self.tables.append(statement.table.table)
        if statement.kind not in self.ignore:
            super().run(statement)

    @property
    def story(self) -> list[str]:
        return [f"{table}: {kind}" for table, kind in zip(self.tables, self.ran, strict=True)]
