"""Changes: values that say what changes in an existing table, one file for each aspect.

None of them can be built empty, so a plan with a change in it always changes something.
"""

from __future__ import annotations

from typing import Union

from pytest_delta_schema.plan import column_changes, constraint_changes, table_changes
from pytest_delta_schema.plan.column_changes import *
from pytest_delta_schema.plan.constraint_changes import *
from pytest_delta_schema.plan.table_changes import *

Change = Union[  # noqa: UP007 - a union of classes at run time, on every supported Python
    constraint_changes.ChecksChange,
    column_changes.ColumnsChange,
    table_changes.CommentsChange,
    table_changes.ConversionChange,
    column_changes.DefaultsChange,
    constraint_changes.ForeignKeysChange,
    table_changes.LayoutChange,
    constraint_changes.PrimaryKeysChange,
    table_changes.PropertiesChange,
    table_changes.TagsChange,
    column_changes.TypesChange,
    constraint_changes.UniqueChange,
]
