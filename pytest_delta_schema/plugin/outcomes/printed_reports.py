"""Escape what reports of tests show of a catalog: pytest prints them, and writes them to JUnit files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.diagnostics.escaping import printed, without_commands
from pytest_delta_schema.plugin.compat.pytest_compat import change_texts
from pytest_delta_schema.plugin.outcomes.check_properties import properties_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

_COLOUR = r"(\x1b\[[0-9;]*m)"
_FIXTURES = ("delta_", "make_delta_", "_delta_")
"""The beginnings of the names of fixtures of this package."""


def escape_report(item: pytest.Item, report: pytest.TestReport, error: BaseException | None) -> None:
    """Escape, in place, the report of a check, or the failure of another test that uses this package.

    Captured output of other tests stays as the tests have written it.
    """
    if properties_of(report):
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
