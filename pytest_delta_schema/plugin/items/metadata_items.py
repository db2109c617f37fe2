"""The catalog entry of a table, compared with the table's Delta log: ``models.py::dev.silver.orders::metadata``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.engine.entry_checks import check_entry, sync_entries
from pytest_delta_schema.plugin.items.joint_items import joint
from pytest_delta_schema.plugin.items.joint_syncs import JointSyncs
from pytest_delta_schema.plugin.items.table_items import ApplyContract, DriftContract, StandardContract, check, once
from pytest_delta_schema.plugin.outcomes.outcome_report import report_outcome
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.execute.protocols.metadata_sync import SyncsEntries


class EntryDriftContract(DriftContract):
    """The check of every catalog entry with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_entry_readable")
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog entry shows what the Delta log holds."""
        report_outcome(request.node, check_entry(self.table, request.config.stash[RUN].gate(delta_catalog)))


class EntryApplyContract(ApplyContract):
    """The synchronisation of every catalog entry with ``--delta-apply``."""

    @check
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: SyncsEntries) -> None:
        """The metadata of the Delta log is written to the catalog entry; data files are not touched."""
        declarations, tables = request.config.stash[RUN].declarations, [self.table]
        outcome = once(
            request.node,
            lambda: sync_entries(tables, delta_catalog, declarations, recreates=False)[self.table.name],
        )
        report_outcome(request.node, outcome)


class EntrySyncContract(StandardContract):
    """The synchronisation of every catalog entry with ``--delta-sync-metadata``."""

    @check
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: SyncsEntries) -> None:
        """The metadata of the Delta log is written to the catalog entry, which may be deleted and created again."""
        syncs = joint(request.config, JointSyncs)
        report_outcome(request.node, once(request.node, lambda: syncs.sync(request.node, delta_catalog)))
