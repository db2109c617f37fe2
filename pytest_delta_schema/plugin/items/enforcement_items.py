"""The constraints of a table, tried on a scratch table: ``models.py::dev.silver.orders::enforces``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.plugin.items.enforcement import enforcement_outcome
from pytest_delta_schema.plugin.items.table_items import StandardContract, check, report_unless_shown
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.table import Table


class EnforcementContract:
    """The check of the constraints of every table with ``--delta-enforce``."""

    table: Table

    @check
    @pytest.mark.usefixtures("_delta_started")
    def enforces(self, request: pytest.FixtureRequest, delta_catalog: Catalog, _delta_scratch: Any) -> None:
        """A scratch table takes rows that satisfy the contract, and stops those that break a constraint."""
        declarations = request.config.stash[RUN].declarations
        outcome = enforcement_outcome(self.table, declarations, delta_catalog, _delta_scratch)
        report_unless_shown(request, self.table, outcome)


@cache
def with_enforcement(contract: type[StandardContract]) -> type[StandardContract]:
    """Return a contract with the check of constraints behind its other checks."""
    return type(f"{contract.__name__}WithEnforcement", (EnforcementContract, contract), {})
