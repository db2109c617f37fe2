"""Fingerprints of changes and diagnostics, by which servers recognise a finding of an earlier run."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.engine.outcomes.outcome import TableChange
    from pytest_delta_schema.report.report_entries import Run, TableReport

_LENGTH = 32

_REFERENCE = re.compile(r"(?P<columns>\(.*?\) references )(?P<parent>.+?)(?P<rest>(?: \(.*\))?(?: rely)?)", re.DOTALL)

_SCHEMA = "schema "


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFingerprints:
    """The fingerprints of one entry of a report, in the order of what they belong to."""

    changes: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    background: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFingerprints:
    """The fingerprints of a whole report; no two are equal."""

    tables: tuple[TableFingerprints, ...] = ()
    unmanaged: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class FingerprintedReport(Protocol):
    """The parts of a report that have fingerprints, or names in them."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs."""
        ...

    @property
    def tables(self) -> tuple[TableReport, ...]:
        """One entry for each table and mode."""
        ...

    @property
    def unmanaged(self) -> tuple[Diagnostic, ...]:
        """Schemas with tables that no model declares."""
        ...

    @property
    def faults(self) -> tuple[Diagnostic, ...]:
        """Faults of the whole run."""
        ...


class _Key(NamedTuple):
    """The parts of a fingerprint, and whether it is about the table of its entry."""

    code: str
    table: str
    path: str
    after: str
    is_own: bool = True


def fingerprint(code: str, table: str, path: str, after: str, *, occurrence: int = 1) -> str:
    """Return 32 hexadecimal digits that are the same in every run, wherever the declaration moves.

    The table is the name of the model, so bindings do not matter, and ``after`` is ``""`` for a diagnostic. The
    occurrence counts equal findings of one report from one.
    """
    parts: list[str | int] = [code, table, path, after]
    if occurrence > 1:
        parts.append(occurrence)
    # JSON keeps the parts apart, whatever they hold, and writes each character as ASCII.
    return sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_LENGTH]


def fingerprints(report: FingerprintedReport) -> ReportFingerprints:
    """Return the fingerprint of each change and each diagnostic of a report.

    Equal findings, such as two in one column, are numbered in the order of the report. A change of another table, such
    as a foreign key that depends on this one, comes after the changes of that table itself.
    """
    names = _LogicalNames(report)
    groups: list[list[_Key]] = []
    for table in report.tables:
        groups.append([names.of_change(change, table) for change in table.changes])
        groups += (
            [names.of_diagnostic(part, table) for part in parts]
            for parts in (table.diagnostics, table.notes, table.background)
        )
    groups += ([names.of_diagnostic(part) for part in parts] for parts in (report.unmanaged, report.faults))
    *of_tables, unmanaged, faults = _numbered(groups)
    columns = iter(of_tables)
    return ReportFingerprints(
        tables=tuple(
            TableFingerprints(changes=changes, diagnostics=next(columns), notes=next(columns), background=next(columns))
            for changes in columns
        ),
        unmanaged=unmanaged,
        faults=faults,
    )


def _numbered(groups: list[list[_Key]]) -> Iterator[tuple[str, ...]]:
    """Yield the fingerprints of each group; those of the tables themselves are numbered first."""
    counts: Counter[_Key] = Counter()
    digits: dict[tuple[int, int], str] = {}
    for is_own in (True, False):
        for row, group in enumerate(groups):
            for column, key in enumerate(group):
                if key.is_own is is_own:
                    plain = key._replace(is_own=True)
                    counts[plain] += 1
                    digits[row, column] = fingerprint(*plain[:-1], occurrence=counts[plain])
    for row, group in enumerate(groups):
        yield tuple(digits[row, column] for column in range(len(group)))


class _LogicalNames:
    """The names that models have, for those of tables in the catalog."""

    def __init__(self, report: FingerprintedReport) -> None:
        self._names = {table.stored_as: table.name for table in reversed(report.tables) if table.stored_as}
        self._bindings = [tuple(_reversed_bindings(run)) for run in report.runs]

    def of_change(self, change: TableChange, table: TableReport) -> _Key:
        """Return what the fingerprint of a change is made from."""
        name = self._name(change.table, table)
        path, after = change.path, change.after
        if path.startswith(_SCHEMA):
            path = _SCHEMA + name.rpartition(".")[0]
        reference = _REFERENCE.fullmatch(after) if path.startswith("foreign_keys.") else None
        if reference is not None:
            after = f"{reference['columns']}{self._name(reference['parent'], table)}{reference['rest']}"
        return _Key(change.code, name, path, after, name == table.name)

    def of_diagnostic(self, diagnostic: Diagnostic, table: TableReport | None = None) -> _Key:
        """Return what the fingerprint of a diagnostic is made from; its message may change."""
        name = self._name(diagnostic.table, table)
        is_own = table is None or name == table.name
        return _Key(diagnostic.code or diagnostic.rule, name, diagnostic.path, "", is_own)

    def _name(self, stored: str, table: TableReport | None) -> str:
        if table is not None and stored in {table.name, table.stored_as}:
            return table.name
        if stored in self._names:
            return self._names[stored]
        possible = {name for bindings in self._bindings for name in _unbound(stored, bindings)}
        return possible.pop() if len(possible) == 1 else stored


def _reversed_bindings(run: Run) -> Iterable[tuple[str, str]]:
    return ((f"{target}.", f"{prefix}.") for prefix, target in run.bindings)


def _unbound(stored: str, bindings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the names that bindings may have mapped to a stored name."""
    for target, prefix in bindings:
        if f"{stored}.".startswith(target):
            yield f"{prefix}{stored[len(target) :]}".rstrip(".")
