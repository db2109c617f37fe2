"""Failures of checks and faults of a run: how they are raised, and what their reports carry and show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.diagnostics.faults import FailedCheck, RefusedConsents, UnreachableCatalog
from pytest_delta_schema.diagnostics.text import escaped, escaped_lines, printed, printed_line, without_commands
from pytest_delta_schema.plugin.compat import Failed, change_texts, failure_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.diagnostics.errors import Location
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.declared_at import DeclaredAt
    from pytest_delta_schema.plugin.compat import TerminalRepr


class ContractFailure(Exception):  # noqa: N818 - a finding, not a malfunction
    """A check did not pass.

    The headline is one line; only SQL in the body may hold control characters. The short summary does not repeat the
    name of the table, because the node id has it.
    """

    def __init__(self, headline: str, body: str = "", table: str = "") -> None:
        self.headline = one_line([headline])
        self.body = body
        self.summary = without_name(self.headline, table)
        super().__init__(f"{self.headline}\n\n{body}" if body else self.headline)


class TableUnreadable(Failed):
    """One table could not be read."""

    def __init__(self, reason: str, table: str) -> None:
        super().__init__(reason, pytrace=False)
        self.table = table


class RunFault(Failed):
    """A fault of the whole run, so no table is checked; it is shown for one of them."""

    fault: ClassVar[type[HasCode]]

    def __init__(self, reason: str, others: str) -> None:
        super().__init__(reason, pytrace=False)
        self.others = others
        self.table = ""


class CatalogUnavailable(RunFault):
    """The catalog could not be opened or read."""

    fault = UnreachableCatalog

    def __init__(self, reason: str) -> None:
        head, code, lines = reason.partition(":\n    ")
        super().__init__(one_line([head]) + escaped_lines(code + lines), "the catalog is not available")


class ConsentsRefused(RunFault):
    """Consents match nothing on the tables that were read."""

    fault = RefusedConsents

    def __init__(self, faults: Iterable[str]) -> None:
        super().__init__("\n".join(map(escaped, faults)), "consents are refused")


def representation(failure: ContractFailure, origin: DeclaredAt) -> TerminalRepr:
    """Show a failure at the model's declaration.

    The chain form is the only one that keeps its one-line summary on CI, in JUnit and across xdist alike.
    """
    text = f"{failure.headline}\n\n{failure.body}\n" if failure.body else f"{failure.headline}\n"
    return failure_at(origin.path, origin.line, failure.summary, text)


def without_name(headline: str, table: str) -> str:
    """Return a headline without the name of its table at its start."""
    rest = headline.removeprefix(escaped(table)) if table else headline
    return rest.removeprefix(":").strip() if rest[:1] in {" ", ":"} else headline


def one_line(parts: Iterable[object]) -> str:
    """Join parts to one line, so a summary of many failures stays readable."""
    return " ".join(" ".join(escaped_lines(part).split()) for part in parts)


def relative(location: Location, root: Path) -> str:
    """Write file and line of a declaration, relative to a folder."""
    path = Path(location.file)
    return location._replace(file=str(path.relative_to(root) if path.is_relative_to(root) else path)).file_and_line


PREFIX = "delta."


def is_check(item: pytest.Item) -> bool:
    """Whether an item is a check of a table or of a schema, or an import, and no test."""
    return hasattr(item, "check_kind")


def add_properties(item: pytest.Item, **values: object) -> None:
    """Add properties to the report of ``item``, each one line of harmless characters; empty ones are left out.

    A property that it has already, because another plugin runs the item again, is not added twice.
    """
    for name, value in values.items():
        pair = (PREFIX + name, printed_line(value))
        if value not in (None, "") and pair not in item.user_properties:
            item.user_properties.append(pair)


def is_of_check(report: pytest.TestReport) -> bool:
    """Whether a report is that of a check, and not of a test of others."""
    return any(name.startswith(PREFIX) for name, _ in report.user_properties)


_CAUSE, _OTHERS, _FAULT = "delta_schema_cause", "delta_schema_others", "delta_schema_fault"

_FAULTS: dict[str, type[HasCode]] = {fault.code: fault for fault in (UnreachableCatalog, RefusedConsents)}


def report_error(item: pytest.Item, report: pytest.TestReport, error: BaseException) -> None:
    """Show a fault of the run, or a table that could not be read; other errors are left as they are."""
    if not isinstance(error, (RunFault, TableUnreadable)):
        return
    path, line, _ = item.reportinfo()
    report.longrepr = failure_at(
        str(path), (line or 0) + 1, one_line([without_name(str(error), error.table)]), f"{error}\n"
    )
    if isinstance(error, RunFault):
        setattr(report, _CAUSE, str(error))
        setattr(report, _OTHERS, error.others)
        setattr(report, _FAULT, error.fault.code)
        show_once(item.config, report)


def cause_of(report: pytest.TestReport) -> str:
    """Return the fault of the run that has ended an item; ``""`` for none."""
    return getattr(report, _CAUSE, "")


def fault_of(report: pytest.TestReport) -> type[HasCode]:
    """Return the class of the fault that has ended an item: that of the whole run, or an error of this item."""
    return _FAULTS.get(getattr(report, _FAULT, ""), FailedCheck)


_SHOWN = pytest.StashKey[set[str]]()


def show_once(config: pytest.Config, report: pytest.TestReport) -> None:
    """Turn the report of an error whose cause another item has shown in this process into that of a skipped item."""
    cause = cause_of(report)
    if not cause or not report.failed:
        return
    shown = config.stash.setdefault(_SHOWN, set())
    if cause in shown:
        path, line, _ = report.location
        report.outcome = "skipped"
        reason = f"not checked, because {getattr(report, _OTHERS)}; the first error of this run says why"
        report.longrepr = (path, (line or 0) + 1, f"Skipped: {reason}")
    shown.add(cause)


_START_LINE = "WARNING: Using incubator modules: jdk.incubator.vector"
"""The line that every start of Spark's JVM prints, and that no setting turns off (JDK 17 to 25, Spark 3.5 to 4.2)."""


