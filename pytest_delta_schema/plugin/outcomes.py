"""Make an outcome the result of an item, and carry it on the report of the item, also from the workers of xdist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import Location, diagnostic_of
from pytest_delta_schema.diagnostics.faults import NotShown
from pytest_delta_schema.engine.outcomes import CheckKind, CheckResult, DataChecks, Status, TableOutcome
from pytest_delta_schema.plan.kinds import Risk
from pytest_delta_schema.plugin.compat import skip_item
from pytest_delta_schema.plugin.failures import (
    CatalogUnavailable,
    ContractFailure,
    add_properties,
    cause_of,
    fault_of,
    one_line,
    relative,
)
from pytest_delta_schema.plugin.options import APPLY, DRIFT
from pytest_delta_schema.plugin.registration import OUTCOME, RUN
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
        location = outcome.location
        path = "" if location is None else relative(location, item.config.rootpath)
        shown = body(outcome, path, with_sql=item.config.get_verbosity() >= 0)
        raise ContractFailure(headline(outcome), shown, outcome.table)
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
    # The label says what was not compared.
    notes = [str(note) for note in outcome.notes if note.rule != NotShown.__name__]
    notes = [headline(outcome)] if outcome.check is CheckKind.UNMANAGED and outcome.notes else notes
    return "; ".join([*notes, *([unmanaged] if unmanaged else [])])


_RESULT = "delta_schema_result"
"""The attribute of a report with what it shows of a check: a ``CheckResult``, or its JSON form on the way."""

_PARTS = ("node_id", "table", "declared", "observed")


def attach(item: Any, report: pytest.TestReport, check: CheckKind) -> None:
    """Attach what an item has shown to its report; each outcome once, and with reports the states of its table."""
    outcome = item.stash.get(OUTCOME, None)
    declared = observed = None
    if outcome is not None:
        del item.stash[OUTCOME]
        if item.config.stash[RUN].has_reports:
            declared, observed = _states(item, outcome)
    result = CheckResult(
        node_id=item.nodeid, table=item.subject, check=check, result=outcome, declared=declared, observed=observed
    )
    # pytest-forked sends the attributes of reports by itself.
    is_sent = getattr(item.config.option, "forked", False)
    setattr(report, _RESULT, _json_form(result) if is_sent else result)


def result_of(report: pytest.TestReport) -> CheckResult | None:
    """Return what a report shows of a check; ``None`` for tests of others."""
    value = getattr(report, _RESULT, None)
    if isinstance(value, dict):
        outcome = value["result"]
        value = CheckResult(
            check=CheckKind(value["check"]),
            result=None if outcome is None else TableOutcome.from_json(outcome),
            **{name: value[name] for name in _PARTS},
        )
        setattr(report, _RESULT, value)
    return value


def make_serialisable(data: dict[str, Any]) -> None:
    """Replace the result in what pytest sends of a report by its JSON form."""
    if isinstance(data.get(_RESULT), CheckResult):
        data[_RESULT] = _json_form(data[_RESULT])


def _json_form(result: CheckResult) -> dict[str, Any]:
    outcome = None if result.result is None else result.result.to_json()
    parts = {name: getattr(result, name) for name in _PARTS}
    return {"check": result.check.value, "result": outcome, **parts}


def _states(item: pytest.Item, outcome: TableOutcome) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return the states of the table of a check: for each table once, and none of an invalid model."""
    run, table = item.config.stash[RUN], getattr(item, "table", None)
    sender = {DRIFT: CheckKind.DRIFT, APPLY: CheckKind.APPLY}.get(run.options.mode or "", CheckKind.RULES)
    if table is None or outcome.check is not sender or run.declarations.violations(table):
        return None, None
    from pytest_delta_schema.state.json_state import state_json

    declared, observed = run.states(table)
    return state_json(declared), None if observed is None else state_json(observed)


def error_outcome(config: pytest.Config, report: pytest.TestReport, result: CheckResult) -> TableOutcome:
    """Return the outcome of a check that an error has ended."""
    cause = cause_of(report)
    status = Status.UNREADABLE if cause or report.when == "setup" else Status.FAILED
    text, (file, line, _) = cause or _crash(report), report.location
    location = None if line is None else Location(str(Path(config.rootpath, file)), line + 1)
    return TableOutcome(
        table=result.table,
        check=result.check,
        status=status,
        diagnostics=(diagnostic_of(fault_of(report), result.table, text, location=location),),
        location=location,
        failure=text,
    )


def _crash(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0] if lines else ""
