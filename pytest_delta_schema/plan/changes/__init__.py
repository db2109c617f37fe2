"""Changes: values that say what changes in an existing table, and do nothing.

None of them can be built empty, so a plan with a change in it always changes something.
"""

from __future__ import annotations

from typing import Union

from pytest_delta_schema.plan.changes.columns import (
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnGenerationChange,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
)
from pytest_delta_schema.plan.changes.constraints import (
    CheckAdd,
    CheckDrop,
    CheckReplace,
    ForeignKeyAdd,
    ForeignKeyDrop,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
)
from pytest_delta_schema.plan.changes.guard import require_change
from pytest_delta_schema.plan.changes.tables import (
    ClusteringChange,
    ConvertTable,
    LayoutRewrite,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    UnsetTableProperties,
)
from pytest_delta_schema.plan.changes.tags import SetTags, UnsetTags

__all__ = [
    "ALIGNMENT_ORDER",
    "Change",
    "CheckAdd",
    "CheckDrop",
    "CheckReplace",
    "ClusteringChange",
    "ColumnAdd",
    "ColumnDefaultChange",
    "ColumnDrop",
    "ColumnGenerationChange",
    "ColumnMove",
    "ColumnNullabilityChange",
    "ColumnRename",
    "ColumnTypeChange",
    "ConvertTable",
    "ForeignKeyAdd",
    "ForeignKeyDrop",
    "LayoutRewrite",
    "PrimaryKeyAdd",
    "PrimaryKeyDrop",
    "SetColumnComments",
    "SetTableComment",
    "SetTableProperties",
    "SetTags",
    "UnsetTableProperties",
    "UnsetTags",
    "require_change",
]

Change = Union[  # noqa: UP007 - a union of classes at run time, on every supported Python
    ConvertTable,
    ForeignKeyDrop,
    PrimaryKeyDrop,
    CheckDrop,
    CheckReplace,
    CheckAdd,
    UnsetTags,
    ColumnRename,
    ColumnAdd,
    ColumnTypeChange,
    ClusteringChange,
    LayoutRewrite,
    ColumnDrop,
    ColumnMove,
    ColumnDefaultChange,
    ColumnGenerationChange,
    ColumnNullabilityChange,
    PrimaryKeyAdd,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    UnsetTableProperties,
    SetTags,
    ForeignKeyAdd,
]

ALIGNMENT_ORDER: tuple[type[Change], ...] = (
    ConvertTable,
    ForeignKeyDrop,
    PrimaryKeyDrop,
    CheckDrop,
    UnsetTags,
    ColumnRename,
    ColumnAdd,
    ColumnTypeChange,
    ClusteringChange,
    LayoutRewrite,
    ColumnDrop,
    ColumnMove,
    ColumnDefaultChange,
    ColumnGenerationChange,
    ColumnNullabilityChange,
    CheckReplace,
    CheckAdd,
    PrimaryKeyAdd,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    UnsetTableProperties,
    SetTags,
    ForeignKeyAdd,
)
"""The order of an alignment: readers can live with every state in between."""