def without_start_line(report: pytest.TestReport) -> None:
    """Remove the line that every start of Spark's JVM prints from the captured output of a report."""
    sections = []
    for title, content in report.sections:
        kept = [line for line in content.splitlines(keepends=True) if not line.startswith(_START_LINE)]
        if kept or not content:
            sections.append((title, "".join(kept)))
    report.sections = sections


_COLOUR = r"(\x1b\[[0-9;]*m)"
_FIXTURES = ("delta_", "make_delta_", "_delta_")
"""The beginnings of the names of fixtures of this package."""


def escape_report(item: pytest.Item, report: pytest.TestReport, error: BaseException | None) -> None:
    """Escape, in place, the report of a check, or the failure of another test that uses this package."""
    if is_of_check(report):
        report.longrepr = change_texts(report.longrepr, _printed)
        report.sections = [(title, _printed(content)) for title, content in report.sections]
    elif error is not None and (isinstance(error, DeltaSchemaError) or _uses_fixtures(item)):
        report.longrepr = change_texts(report.longrepr, _printed_on(item.config))


def escape_collect_report(config: pytest.Config, report: pytest.CollectReport) -> None:
    """Escape why something could not be collected."""
    report.longrepr = change_texts(report.longrepr, _printed_on(config))


def _uses_fixtures(item: pytest.Item) -> bool:
    return any(name.startswith(_FIXTURES) for name in getattr(item, "fixturenames", ()))


def _printed(text: str) -> str:
    return printed(text.expandtabs(4))


def _printed_on(config: pytest.Config) -> Callable[[str], str]:
    """Return what escapes a text; on a terminal with colours, those stay that pytest and syrupy give to differences."""
    reporter: Any = config.pluginmanager.getplugin("terminalreporter")
    return _printed_with_colours if reporter is not None and reporter.hasmarkup else _printed


def _printed_with_colours(text: str) -> str:
    parts = re.split(_COLOUR, text.expandtabs(4))
    return without_commands("".join(part if index % 2 else printed(part) for index, part in enumerate(parts)))
