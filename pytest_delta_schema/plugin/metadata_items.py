"""The catalog's record of a table, held against the table's Delta log: ``models.py::dev.silver.orders::metadata``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn

import pytest

from pytest_delta_schema.errors import DeltaSchemaError
from pytest_delta_schema.execute.metadata_sync import MANAGED_NOTE
from pytest_delta_schema.plan.entry_differences import entry_differences, notes_of_entry
from pytest_delta_schema.plugin import report_properties as facts
from pytest_delta_schema.plugin.failures import ContractFailure
from pytest_delta_schema.plugin.run import RUN
from pytest_delta_schema.plugin.table_items import ApplyContract, DriftContract, StandardContract, broken, check
from pytest_delta_schema.report.metadata_text import record_headline, record_text
from pytest_delta_schema.state.catalog_entry import EntryState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.execute.metadata_sync import SyncsEntries
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.entry_differences import EntryDifference

FOLLOWS = "Spark follows the log; readers that ask the catalog see its record."
SYNC = f"{FOLLOWS} Bring it level: pytest --delta-sync-metadata"
RESTORE = (
    f"{FOLLOWS} The table is managed, so that only the catalog may write the record;"
    " a RESTORE through Spark writes both"
)


class RecordDriftContract(DriftContract):
    """What is checked of every table with ``--delta-drift`` where catalogs keep records."""

    @check
    @pytest.mark.usefixtures("_delta_recorded")
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """Readers of the catalog's record see what the log says."""
        run = request.config.stash[RUN]
        name, state = run.bound(self.table).name, run.state(delta_catalog)
        record, log = state.records.get(name), state.logs.get(name)
        if isinstance(record, EntryState) and log is not None:
            differences = entry_differences(record, log)
            if differences:
                _not_level(self.table, request, differences, is_managed=record.is_managed)
        managed = isinstance(record, EntryState) and record.is_managed and log is None
        notes = [MANAGED_NOTE] if managed else [] if log is None else notes_of_entry(log)
        facts.record(request.node, outcome=facts.IN_SYNC, note="; ".join(f"{name}: {note}" for note in notes))


class _SyncedRecord:
    """Brings the record level."""

    table: Table
    recreates: ClassVar[bool]
    """Whether a record may be deleted and created again, where the settings agree to it."""

    @check
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: SyncsEntries) -> None:
        """The catalog's record is brought level with the log, and data files are not touched."""
        try:
            done = delta_catalog.sync_entries([request.config.stash[RUN].bound(self.table)], recreates=self.recreates)
        except DeltaSchemaError as error:
            broken(request, error)
        synced = [each for each in done if each.differences]
        for each in synced:
            print(f"  -- {record_headline(each.table, each.differences)}\n{record_text(each.differences)}\n")  # noqa: T201 - captured, shown by pytest -rP
        note = "; ".join(f"{each.table}: {note}" for each in done for note in each.notes)
        facts.record(request.node, outcome=facts.SYNCED if synced else facts.IN_SYNC, note=note)


class RecordApplyContract(_SyncedRecord, ApplyContract):
    """What is done to every table with ``--delta-apply`` where catalogs keep records."""

    recreates = False


class RecordSyncContract(_SyncedRecord, StandardContract):
    """What is done to every table with ``--delta-sync-metadata``."""

    recreates = True


def _not_level(
    table: Table, request: pytest.FixtureRequest, differences: Sequence[EntryDifference], *, is_managed: bool
) -> NoReturn:
    head = record_headline(request.config.stash[RUN].bound(table).name, differences)
    outcome, remedy = (facts.BLOCKED, RESTORE) if is_managed else (facts.STALE, SYNC)
    facts.record(request.node, outcome=outcome, changes=len(differences), summary=head)
    raise ContractFailure(head, f"{record_text(differences)}\n\n{remedy}")
