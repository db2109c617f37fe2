"""All kinds of changes of an existing table, and their union.

None of them can be built empty, so a plan with a change in it always changes something.
"""

from __future__ import annotations

from typing import Union

from pytest_delta_schema.plan.column_changes import *
from pytest_delta_schema.plan.column_changes import AnyColumnChange
from pytest_delta_schema.plan.constraint_changes import *
from pytest_delta_schema.plan.constraint_changes import AnyConstraintChange
from pytest_delta_schema.plan.table_changes import *
from pytest_delta_schema.plan.table_changes import AnyTableChange

Change = Union[AnyColumnChange, AnyConstraintChange, AnyTableChange]  # noqa: UP007 - a union at run time, on every supported Python
