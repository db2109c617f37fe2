"""Items of tables that no module declares, below the project file: ``pyproject.toml::dev.silver.orders::import``."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.diagnostics.escaping import printed_line
from pytest_delta_schema.plugin.compat.pytest_compat import failure_at
from pytest_delta_schema.plugin.outcomes.check_properties import add_properties
from pytest_delta_schema.plugin.outcomes.failures import ContractFailure


class ProjectNode(pytest.File):
    """The project file, below which a run shows what it does for a whole project."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing: the items are known when the catalog, or the past, was listed."""
        return []


class NameNode(pytest.Collector):
    """A table, below the project file."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing, as the project file does."""
        return []


class ProjectItem(pytest.Item):
    """The item of one table; its name is that of a check, such as ``import``."""

    def __init__(self, *, table: str, **others: Any) -> None:
        super().__init__(**others)
        self._table = table
        self.add_marker("delta")
        self.add_marker(f"delta_{self.name}")
        add_properties(self, table=table, check=self.name)

    def reportinfo(self) -> tuple[str, int, str]:
        """Return the project file, and the name of the table."""
        return str(self.path), 0, printed_line(f"{self._table} {self.name}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show a finding without a traceback, and everything else with one."""
        failure = excinfo.value
        if isinstance(failure, ContractFailure):
            return failure_at(str(self.path), 1, failure.summary, f"{failure}\n")
        return super().repr_failure(excinfo, style)
