"""Which reports of a run are written, and where."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.settings.table import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_OFF = "off"


class ReportTarget(NamedTuple):
    """One value of the setting ``report``."""

    type: str
    file: str
    """The file, absolute; ``""`` if none is given."""
    folder: str
    """The folder in which the file is written if none is given."""
    is_off: bool = False
    """Whether reports of this type are turned off that were asked for before."""


class ReportFile(NamedTuple):
    """A report to write."""

    type: str
    file: str
    """The file, absolute; ``""`` for the terminal."""


def parse_target(text: str, types: Sequence[str], folder: Path) -> ReportTarget:
    """Read a value such as ``json`` or ``json:reports/delta.json``; a file, or ``off``, follows the first colon."""
    type_, colon, file = (part.strip() for part in text.partition(":"))
    if type_ not in types:
        near = nearest(type_, types)
        hint = f"did you mean {near}? The types are" if near else "the types are"
        msg = f"there is not a report of type {type_!r}; {hint} {', '.join(types)}"
        raise ValueError(msg)
    if colon and not file:
        msg = f"{text!r} names no file; write {type_}, {type_}:FILE or {type_}:off"
        raise ValueError(msg)
    if file == _OFF:
        return ReportTarget(type_, "", str(folder), is_off=True)
    try:
        path = str((folder / Path(file).expanduser()).resolve()) if file else ""
    except (OSError, RuntimeError, ValueError) as error:
        msg = f"{file!r} is not a valid file path ({error}); use a different one"
        raise ValueError(msg) from None
    return ReportTarget(type_, path, str(folder))


def report_files(targets: Iterable[ReportTarget], extensions: Mapping[str, str]) -> tuple[ReportFile, ...]:
    """Return the reports to write, each once."""
    files: dict[ReportFile, None] = {}
    for target in targets:
        if target.is_off:
            files = {file: None for file in files if file.type != target.type}
            continue
        extension = extensions[target.type]
        default = str(Path(target.folder, f"delta-report.{extension}").resolve()) if extension else ""
        files[ReportFile(target.type, target.file or default)] = None
    return tuple(files)


def faults_of_reports(files: Sequence[ReportFile], extensions: Mapping[str, str]) -> Iterator[str]:
    """Yield a message for each report that cannot be written."""
    owners: dict[str, ReportFile] = {}
    for report in files:
        if not extensions[report.type]:
            if report.file:
                yield f"report {report.type}:{report.file}: it is written to the terminal; write {report.type} alone"
            continue
        path = Path(report.file)
        owner = owners.setdefault(os.path.normcase(path), report)
        if owner is not report:
            yield (
                f"reports {owner.type} and {report.type}: both would be written to {path}; write"
                f" {report.type}:FILE with another file"
            )
        fault = _fault_of_path(path, extensions[report.type])
        if fault:
            yield f"report {report.type}:{path}: {fault}"


def _fault_of_path(path: Path, extension: str) -> str:
    """Return why a file cannot be written, with the remedy; ``""`` if it can. Missing folders are created later."""
    try:
        if path.is_dir():
            return f"it is a folder; write a file, such as {path / f'delta-report.{extension}'}"
        if path.exists():
            return "" if os.access(path, os.W_OK) else "the file cannot be written; change its permissions"
        folder = next(parent for parent in path.parents if parent.exists())
        if not folder.is_dir():
            return f"{folder} is a file, not a folder; write the path of another file"
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"the folder {folder} cannot be written; change its permissions"
    except OSError as error:
        return f"it is not a valid file path ({error}); use a different one"
    return ""
