"""The JSON form of the report of a run, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location, Severity
from pytest_delta_schema.engine.outcomes.outcome import (
    MARKERS,
    DataChecks,
    Operation,
    OutcomeStatement,
    Status,
    TableChange,
)
from pytest_delta_schema.report.report_entries import CheckOutcome, CheckReport, Consents, ReportMode, Run, TableReport
from pytest_delta_schema.report.run_report import REPORT_VERSION, RunReport
from pytest_delta_schema.report.text.json_text import json_text
from pytest_delta_schema.settings.table import RISKS
from pytest_delta_schema.state.json_format.json_records import Form, Key, Record
from pytest_delta_schema.state.json_format.json_shapes import (
    DECIMAL,
    FLAG,
    NUMBER,
    TEXT,
    Choice,
    Items,
    JsonScalar,
    Member,
    Nullable,
    Pairs,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TOOL = "pytest-delta-schema"

OF_ALL_RUNS = ("mode", "backend", "bindings", "commit")
"""The keys of runs that the report has, too, where all runs agree on them."""

MARKED = ("changes", "diagnostics", "notes", "background")
"""The keys of a table whose items have fingerprints."""


def report_text(report: RunReport) -> str:
    """Return the JSON form as the text of a file, in ASCII."""
    return json_text(report_json(report), 4)


def report_json(report: RunReport) -> dict[str, Any]:
    """Return a report as values of JSON; :func:`report_from_json` turns them back without loss."""
    prints = report.fingerprints
    values = REPORT_FORM.write(report)
    for table, marks in zip(values["tables"], prints.tables, strict=True):
        for key in MARKED:
            _mark(table[key], getattr(marks, key))
    _mark(values["unmanaged"], prints.unmanaged)
    _mark(values["faults"], prints.faults)
    return {
        "version": values.pop("version"),
        "tool": {"name": TOOL},
        "complete": report.is_complete,
        **{key: _shared([run[key] for run in values["runs"]]) for key in OF_ALL_RUNS},
        "runs": values.pop("runs"),
        "summary": {"tables": len(report.tables), "outcomes": report.counts(), "risks": report.risks()},
        **values,
    }


def report_from_json(values: object, subject: str = "report") -> RunReport:
    """Return the report that :func:`report_json` has written; keys that it does not write are left out.

    Raises:
        JsonFormError: If they are not a report of this version; with every fault.
    """
    report: RunReport = REPORT_FORM.read(values, subject)
    return report


def _mark(items: Iterable[dict[str, Any]], marks: Iterable[str]) -> None:
    for item, mark in zip(items, marks, strict=True):
        item["fingerprint"] = mark


def _shared(values: Sequence[Any]) -> Any:
    """Return the value that all runs have; ``None`` if they differ."""
    return values[0] if all(value == values[0] for value in values) else None


def _record(of: type, *keys: Key, **options: Any) -> Record:
    # A new key leaves the version of a report as it is, so readers leave it out.
    return Record(of, *keys, is_open=True, **options)


def _change(operation: Operation, **parts: Any) -> TableChange:
    return TableChange(marker=MARKERS[operation], **parts)


STATE_VALUES = Nullable(of=JsonScalar(kinds=(dict,), noun="an object"))
"""The state of a table in its JSON form."""

_TEXTS = Items(of=TEXT)
_MODE = Choice(words=get_args(ReportMode))
LOCATION = _record(
    Location,
    Key("file", "file", TEXT),
    Key("line", "line", NUMBER),
    Key("column", "column", Nullable(of=NUMBER)),
    Key("end_line", "end_line", Nullable(of=NUMBER)),
)
_LOCATION = Key("location", "location", Nullable(of=LOCATION))
CHECK_FORM = _record(
    CheckReport,
    Key("node_id", "node_id", TEXT),
    Key("check", "check", TEXT),
    Key("outcome", "outcome", Choice(words=get_args(CheckOutcome))),
)
CHANGE = _record(
    TableChange,
    Key("code", "code", TEXT),
    Key("operation", "operation", Choice(words=tuple(MARKERS))),
    Key("table", "table", TEXT),
    Key("path", "path", TEXT),
    Key("before", "before", TEXT),
    Key("after", "after", TEXT),
    Key("risk", "risk", Choice(words=("", *RISKS))),
    Key("loss", "loss", TEXT),
    Key("aspect", "aspect", TEXT),
    _LOCATION,
    build=_change,
)
DIAGNOSTIC = _record(
    Diagnostic,
    Key("code", "code", TEXT),
    Key("rule", "rule", TEXT),
    Key("severity", "severity", Choice(words=get_args(Severity))),
    Key("table", "table", TEXT),
    Key("path", "path", TEXT),
    Key("message", "message", TEXT),
    Key("samples", "samples", TEXT),
    Key("remedy", "remedy", TEXT),
    _LOCATION,
)
_DIAGNOSTICS = Items(of=DIAGNOSTIC)
STATEMENT = _record(
    OutcomeStatement,
    Key("sql", "sql", TEXT),
    Key("kind", "kind", TEXT),
    Key("risk", "risk", Choice(words=RISKS)),
    Key("emulated", "is_emulated", FLAG),
    Key("ran", "has_run", FLAG),
)
TABLE_FORM = _record(
    TableReport,
    Key("name", "name", TEXT),
    Key("bound_name", "stored_as", TEXT),
    Key("mode", "mode", _MODE),
    Key("backend", "backend", TEXT),
    Key("target", "target", TEXT),
    Key("created", "created", TEXT),
    Key("outcome", "status", Member(of=Status)),
    _LOCATION,
    Key("observed_version", "observed_version", Nullable(of=NUMBER)),
    Key("checks", "checks", Items(of=CHECK_FORM)),
    Key("changes", "changes", Items(of=CHANGE)),
    Key("diagnostics", "diagnostics", _DIAGNOSTICS),
    Key("notes", "notes", _DIAGNOSTICS),
    Key("background", "background", _DIAGNOSTICS),
    Key("statements", "statements", Items(of=STATEMENT)),
    Key("data_checks", "data_checks", Member(of=DataChecks)),
    Key("restore_version", "restore_version", Nullable(of=NUMBER)),
    Key("restore_sql", "restore_sql", TEXT),
    Key("failure", "failure", TEXT),
    Key("declared", "declared", STATE_VALUES),
    Key("observed", "observed", STATE_VALUES),
)
RUN_FORM = _record(
    Run,
    Key("mode", "mode", _MODE),
    Key("backend", "backend", TEXT),
    Key("bindings", "bindings", Pairs(values=TEXT)),
    Key("commit", "commit", TEXT),
    Key("source_url", "source_url", TEXT),
    Key("created", "created", TEXT),
    Key("seconds", "seconds", DECIMAL),
    Key("complete", "is_complete", FLAG),
    Key("tool_version", "tool_version", TEXT),
)
CONSENTS = _record(
    Consents, Key("used", "used", _TEXTS), Key("unused", "unused", _TEXTS), Key("expired", "expired", _TEXTS)
)
REPORT_FORM = Form(
    version=REPORT_VERSION,
    record=_record(
        RunReport,
        Key("runs", "runs", Items(of=RUN_FORM, minimum=1)),
        Key("tables", "tables", Items(of=TABLE_FORM)),
        Key("unmanaged", "unmanaged", _DIAGNOSTICS),
        Key("faults", "faults", _DIAGNOSTICS),
        Key("consents", "consents", CONSENTS),
    ),
)
