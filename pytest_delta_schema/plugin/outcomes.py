"""Make an outcome the result of an item, and carry it, with the states of its table, on the report of the item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pytest_delta_schema.diagnostics.errors import Location, diagnostic_of
from pytest_delta_schema.diagnostics.faults import NotShown
from pytest_delta_schema.engine.outcomes import CheckKind, DataChecks, Status, TableOutcome
from pytest_delta_schema.plan.kinds import Risk
from pytest_delta_schema.plugin.compat import skip_item
from pytest_delta_schema.plugin.failures import (
    TABLE,
    CatalogUnavailable,
    ContractFailure,
    add_properties,
    cause_of,
    fault_of,
    one_line,
    properties_of,
    relative,
)
from pytest_delta_schema.plugin.options import APPLY, DRIFT
from pytest_delta_schema.plugin.registration import OUTCOME, REPORTS, RUN
from pytest_delta_schema.report.text import (
    applied_text,
    body,
    change_groups,
    comparison_notes,
    headline,
    unmanaged_headline,
)
from pytest_delta_schema.rules.reported_rules import DATA_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


def report_outcome(item: pytest.Item, outcome: TableOutcome) -> None:
    """Make an outcome the result of an item; raise a ``ContractFailure`` if the check does not pass."""
    note_outcome(item, outcome)
    require_available(outcome)
    if outcome.status.fails:
        _fail(item, outcome)
    text = applied_text(outcome)
    if text:
        item.add_report_section("call", "delta schema", text)
    if not outcome.status.passes:
        skip_item(one_line([headline(outcome)]))


def require_available(outcome: TableOutcome) -> None:
    """Stop with the fault of the whole run that a check has met, if it has."""
    for diagnostic in outcome.diagnostics:
        if diagnostic.concerns_run:
            raise CatalogUnavailable(diagnostic.fact)


def _fail(item: pytest.Item, outcome: TableOutcome) -> NoReturn:
    location = outcome.location
    path = "" if location is None else relative(location, item.config.rootpath)
    text = body(outcome, path, with_sql=item.config.get_verbosity() >= 0)
    raise ContractFailure(headline(outcome), text, outcome.table)


_WITH_CHANGES = (Status.DRIFTED, Status.BLOCKED, Status.STALE)


def note_outcome(item: pytest.Item, outcome: TableOutcome) -> None:
    """Add an outcome to the report of an item, and to its properties."""
    item.stash[OUTCOME] = outcome
    for name, value in _properties(outcome):
        add_properties(item, **{name: value})


def _properties(outcome: TableOutcome) -> Iterator[tuple[str, object]]:
    yield "backend", outcome.backend
    yield "note", notes_text(outcome)
    for diagnostic in outcome.diagnostics:
        if diagnostic.rule in DATA_RULES:
            yield "preflight", diagnostic
    if outcome.data_checks is DataChecks.PASSED:
        yield "preflight", "passed"
    yield "version", outcome.observed_version if outcome.restore_sql else None
    yield "outcome", outcome.label
    if outcome.status in _WITH_CHANGES and outcome.changes:
        own = change_groups(outcome.changes, outcome.stored_as).own
        yield "changes", len(own or outcome.changes)
        risks = [Risk[change.risk.upper()] for change in own if change.risk]
        yield "risk", max(risks).label if risks else ""
    if not outcome.status.passes:
        yield "summary", one_line([headline(outcome)])
    if outcome.check is CheckKind.APPLY and outcome.status is not Status.BLOCKED:
        yield "statements", sum(statement.has_run for statement in outcome.statements)


def notes_text(outcome: TableOutcome) -> str:
    """Return the notes of an outcome in one line; for an apply also what it does not change."""
    unmanaged = unmanaged_headline(outcome) if outcome.check is CheckKind.APPLY else ""
    if outcome.check is CheckKind.COMPAT:
        return "; ".join(f"{word}: {line}" for word, line in comparison_notes(outcome))
    notes = [headline(outcome)] if outcome.check is CheckKind.UNMANAGED and outcome.notes else _shown_notes(outcome)
    return "; ".join([*notes, *([unmanaged] if unmanaged else [])])


def _shown_notes(outcome: TableOutcome) -> list[str]:
    """Return the notes of an outcome without what its label says."""
    return [str(note) for note in outcome.notes if note.rule != NotShown.__name__]


_OUTCOME = "delta_schema_outcome"


def attach(item: pytest.Item, report: pytest.TestReport) -> None:
    """Attach the outcome of an item to its report, also through xdist, where each outcome is sent once."""
    outcome = item.stash.get(OUTCOME, None)
    if outcome is not None:
        del item.stash[OUTCOME]
        setattr(report, _OUTCOME, json.dumps(outcome.to_json()))
        if item.config.pluginmanager.hasplugin(REPORTS):
            attach_states(item, report, outcome)


def outcome_of(report: pytest.TestReport) -> TableOutcome | None:
    """Return the outcome that a report carries; ``None`` if it carries none."""
    text = getattr(report, _OUTCOME, None)
    return None if text is None else TableOutcome.from_json(json.loads(text))


_STATES = "delta_schema_states"


class TableStates(NamedTuple):
    """The states of one table as JSON values; ``None`` if one was not sent, or was not read."""

    declared: dict[str, Any] | None = None
    observed: dict[str, Any] | None = None


def attach_states(item: pytest.Item, report: pytest.TestReport, outcome: TableOutcome) -> None:
    """Attach the states of the table of a check to its report: for each table once, and none of an invalid model."""
    run, table = item.config.stash[RUN], getattr(getattr(item, "cls", None), "table", None)
    sender = {DRIFT: CheckKind.DRIFT, APPLY: CheckKind.APPLY}.get(run.options.mode or "", CheckKind.RULES)
    if table is None or outcome.check is not sender or run.declarations.violations(table):
        return
    from pytest_delta_schema.state.json_state import state_json

    declared, observed = run.states(table)
    states = TableStates(state_json(declared), None if observed is None else state_json(observed))
    setattr(report, _STATES, json.dumps(states))


def states_of(report: pytest.TestReport) -> TableStates:
    """Return the states that a report carries."""
    text = getattr(report, _STATES, None)
    return TableStates() if text is None else TableStates(*json.loads(text))


def error_outcome(config: pytest.Config, report: pytest.TestReport) -> TableOutcome | None:
    """Return the outcome of a check that an error has ended; ``None`` if none has."""
    cause = cause_of(report)
    if not (cause or report.failed):
        return None
    status = Status.UNREADABLE if cause or report.when == "setup" else Status.FAILED
    text, table, (file, line, _) = cause or _crash(report), properties_of(report)[TABLE], report.location
    location = None if line is None else Location(str(Path(config.rootpath, file)), line + 1)
    return TableOutcome(
        table=table,
        check=next(check for check in CheckKind if f"delta_{check.value}" in report.keywords),
        status=status,
        diagnostics=(diagnostic_of(fault_of(report), table, text, location=location),),
        location=location,
        failure=text,
    )


def _crash(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0] if lines else ""
