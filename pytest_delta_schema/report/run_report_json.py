"""The JSON form of the report of a run, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

from pytest_delta_schema.engine.outcome import MARKERS, DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.errors import Diagnostic, Location, Severity
from pytest_delta_schema.report.fingerprint import TableFingerprints, fingerprints
from pytest_delta_schema.report.json_object import JsonObject
from pytest_delta_schema.report.run_report import (
    RISKS,
    VERSION,
    CheckOutcome,
    CheckReport,
    Consents,
    ReportMode,
    Run,
    RunReport,
    TableReport,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MODES: tuple[str, ...] = get_args(ReportMode)

_TOOL = "pytest-delta-schema"
_OF_ALL_RUNS = ("mode", "backend", "bindings", "commit")
"""The keys of runs that the report has, too, where all runs agree on them."""


def report_text(report: RunReport) -> str:
    """Return the JSON form as the text of a file, in ASCII.

    Args:
        report: The report.
    """
    return f"{json.dumps(report_json(report), indent=1)}\n"


def report_json(report: RunReport) -> dict[str, Any]:
    """Return a report as values of JSON; :func:`report_from_json` turns them back without loss.

    Args:
        report: The report.
    """
    prints = fingerprints(report)
    runs = [_run(run) for run in report.runs]
    return {
        "version": VERSION,
        "tool": {"name": _TOOL},
        "complete": report.is_complete,
        **{key: _shared([run[key] for run in runs]) for key in _OF_ALL_RUNS},
        "runs": runs,
        "summary": {"tables": len(report.tables), "outcomes": report.counts(), "risks": report.risks()},
        "tables": [_table(table, marks) for table, marks in zip(report.tables, prints.tables, strict=True)],
        "unmanaged": _diagnostics(report.unmanaged, prints.unmanaged),
        "faults": _diagnostics(report.faults, prints.faults),
        "consents": {
            "used": list(report.consents.used),
            "unused": list(report.consents.unused),
            "expired": list(report.consents.expired),
        },
    }


def report_from_json(values: object) -> RunReport:
    """Return the report that :func:`report_json` has written; keys that it does not write are left out.

    Args:
        values: The values that a JSON parser has read.

    Raises:
        ValueError: If they are no report of this version; the text says what is wrong where.
    """
    top = JsonObject(values, "")
    version = top.get("version", int)
    if version != VERSION:
        msg = f"the report has version {version}; this version of {_TOOL} reads version {VERSION}"
        raise ValueError(msg)
    consents = top.object("consents")
    report = RunReport(
        runs=top.items("runs", _run_of),
        tables=top.items("tables", _table_of),
        unmanaged=top.items("unmanaged", _diagnostic_of),
        faults=top.items("faults", _diagnostic_of),
        consents=Consents(
            used=consents.texts("used"), unused=consents.texts("unused"), expired=consents.texts("expired")
        ),
    )
    if not report.runs:
        msg = "the report has no run; runs needs at least one"
        raise ValueError(msg)
    return report


def _shared(values: Sequence[Any]) -> Any:
    """Return the value that all runs have; ``None`` if they differ."""
    return values[0] if all(value == values[0] for value in values) else None


def _run(run: Run) -> dict[str, Any]:
    return {
        "mode": run.mode,
        "backend": run.backend,
        "bindings": dict(run.bindings),
        "commit": run.commit,
        "created": run.created,
        "seconds": run.seconds,
        "complete": run.is_complete,
        "tool_version": run.tool_version,
    }


def _table(table: TableReport, marks: TableFingerprints) -> dict[str, Any]:
    return {
        "name": table.name,
        "bound_name": table.stored_as,
        "mode": table.mode,
        "backend": table.backend,
        "outcome": table.status.value,
        "location": _location(table.location),
        "observed_version": table.observed_version,
        "checks": [
            {"node_id": check.node_id, "check": check.check, "outcome": check.outcome} for check in table.checks
        ],
        "changes": [_change(change, mark) for change, mark in zip(table.changes, marks.changes, strict=True)],
        "diagnostics": _diagnostics(table.diagnostics, marks.diagnostics),
        "notes": _diagnostics(table.notes, marks.notes),
        "background": _diagnostics(table.background, marks.background),
        "statements": [
            {
                "sql": statement.sql,
                "kind": statement.kind,
                "risk": statement.risk,
                "emulated": statement.is_emulated,
                "ran": statement.has_run,
            }
            for statement in table.statements
        ],
        "data_checks": table.data_checks.value,
        "restore_version": table.restore_version,
        "restore_sql": table.restore_sql,
        "failure": table.failure,
        "declared": table.declared,
        "observed": table.observed,
    }


def _change(change: TableChange, mark: str) -> dict[str, Any]:
    return {
        "code": change.code,
        "operation": change.operation,
        "table": change.table,
        "path": change.path,
        "before": change.before,
        "after": change.after,
        "risk": change.risk,
        "loss": change.loss,
        "aspect": change.aspect,
        "location": _location(change.location),
        "fingerprint": mark,
    }


def _diagnostics(diagnostics: Iterable[Diagnostic], marks: Iterable[str]) -> list[dict[str, Any]]:
    return [
        {
            "code": diagnostic.code,
            "rule": diagnostic.rule,
            "severity": diagnostic.severity,
            "table": diagnostic.table,
            "path": diagnostic.path,
            "message": diagnostic.message,
            "samples": diagnostic.samples,
            "remedy": diagnostic.remedy,
            "location": _location(diagnostic.location),
            "fingerprint": mark,
        }
        for diagnostic, mark in zip(diagnostics, marks, strict=True)
    ]


def _location(location: Location | None) -> dict[str, Any] | None:
    return None if location is None else location._asdict()


def _run_of(values: JsonObject) -> Run:
    return Run(
        mode=values.one_of("mode", _MODES),
        backend=values.text("backend"),
        bindings=values.pairs("bindings"),
        commit=values.text("commit"),
        created=values.text("created"),
        seconds=values.get("seconds", float, int),
        is_complete=values.get("complete", bool),
        tool_version=values.text("tool_version"),
    )


def _table_of(values: JsonObject) -> TableReport:
    return TableReport(
        name=values.text("name"),
        stored_as=values.text("bound_name"),
        mode=values.one_of("mode", _MODES),
        backend=values.text("backend"),
        status=values.member("outcome", Status),
        location=_location_of(values),
        checks=values.items("checks", _check_of),
        observed_version=values.optional("observed_version", int),
        changes=values.items("changes", _change_of),
        diagnostics=values.items("diagnostics", _diagnostic_of),
        notes=values.items("notes", _diagnostic_of),
        background=values.items("background", _diagnostic_of),
        statements=values.items("statements", _statement_of),
        data_checks=values.member("data_checks", DataChecks),
        restore_version=values.optional("restore_version", int),
        restore_sql=values.text("restore_sql"),
        failure=values.text("failure"),
        declared=values.optional("declared", dict),
        observed=values.optional("observed", dict),
    )


def _check_of(values: JsonObject) -> CheckReport:
    return CheckReport(
        node_id=values.text("node_id"),
        check=values.text("check"),
        outcome=values.one_of("outcome", get_args(CheckOutcome)),
    )


def _change_of(values: JsonObject) -> TableChange:
    return TableChange(
        table=values.text("table"),
        marker=MARKERS[values.one_of("operation", tuple(MARKERS))],
        path=values.text("path"),
        before=values.text("before"),
        after=values.text("after"),
        risk=values.one_of("risk", ("", *RISKS)),
        loss=values.text("loss"),
        aspect=values.text("aspect"),
        code=values.text("code"),
        location=_location_of(values),
    )


def _diagnostic_of(values: JsonObject) -> Diagnostic:
    return Diagnostic(
        code=values.text("code"),
        rule=values.text("rule"),
        severity=values.one_of("severity", get_args(Severity)),
        table=values.text("table"),
        path=values.text("path"),
        message=values.text("message"),
        samples=values.text("samples"),
        remedy=values.text("remedy"),
        location=_location_of(values),
    )


def _statement_of(values: JsonObject) -> OutcomeStatement:
    return OutcomeStatement(
        sql=values.text("sql"),
        kind=values.text("kind"),
        risk=values.one_of("risk", RISKS),
        is_emulated=values.get("emulated", bool),
        has_run=values.get("ran", bool),
    )


def _location_of(values: JsonObject) -> Location | None:
    if values.optional("location", dict) is None:
        return None
    location = values.object("location")
    return Location(
        location.text("file"),
        location.get("line", int),
        location.optional("column", int),
        location.optional("end_line", int),
    )
