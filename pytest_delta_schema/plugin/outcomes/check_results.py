"""Collect how the checks of a run ended from the reports of pytest, also from those of the workers of xdist."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_delta_schema.diagnostics.diagnostic_builders import diagnostic_of
from pytest_delta_schema.diagnostics.faults import FailedCheck
from pytest_delta_schema.engine.outcomes.outcome import CheckKind, Status, TableOutcome
from pytest_delta_schema.plugin.outcomes.check_properties import TABLE, properties_of
from pytest_delta_schema.plugin.outcomes.error_outcomes import error_outcome
from pytest_delta_schema.plugin.outcomes.failures import cause_of, fault_of
from pytest_delta_schema.plugin.outcomes.outcome_report import outcome_of
from pytest_delta_schema.plugin.outcomes.table_states import TableStates, states_of
from pytest_delta_schema.report.table_reports import CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.report.report_entries import CheckOutcome

_CHECKS = frozenset(check.value for check in CheckKind)
_CRASH = "???"
"""The phase in the report of an item during which a worker of xdist has crashed (xdist 3.8)."""


class _Item:
    """One item, with what its reports have shown so far.

    ``created`` is the outcome of the apply that was made before the item; ``None`` if there was none.
    """

    def __init__(self, node_id: str, created: TableOutcome | None = None) -> None:
        self.node_id = node_id
        self.table = "" if created is None else created.table
        self.outcome: CheckOutcome | None = None
        self.result = created
        self.states = TableStates()
        self.has_ended = False


class CheckResults:
    """The checks of a run, by their node ids."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._selected: set[str] = set()
        self._items: dict[str, _Item] = {}
        self._unreported: dict[str, TableOutcome] = {}
        self._causes: dict[str, type[HasCode]] = {}
        self._is_cut = False

    @property
    def is_complete(self) -> bool:
        """Whether every selected check has ended, and nothing has crashed."""
        ended = {node_id for node_id, item in self._items.items() if item.has_ended}
        return not self._is_cut and self._selected <= ended

    def __bool__(self) -> bool:
        return bool(self._items or self._unreported)

    def select(self, node_ids: Iterable[str]) -> None:
        """Note the items that are going to run; those of others are left out."""
        self._selected.update(node_id for node_id in node_ids if check_of(node_id) is not None)

    def cut(self) -> None:
        """Note that checks were lost: a module could not be collected, or a worker has crashed."""
        self._is_cut = True

    def note_unreported(self, node_id: str, outcome: TableOutcome) -> None:
        """Note the outcome of a change that was made before its item, which may not run any more."""
        self._unreported[node_id] = outcome

    def add(self, report: pytest.TestReport) -> None:
        """Add the report of one phase of an item; those of other tests are left out."""
        check = check_of(report.nodeid)
        if check is None:
            return
        if report.when == _CRASH:
            self._add_crash(report, check)
        elif TABLE in properties_of(report):
            if report.when == "setup" or report.nodeid not in self._items:
                # Where another plugin runs an item again, the last attempt counts.
                self._items[report.nodeid] = _Item(report.nodeid, self._unreported.get(report.nodeid))
            self._add_phase(self._items[report.nodeid], report)

    def results(self) -> Iterator[CheckResult]:
        """Yield how each check ended; one that did not end is left out, unless its table was created before."""
        items = {**{node_id: _Item(node_id, outcome) for node_id, outcome in self._unreported.items()}, **self._items}
        for item in items.values():
            check = check_of(item.node_id)
            outcome = item.outcome
            if outcome is None and item.node_id in self._unreported:
                outcome = "passed" if self._unreported[item.node_id].status.passes else "failed"
            if outcome is not None and check is not None:
                yield CheckResult(
                    node_id=item.node_id,
                    table=item.table,
                    check=check,
                    outcome=outcome,
                    result=item.result,
                    declared=item.states.declared,
                    observed=item.states.observed,
                )

    def faults(self) -> tuple[Diagnostic, ...]:
        """Return the faults of the whole run, each once."""
        return tuple(diagnostic_of(self._causes[cause], "", cause) for cause in sorted(self._causes))

    def _add_phase(self, item: _Item, report: pytest.TestReport) -> None:
        cause = cause_of(report)
        item.has_ended |= report.when == "teardown"
        item.table = item.table or properties_of(report)[TABLE]
        if report.outcome not in {"passed", "failed", "skipped"}:
            return  # the item runs again
        if cause or (report.failed and report.when != "call"):
            item.outcome = "error"
        elif item.outcome is None and (report.when == "call" or not report.passed):
            item.outcome = report.outcome
        result = None if cause else outcome_of(report)
        if result is None and (cause or item.result is None):
            error = error_outcome(self._config, report)
            if error is not None:
                # The fault of the whole run is reported once, and the text of any other error is its diagnostic.
                result = replace(error, failure="", diagnostics=() if cause else error.diagnostics)
        if cause:
            self._causes[cause] = fault_of(report)
        if result is not None:
            item.table, item.result, item.states = result.table, result, states_of(report)

    def _add_crash(self, report: pytest.TestReport, check: CheckKind) -> None:
        self.cut()
        item = self._items[report.nodeid] = _Item(report.nodeid)
        node = report.nodeid.rpartition("::")[0]
        names = (other.table for other in self._items.values() if other.node_id.rpartition("::")[0] == node)
        item.table = next(filter(None, names), unquote(node.rpartition("::")[2]))
        item.outcome = "error"
        item.result = TableOutcome(
            table=item.table,
            check=check,
            status=Status.FAILED,
            diagnostics=(
                diagnostic_of(
                    FailedCheck,
                    item.table,
                    "the worker of xdist that ran this check has crashed",
                    remedy="run it again without -n to see the error",
                ),
            ),
        )


def check_of(node_id: str) -> CheckKind | None:
    """Return the check that a node id selects; ``None`` for a test of others, whose classes have no dots."""
    _, *names = node_id.split("::")
    check = names[-1].partition("[")[0] if names else ""
    return CheckKind(check) if len(names) == 2 and "." in names[0] and check in _CHECKS else None  # noqa: PLR2004
