"""The import of a table: ``pyproject.toml::dev.silver.orders::import``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.plugin.items.project_items import ProjectItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.execute.protocols.catalog import Catalog

IMPORT = "import"


class CatalogListing(pytest.Function):
    """Opens the catalog of the run before there are items."""

    @classmethod
    def of(cls, parent: pytest.Collector, use: Callable[[Catalog], None]) -> CatalogListing:
        """Return an item that gives the catalog to a function."""

        def listing(delta_catalog: Catalog) -> None:
            use(delta_catalog)

        item: CatalogListing = cls.from_parent(parent, name=IMPORT, callobj=listing)
        return item


class ImportItem(ProjectItem):
    """The import of one table."""

    def __init__(self, *, result: Callable[[], None], **others: Any) -> None:
        super().__init__(**others)
        self._result = result

    def runtest(self) -> None:
        """Import all tables of the run, if this is the first item, and report this one."""
        self._result()
