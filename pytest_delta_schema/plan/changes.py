"""All kinds of changes of an existing table.

None of them can be built empty, so a plan with a change in it always changes something.
"""

from __future__ import annotations

from pytest_delta_schema.plan import column_changes, constraint_changes, table_changes
from pytest_delta_schema.plan.column_changes import *
from pytest_delta_schema.plan.constraint_changes import *
from pytest_delta_schema.plan.kinds import Change
from pytest_delta_schema.plan.table_changes import *

KINDS: tuple[type[Change], ...] = tuple(
    value
    for module in (column_changes, constraint_changes, table_changes)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Change) and hasattr(value, "code")
)
"""Every kind of change."""
