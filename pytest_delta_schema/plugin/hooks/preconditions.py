"""Stop a check in set-up if its table or its catalog entry cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.engine.entry_checks import unreadable_entry
from pytest_delta_schema.plugin.hooks.catalog_start import start_for_table
from pytest_delta_schema.plugin.items.consent_refusal import refuse_unmatched_consents
from pytest_delta_schema.plugin.outcomes.failures import CatalogUnavailable, TableUnreadable, one_line
from pytest_delta_schema.plugin.outcomes.outcome_report import note_outcome, require_available
from pytest_delta_schema.plugin.run.stash_keys import RUN
from pytest_delta_schema.report.text.outcome_text import headline

if TYPE_CHECKING:
    import pytest

    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome


def require_readable_table(request: pytest.FixtureRequest, gate: Gate) -> None:
    """Stop in set-up, with one line, if the table cannot be read, or if consents match nothing in the catalog.

    Raises:
        CatalogUnavailable: If no table can be read.
        TableUnreadable: If this one cannot be read.
        ConsentsRefused: If consents match nothing.
    """
    try:
        gate.state()
    except DeltaSchemaError as error:
        raise CatalogUnavailable(str(error)) from None
    outcome = gate.unreadable(request.cls.table)
    if outcome is not None:
        _unreadable(request, outcome)
    start_for_table(request.cls.table, gate, request.config.stash[RUN].options.mode)
    settings = gate.declarations.settings
    if settings.must_match or settings.protected:
        refuse_unmatched_consents(request, gate)


def require_readable_entry(request: pytest.FixtureRequest, gate: Gate) -> None:
    """Stop in set-up, with one line, if the table or its catalog entry cannot be read.

    Raises:
        CatalogUnavailable: If no table can be read.
        TableUnreadable: If the table or its entry cannot be read.
        ConsentsRefused: If consents match nothing.
    """
    require_readable_table(request, gate)
    outcome = unreadable_entry(request.cls.table, gate)
    if outcome is not None:
        _unreadable(request, outcome)


def _unreadable(request: pytest.FixtureRequest, outcome: TableOutcome) -> NoReturn:
    note_outcome(request.node, outcome)
    require_available(outcome)
    raise TableUnreadable(one_line([headline(outcome)]), outcome.table)
