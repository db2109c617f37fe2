"""The pytest plugin of a conformance run; it is only loaded by that command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from pytest_delta_schema.diagnostics.escaping import printed
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.testing.conformance.conformance_report import (
    BROKEN,
    HELD,
    IMPOSSIBLE,
    Tried,
    markdown,
    redacted,
)
from pytest_delta_schema.testing.conformance.moved_scenarios import Tables, moved_scenarios
from pytest_delta_schema.testing.scenario_runner import planned_statements

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.testing.conformance.own_tables import DropsTables

RUN_NAME = "delta_schema_conformance"
"""The name under which the run is registered."""

_SCHEMA, _REPORT = "conformance_schema", "conformance_report"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options that the command gives."""
    parser.addoption("--conformance-schema", dest=_SCHEMA, help="the schema, such as dev.scratch")
    parser.addoption("--conformance-report", dest=_REPORT, help="the file of the report")


def pytest_configure(config: pytest.Config) -> None:
    """Register the run."""
    catalog, schema = config.getoption(_SCHEMA).split(".")
    tables = Tables(catalog, schema, f"delta_conformance_{uuid4().hex[:8]}_")
    config.pluginmanager.register(ConformanceRun(tables, Path(config.getoption(_REPORT))), RUN_NAME)


class ConformanceRun:
    """One run: its scenarios, how they ended, and its report."""

    def __init__(self, tables: Tables, report: Path) -> None:
        self.tables = tables
        self._created: set[str] = set()
        self._left: set[str] = set()
        self._report = report
        self._tried: list[Tried] = []

    def drop(self, catalog: DropsTables, table: QualifiedName) -> None:
        """Drop one of the tables, and note it."""
        self._created.add(str(table))
        self._left.add(str(table))
        catalog.drop_table(table)
        self._left.remove(str(table))

    def drop_schema(self, catalog: Any) -> None:
        """Drop the schema, which the run has created, unless there is a table in it."""
        schema = self.tables.names[0][:2]
        self._created.add(".".join(schema))
        self._left.add(".".join(schema))
        if not catalog.table_names(*schema):
            catalog.drop_schema(*schema)
            self._left.remove(".".join(schema))

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test for each scenario."""
        if "moved_scenario" in metafunc.fixturenames:
            scenarios = moved_scenarios(self.tables)
            metafunc.parametrize("moved_scenario", scenarios, ids=lambda scenario: scenario.name)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Note how a scenario ended."""
        report = yield
        scenario = getattr(item, "callspec", None) and item.callspec.params.get("moved_scenario")  # type: ignore[attr-defined]
        if scenario is None or (report.when != "call" and report.passed) or report.when == "teardown":
            return report
        kinds = [statement.kind.value for statement in planned_statements(scenario, self.tables.reference())]
        result = HELD if report.passed else IMPOSSIBLE if report.skipped else BROKEN
        error = None if call.excinfo is None else call.excinfo.value
        reason = "" if error is None else redacted(f"{type(error).__name__}: {error}", self.tables)
        self._tried.append(Tried(scenario.name, kinds, result, reason))
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report."""
        backend = str(session.config.getoption("delta_schema_backend"))
        kinds = [kind.value for kind in StatementKind]
        self._report.write_text(markdown(backend, kinds, self._tried), "utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List what was created and dropped, and what is left."""
        terminalreporter.section("delta schema conformance")
        counts = {result: sum(tried.result == result for tried in self._tried) for result in (HELD, BROKEN, IMPOSSIBLE)}
        terminalreporter.write_line(", ".join(f"{number} {result}" for result, number in counts.items()))
        for name in sorted(self._created):
            state = "NOT dropped, drop it by hand" if name in self._left else "created and dropped"
            terminalreporter.write_line(printed(f"  {state}: {name}"))
        terminalreporter.write_line(printed(f"report, without names and hosts: {self._report}"))
