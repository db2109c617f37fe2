"""The import of a table: ``pyproject.toml::dev.silver.orders::import``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.escaping import printed_line
from pytest_delta_schema.plugin.compat.pytest_compat import failure_at
from pytest_delta_schema.plugin.outcomes.check_properties import add_properties
from pytest_delta_schema.plugin.outcomes.failures import ContractFailure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.names import QualifiedName

IMPORT = "import"


class ProjectNode(pytest.File):
    """The project file, below which a run shows what it does for a whole project."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing: the items are known when the catalog was listed."""
        return []


class NameNode(pytest.Collector):
    """A table of the catalog, below the project file."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing, as the project file does."""
        return []


class CatalogListing(pytest.Function):
    """Opens the catalog of the run before there are items."""

    @classmethod
    def of(cls, parent: pytest.Collector, use: Callable[[Catalog], None]) -> CatalogListing:
        """Return an item that gives the catalog to a function."""

        def listing(delta_catalog: Catalog) -> None:
            use(delta_catalog)

        item: CatalogListing = cls.from_parent(parent, name=IMPORT, callobj=listing)
        return item


class ImportItem(pytest.Item):
    """The import of one table."""

    def __init__(self, *, model: QualifiedName, result: Callable[[], None], **others: Any) -> None:
        super().__init__(**others)
        self._model = model
        self._result = result
        self.add_marker("delta")
        self.add_marker(f"delta_{IMPORT}")
        add_properties(self, table=str(model), check=IMPORT)

    def runtest(self) -> None:
        """Import all tables of the run, if this is the first item, and report this one."""
        self._result()

    def reportinfo(self) -> tuple[str, int, str]:
        """Return the project file, and the name of the model."""
        return str(self.path), 0, printed_line(f"{self._model} {IMPORT}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show why a table was not imported without a traceback, and everything else with one."""
        failure = excinfo.value
        if isinstance(failure, ContractFailure):
            return failure_at(str(self.path), 1, failure.summary, f"{failure}\n")
        return super().repr_failure(excinfo, style)
