"""The drift of a table, accepted into the source of its model: ``models.py::dev.silver.orders::adopt``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.plugin.items.table_items import check
from pytest_delta_schema.plugin.run.stash_keys import ADOPT_RUN, RUN

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.table import Table


class AdoptContract:
    """The check of every table with ``--delta-adopt``."""

    table: Table

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def adopt(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The model declares what the table has, by an edit of its source if that is needed."""
        gate = request.config.stash[RUN].gate(delta_catalog)
        request.config.pluginmanager.getplugin(ADOPT_RUN).require(request.node, gate)
