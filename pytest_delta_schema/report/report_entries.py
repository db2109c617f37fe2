"""The entries of a report of a run: tables, runs and consents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_delta_schema.engine.outcomes.outcome import DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.settings.kinds import CheckMode
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.diagnostics.errors import Diagnostic, Location

ReportMode = Literal["check", CheckMode]
"""What a run did: ``check`` needs no catalog."""

CheckOutcome = Literal["passed", "failed", "error", "skipped"]
"""How pytest reports a check; ``error`` is one in set-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """One test item of a table.

    Args:
        node_id: Its id in pytest, such as ``shop/models.py::dev.silver.orders::drift``.
        check: Its last part, such as ``drift``.
        outcome: How it ended.
    """

    node_id: str
    check: str
    outcome: CheckOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReport:
    """Everything that the checks of one table in one mode have shown.

    Args:
        name: Dotted name of the model.
        stored_as: Dotted name of the table in the catalog; ``""`` if no catalog was needed.
        mode: The mode of the run.
        backend: Name of the backend; ``""`` if no catalog was needed.
        target: A digest of where the catalog is, such as the address of a server or the path of a warehouse; ``""`` if
            that is not known, or no catalog was needed.
        created: When its run ended, in UTC; ``""`` if that is not known.
        status: The worst status of its checks.
        location: The declaration, its file relative to the root of the sources; ``None`` if it lies outside of them.
        checks: Its test items, in the order in which they ran.
        observed_version: Delta version that was read; ``None`` for a new table, and without a catalog.
        changes: Every difference; those of the table itself come first.
        diagnostics: Why the table fails; those of the table itself come first.
        notes: Remarks that do not fail it.
        background: Where the differences come from, such as the commits that added columns.
        statements: The SQL of the plan, in order.
        data_checks: Whether data checks ran.
        restore_version: The version before an apply; ``None`` if there was none, or nothing ran.
        restore_sql: The SQL that restores it; ``""`` for none.
        failure: The text of an error of the catalog; ``""`` if there was none.
        declared: The state that the model wants, as JSON values; ``None`` if it was not asked for.
        observed: The state that the catalog holds, as JSON values; ``None`` if it was not asked for or not read.
    """

    name: str
    stored_as: str = ""
    mode: ReportMode
    backend: str = ""
    target: str = ""
    created: str = ""
    status: Status
    location: Location | None = None
    checks: tuple[CheckReport, ...] = ()
    observed_version: int | None = None
    changes: tuple[TableChange, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    background: tuple[Diagnostic, ...] = ()
    statements: tuple[OutcomeStatement, ...] = ()
    data_checks: DataChecks = DataChecks.NOT_RUN
    restore_version: int | None = None
    restore_sql: str = ""
    failure: str = ""
    declared: Mapping[str, Any] | None = None
    observed: Mapping[str, Any] | None = None

    @property
    def risk(self) -> str:
        """The highest risk of its changes; ``""`` for none."""
        return max((change.risk for change in self.changes if change.risk), key=RISKS.index, default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of pytest.

    Args:
        mode: What it did.
        backend: Name of the backend; ``""`` if no catalog was needed.
        against: The commits and folders with which contracts were compared, such as ``main: merge base 1a2b3c4d5e6f, 3
            commits before HEAD``.
        bindings: Names in models, each with the name in the catalog to which it is mapped.
        commit: The commit of the sources; ``""`` outside of a git repository.
        source_url: The address at which the sources of that commit can be read, up to the path of a file, such as
            ``https://github.com/acme/shop/blob/<commit>``; ``""`` if it is not known.
        created: When it ended, in UTC, such as ``2026-01-31T12:00:00Z``.
        seconds: How long it took.
        is_complete: Whether every selected check has ended, and no worker crashed.
        tool_version: The version of this package.
    """

    mode: ReportMode
    backend: str = ""
    against: tuple[str, ...] = ()
    bindings: tuple[tuple[str, str], ...] = ()
    commit: str = ""
    source_url: str = ""
    created: str = ""
    seconds: float = 0.0
    is_complete: bool = True
    tool_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consents:
    """The consents of the project, as they are written.

    Args:
        used: Those that a plan needed.
        unused: Those that no plan needed.
        expired: Those that have expired.
    """

    used: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()
