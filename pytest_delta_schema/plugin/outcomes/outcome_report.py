"""Turn outcomes into pytest's reports: properties for JUnit, and a JSON text that xdist transfers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

from pytest_delta_schema.engine.outcomes.outcome import CheckKind, DataChecks, Status, TableOutcome
from pytest_delta_schema.execute.preflight import DATA_RULES
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.plugin.outcomes.check_properties import add_properties
from pytest_delta_schema.plugin.outcomes.failures import CatalogUnavailable, ContractFailure, one_line, relative
from pytest_delta_schema.plugin.run.stash_keys import OUTCOME, REPORTS
from pytest_delta_schema.report.text.change_groups import change_groups
from pytest_delta_schema.report.text.comparison_text import comparison_notes
from pytest_delta_schema.report.text.outcome_text import applied_text, body, headline, unmanaged_headline

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

_ATTRIBUTE = "delta_schema_outcome"
_WITH_CHANGES = (Status.DRIFTED, Status.BLOCKED, Status.STALE)


def report_outcome(item: pytest.Item, outcome: TableOutcome) -> None:
    """Make an outcome the result of an item; raise a ``ContractFailure`` if the check does not pass."""
    note_outcome(item, outcome)
    require_available(outcome)
    if not outcome.status.passes:
        _fail(item, outcome)
    text = applied_text(outcome)
    if text:
        item.add_report_section("call", "delta schema", text)


def require_available(outcome: TableOutcome) -> None:
    """Stop with the fault of the whole run that a check has met, if it has.

    Raises:
        CatalogUnavailable: With the fault, which is shown once a run.
    """
    for diagnostic in outcome.diagnostics:
        if diagnostic.concerns_run:
            raise CatalogUnavailable(diagnostic.fact)


def note_outcome(item: pytest.Item, outcome: TableOutcome) -> None:
    """Add an outcome to the report of an item, and to its properties."""
    item.stash[OUTCOME] = outcome
    for name, value in _properties(outcome):
        add_properties(item, **{name: value})


def attach(item: pytest.Item, report: pytest.TestReport) -> None:
    """Attach the outcome of an item to its report, also through xdist, where each outcome is sent once."""
    outcome = item.stash.get(OUTCOME, None)
    if outcome is not None:
        del item.stash[OUTCOME]
        setattr(report, _ATTRIBUTE, json.dumps(outcome.to_json()))
        if item.config.pluginmanager.hasplugin(REPORTS):
            from pytest_delta_schema.plugin.outcomes.table_states import attach_states

            attach_states(item, report, outcome)


def outcome_of(report: pytest.TestReport) -> TableOutcome | None:
    """Return the outcome that a report carries; ``None`` if it carries none."""
    text = getattr(report, _ATTRIBUTE, None)
    return None if text is None else TableOutcome.from_json(json.loads(text))


def notes_text(outcome: TableOutcome) -> str:
    """Return the notes of an outcome in one line; for an apply also what it does not change."""
    unmanaged = unmanaged_headline(outcome) if outcome.check is CheckKind.APPLY else ""
    if outcome.check is CheckKind.COMPAT:
        return "; ".join(f"{word}: {line}" for word, line in comparison_notes(outcome))
    notes = [headline(outcome)] if outcome.check is CheckKind.UNMANAGED and outcome.notes else map(str, outcome.notes)
    return "; ".join([*notes, *([unmanaged] if unmanaged else [])])


def _properties(outcome: TableOutcome) -> Iterator[tuple[str, object]]:
    yield "backend", outcome.backend
    yield "note", notes_text(outcome)
    for diagnostic in outcome.diagnostics:
        if diagnostic.rule in DATA_RULES:
            yield "preflight", diagnostic
    if outcome.data_checks is DataChecks.PASSED:
        yield "preflight", "passed"
    yield "version", outcome.observed_version if outcome.restore_sql else None
    yield "outcome", outcome.status.value
    if outcome.status in _WITH_CHANGES and outcome.changes:
        own = change_groups(outcome.changes, outcome.stored_as).own
        yield "changes", len(own or outcome.changes)
        risks = [Risk[change.risk.upper()] for change in own if change.risk]
        yield "risk", max(risks).label if risks else ""
    if not outcome.status.passes:
        yield "summary", one_line([headline(outcome)])
    if outcome.check is CheckKind.APPLY and outcome.status is not Status.BLOCKED:
        yield "statements", sum(statement.has_run for statement in outcome.statements)


def _fail(item: pytest.Item, outcome: TableOutcome) -> NoReturn:
    location = outcome.location
    path = "" if location is None else relative(location, item.config.rootpath)
    text = body(outcome, path, with_sql=item.config.get_verbosity() >= 0)
    raise ContractFailure(headline(outcome), text, outcome.table)
