"""Run the scenarios on a user's own catalog, in one schema and in tables of a prefix, and report which promises hold.

``delta-schema conformance`` starts pytest with the plugin :mod:`.conformance_tests`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pytest

from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.diagnostics.redaction import without_hosts
from pytest_delta_schema.diagnostics.text import identifier, printed, shortened
from pytest_delta_schema.execute.protocols import DropsTables
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.sql.quoting import dotted, value_sql
from pytest_delta_schema.sql.renderers import drop_table
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.types import StructState
from pytest_delta_schema.testing.data_access import MEMORY, shaped
from pytest_delta_schema.testing.scenario_runner import planned_statements
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.testing.data_access import DataAccess
    from pytest_delta_schema.testing.scenario import Scenario


HELD, BROKEN, IMPOSSIBLE = "held", "did not hold", "not possible"

_PACKAGES = ("pytest-delta-schema", "pyspark", "delta-spark", "databricks-connect", "databricks-sql-connector")
_LONGEST = 600
_HIDDEN = (
    (re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)+"), "<principal>"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<id>"),
    (re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{0,31}:/+[^\s'\"`,;)\]]+"), "<location>"),
    (re.compile(r"(?<![\w.<])/(?:[\w.@%=+~-]+/)+[\w.@%=+~-]*"), "<path>"),
)


class Tried(NamedTuple):
    """A scenario of a run."""

    name: str
    kinds: Sequence[str]
    result: str
    """``held``, ``did not hold``, or ``not possible``."""
    reason: str = ""
    """The answer of the catalog, or why it is not possible; ``""`` if it held."""


class Asked(NamedTuple):
    """A fact about a workspace that was asked for."""

    fact: str
    answer: str
    """The answer, if a different one was expected; else ``""``."""


def redacted(text: str, tables: Tables) -> str:
    """Return a text of a catalog in one line, without names, hosts, locations, principals and ids."""
    text = " ".join(without_hosts(text).split())
    for pattern, shown in _HIDDEN:
        text = pattern.sub(shown, text)
    text = re.sub(re.escape(tables.prefix), "", text, flags=re.IGNORECASE)
    for name, shown in ((tables.catalog, "<catalog>"), (tables.schema, "<schema>")):
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", shown, text, flags=re.IGNORECASE)
    return shortened(text, _LONGEST)


def markdown(  # noqa: PLR0913 - the parts of the report
    backend: str,
    kinds: Iterable[str],
    tried: Sequence[Tried],
    asked: Sequence[Asked] = (),
    *,
    part: str = "",
    server: str = "",
) -> str:
    """Return the report as Markdown; ``part`` says what was tried if that is not every scenario."""
    by_kind: dict[str, list[Tried]] = defaultdict(list)
    for scenario in tried:
        for kind in dict.fromkeys(scenario.kinds):
            by_kind[kind].append(scenario)
    own = filter(None, [*map(_version, _PACKAGES), server and f"server: {server}"])
    versions = ", ".join([f"Python {python_version()}", *own])
    lines = [
        f"# Conformance of the backend {backend}",
        "",
        versions,
        *(["", part] if part else []),
        "",
        "| statement | result | scenarios held | did not hold | not possible |",
        "| --- | --- | --- | --- | --- |",
        *(_row(kind, by_kind[kind]) for kind in kinds),
    ]
    for result in (BROKEN, IMPOSSIBLE):
        ended_so = [scenario for scenario in tried if scenario.result == result]
        if ended_so:
            lines += ["", f"## {result[0].upper()}{result[1:]}", ""]
            lines += [f"* `{scenario.name}`: {scenario.reason}" for scenario in ended_so]
    if asked:
        lines += ["", "## Facts about the workspace", "", "| fact | answer |", "| --- | --- |"]
        lines += [f"| {fact} | {answer.replace('|', chr(92) + '|') or 'as expected'} |" for fact, answer in asked]
    return "\n".join([*lines, ""])


def _row(kind: str, tried: Sequence[Tried]) -> str:
    counts = {result: sum(scenario.result == result for scenario in tried) for result in (HELD, BROKEN, IMPOSSIBLE)}
    result = next((result for result in (BROKEN, HELD, IMPOSSIBLE) if counts[result]), "not tried")
    return f"| {kind} | {result} | {counts[HELD]} | {counts[BROKEN]} | {counts[IMPOSSIBLE]} |"


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


class CatalogRows:
    """Reads rows by the catalog itself; no parquet tables are made."""

    converts = runs_refused = False
    counts_commits = True

    def read_rows(self, catalog: Any, state: TableState) -> list[dict[str, Any]]:
        """Return the rows of a table as dictionaries by column and field."""
        return [shaped(_plain(row), StructState(state.columns)) for row in catalog.rows(state.name)]

    def make_parquet(self, catalog: Any, model: Table, rows: Iterable[Any]) -> None:
        """Refuse it."""
        raise NotImplementedError


class ByStatements:
    """A catalog whose connection runs SQL, with the methods that it lacks."""

    def __init__(self, catalog: Any, run: Any) -> None:
        self._catalog = catalog
        self._run = run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def drop_table(self, table: QualifiedName) -> None:
        """Drop a table if it exists."""
        self._run(drop_table(table))

    def drop_schema(self, catalog: str, schema: str) -> None:
        """Drop a schema if it exists and is empty."""
        self._run(f"DROP SCHEMA IF EXISTS {identifier(catalog)}.{identifier(schema)}")

    def rows(self, table: QualifiedName) -> list[Any]:
        """Return all rows of a table."""
        return list(self._run(f"SELECT * FROM {dotted(table)}"))

    def insert(self, table: QualifiedName, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows by INSERT."""
        columns = {column.name: column for column in self._catalog.read_tables([table]).tables[table].columns}
        for row in rows:
            named = {name: columns[name] for name in columns if name in row}
            values = ", ".join(value_sql(row[name], column.data_type) for name, column in named.items())
            self._run(f"INSERT INTO {dotted(table)} ({', '.join(map(identifier, named))}) VALUES ({values})")


