"""Stop a check in set-up if its table or its catalog entry cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.engine.consent_audit import unmatched_columns, unmatched_protection
from pytest_delta_schema.engine.entry_checks import unreadable_entry
from pytest_delta_schema.plugin.hooks.catalog_start import start_for_table
from pytest_delta_schema.plugin.options.option_values import ADOPT, APPLY
from pytest_delta_schema.plugin.outcomes.check_properties import UNUSED, add_properties
from pytest_delta_schema.plugin.outcomes.failures import CatalogUnavailable, ConsentsRefused, TableUnreadable, one_line
from pytest_delta_schema.plugin.outcomes.outcome_report import note_outcome, require_available
from pytest_delta_schema.plugin.run.stash_keys import RUN
from pytest_delta_schema.plugin.summary.terminal_summary import note_refusals
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
    mode = request.config.stash[RUN].options.mode
    if mode != ADOPT:
        start_for_table(request.cls.table, gate, mode)
    settings = gate.declarations.settings
    if settings.must_match or settings.protected:
        _refuse_unmatched_consents(request, gate)


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


def _refuse_unmatched_consents(request: pytest.FixtureRequest, gate: Gate) -> None:
    """Stop the run with a usage error, before anything is changed, if consents match nothing; note unused ones.

    Done once for each catalog, by the first check that reads it.

    Raises:
        ConsentsRefused: With all faults.
    """
    config = request.config
    run = config.stash[RUN]
    if id(gate.catalog) in run.audited:
        return
    run.audited.add(id(gate.catalog))
    faults, notes = unmatched_columns(gate)
    protection = unmatched_protection(gate.declarations) if run.options.mode == APPLY else []
    for note in (*notes, *protection):
        add_properties(request.node, **{UNUSED: note})
    if faults:
        note_refusals(config, faults)
        request.session.shouldstop = "delta schema: consents are refused"
        add_properties(request.node, outcome="blocked", summary="; ".join(faults))
        raise ConsentsRefused(faults)
