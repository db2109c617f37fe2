"""End a run with a usage error if its consents match nothing on the tables that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.engine.consent_audit import unmatched_columns, unmatched_protection
from pytest_delta_schema.plugin.options.option_values import APPLY
from pytest_delta_schema.plugin.outcomes.check_properties import UNUSED, add_properties
from pytest_delta_schema.plugin.outcomes.failures import ConsentsRefused
from pytest_delta_schema.plugin.run.stash_keys import RUN
from pytest_delta_schema.plugin.summary.terminal_summary import note_refusals

if TYPE_CHECKING:
    import pytest

    from pytest_delta_schema.engine.gate import Gate


def refuse_unmatched_consents(request: pytest.FixtureRequest, gate: Gate) -> None:
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
