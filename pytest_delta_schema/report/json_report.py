"""The JSON form of a report; write a report of any type where it was asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pytest_delta_schema.diagnostics.errors import os_error_text
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.engine.outcomes import (
    CHANGE,
    DIAGNOSTIC,
    LOCATION,
    STATEMENT,
    CheckOutcome,
    DataChecks,
    Status,
)
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.report.run_report import (
    REPORT_VERSION,
    CheckReport,
    Consents,
    ReportMode,
    Run,
    RunReport,
    TableReport,
)
from pytest_delta_schema.state.json_shapes import (
    DECIMAL,
    FLAG,
    NUMBER,
    TEXT,
    Choice,
    Form,
    Items,
    JsonScalar,
    Key,
    Member,
    Nullable,
    Pairs,
    json_text,
    open_record,
    required_keys,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.configuration.report_targets import ReportFile


class WrittenReport(NamedTuple):
    """The result of writing a report."""

    lines: Sequence[str] = ()
    """The report itself, as lines for the terminal."""
    message: str = ""
    """Where it was written; ``""`` if it is not a file."""
    fault: str = ""
    """Why it could not be written, with the remedy; ``""`` if it could."""


def write_report(
    target: ReportFile, report: RunReport, folder: Path, annotated: RunReport | None = None
) -> WrittenReport:
    """Write one report; of a type for a service, also the text for the file that the service names."""
    form = FORMATS[target.type]
    lines = () if target.file else form.write(report if annotated is None else annotated)
    try:
        if not target.file:
            if os.environ.get(form.summary_variable):
                _append_to_file(Path(os.environ[form.summary_variable]), form.write_summary(report))
            return WrittenReport(lines)
        path = Path(target.file)
        write_file(path, form.write(report))
    except OSError as error:
        fact = f"the {target.type} report cannot be written: {os_error_text(error)}"
        return WrittenReport(lines, fault=escaped(f"{fact}; make the path writable, or write another file"))
    shown = path.relative_to(folder) if path.is_relative_to(folder) else path
    return WrittenReport(message=escaped(f"report written to {shown}"))


def write_file(path: Path, text: str) -> None:
    """Write a file in one step, so nobody reads a part of it; missing folders are created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode("utf-8", "backslashreplace")
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a device, or a pipe
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _append_to_file(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


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
    """Return the report that :func:`report_json` has written; keys that it does not write are left out."""
    report: RunReport = REPORT_FORM.read(values, subject)
    return report


def _mark(items: Iterable[dict[str, Any]], marks: Iterable[str]) -> None:
    for item, mark in zip(items, marks, strict=True):
        item["fingerprint"] = mark


def _shared(values: Sequence[Any]) -> Any:
    """Return the value that all runs have; ``None`` if they differ."""
    return values[0] if all(value == values[0] for value in values) else None


STATE_VALUES = Nullable(of=JsonScalar(kinds=(dict,), noun="an object"))
"""The state of a table in its JSON form."""

_MODE = Choice(words=get_args(ReportMode))
_DIAGNOSTICS = Items(of=DIAGNOSTIC)

CHECK_FORM = open_record(
    CheckReport, *required_keys(TEXT, "node_id", "check"), Key("outcome", Choice(words=get_args(CheckOutcome)))
)

TABLE_FORM = open_record(
    TableReport,
    Key("name", TEXT),
    Key("bound_name", TEXT, attribute="stored_as"),
    Key("mode", _MODE),
    *required_keys(TEXT, "backend", "target", "created"),
    Key("outcome", Member(of=Status), attribute="status"),
    Key("location", Nullable(of=LOCATION)),
    Key("observed_version", Nullable(of=NUMBER)),
    Key("checks", Items(of=CHECK_FORM)),
    Key("changes", Items(of=CHANGE)),
    *required_keys(_DIAGNOSTICS, "diagnostics", "notes", "background"),
    Key("statements", Items(of=STATEMENT)),
    Key("data_checks", Member(of=DataChecks)),
    Key("restore_version", Nullable(of=NUMBER)),
    *required_keys(TEXT, "restore_sql", "failure"),
    *required_keys(STATE_VALUES, "declared", "observed"),
)

RUN_FORM = open_record(
    Run,
    Key("mode", _MODE),
    Key("backend", TEXT),
    Key("against", Items(of=TEXT)),
    Key("bindings", Pairs(values=TEXT)),
    *required_keys(TEXT, "commit", "source_url", "created"),
    Key("seconds", DECIMAL),
    Key("complete", FLAG, attribute="is_complete"),
    Key("tool_version", TEXT),
    Key("plan", TEXT, ""),
)

CONSENTS = open_record(Consents, *required_keys(Items(of=TEXT), "used", "unused", "expired"))

REPORT_FORM = Form(
    version=REPORT_VERSION,
    record=open_record(
        RunReport,
        Key("runs", Items(of=RUN_FORM, minimum=1)),
        Key("tables", Items(of=TABLE_FORM)),
        *required_keys(_DIAGNOSTICS, "unmanaged", "faults"),
        Key("consents", CONSENTS),
    ),
)