def row_access(catalog: Any) -> DataAccess:
    """Return how the rows of a catalog are read."""
    return MEMORY if isinstance(catalog, MemoryCatalog) else CatalogRows()


def own_catalog(catalog: Any) -> Any:
    """Return a catalog that drops tables, reads rows and inserts them."""
    if isinstance(catalog, DropsTables):
        return catalog
    connection = getattr(catalog, "_connection", None)
    if connection is None:
        msg = f"the backend {catalog.name} has no method drop_table, which the conformance run needs; add it"
        raise TypeError(msg)
    return ByStatements(catalog, connection.rows)


def _plain(value: Any) -> Any:
    """Return rows of Spark, also nested ones, as dictionaries."""
    if hasattr(value, "asDict"):
        return value.asDict(recursive=True)
    return dict(value) if hasattr(value, "items") else value


_SCENARIO_SCHEMA = ("dev", "silver")
_TABLES = ("lines", "orders", "parents")
"""The tables of all scenarios, those with foreign keys first."""


class Tables(NamedTuple):
    """The tables of a run: the only ones that it creates and drops."""

    catalog: str
    schema: str
    prefix: str

    @property
    def names(self) -> tuple[QualifiedName, ...]:
        """Their names, those with foreign keys first."""
        return tuple(QualifiedName(self.catalog, self.schema, f"{self.prefix}{table}") for table in _TABLES)

    @property
    def binding(self) -> Binding:
        """The binding of the tables of scenarios to them."""
        return Binding(
            tuple(((*_SCENARIO_SCHEMA, table), name) for table, name in zip(_TABLES, self.names, strict=True))
        )

    def reference(self) -> MemoryCatalog:
        """Return an empty memory catalog that has the schema."""
        catalog = MemoryCatalog()
        catalog.create_schema(self.catalog, self.schema)
        return catalog


def moved_scenarios(tables: Tables) -> tuple[Scenario, ...]:
    """Return the scenarios that need a catalog and no parquet files, in other tables."""
    return tuple(
        _moved(scenario, tables)
        for scenario in SCENARIOS
        if scenario.parquet is None and scenario.after.convert_from is None and not scenario.is_refused_by_rules
    )


def _moved(scenario: Scenario, tables: Tables) -> Scenario:
    moved = tables.binding.table
    return replace(
        scenario,
        before=None if scenario.before is None else moved(scenario.before),
        after=moved(scenario.after),
        other_tables=tuple((moved(table), rows) for table, rows in scenario.other_tables),
    )


RUN_NAME = "delta_schema_conformance"
"""The name under which the run is registered."""

_SCHEMA_OPTION, _REPORT = "conformance_schema", "conformance_report"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options that the command gives."""
    parser.addoption("--conformance-schema", dest=_SCHEMA_OPTION, help="the schema, such as dev.scratch")
    parser.addoption("--conformance-report", dest=_REPORT, help="the file of the report")


def pytest_configure(config: pytest.Config) -> None:
    """Register the run."""
    catalog, schema = config.getoption(_SCHEMA_OPTION).split(".")
    tables = Tables(catalog, schema, f"delta_conformance_{uuid4().hex[:8]}_")
    config.pluginmanager.register(ConformanceRun(tables, Path(config.getoption(_REPORT))), RUN_NAME)


class ConformanceRun:
    """One run: its scenarios, how they ended, and its report."""

    def __init__(self, tables: Tables, report: Path) -> None:
        self.tables = tables
        self.server = ""
        self._created: set[str] = set()
        self._left: set[str] = set()
        self._report = report
        self._tried: list[Tried] = []
        self._chosen = 0
        self.asked: list[Asked] = []
        """What was asked of a workspace."""

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

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Note how many scenarios are chosen."""
        self._chosen = len(session.items)

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
        part = self._part(session.config.getoption("keyword"))
        text = markdown(backend, kinds, self._tried, self.asked, part=part, server=self.server)
        self._report.write_text(text, "utf-8")

    def _part(self, keyword: str) -> str:
        """Say which part of the scenarios was tried; ``""`` for all of them."""
        number = len(moved_scenarios(self.tables))
        if len(self._tried) == number:
            return ""
        chosen = f", chosen by `-k {keyword}`" if keyword else ""
        stopped = "; the run was interrupted" if len(self._tried) < self._chosen else ""
        return f"**Only a part:** {len(self._tried)} of {number} scenarios were tried{chosen}{stopped}."

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List what was created and dropped, and what is left."""
        terminalreporter.section("delta schema conformance")
        counts = {result: sum(tried.result == result for tried in self._tried) for result in (HELD, BROKEN, IMPOSSIBLE)}
        terminalreporter.write_line(", ".join(f"{number} {result}" for result, number in counts.items()))
        if self.asked:
            other = sum(bool(asked.answer) for asked in self.asked)
            terminalreporter.write_line(f"{len(self.asked) - other} facts as expected, {other} otherwise")
        for fact, answer in self.asked:
            terminalreporter.write_line(printed(f"  {fact}: {answer or 'as expected'}"))
        for name in sorted(self._created):
            state = "NOT dropped, drop it by hand" if name in self._left else "created and dropped"
            terminalreporter.write_line(printed(f"  {state}: {name}"))
        terminalreporter.write_line(printed(f"report, without names and hosts: {self._report}"))
