"""The catalog entry of a table, compared with the table's Delta log: ``models.py::dev.silver.orders::metadata``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from pytest_delta_schema.engine.entry_checks import check_entry, sync_entry
from pytest_delta_schema.plugin.every_run import RUN
from pytest_delta_schema.plugin.outcome_report import report_outcome
from pytest_delta_schema.plugin.table_items import ApplyContract, DriftContract, StandardContract, check, once

if TYPE_CHECKING:
    from pytest_delta_schema.execute.metadata_sync import SyncsEntries
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import Table


class EntryDriftContract(DriftContract):
    """The check of every catalog entry with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_entry_readable")
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog entry shows what the Delta log holds."""
        report_outcome(request.node, check_entry(self.table, request.config.stash[RUN].gate(delta_catalog)))


class _SyncedEntry:
    """Synchronises the catalog entry."""

    table: Table
    recreates: ClassVar[bool]
    """Whether an entry may be deleted and created again if the settings allow it."""

    @check
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: SyncsEntries) -> None:
        """The metadata of the Delta log is written to the catalog entry; data files are not touched."""
        declarations = request.config.stash[RUN].declarations
        outcome = once(
            request.node, lambda: sync_entry(self.table, delta_catalog, declarations, recreates=self.recreates)
        )
        report_outcome(request.node, outcome)


class EntryApplyContract(_SyncedEntry, ApplyContract):
    """The synchronisation of every catalog entry with ``--delta-apply``."""

    recreates = False


class EntrySyncContract(_SyncedEntry, StandardContract):
    """The synchronisation of every catalog entry with ``--delta-sync-metadata``."""

    recreates = True
