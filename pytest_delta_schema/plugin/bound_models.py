"""The function that the fixture ``delta_bound`` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.models.required_kinds import required_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.run import ContractRun


def bound_by(run: ContractRun) -> Callable[[Table], Table]:
    """Return a function that finds the table to which a model maps in a run.

    Args:
        run: The run, with its bindings and default properties.
    """

    @hides_traceback
    def bound(model: Table) -> Table:
        return run.bound(required_table(model, "delta_bound"))

    return bound
