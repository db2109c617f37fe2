"""The checks of one table: each is a test item that turns an outcome of the gate into a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from pytest_delta_schema.engine.outcome_parts import rules_outcome
from pytest_delta_schema.plugin.failures import ContractFailure
from pytest_delta_schema.plugin.options import is_worker
from pytest_delta_schema.plugin.outcome_report import report_outcome
from pytest_delta_schema.plugin.run import RUN
from pytest_delta_schema.sql.compiler import script, statements

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import Table

_F = TypeVar("_F", bound="Callable[..., None]")


def check(function: _F) -> _F:
    """Make a method a check: an item of that name, whatever ``python_functions`` says, with its marks."""
    function.__test__ = True  # type: ignore[attr-defined]
    marked: _F = pytest.mark.delta(getattr(pytest.mark, f"delta_{function.__name__}")(function))
    return marked


class StandardContract:
    """The checks of every table that need no catalog."""

    table: Table

    @check
    def rules(self, request: pytest.FixtureRequest) -> None:
        """The declaration breaks no rule."""
        report_outcome(request.node, rules_outcome(self.table, request.config.stash[RUN].declarations))

    @check
    def ddl(self, request: pytest.FixtureRequest, delta_snapshot: SnapshotAssertion) -> None:
        """The SQL that would create the table is the one that was reviewed."""
        from pytest_delta_schema.plugin.snapshots import mismatch

        declarations = request.config.stash[RUN].declarations
        outcome = rules_outcome(self.table, declarations)
        if not outcome.status.is_good:
            report_outcome(request.node, outcome)
        difference = mismatch(delta_snapshot, script(statements(declarations.creation(self.table))))
        if difference is not None:
            head, body = difference
            subject = f"{self.table.qualified_name}: {head}"
            raise ContractFailure(subject, body)


class DriftContract(StandardContract):
    """The checks of every table with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def drift(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog holds what the model declares."""
        report_outcome(request.node, request.config.stash[RUN].gate(delta_catalog).drift(self.table))


class ApplyContract(StandardContract):
    """The apply of every table with ``--delta-apply``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def apply(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The table is aligned with its model, and read back."""
        run = request.config.stash[RUN]
        # Another worker of xdist may have created the parents of a table in a catalog of its own.
        with_parents = is_worker(request.config)
        outcome = run.gate(delta_catalog).apply(self.table, run.progress, with_parents=with_parents)
        report_outcome(request.node, outcome)
