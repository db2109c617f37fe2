"""The checks of one table: each is a test item that turns an outcome of the gate into a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from pytest_delta_schema.engine.outcomes.outcome_parts import rules_outcome, snapshot_outcome
from pytest_delta_schema.plugin.compat.pytest_compat import skip_item
from pytest_delta_schema.plugin.items.joint_applies import JointApplies
from pytest_delta_schema.plugin.items.joint_items import joint
from pytest_delta_schema.plugin.outcomes.failures import ContractFailure
from pytest_delta_schema.plugin.outcomes.outcome_report import note_outcome, report_outcome
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.table import Table

_FIRST: pytest.StashKey[TableOutcome] = pytest.StashKey()

_F = TypeVar("_F", bound="Callable[..., None]")


def check(function: _F) -> _F:
    """Make a method a check: an item of that name, whatever ``python_functions`` says, with its marks."""
    function.__test__ = True  # type: ignore[attr-defined]
    marked: _F = pytest.mark.delta(getattr(pytest.mark, f"delta_{function.__name__}")(function))
    return marked


def once(item: pytest.Item, change: Callable[[], TableOutcome]) -> TableOutcome:
    """Return the outcome of a change of the catalog, which is made once, even if another plugin runs the item again.

    A second attempt could succeed, and the report would have neither the failure nor the statements of the first one.
    """
    if _FIRST not in item.stash:
        item.stash[_FIRST] = change()
    return item.stash[_FIRST]


def report_unless_shown(request: pytest.FixtureRequest, table: Table, outcome: TableOutcome) -> None:
    """Make an outcome the result of an item; what the check ``rules`` fails for in this run skips the item.

    Raises:
        ContractFailure: If the check does not pass.
    """
    run = request.config.stash[RUN]
    if table.name in run.checked_by_rules and run.declarations.violations(table):
        note_outcome(request.node, outcome)
        skip_item("the declaration breaks a rule; the check rules of this table shows it")
    report_outcome(request.node, outcome)


class StandardContract:
    """The checks of every table that need no catalog."""

    table: Table

    @check
    def rules(self, request: pytest.FixtureRequest) -> None:
        """The declaration breaks no rule."""
        report_outcome(request.node, rules_outcome(self.table, request.config.stash[RUN].declarations))

    @check
    def ddl(self, request: pytest.FixtureRequest, delta_snapshot: SnapshotAssertion) -> None:
        """The SQL that would create the table, and the state that it declares, are those that were reviewed."""
        from pytest_delta_schema.plugin.items.snapshot_check import mismatch

        declarations = request.config.stash[RUN].declarations
        outcome = rules_outcome(self.table, declarations)
        if not outcome.status.passes:
            request.config.stash[RUN].without_snapshot.append(request.node.nodeid)
            report_unless_shown(request, self.table, outcome)
        fault = mismatch(delta_snapshot, declarations.reviewed_texts(self.table))
        if fault is None:
            report_outcome(request.node, outcome)
            return
        note_outcome(request.node, snapshot_outcome(self.table, fault.head, fault.remedy))
        name = self.table.qualified_name
        subject = f"{name}: {fault.head}"
        raise ContractFailure(subject, fault.body, name)


class DriftContract(StandardContract):
    """The checks of every table with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def drift(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog holds what the model declares."""
        outcome = request.config.stash[RUN].gate(delta_catalog).drift(self.table)
        report_unless_shown(request, self.table, outcome)


class ApplyContract(StandardContract):
    """The apply of every table with ``--delta-apply``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def apply(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The table is aligned with its model, and read back."""
        gate = request.config.stash[RUN].gate(delta_catalog)
        outcome = once(request.node, lambda: joint(request.config, JointApplies).apply(request.node, gate))
        report_unless_shown(request, self.table, outcome)
