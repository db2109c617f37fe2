"""The checks of one table: each is one test item, calls the engine, and turns its outcome into a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

import pytest

from pytest_delta_schema.contracts import facts
from pytest_delta_schema.contracts.failures import ContractFailure, relative
from pytest_delta_schema.contracts.run import RUN
from pytest_delta_schema.errors import ApplyError, DeltaSchemaError, UnsafePlanError
from pytest_delta_schema.execute.action_runner import ActionRunner
from pytest_delta_schema.orchestrate.orchestrator import Orchestrator
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.plan.planner import TablePlanner, creation
from pytest_delta_schema.report.text import headline, plan_text, sql_text
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.errors import Violation
    from pytest_delta_schema.execute.ddl import Catalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.table_plan import TablePlan

_F = TypeVar("_F", bound="Callable[..., None]")


def check(function: _F) -> _F:
    """Make a method a check: an item of that name, whatever ``python_functions`` says, with its marks."""
    function.__test__ = True  # type: ignore[attr-defined]
    marked: _F = pytest.mark.delta(getattr(pytest.mark, f"delta_{function.__name__}")(function))
    return marked


class StandardContract:
    """What is checked of every table, without a catalog."""

    table: Table

    @check
    def rules(self, request: pytest.FixtureRequest) -> None:
        """The declaration breaks no rule."""
        _require_valid(self.table, request)

    @check
    def ddl(self, request: pytest.FixtureRequest, delta_snapshot: SnapshotAssertion) -> None:
        """The SQL that would create the table is the one that was reviewed."""
        from pytest_delta_schema.contracts.snapshots import mismatch

        _require_valid(self.table, request)
        difference = mismatch(delta_snapshot, script(statements(creation(desired_state(self.table)))))
        if difference is not None:
            head, body = difference
            subject = f"{self.table.qualified_name}: {head}"
            raise ContractFailure(subject, body)


class DriftContract(StandardContract):
    """What is checked of every table with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def drift(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog holds what the model wants."""
        _require_valid(self.table, request)
        plan = _plan(self.table, request, delta_catalog)
        if not plan.is_empty:
            violations = request.config.stash[RUN].validator.plan_violations(plan)
            _fail(self.table, request, delta_catalog, plan, violations)
        facts.record(request.node, outcome=facts.IN_SYNC)


class ApplyContract(StandardContract):
    """What is done to every table with ``--delta-apply``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def apply(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog is brought in line with the model, is read back, and holds what the model wants."""
        _require_valid(self.table, request)
        plan = _plan(self.table, request, delta_catalog)
        if plan.is_empty:
            facts.record(request.node, outcome=facts.IN_SYNC, statements=0)
            return
        validator = request.config.stash[RUN].validator
        try:
            ran = Orchestrator(delta_catalog, ActionRunner.over(delta_catalog), validator=validator).sync_tables(
                [self.table]
            )
        except UnsafePlanError as error:
            _fail(self.table, request, delta_catalog, plan, error.violations)
        except DeltaSchemaError as error:
            done = len(error.done) if isinstance(error, ApplyError) else 0
            head, _, body = str(error).partition("\n")
            facts.record(request.node, outcome=facts.FAILED, statements=done, summary=head)
            raise ContractFailure(head, body) from error
        if ran.statements:
            print(sql_text(ran.statements, delta_catalog.emulates))  # noqa: T201 - captured, shown by pytest -rP
        outcome = facts.APPLIED if ran.statements else facts.IN_SYNC
        facts.record(request.node, outcome=outcome, statements=len(ran.statements))


def _require_valid(table: Table, request: pytest.FixtureRequest) -> None:
    violations = request.config.stash[RUN].violations(table)
    if violations:
        facts.record(request.node, outcome=facts.BLOCKED, summary=violations[0])
        more = "".join(f"\n{each}" for each in violations[1:])
        place = f"declared at {relative(table.origin, request.config.rootpath)}"
        raise ContractFailure(str(violations[0]), f"{more}\n\n{place}".strip("\n"))


def _plan(table: Table, request: pytest.FixtureRequest, catalog: Catalog) -> TablePlan:
    plan = TablePlanner().plan([table], request.config.stash[RUN].state(catalog))
    facts.record(request.node, backend=catalog.name, note="; ".join(map(str, plan.notes)))
    return plan


def _fail(
    table: Table, request: pytest.FixtureRequest, catalog: Catalog, plan: TablePlan, violations: Sequence[Violation]
) -> NoReturn:
    (action,) = plan.actions
    head = headline(action)
    if violations:
        head = f"{head}; blocked: {violations[0].message}"
    facts.record(
        request.node,
        outcome=facts.BLOCKED if violations else facts.DRIFTED,
        changes=len(change_lines(action)),
        summary=head,
    )
    body = plan_text(
        action,
        declared_at=relative(table.origin, request.config.rootpath),
        emulated=catalog.emulates,
        violations=violations,
        notes=plan.notes,
    )
    raise ContractFailure(head, body)
