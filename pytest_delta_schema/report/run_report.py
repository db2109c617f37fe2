"""The report of a run as one value, from which every report in a file is made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_delta_schema.engine.outcomes.outcome import Status
from pytest_delta_schema.report.findings import findings
from pytest_delta_schema.report.fingerprint import fingerprints
from pytest_delta_schema.report.report_entries import Consents
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.report.findings import Finding
    from pytest_delta_schema.report.fingerprint import ReportFingerprints
    from pytest_delta_schema.report.report_entries import Run, TableReport

REPORT_VERSION = 1
"""The version of the JSON form. It grows when a key changes its meaning or is removed; a new key leaves it as it is."""


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """Everything that one run has shown, or several merged ones.

    It has no slots, because it keeps what all formats need once that is computed.

    Args:
        runs: The runs; at least one.
        tables: One entry for each table and mode, sorted by name.
        unmanaged: Schemas with tables that no model declares; an error fails the run, a note does not.
        faults: Faults of the whole run, such as a server that cannot be reached.
        consents: Which consents were used.
    """

    runs: tuple[Run, ...]
    tables: tuple[TableReport, ...] = ()
    unmanaged: tuple[Diagnostic, ...] = ()
    faults: tuple[Diagnostic, ...] = ()
    consents: Consents = Consents()  # noqa: RUF009 - a frozen value

    @property
    def is_complete(self) -> bool:
        """Whether every run is complete."""
        return all(run.is_complete for run in self.runs)

    @cached_property
    def fingerprints(self) -> ReportFingerprints:
        """The fingerprint of each change and each diagnostic."""
        return fingerprints(self)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is wrong, worst first."""
        return findings(self)

    def has_several_targets(self) -> bool:
        """Whether it joins runs on catalogs at several addresses or paths."""
        return len({table.target for table in self.tables if table.target}) > 1

    def counts(self) -> dict[str, int]:
        """Return how many tables have each status, by its text; only those that occur, in the order of the statuses."""
        numbers = Counter(table.status for table in self.tables)
        return {status.value: numbers[status] for status in Status if numbers[status]}

    def risks(self) -> dict[str, int]:
        """Return how many changes have each risk; only those that occur, from the lowest to the highest."""
        numbers = Counter(change.risk for table in self.tables for change in table.changes)
        return {risk: numbers[risk] for risk in RISKS if numbers[risk]}
