"""The constraints of a table, tried on a scratch table: ``models.py::dev.silver.orders::enforces``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, StatementError
from pytest_delta_schema.engine.outcomes import CheckKind, Status
from pytest_delta_schema.engine.plan_outcomes import failed_outcome, table_outcome
from pytest_delta_schema.execute.protocols import AppendsRows
from pytest_delta_schema.plugin.compat import skip_item
from pytest_delta_schema.plugin.items import StandardContract, check, report_unless_shown
from pytest_delta_schema.plugin.registration import RUN
from pytest_delta_schema.test_kit.enforcement import enforcement_rows, try_constraints

if TYPE_CHECKING:
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.scratch import Scratch


def enforcement_outcome(table: Table, declarations: Declarations, catalog: Catalog, scratch: Scratch) -> TableOutcome:
    """Create a scratch table of a model, and write rows to it that satisfy or break the contract."""
    model, violations = declarations.bound(table), declarations.violations(table)
    if violations:
        return table_outcome(model, declarations, CheckKind.ENFORCES, Status.BLOCKED, diagnostics=violations)
    if not isinstance(catalog, AppendsRows):
        msg = f"{table.qualified_name}: the catalog {type(catalog).__name__} cannot append rows; give it append_rows"
        return failed_outcome(model, declarations, CheckKind.ENFORCES, StatementError(msg))
    try:
        rows = enforcement_rows(table)
        made = scratch.table(table, None, None)
        trial = try_constraints(catalog, made, rows, model.name)
    except DeltaSchemaError as error:
        return failed_outcome(model, declarations, CheckKind.ENFORCES, error)
    return table_outcome(
        model,
        declarations,
        CheckKind.ENFORCES,
        Status.UNENFORCED if trial.faults else Status.ENFORCED,
        diagnostics=trial.faults,
        notes=trial.notes,
        backend=catalog.name,
    )


class EnforcementContract:
    """The check of the constraints of every table with ``--delta-enforce``."""

    table: Table

    @check
    @pytest.mark.usefixtures("_delta_started")
    def enforces(self, request: pytest.FixtureRequest, delta_catalog: Catalog, _delta_scratch: Any) -> None:
        """A scratch table takes rows that satisfy the contract, and stops those that break a constraint."""
        if self.table.read_only:
            skip_item("the contract is read-only; nothing of it can be enforced")
        declarations = request.config.stash[RUN].declarations
        outcome = enforcement_outcome(self.table, declarations, delta_catalog, _delta_scratch)
        report_unless_shown(request, self.table, outcome)


@cache
def with_enforcement(contract: type[StandardContract]) -> type[StandardContract]:
    """Return a contract with the check of constraints behind its other checks."""
    return type(f"{contract.__name__}WithEnforcement", (EnforcementContract, contract), {})
