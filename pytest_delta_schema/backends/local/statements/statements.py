"""Run statements on tables of the warehouse, and mark new tables so that they are found there."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.conversion.convert import convert_folder, mark, mark_location
from pytest_delta_schema.backends.local.logs.table_templates import TableTemplates
from pytest_delta_schema.backends.local.statements.creation import creation_lock
from pytest_delta_schema.backends.local.warehouse.physical_names import remove_if_empty, table_folder
from pytest_delta_schema.backends.spark.statements.run_statements import DeltaStatements
from pytest_delta_schema.execute.interruption import StillRunning
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet
    from contextlib import AbstractContextManager

    from pytest_delta_schema.backends.local.session.catalog_session import CatalogSession
    from pytest_delta_schema.backends.rows.data_queries import DataQueries
    from pytest_delta_schema.execute.protocols.catalog import Capabilities
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement


class LocalStatements:
    """Runs the statements of a catalog."""

    def __init__(
        self,
        session: CatalogSession,
        queries: Callable[[QualifiedName], DataQueries],
        capabilities: Callable[[], Capabilities],
    ) -> None:
        self._session = session
        self._queries = queries
        self._capabilities = capabilities
        self._prepared = TableTemplates(lambda name: table_folder(session.warehouse, name), session.settings_hash)

    def reuse_creations(self) -> AbstractContextManager[None]:
        """Copy the new tables of the block from the logs of equal ones; see :class:`ReusesCreations`."""
        return self._prepared.active()

    @property
    def copied(self) -> AbstractSet[QualifiedName]:
        """The tables that were copied in this block, whose folders hold nothing but the copies."""
        return self._prepared.copied

    def run(self, statement: Statement) -> None:
        """Run one statement, or emulate it on open-source Delta.

        Raises:
            UnsafePlanError: If rows violate a NOT NULL column or a check that is added; nothing was changed.
            StatementError: If Spark or Delta refuses it.
        """
        bridge = self._session.bridge
        with self._session.using(statement.table.catalog), self._session.stopping():
            if bridge.is_warehouse(statement.table.catalog) and self._prepared.replace(statement):
                return
            if statement.kind is StatementKind.CREATE_TABLE:
                self._create(statement)
            elif statement.kind is StatementKind.CONVERT_TABLE:
                convert_folder(bridge, statement, self._session.sql)
            else:
                self._delta.run(statement)
                if statement.kind is StatementKind.REGISTER_TABLE:
                    mark_location(bridge, statement.table)

    @cached_property
    def _delta(self) -> DeltaStatements:
        gateway = self._session.bridge.gateway
        return DeltaStatements(self._session.sql, self._queries, gateway, self._capabilities)

    def _create(self, statement: Statement) -> None:
        table, bridge = statement.table, self._session.bridge
        if not bridge.is_warehouse(table.catalog):
            self._delta.run(statement)
            mark(bridge, table, str(bridge.gateway.load(table).path()))
            return
        folder = table_folder(self._session.warehouse, table)
        with creation_lock(table, self._session.warehouse, folder):
            try:
                self._delta.run(statement)
            except StillRunning:
                raise
            except BaseException:
                # A log folder without a commit, in which no table can be made.
                remove_if_empty(folder)
                raise
        mark(bridge, table, str(folder))
