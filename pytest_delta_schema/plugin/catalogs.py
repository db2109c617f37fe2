"""Open the catalog of a run with its fixtures, which users may override, and stop checks that it cannot serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pytest_delta_schema.backends.backend import find_backend
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, DeltaSchemaError, StatementError
from pytest_delta_schema.execute.protocols import StartsLazily
from pytest_delta_schema.plugin.compat import is_overridden, item_of
from pytest_delta_schema.plugin.failures import (
    CatalogUnavailable,
    ConsentsRefused,
    TableUnreadable,
    add_properties,
    is_check,
    one_line,
)
from pytest_delta_schema.plugin.options import ADOPT, APPLY, SESSION_FIXTURES, backend_settings
from pytest_delta_schema.plugin.outcomes import note_outcome, require_available
from pytest_delta_schema.plugin.registration import RUN
from pytest_delta_schema.report.text import headline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.backend import BackendSettings
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.items import ContractItem
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.run import ContractRun


def open_catalog(request: pytest.FixtureRequest, options: Options) -> Catalog:
    """Open the catalog of the chosen backend; fixtures that it needs are set up only then."""
    try:
        return find_backend(options.backend).open(FixtureContext(request, backend_settings(request.config, options)))
    except (BackendUnavailableError, StatementError) as error:
        raise CatalogUnavailable(str(error)) from None


class FixtureContext:
    """Opens a catalog with the fixtures of a pytest run, which users may override."""

    def __init__(self, request: pytest.FixtureRequest, settings: BackendSettings) -> None:
        self.settings = settings
        self._request = request

    def warehouse(self) -> Path:
        """Return the value of ``delta_warehouse``."""
        folder: Path = self._request.getfixturevalue("delta_warehouse")
        return folder

    def spark(self) -> SparkSession:
        """Return the value of ``delta_spark``."""
        session: SparkSession = self._request.getfixturevalue("delta_spark")
        self._request.config.stash[RUN].watch("delta_catalog", session)
        return session

    def starts_own_spark(self) -> bool:
        """Whether a check of a table opens the catalog, and ``delta_spark`` is that of this package.

        Tests that use the catalog get a started session, because they may use it without ``delta_spark``.
        """
        return is_check(item_of(self._request)) and not is_overridden(self._request, SESSION_FIXTURES)

    def call_at_end(self, function: Callable[[], object]) -> None:
        """Call a function when the fixture is torn down."""
        self._request.addfinalizer(function)


def start_for_test(run: ContractRun) -> None:
    """Start the sessions of the catalogs for a test, which may use them without asking for a session."""
    for catalog in run.catalogs():
        start_catalog_session(catalog)


def start_for_table(table: Table, gate: Gate, mode: str | None) -> None:
    """Start the session of a catalog if the check of a table runs statements or queries."""
    catalog = gate.starts_later
    if catalog is not None and not catalog.is_started and gate.needs_queries(table, applies=mode == APPLY):
        start_catalog_session(catalog)


def start_catalog_session(catalog: object) -> None:
    """Start the session of a catalog, unless it has none, or it was started."""
    if not isinstance(catalog, StartsLazily) or catalog.is_started:
        return
    try:
        catalog.start()
    except (BackendUnavailableError, StatementError) as error:
        raise CatalogUnavailable(str(error)) from None


def require_readable_table(item: ContractItem, gate: Gate) -> None:
    """Stop in set-up, with one line, if the table cannot be read, or if consents match nothing in the catalog."""
    try:
        gate.state()
    except DeltaSchemaError as error:
        raise CatalogUnavailable(str(error)) from None
    outcome = gate.unreadable(item.table)
    if outcome is not None:
        _unreadable(item, outcome)
    mode = item.config.stash[RUN].options.mode
    if mode != ADOPT:
        start_for_table(item.table, gate, mode)
    settings = gate.declarations.settings
    if settings.must_match or settings.protected:
        _refuse_unmatched_consents(item, gate)


def require_readable_entry(item: ContractItem, gate: Gate) -> None:
    """Stop in set-up, with one line, if the table or its catalog entry cannot be read."""
    from pytest_delta_schema.engine.checks import unreadable_entry

    require_readable_table(item, gate)
    outcome = unreadable_entry(item.table, gate)
    if outcome is not None:
        _unreadable(item, outcome)


def _unreadable(item: ContractItem, outcome: TableOutcome) -> NoReturn:
    note_outcome(item, outcome)
    require_available(outcome)
    raise TableUnreadable(one_line([headline(outcome)]), outcome.table)


def _refuse_unmatched_consents(item: ContractItem, gate: Gate) -> None:
    """Stop the run with a usage error, before anything is changed, if consents match nothing; note unused ones."""
    from pytest_delta_schema.engine.checks import unmatched_columns, unmatched_protection

    run = item.config.stash[RUN]
    if id(gate.catalog) in run.audited:
        return
    run.audited.add(id(gate.catalog))
    faults, notes = unmatched_columns(gate)
    protection = unmatched_protection(gate.declarations) if run.options.mode == APPLY else []
    for note in (*notes, *protection):
        add_properties(item, unused=note)
        run.notes[str(note)] = None
    if faults:
        run.refuse(faults)
        item.session.shouldstop = "delta schema: consents are refused"
        add_properties(item, outcome="blocked", summary="; ".join(faults))
        raise ConsentsRefused(faults)
