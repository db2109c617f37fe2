"""Start the session of a catalog in the set-up of what needs it, so a session that does not start is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError
from pytest_delta_schema.execute.protocols.catalog import StartsLazily
from pytest_delta_schema.plugin.collection.selection import is_check
from pytest_delta_schema.plugin.options.option_values import APPLY
from pytest_delta_schema.plugin.outcomes.failures import CatalogUnavailable

if TYPE_CHECKING:
    import pytest

    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.run.contract_run import ContractRun


def start_for_test(item: pytest.Item, run: ContractRun) -> None:
    """Start the sessions of the catalogs for a test, which may use them without asking for a session.

    A check of a table starts nothing here.
    """
    if not is_check(item):
        for catalog in run.catalogs():
            start_catalog_session(catalog)


def start_for_table(table: Table, gate: Gate, mode: str | None) -> None:
    """Start the session of a catalog if the check of a table runs statements or queries."""
    catalog = gate.starts_later
    if catalog is not None and not catalog.is_started and gate.needs_queries(table, applies=mode == APPLY):
        start_catalog_session(catalog)


def start_catalog_session(catalog: object) -> None:
    """Start the session of a catalog, unless it has none, or it was started.

    Raises:
        CatalogUnavailable: If it does not start.
    """
    if not isinstance(catalog, StartsLazily) or catalog.is_started:
        return
    try:
        catalog.start()
    except (BackendUnavailableError, StatementError) as error:
        raise CatalogUnavailable(str(error)) from None
