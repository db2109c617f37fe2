"""Write a report where it was asked for: to its file, or as lines of the terminal and a text for a service."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.errors import os_error_text
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.report.formats.report_formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.report.run_report import RunReport


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
    """Write one report; of a type for a service, also the text for the file that the service names.

    ``annotated`` is what the lines for the terminal show, if that is less than the report. A path that is shown is
    relative to the folder.
    """
    form = FORMATS[target.type]
    lines = () if target.file else form.write(report if annotated is None else annotated)
    try:
        if not target.file:
            if os.environ.get(form.summary_variable):
                _append(Path(os.environ[form.summary_variable]), form.write_summary(report))
            return WrittenReport(lines)
        path = Path(target.file)
        _write(path, form.write(report))
    except OSError as error:
        fact = f"the {target.type} report cannot be written: {os_error_text(error)}"
        return WrittenReport(lines, fault=escaped(f"{fact}; make the path writable, or write another file"))
    shown = path.relative_to(folder) if path.is_relative_to(folder) else path
    return WrittenReport(message=escaped(f"report written to {shown}"))


def _write(path: Path, text: str) -> None:
    """Write a file in one step, so nobody reads a part of it; missing folders are created.

    Raises:
        OSError: If it cannot be written.
    """
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


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
